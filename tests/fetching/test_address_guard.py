"""Which addresses are public, how hosts spell addresses, and what may be exempt."""

from dataclasses import replace

import pytest

from verger.errors import InvalidOption
from verger.fetching.address_guard import AddressGuard, is_local_name, is_public, literal_address
from verger.fetching.transport import HopFailed, Request

NAMED = Request("http://h/", {}, 0)
REDIRECTED = Request("http://h/", {}, 0, named=False)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.1",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1",
        "223.255.255.255",
        "2001:4860:4860::8888",
        "2606:4700::1111",
        "2a00::1",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
    ],
)
def test_public(address: str) -> None:
    """Addresses of the public internet, and those that lead there."""
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.170",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.1.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::7f00:1",
        "::808:808",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:0:127.0.0.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::8.8.8.8",
        "100::1",
        "2001::1",
        "2001:0:808:808::1",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:db8::1",
        "2002:a00:1::1",
        "2002:7f00:1::1",
        "2002:c0a8:101::1",
        "3fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "fe80::1%eth0",
        "2a00::1%1",
        "fec0::1",
        "ff02::1",
        "no address",
        "",
        "1.1.1",
        "01.1.1.1",
    ],
)
def test_not_public(address: str) -> None:
    """Addresses that mean another machine, or none, wherever they are used."""
    assert not is_public(address)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0X7F.1", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("0177.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("010.8.8.8", "8.8.8.8"),
        ("::1", "::1"),
        ("[::1]", "::1"),
        ("::", "::"),
        ("[fd00::]", "fd00::"),
        ("0:0:0:0:0:0:0:1", "::1"),
        ("::ffff:7f00:1", "127.0.0.1"),
        ("example.com", None),
        ("127.0.0.1.example", None),
        ("1.2.3.4.5", None),
        ("256.1.1.1", None),
        ("08.1.1.1", None),
        ("4294967296", None),
        ("[::x]", None),
        ("abc.de", None),
        ("0xzz", None),
        ("", None),
    ],
)
def test_literal_address(host: str, address: str | None) -> None:
    """A host that resolvers read as a number is the address it spells."""
    assert address == literal_address(host)


@pytest.mark.parametrize(
    "host",
    [
        *("localhost", "LOCALHOST.", "a.localhost", "nas.local", "x.internal"),
        # in `hosts` files, and in the network's own domain
        *("ip6-localhost", "ip6-loopback", "localhost.localdomain", "localhost6.localdomain6"),
        *("wiki", "router.", "com", "metadata"),
        # IANA, Special-Use Domain Names
        *("a.test", "TEST.", "no.invalid", "hidden.onion", "x.alt"),
        *("nas.home.arpa", "home.arpa.", "1.0.0.10.in-addr.arpa", "resolver.arpa"),
        # RFC 6762 appendix G
        *("nas.lan", "a.b.LAN.", "wiki.corp", "tv.home", "a.intranet", "db.private", "mx.mail"),
        *("metadata.google.internal", "instance-data.ec2.internal"),
    ],
)
def test_local_name(host: str) -> None:
    """Names that mean something only to the machine or network of whoever looks them up."""
    assert is_local_name(host)


@pytest.mark.parametrize(
    "host",
    [
        *("local.example", "localhost.example", "internals.example", "lan.example"),
        *("example.com", "www.example.org.", "home.arpa.example", "test.com", "onion.to"),
        *("xn--bcher-kva.example", "a.corporate", "mail.com", "a.wlan", "example.tests"),
    ],
)
def test_other_name(host: str) -> None:
    """Names that a public server may have."""
    assert not is_local_name(host)


def test_named_hops_go_anywhere() -> None:
    """The caller may name any address."""
    assert ["10.0.0.1"] == AddressGuard().permitted(NAMED, "h", ["10.0.0.1"])


def test_redirects_keep_public_addresses() -> None:
    """Of several addresses only the public ones are tried."""
    addresses = ["10.0.0.1", "8.8.8.8", "::1", "2a00::1"]

    assert ["8.8.8.8", "2a00::1"] == AddressGuard().permitted(REDIRECTED, "h", addresses)


def test_redirects_to_other_addresses_are_refused() -> None:
    """Without a public address the hop fails, and says which address it was."""
    with pytest.raises(HopFailed, match=r"address 10\.0\.0\.1 is not public") as raised:
        AddressGuard().permitted(REDIRECTED, "h", ["10.0.0.1", "10.0.0.2"])

    assert "redirect-refused" == raised.value.failure


def test_known_addresses() -> None:
    """A redirect may go back to where a named hop was."""
    back = Request("http://h/", {}, 0, named=False, known_addresses=frozenset({"10.0.0.1"}))

    assert ["10.0.0.1"] == AddressGuard().permitted(back, "h", ["10.0.0.1", "10.0.0.2"])


NETWORKS = (
    *(("10.0.0.0/8", "10.1.2.3"), ("10.1.2.3/8", "10.9.9.9"), ("10.1.2.3", "10.1.2.3")),
    *(("fd00::/8", "fd12::1"), ("::1", "::1"), ("[::1]", "::1")),
)
"""With an address in each."""


@pytest.mark.parametrize(
    ("entry", "host", "address"),
    [
        *((network, "h", address) for network, address in NETWORKS),
        ("Intranet.example", "intranet.EXAMPLE", "10.1.2.3"),
        ("B\u00dcRO.example", "xn--bro-hoa.example", "10.1.2.3"),
    ],
)
def test_private(entry: str, host: str, address: str) -> None:
    """Networks, addresses and hosts that the caller exempts; and nothing beside them."""
    guard = AddressGuard([entry])

    assert [address] == guard.permitted(REDIRECTED, host, [address])
    with pytest.raises(HopFailed):
        guard.permitted(REDIRECTED, "other.example", ["192.168.0.1"])


@pytest.mark.parametrize(
    "entry", ["", "10.0.0.0/33", "http://h/", "h:80", "300.1.1.1", "a b", "a\uff0fb"]
)
def test_private_that_is_none(entry: str) -> None:
    """What is neither network nor host is told so."""
    with pytest.raises(InvalidOption, match="neither a network nor a host") as raised:
        AddressGuard([entry])

    assert isinstance(raised.value, ValueError)
    assert raised.value.hint


@pytest.mark.parametrize("host", ["127.1", "[::1]", "10.0.0.1", "0x7f.1", "localhost", "a.local"])
def test_names_behind_a_proxy(host: str) -> None:
    """Where a proxy connects, the spelling of the host has to do; a named one may be any."""
    with pytest.raises(HopFailed) as raised:
        AddressGuard().permits_name(REDIRECTED, host)

    assert "redirect-refused" == raised.value.failure
    AddressGuard().permits_name(NAMED, host)
    AddressGuard().permits_name(REDIRECTED, "example.com")
    AddressGuard(["a.local", "127.0.0.0/8"]).permits_name(REDIRECTED, "a.local")


def test_the_host_that_the_caller_named() -> None:
    """A redirect may lead to it again, as to https: a proxy has connected to it before."""
    known = replace(REDIRECTED, known_addresses=frozenset({"wiki.corp", "10.0.0.1"}))

    AddressGuard().permits_name(known, "WIKI.corp")
    AddressGuard().permits_name(known, "10.0.0.1")
    for other in ("other.corp", "10.0.0.2", "a.wiki.corp"):
        with pytest.raises(HopFailed):
            AddressGuard().permits_name(known, other)
