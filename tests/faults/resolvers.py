"""Resolvers that fail: objects of the kind that aiohttp asks for names."""

# ruff: noqa: ARG002 - the arguments of `resolve` are aiohttp's

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence

from aiohttp.abc import AbstractResolver, ResolveResult


class Table(AbstractResolver):
    """Knows the addresses of some names."""

    def __init__(self, names: Mapping[str, Sequence[str]]) -> None:
        self.names = names

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        if host not in self.names:
            raise no_such_name(host)
        return [result(host, address, port) for address in self.names[host]]

    async def close(self) -> None:
        pass


class Silent(AbstractResolver):
    """Never answers."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        await asyncio.Event().wait()
        raise AssertionError

    async def close(self) -> None:
        pass


class Changing(AbstractResolver):
    """Answers from a function of the name and of how often it was asked for."""

    def __init__(self, answer: Callable[[str, int], list[str]]) -> None:
        self.answer = answer
        self.asked: dict[str, int] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        times = self.asked[host] = self.asked.get(host, 0) + 1
        return [result(host, address, port) for address in self.answer(host, times)]

    async def close(self) -> None:
        pass


def no_such_name(host: str) -> OSError:
    return socket.gaierror(socket.EAI_NONAME, f"no such name: {host}")


def result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=family,
        proto=0,
        flags=socket.AI_NUMERICHOST,
    )
