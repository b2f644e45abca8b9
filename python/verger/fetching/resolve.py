"""Where a request goes: `connect_to` entries, then the addresses of host names, then the guard.

In: a request, and the host and port of its URL. Out: IP addresses in the order to try them, and a
port; or `HopFailed`. Transports connect to exactly these addresses and resolve nothing again.
Nothing is cached between requests: that is the job of the system's resolver. Knows no HTTP.
"""

import asyncio
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias

from verger.errors import InvalidOption
from verger.fetching.address_guard import AddressGuard, literal_address
from verger.fetching.settings import canonical_host
from verger.fetching.transport import HopFailed, Request
from verger.loop_thread import PerLoop, in_thread
from verger.untrusted_text import quoted, reason_of

LOOKUP_THREADS = 32
"""Names that are looked up at once; getaddrinfo blocks one thread for each."""


# From names to addresses


class ForeignResolver(Protocol):
    """The part of `aiohttp.abc.AbstractResolver` that is needed here."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> Sequence[Mapping[str, object]]: ...


def look_up(host: str) -> list[str]:
    """Return the addresses of a host, each once, in the order of RFC 6724."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


# connect_to


Route: TypeAlias = tuple[str, int | None, str, int | None]
"""A host as in request URLs, empty for any, and a port, None for any; and the host and port to
connect to instead, empty and None for the same."""

ENTRY = re.compile(
    r"(?P<host>\[[^\]]*\]|[^:\[\]]*):(?P<port>[0-9]{0,5}):"
    r"(?P<to_host>\[[^\]]*\]|[^:\[\]]*):(?P<to_port>[0-9]{0,5})",
    re.ASCII,
)


def routed(routes: Iterable[Route], host: str, port: int) -> tuple[str, int]:
    """Return the host and port to connect to for this host and port: by the first that matches."""
    for from_host, from_port, to_host, to_port in routes:
        if from_host in ("", host.lower()) and from_port in (None, port):
            return to_host or host, to_port or port
    return host, port


def read_connect_to(text: str) -> Route:
    """Read `HOST1:PORT1:HOST2:PORT2`, as in curl's option --connect-to."""
    found = ENTRY.fullmatch(text)
    if not found:
        raise InvalidOption(
            f"`{text}` is not HOST1:PORT1:HOST2:PORT2",
            "write IPv6 addresses in brackets, and leave parts empty to match any, "
            "such as `example.com::127.0.0.1:8080`",
        )
    return (
        read_host(text, found["host"]),
        read_port(text, found["port"]),
        read_host(text, found["to_host"]),
        read_port(text, found["to_port"]),
    )


def read_host(entry: str, text: str) -> str:
    host = canonical_host(text) if text else ""
    if host is not None:
        return host
    if not text.startswith("["):
        raise InvalidOption(
            f"`{entry}` names `{text}`, which is not a host",
            "write a name or an address; leave it empty for any",
        )
    if not literal_address(text):  # an address with a zone is invalid in URLs, but can be used
        raise InvalidOption(
            f"`{entry}` names `{text}`, which is not an IPv6 address",
            "write it such as `[::1]`",
        )
    return text.strip("[]")


def read_port(entry: str, text: str) -> int | None:
    if not text:
        return None
    port = int(text)
    if not 0 < port < 65_536:
        raise InvalidOption(
            f"`{entry}` names port {text}",
            "ports are numbers from 1 to 65535; leave it empty for any",
        )
    return port


# Both, and the guard


@dataclass(frozen=True, slots=True)
class Destination:
    """The addresses and port that a connection may go to."""

    addresses: Sequence[str]
    port: int


class Destinations:
    """Where connections go: by the entries of `connect_to`, a resolver, and the guard.

    resolver:  None for the system's; or a table, or the caller's resolver.
    """

    def __init__(
        self,
        *,
        connect_to: Iterable[str] = (),
        private: Iterable[str] = (),
        resolver: Mapping[str, str] | ForeignResolver | None = None,
    ) -> None:
        self.guard = AddressGuard(private)
        self.routes = [read_connect_to(text) for text in connect_to]
        self._resolver = resolver
        self._turns = PerLoop(lambda: asyncio.Semaphore(LOOKUP_THREADS))

    async def find(self, request: Request, host: str, port: int) -> Destination:
        """Return where a request for this host and port may connect."""
        to_host, to_port = routed(self.routes, host, port)
        literal = literal_address(to_host)
        found = [literal] if literal else await self.addresses(to_host)
        return Destination(self.guard.permitted(request, host, found), to_port)

    async def addresses(self, host: str) -> Sequence[str]:
        """Return at least one address of a host, best first, or raise `HopFailed` `dns`."""
        try:
            found = await self._find_addresses(host)
        except UnicodeError as error:  # a label is empty or longer than 63 bytes
            raise HopFailed("dns", f"{quoted(host)} is not a host name") from error
        except OSError as error:
            raise HopFailed("dns", f"no address for {quoted(host)}: {reason_of(error)}") from error
        if not found:
            raise HopFailed("dns", f"no address for {quoted(host)}")
        return found

    async def _find_addresses(self, host: str) -> Sequence[str]:
        if self._resolver is None:
            async with self._turns.get():
                return await in_thread(partial(look_up, host), "verger-resolve")
        if isinstance(self._resolver, Mapping):
            return [self._resolver[host]] if host in self._resolver else []
        found = await self._resolver.resolve(host, 0, socket.AF_UNSPEC)
        return [str(entry["host"]) for entry in found]
