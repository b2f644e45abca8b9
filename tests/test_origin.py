"""Origins: which texts name a host, and that one spelling of each stands for all.

What a host is follows the URL Standard (URL Standard, section 3.5, host parsing): percent-decoded,
mapped by UTS 46, without forbidden domain code points, and an IPv4 address by value where its last
label is a number.
"""

import pickle
import string

import pytest
from hypothesis import example, given, strategies as st

import verger

FORBIDDEN = frozenset(map(chr, range(0x21))) | set('"#%/:<>?@[\\]^`{|}\x7f')
"""What no host but an IPv6 address holds in its final form."""

NOT_HOSTS = [
    # ASCII characters in other clothes: compatibility forms that UTS 46 maps
    "evil.com\uff0ffoo.example",
    "evil.com\uff1a80",
    "user\uff20evil.com",
    "evil.com\uff1fx",
    "evil.com\uff03x",
    "a\uff05b",
    "\u2100.example",  # a/c
    "\u2105.example",  # c/o
    "a\u3000b",
    "a\uff3cb",
    "a\uff3cb.example",
    "\uff3b::1\uff3d",
    # names with an empty label
    *(".", "..", "a..b", ".a", "a..", "127.0.0.1..", "a.\u00ad.b"),
    "x" * 5_000,
    # nothing left
    "\u200b",
    "\u00ad",
    "\u2060\ufeff",
    "%e2%80%8b",
    "%c2%ad",
    # escapes of what no host holds, and escapes of nothing
    "a%2fb",
    "a%2Fb",
    "a%40b",
    "a%3a80",
    "a%00b",
    "a%0d%0aX-Header:1",
    "a%20b",
    "a%ef%bc%8fb",
    "a%25b",
    "a%2525b",
    "a%",
    "a%zz",
    "a%2",
    "%ff",
    "\udcff",
    # as they stand
    "a b",
    "a\tb",
    "a\nb",
    "a\x00b",
    "a<b",
    "a>b",
    "a\\b",
    "a^b",
    "a|b",
    "a]b",
    "good.example\\@evil.example",
    # A-labels of nothing
    "xn--",
    "xn--a",
    "xn--\u00fc",
    # a last label that is a number, in what is not an IPv4 address
    "1.2.3.4.5",
    "256.256.256.256",
    "4294967296",
    "1..2",
    "example.1",
    "example.0x",
    "09",
    "a.\uff11",
]

HOSTS = {
    "EXAMPLE.com": "example.com",
    "ex%61mple.com": "example.com",
    "%65%78%61%6d%70%6c%65.com": "example.com",
    "b%C3%BCcher.example": "xn--bcher-kva.example",
    "B\u00dcCHER.example": "xn--bcher-kva.example",
    "xn--bcher-kva.example": "xn--bcher-kva.example",
    "\uff45xample\u3002com": "example.com",
    "ex\u00adample.com": "example.com",
    "\uff58\uff4e--bcher-kva.example": "xn--bcher-kva.example",
    "fa\u00df.example": "xn--fa-hia.example",
    "example.com.": "example.com.",
    "a_b.example": "a_b.example",
    "x" * 300: "x" * 300,
    "a!$&'()*+,;=~b": "a!$&'()*+,;=~b",
    "127.0.0.1": "127.0.0.1",
    "\uff11\uff12\uff17.\uff10.\uff10.\uff11": "127.0.0.1",
    "0x7f.1": "127.0.0.1",
    "0177.0.0.01": "127.0.0.1",
    "2130706433": "127.0.0.1",
    "127.1.": "127.0.0.1",
    "0x": "0.0.0.0",
    "0x7f000001": "127.0.0.1",
    "%31%32%37.1": "127.0.0.1",
    "1.example": "1.example",
    "0x7g": "0x7g",
    "[::1]": "[::1]",
    "[0:0::0001]": "[::1]",
    "[::ffff:127.0.0.1]": "[::ffff:127.0.0.1]",
}


