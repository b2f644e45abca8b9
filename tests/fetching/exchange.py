"""One exchange with a server on loopback, for tests of transports.

In: a script, a request. Out: the reply, or the failure as a value.
"""

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from fetching.servers import Script, Server, serve
from patience import LONG
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.transport import HopFailed, Reply, Request, Transport

T = TypeVar("T")


def run(work: Awaitable[T]) -> T:
    """Run a test in a loop of its own, but not for ever."""

    async def bounded() -> T:
        async with asyncio.timeout(LONG):
            return await work

    return asyncio.run(bounded())


def request(url: str, **changes: Any) -> Request:
    """Return a request for a URL, with what a test says of it."""
    settings = {"headers": {"User-Agent": "verger-test"}, "body_limit": 500_000} | changes
    return Request(url, **settings)


@dataclass(frozen=True)
class Outcome:
    """What came of a request: one of the two."""

    reply: Reply | None = None
    failed: HopFailed | None = None

    @property
    def body(self) -> tuple[bytes, str]:
        assert self.reply, self.failed
        return self.reply.body, self.reply.ended

    @property
    def failure(self) -> str:
        assert self.failed, str(self.reply)[:300]
        return self.failed.failure


async def outcome(transport: Transport, sent: Request) -> Outcome:
    """Send a request; any exception but `HopFailed` fails the test."""
    try:
        return Outcome(reply=await transport.send(sent))
    except HopFailed as failed:
        return Outcome(failed=failed)


async def failure_of_a_redirect(transport: Transport, url: str) -> str:
    """Ask for a URL by name, then as a redirect leads to it; return what that one fails by."""
    await transport.send(request(url))
    refused = await outcome(transport, request(url, named=False))
    await transport.close()
    return refused.failure


async def given_up(transport: Transport, url: str, server: Server) -> bool:
    """Stop waiting for a response that stalls; return whether the server sees its end."""
    sending = asyncio.create_task(transport.send(request(url)))
    await server.stalled.wait()
    sending.cancel()
    with suppress(asyncio.CancelledError):
        await sending
    await server.hung_up.wait()
    await transport.close()
    return server.hung_up.is_set()


def exchange(
    script: Script,
    *,
    options: dict[str, Any] | None = None,
    **changes: Any,
) -> tuple[Outcome, Server]:
    """Ask a server that follows a script for one file."""

    async def work() -> tuple[Outcome, Server]:
        transport = AiohttpTransport(**(options or {}))
        async with serve(script) as server:
            try:
                url = f"http://127.0.0.1:{server.port}/robots.txt"
                return await outcome(transport, request(url, **changes)), server
            finally:
                await transport.close()

    return run(work())
