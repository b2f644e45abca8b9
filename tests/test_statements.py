"""Statements of the sources that no table of cases holds: the place of the file, and characters.

`conformance/statements` names these tests.
"""

from itertools import product

import pytest

import verger
from support import NAMES
from verger.fetching.transport import Reply
from verger.lint import lint
from verger.testing import MemoryTransport

USER_AGENT = "TestBot/1.0 (+https://example.org)"
CLOSED = b"User-agent: *\nDisallow: /\n"
OTHER_NAMES = ("ROBOTS.TXT", "Robots.txt", "robots.TXT", "folder/robots.txt", "robots.txt?a")
CORNERS = (
    *(0x80, 0x7FF, 0x800, 0xFFF, 0x1000, 0xCFFF, 0xD7FF, 0xE000, 0xFFFF),
    *(0x10000, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF),
)
"""Where the ranges of UTF8-2, UTF8-3 and UTF8-4 begin and end."""
MODERN = ("koster-rep-00", "rfc9309")
EXAMPLE = b"""\
# This robots.txt file controls crawling of URLs under https://example.com.
User-agent: *
Disallow: /includes/

User-agent: Googlebot
Allow: /includes/

Sitemap: https://example.com/sitemap.xml
"""


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_another_name_or_place_is_not_the_file(name: str) -> None:
    """Name and place are one, in lower case, and such a file governs nothing."""
    url = f"https://example.com/{name}"
    governed = {
        dialect: verger.parse(CLOSED, url=url, dialect=dialect).governs("https://example.com/a")
        for dialect in NAMES
    }

    assert dict.fromkeys(NAMES, False) == governed


@pytest.mark.parametrize("dialect", NAMES)
def test_no_other_file_is_asked_for(dialect: str) -> None:
    """Whatever else a server has, /robots.txt of the root is requested alone, and once."""
    web = {f"https://example.com/{name}": CLOSED for name in OTHER_NAMES[:-1]}
    transport = MemoryTransport(web)
    with verger.Client(USER_AGENT, dialect=dialect, transport=transport) as it:
        allowed = [it.allowed(f"https://example.com/{path}") for path in ("", "folder/a/b?c")]

    assert [True, True] == allowed
    assert ["https://example.com/robots.txt"] == [request.url for request in transport.requests]


@pytest.mark.parametrize(
    ("file", "url"),
    [
        ("http://example.com/robots.txt", "http://example.com:80/a"),
        ("https://example.com/robots.txt", "https://example.com:443/a"),
        ("ftp://example.com/robots.txt", "ftp://example.com:21/a"),
    ],
)
def test_the_usual_port_is_no_other(file: str, url: str) -> None:
    assert verger.parse(CLOSED, url=file).governs(url)


@pytest.mark.parametrize("dialect", MODERN)
def test_the_limit_is_at_least_500_kib(dialect: str) -> None:
    """RFC 9309 section 2.5."""
    with pytest.raises(verger.InvalidOption, match="511999"):
        verger.DIALECTS[dialect].replace(parse_limit=511_999)


NOT_IN_URLS = '"<>\\^`{|}'
"""Characters that a URL can hold as escapes alone (RFC 3986)."""


@pytest.mark.parametrize("dialect", MODERN)
@pytest.mark.parametrize("octet", [it for it in range(0x21, 0x80) if chr(it) not in "#*$%"])
def test_every_character_of_the_grammar_may_stand_in_a_path(dialect: str, octet: int) -> None:
    """%x21 to %x7F but `#`, with `*` and `$` apart: it closes the URL that holds it.

    What no URL can hold unescaped is noted: crawlers do not agree on whether it is the same.
    """
    path = f"/a{chr(octet)}b"
    robots = verger.parse(f"User-agent: *\nDisallow: {path}\n".encode(), dialect=dialect)
    is_noted = chr(octet) in NOT_IN_URLS or octet == 0x7F

    assert not robots.allowed(path, "x")
    assert is_noted == bool(robots.findings)


@pytest.mark.parametrize("dialect", MODERN)
@pytest.mark.parametrize("point", CORNERS)
def test_every_length_of_utf_8(dialect: str, point: int) -> None:
    """The corners of UTF8-2, UTF8-3 and UTF8-4: raw in the rule, it closes the escaped URL."""
    robots = verger.parse(f"User-agent: *\nDisallow: /{chr(point)}\n".encode(), dialect=dialect)
    escaped = "".join(f"%{octet:02X}" for octet in chr(point).encode())

    assert not robots.allowed(f"/{escaped}", "x")
    assert not robots.allowed(f"/{chr(point)}", "x")
    assert "invalid-utf8" not in [finding.code for finding in robots.findings]