@pytest.mark.parametrize("host", NOT_HOSTS, ids=ascii)
@pytest.mark.parametrize("url", ["http://{}/x", "https://user@{}:8080?x", "ftp://{}"])
def test_not_a_host(url: str, host: str) -> None:
    """A host whose final form is empty, or holds what no host may hold, is an invalid target."""
    with pytest.raises(verger.InvalidTarget):
        verger.origin(url.format(host))


@pytest.mark.parametrize(("written", "host"), HOSTS.items(), ids=ascii)
def test_host(written: str, host: str) -> None:
    """Every spelling of a host gives the one form that is compared and connected to."""
    assert f"http://{host}" == verger.origin(f"HTTP://u:p@{written}:/x")
    assert host == verger.Origin(f"http://{written}/").host


@pytest.mark.parametrize("digits", ["0" * 5_000 + "80", "80", "", "0080"])
def test_port_by_value(digits: str) -> None:
    """A port is a number, with however many zeros before it."""
    assert "http://example.com" == verger.origin(f"http://example.com:{digits}/")


@pytest.mark.parametrize("digits", ["65536", "9" * 5_000, "-1", "+80", "8x", "\uff18\uff10", " 80"])
def test_not_a_port(digits: str) -> None:
    """What is not a number below 65,536 is an invalid target, however long."""
    with pytest.raises(verger.InvalidTarget):
        verger.origin(f"http://example.com:{digits}/")


TEXTS = st.text(max_size=12) | st.text(
    string.printable + "\uff0f\uff1a\uff20\uff1f\uff03\uff05\u3002\uff0e\u2100\u3000\u200b\u00ad"
    "\u00df\u0130\u212a\uff58\uff4e\u2488\udcff",
    max_size=16,
)
LABELS = st.sampled_from(
    [
        "a",
        "xn--",
        "xn--bcher-kva",
        "%61",
        "%",
        "%25",
        "1",
        "0x7f",
        "09",
        "",
        "-",
        "\u00fc",
        "\u0661",
    ]
)
HOST_TEXTS = TEXTS | st.lists(LABELS | TEXTS, max_size=5).map(".".join)


@given(HOST_TEXTS, st.sampled_from(["", ":", ":80", ":8080", ":65536", ":0"]))
@example("xn--\u00ad-", "")
@example("\uff05", ":80")
def test_origin_is_a_fixed_point(host: str, port: str) -> None:
    """The origin of an origin is itself, and its host holds nothing that a host may not."""
    try:
        found = verger.origin(f"http://{host}{port}/x")
    except verger.InvalidTarget:
        return
    origin = verger.Origin(found)

    assert found == verger.origin(found) == str(origin)
    assert found == verger.requested_url(found).removesuffix("/")
    assert origin.host
    assert found.isascii()
    assert origin.host.startswith("[") or not FORBIDDEN & set(origin.host)
    assert 0 <= origin.port < 65_536


@given(st.text(max_size=30))
def test_any_text(text: str) -> None:
    """Any text has an origin that is its own origin, or is an invalid target."""
    try:
        found = verger.origin(text)
    except verger.InvalidTarget:
        return

    assert found == verger.origin(found)


def test_parts() -> None:
    """An origin is a value: scheme, host and port, whatever else the URL holds."""
    origin = verger.Origin("HTTPS://user@B\u00dcCHER.example/page")

    assert ("https", "xn--bcher-kva.example", 443) == (origin.scheme, origin.host, origin.port)
    assert "https://xn--bcher-kva.example" == str(origin)
    assert "Origin('https://xn--bcher-kva.example')" == repr(origin)
    assert origin == verger.Origin("https://xn--bcher-kva.example:443/other")
    assert origin != verger.Origin("https://xn--bcher-kva.example:444/")
    assert {origin} == {pickle.loads(pickle.dumps(origin))}


@pytest.mark.parametrize("url", ["wss://example.com", "/path", "example.com", ""])
def test_what_has_no_robots_has_no_origin(url: str) -> None:
    """Only http, https and ftp have robots.txt files."""
    with pytest.raises(verger.InvalidTarget):
        verger.Origin(url)
    with pytest.raises(verger.InvalidTarget):
        verger.origin(url)
