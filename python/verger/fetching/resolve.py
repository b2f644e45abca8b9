"""Where a request goes: `connect_to` entries, and the addresses of host names.

In: a host and port. Out: the host and port to connect to instead, and IP addresses in the order
to try them; or `HopFailed` `dns`. Nothing is cached between requests: that is the job of the
system's resolver. Knows neither HTTP nor which addresses are permitted.
"""

import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from verger.errors import InvalidOption
from verger.fetching.guard import literal_address
from verger.fetching.settings import canonical_host
from verger.fetching.threads import Threads
from verger.fetching.transport import HopFailed
from verger.plain import quoted, reason_of

LOOKUP_THREADS = 32
"""Names that are looked up at once; getaddrinfo blocks one thread for each."""


# From names to addresses


class Resolver(Protocol):
    """Finds the addresses of a host name."""

    async def addresses(self, host: str) -> Sequence[str]:
        """Return at least one address, best first, or raise `HopFailed` `dns`."""
        ...

    def close(self) -> None:
        """End the threads; the resolver may be used again afterwards."""
        ...


class ForeignResolver(Protocol):
    """The part of `aiohttp.abc.AbstractResolver` that is needed here."""

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> Sequence[Mapping[str, object]]: ...


def resolver_for(setting: "Mapping[str, str] | ForeignResolver | None") -> Resolver:
    """Return the resolver for a transport's setting."""
    if setting is None:
        return SystemResolver()
    return TableResolver(setting) if isinstance(setting, Mapping) else AdaptedResolver(setting)


class SystemResolver:
    """getaddrinfo, on threads of its own."""

    def __init__(self) -> None:
        self._threads = Threads(LOOKUP_THREADS, "verger-resolve")

    async def addresses(self, host: str) -> Sequence[str]:
        try:
            found = await self._threads.run(lambda: look_up(host))
        except socket.gaierror as error:
            raise HopFailed("dns", no_address(host, error)) from error
        except UnicodeError as error:  # a label is empty or longer than 63 bytes
            raise HopFailed("dns", f"{quoted(host)} is not a host name") from error
        return found or not_found(host)

    def close(self) -> None:
        self._threads.close()


class TableResolver:
    """A fixed table from hosts to addresses; other hosts have none."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table

    async def addresses(self, host: str) -> Sequence[str]:
        address = self._table.get(host)
        return [address] if address else not_found(host)

    def close(self) -> None:
        pass


class AdaptedResolver:
    """An `aiohttp.abc.AbstractResolver` that belongs to the caller, who also closes it."""

    def __init__(self, resolver: ForeignResolver) -> None:
        self._resolver = resolver

    async def addresses(self, host: str) -> Sequence[str]:
        try:
            found = await self._resolver.resolve(host, 0, socket.AF_UNSPEC)
        except OSError as error:
            raise HopFailed("dns", no_address(host, error)) from error
        return [str(entry["host"]) for entry in found] or not_found(host)

    def close(self) -> None:
        pass


def look_up(host: str) -> list[str]:
    """Return the addresses of a host, each once, in the order of RFC 6724."""
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


def not_found(host: str) -> Sequence[str]:
    raise HopFailed("dns", no_address(host))


def no_address(host: str, error: OSError | None = None) -> str:
    return f"no address for {quoted(host)}" + ("" if error is None else f": {reason_of(error)}")


# connect_to


@dataclass(frozen=True, slots=True)
class ConnectTo:
    """One entry: requests for this host and port connect to that host and port."""

    host: str
    """As in request URLs; empty for any."""
    port: int | None
    """None for any."""
    to_host: str
    """Empty for the same."""
    to_port: int | None
    """None for the same."""


class Routes:
    """The entries; the first that matches a host and port applies."""

    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._entries: dict[tuple[str, int | None], tuple[int, ConnectTo]] = {}
        for number, text in enumerate(entries):
            entry = read_connect_to(text)
            self._entries.setdefault((entry.host, entry.port), (number, entry))

    def __bool__(self) -> bool:
        return bool(self._entries)

    def target(self, host: str, port: int) -> tuple[str, int]:
        """Return the host and port to connect to for this host and port."""
        if not self._entries:
            return host, port
        name = host.lower()
        first: tuple[int, ConnectTo] | None = None
        for key in ((name, port), (name, None), ("", port), ("", None)):
            found = self._entries.get(key)
            if found and (first is None or found[0] < first[0]):
                first = found
        if first is None:
            return host, port
        _, entry = first
        return entry.to_host or host, entry.to_port or port


ENTRY = re.compile(
    r"(?P<host>\[[^\]]*\]|[^:\[\]]*):(?P<port>[0-9]{0,5}):"
    r"(?P<to_host>\[[^\]]*\]|[^:\[\]]*):(?P<to_port>[0-9]{0,5})",
    re.ASCII,
)


def read_connect_to(text: str) -> ConnectTo:
    """Read `HOST1:PORT1:HOST2:PORT2`, as in curl's option --connect-to."""
    found = ENTRY.fullmatch(text)
    if not found:
        raise InvalidOption(
            f"`{text}` is not HOST1:PORT1:HOST2:PORT2",
            "write IPv6 addresses in brackets, and leave parts empty to match any, "
            "such as `example.com::127.0.0.1:8080`",
        )
    return ConnectTo(
        host=read_host(text, found["host"]),
        port=read_port(text, found["port"]),
        to_host=read_host(text, found["to_host"]),
        to_port=read_port(text, found["to_port"]),
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
