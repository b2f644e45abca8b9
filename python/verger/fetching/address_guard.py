"""The address guard: where a redirect may lead.

In: the addresses a connection would go to. Out: those it may go to, or `HopFailed`. A server
that redirects a crawler to 127.0.0.1 or 169.254.169.254 makes it open what only the crawler can
reach; so an address that the caller did not name must be public. Public is defined by the IANA
special-purpose address registries (RFC 6890), including the IPv4 addresses embedded in IPv6
addresses. Knows no socket: transports ask it about each address they connect to.
"""

import re
import socket
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

from verger.errors import InvalidOption
from verger.fetching.settings import canonical_host
from verger.fetching.transport import HopFailed, Request
from verger.untrusted_text import quoted

Network: TypeAlias = IPv4Network | IPv6Network


class AddressGuard:
    """The rule, with the networks and hosts that are exempt from it."""

    def __init__(self, private: Iterable[str] = ()) -> None:
        self._networks: list[Network] = []
        self._hosts: set[str] = set()
        for entry in private:
            self._exempt(entry)

    def permitted(self, request: Request, host: str, addresses: Sequence[str]) -> Sequence[str]:
        """Return the addresses of `host` that the request may connect to; never an empty list.

        Raises: HopFailed `redirect-refused` if it may connect to none of them.
        """
        if request.named or host.lower() in self._hosts:
            return addresses
        kept = [address for address in addresses if self.allows(request, address)]
        if not kept:
            raise refusal(addresses[0])
        return kept

    def allows(self, request: Request, address: str) -> bool:
        """Whether the request may connect to this address, whatever its host is called."""
        return (
            request.named
            or is_public(address)
            or address in request.known_addresses
            or self._is_exempt(address)
        )

    def permits_name(self, request: Request, host: str) -> None:
        """Judge a host only by its name: a proxy resolves it, and we never see the address.

        Raises: HopFailed `redirect-refused` for a non-public address in any spelling and a name
        that by convention means the machine or network that resolves it.
        """
        known = self._hosts | request.known_addresses
        if address := literal_address(host):
            self.permitted(request, host, [address])
        elif not request.named and is_local_name(host) and host.lower() not in known:
            raise HopFailed(
                "redirect-refused",
                f"{quoted(host)} is a name of the local network, and `private` does not name it",
            )

    def _exempt(self, entry: str) -> None:
        if network := read_network(entry):
            self._networks.append(network)
        else:
            self._hosts.add(read_host(entry))

    def _is_exempt(self, address: str) -> bool:
        if not self._networks:
            return False
        parsed = parse(address)
        return parsed is not None and any(parsed in network for network in self._networks)


def refusal(address: str) -> HopFailed:
    """Return the failure of a redirect to an address that only the caller may name."""
    said = f"address {address} is not public, and `private` does not name it"
    return HopFailed("redirect-refused", said)


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
    return IPv4Address(data[2:6]) if address in SIX_TO_FOUR else None


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
    """Whether a name means something only to the machine or network that resolves it.

    A name without a dot is looked up in the network's own domain, or in a file of the machine.
    """
    *_, last = labels = host.lower().rstrip(".").split(".")
    return len(labels) == 1 or last in NOT_PUBLIC_NAMES


NOT_PUBLIC_NAMES = frozenset(
    (
        # IANA, Special-Use Domain Names (RFC 6761): no name below them is in the public DNS.
        *("localhost", "invalid", "test"),  # RFC 6761 sections 6.2 to 6.4
        "local",  # RFC 6762: of the link
        "onion",  # RFC 7686: of Tor
        "alt",  # RFC 9476: of no DNS
        # For the infrastructure of the internet (RFC 3172), among it `home.arpa`, of home networks
        # (RFC 8375), and the addresses of private networks (RFC 6761 section 6.1).
        "arpa",
        # Reserved for private use (ICANN Board, 29 July 2024), or for good not delegated since
        # networks use them (RFC 6762 appendix G; ICANN Board, 4 February 2018).
        *("internal", "corp", "home", "intranet", "lan", "mail", "private"),
        # As in the `hosts` of many systems: `localhost.localdomain`.
        *("localdomain", "localdomain4", "localdomain6"),
    )
)
"""The last labels of names that the public DNS does not answer. Those of examples are not among
them: RFC 6761 section 6.5 has software treat them as any other, and `example.com` is a public site.
"""


# Settings


def read_network(entry: str) -> Network | None:
    """Return the network or single address in a setting; None for a host name."""
    try:
        return ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        return None


def read_host(entry: str) -> str:
    host = None if ":" in entry else canonical_host(entry)
    if host is None or NUMERIC.fullmatch(host):
        raise InvalidOption(
            f"`{entry}` is neither a network nor a host",
            "pass a network such as `10.0.0.0/8`, an address or a host name",
        )
    return host
