"""Where a request goes: `connect_to` entries, then the addresses of host names, then the guard.

In: a request, and the host and port of its URL. Out: IP addresses in the order to try them, and a
port; or `HopFailed`. Transports connect to exactly these addresses and resolve nothing again.
Nothing is cached between requests: that is the job of the system's resolver. Knows no HTTP.

The address guard says where a redirect may lead. A server that redirects a crawler to 127.0.0.1 or
169.254.169.254 makes it open what only the crawler can reach; so an address that the caller did not
name must be public. Public is defined by the IANA special-purpose address registries (RFC 6890),
including the IPv4 addresses embedded in IPv6 addresses.
"""

import asyncio
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Protocol, TypeAlias

from verger._core import Origin
from verger.errors import InvalidOption, InvalidTarget
from verger.fetching.transport import HopFailed, Request
from verger.loop_thread import PerLoop, in_thread
from verger.plain import quoted, reason_of

LOOKUP_THREADS = 32
"""Names that are looked up at once; getaddrinfo blocks one thread for each."""

Network: TypeAlias = IPv4Network | IPv6Network


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


# Destinations


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


def canonical_host(text: str) -> str | None:
    """Return a host as in request URLs, IPv6 without brackets; None if it is not a host."""
    if any(mark in text for mark in "/?#@"):
        return None
    try:
        return Origin(f"http://{text}").host.strip("[]")
    except InvalidTarget:
        return None


# The address guard


class AddressGuard:
    """The rule, with the networks and hosts that are exempt from it."""

    def __init__(self, private: Iterable[str] = ()) -> None:
        self._networks: list[Network] = []
        self._hosts: set[str] = set()
        for entry in private:
            try:
                self._networks.append(ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                self._hosts.add(exempt_host(entry))

    def permitted(self, request: Request, host: str, addresses: Sequence[str]) -> Sequence[str]:
        """Return the addresses of `host` that the request may connect to; never an empty list.

        Raises: HopFailed `redirect-refused` if it may connect to none of them.
        """
        if request.named or host.lower() in self._hosts:
            return addresses
        kept = [
            address
            for address in addresses
            if address in request.known_addresses or is_public(address) or self._is_exempt(address)
        ]
        if not kept:
            raise refusal(addresses[0])
        return kept

    def permits_name(self, request: Request, host: str) -> None:
        """Judge a host only by its name: a proxy resolves it, and we never see the address.

        Raises: HopFailed `redirect-refused` for a non-public address in any spelling and a name
        that by convention means the machine or network that resolves it.
        """
        if address := literal_address(host):
            self.permitted(request, host, [address])
        elif not request.named and is_local_name(host) and host.lower() not in self._hosts:
            raise HopFailed("redirect-refused", f"{quoted(host)} is a name of the local network")

    def _is_exempt(self, address: str) -> bool:
        parsed = parse(address)
        return parsed is not None and any(parsed in network for network in self._networks)


def exempt_host(entry: str) -> str:
    """Return the host in a setting. Raises InvalidOption."""
    host = None if ":" in entry else canonical_host(entry)
    if host is None or NUMERIC.fullmatch(host):
        raise InvalidOption(
            f"`{entry}` is neither a network nor a host",
            "pass a network such as `10.0.0.0/8`, an address or a host name",
        ) from None
    return host


def refusal(address: str) -> HopFailed:
    """Return the failure of a redirect to an address that only the caller may name."""
    return HopFailed("redirect-refused", f"address {address} is not public")


# Addresses


def is_public(address: str) -> bool:
    """Whether an address belongs to one machine of the public internet."""
    parsed = parse(address)
    return parsed is not None and is_public_address(parsed)


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    if carried := carried_address(address):
        return is_public_address(carried)
    if address.scope_id or address not in GLOBAL_UNICAST_6:
        return False
    return not any(address in network for network in NOT_PUBLIC_6)


def carried_address(address: IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address, if any."""
    data = address.packed
    if address in MAPPED or address in NAT64:
        return IPv4Address(data[12:])
    if address in SIX_TO_FOUR:
        return IPv4Address(data[2:6])
    return None


def parse(address: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(address)
    except ValueError:
        return None


NOT_PUBLIC_4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network (RFC 791)
        "10.0.0.0/8",  # private (RFC 1918)
        "100.64.0.0/10",  # shared by the customers of a carrier (RFC 6598)
        "127.0.0.0/8",  # loopback (RFC 1122)
        "169.254.0.0/16",  # link-local (RFC 3927); the metadata of cloud machines
        "172.16.0.0/12",  # private (RFC 1918)
        "192.0.0.0/24",  # protocol assignments (RFC 6890)
        "192.0.2.0/24",  # documentation (RFC 5737)
        "192.88.99.0/24",  # 6to4 relays, withdrawn (RFC 7526)
        "192.168.0.0/16",  # private (RFC 1918)
        "198.18.0.0/15",  # benchmarks (RFC 2544)
        "198.51.100.0/24",  # documentation (RFC 5737)
        "203.0.113.0/24",  # documentation (RFC 5737)
        "224.0.0.0/4",  # multicast (RFC 5771)
        "240.0.0.0/4",  # reserved, and broadcast (RFC 1112)
    )
]

GLOBAL_UNICAST_6 = IPv6Network("2000::/3")
"""Everything assigned to the public internet; local and mapped forms are outside."""

NOT_PUBLIC_6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments (RFC 2928): Teredo, benchmarks, ORCHID
        "2001:db8::/32",  # documentation (RFC 3849)
        "3fff::/20",  # documentation (RFC 9637)
    )
]

MAPPED = IPv6Network("::ffff:0:0/96")
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")


# Hosts of URLs

NUMERIC = re.compile(r"(?:[0-9a-fx]*\.)*(?:[0-9]+|0x[0-9a-f]*)\.?", re.IGNORECASE | re.ASCII)
"""A name that ends in a number is an IPv4 address or nothing (URL Standard, host parsing)."""


def literal_address(host: str) -> str | None:
    """Return the address that a host spells out, in its usual form; None for a name.

    `2130706433`, `0177.1` and `0x7f.1` are spellings of 127.0.0.1 that resolvers accept.
    """
    return spelled_address(host) if host[-1:] in ENDS_OF_ADDRESSES else None


ENDS_OF_ADDRESSES = frozenset("0123456789abcdefABCDEFxX.:]")


@lru_cache(maxsize=1024)
def spelled_address(host: str) -> str | None:
    host = host.removeprefix("[").removesuffix("]")
    if ":" in host:
        address = parse(host)
        mapped = getattr(address, "ipv4_mapped", None)
        return str(mapped or address) if address else None
    if not NUMERIC.fullmatch(host):
        return None
    try:
        return socket.inet_ntoa(socket.inet_aton(host.removesuffix(".")))
    except OSError:
        return None


def is_local_name(host: str) -> bool:
    """Whether a name always means the machine or network that resolves it.

    RFC 6761 section 6.3 for localhost, RFC 6762 for local; internal is reserved by ICANN.
    """
    return host.lower().rstrip(".").rpartition(".")[2] in ("localhost", "local", "internal")