@pytest.mark.parametrize("octets", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x80"])
def test_what_is_not_utf_8_is_told(octets: bytes) -> None:
    """Overlong, a surrogate, above U+10FFFF, a stray tail: the rule stays, with a finding."""
    robots = verger.parse(b"User-agent: *\nDisallow: /a" + octets + b"\n")
    escaped = "".join(f"%{octet:02X}" for octet in octets)

    assert not robots.allowed(f"/a{escaped}", "x")
    assert ["invalid-utf8"] == [finding.code for finding in robots.findings]


@pytest.mark.parametrize("dialect", NAMES)
def test_an_escaped_number_sign_is_literal(dialect: str) -> None:
    """`%23` in a rule is that of a URL, not the beginning of a comment."""
    robots = verger.parse(b"User-agent: *\nDisallow: /a%23b\n", dialect=dialect)

    assert not robots.allowed("/a%23b", "x")
    assert robots.allowed("/a", "x")


def test_utf_16_can_be_read() -> None:
    """A knob bridges the encoding where a mark says what it is; by default nothing is guessed."""
    data = "User-agent: *\nDisallow: /a\n".encode("utf-16")

    assert not verger.parse(data, dialect=verger.RFC9309.replace(decode_utf16=True)).allowed(
        "/a", "x"
    )
    assert verger.parse(data).allowed("/a", "x")


def test_the_first_example_of_google() -> None:
    """Crawlers but Googlebot stay out of the includes; nothing in the file is an error."""
    robots = verger.parse(EXAMPLE, dialect="google")

    assert [False, True] == [
        robots.allowed("/includes/a.css", it) for it in ("otherbot", "googlebot")
    ]
    assert [] == [it for it in lint(EXAMPLE).diagnostics if it.severity == "error"]


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_the_body_of_an_error_is_not_the_file(status: int) -> None:
    """Rules that come with a 4xx bind nobody."""
    site = Reply(status, [], CLOSED)
    with verger.testing.client({"https://example.com": site}, dialect="google") as client:
        assert client.allowed("https://example.com/a")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([], b'<meta http-equiv="refresh" content="0; url=/other.txt">'),
        ([], b'<script>location = "/other.txt"</script>'),
        ([], b'<frameset><frame src="/other.txt"></frameset>'),
        ([("Refresh", "0; url=/other.txt")], b""),
    ],
    ids=["meta refresh", "JavaScript", "frames", "header Refresh"],
)
@pytest.mark.parametrize("dialect", NAMES)
def test_redirects_of_other_kinds_are_not_followed(
    dialect: str, headers: list[tuple[str, str]], body: bytes
) -> None:
    """A redirect is a status with a `Location`; nothing else leads anywhere."""
    html = [("Content-Type", "text/html"), *headers]
    sites = {
        "https://example.com": Reply(200, html, body),
        "https://example.com/other.txt": CLOSED,
    }
    transport = MemoryTransport(sites)
    with verger.Client(USER_AGENT, dialect=dialect, transport=transport) as client:
        assert client.allowed("https://example.com/a")

    assert ["https://example.com/robots.txt"] == [request.url for request in transport.requests]


ALLOWS = ("Allow: /a", "Allow: /")
DISALLOWS = ("Disallow: /a/b", "Disallow: /a", "Disallow: /")


@pytest.mark.parametrize("lines", list(product((*ALLOWS, *DISALLOWS), repeat=3)), ids=" ".join)
def test_to_ignore_allow_is_safe(lines: tuple[str, ...]) -> None:
    """No URL that a file of 1996 closes is open to a reader that knows no Allow."""
    new, old = (
        verger.parse("\n".join(["User-agent: *", *lines, ""]), dialect=dialect)
        for dialect in ("koster-1996", "original-1994")
    )
    is_record = any(line in DISALLOWS for line in lines)  # in 1994 another is no record
    urls = [url for url in ("/", "/a", "/a/b", "/c") if not new.allowed(url, "x")]

    assert not is_record or [] == [url for url in urls if old.allowed(url, "x")]
