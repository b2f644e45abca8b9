"""The plan of a fetch, by scripted replies: which requests follow, and what they amount to.

In: replies in order, no socket. Out: requests and the `AccessResult`. What dialects make of chains
and of conditions is told in `tests/access`; here it is what stands on the wire.
"""

import gzip
import zlib
from dataclasses import replace
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

import verger
from access.results import FILE, NOW, URL
from access.scripts import PLAIN, SITE, Fetch, fetch, found, redirect, redirects
from verger.access.policy import UNLIMITED
from verger.access.result import AccessResult, Failure
from verger.fetching.decode import ADVERTISED
from verger.fetching.drive import advance
from verger.fetching.plan import COOKIE_WALLS, SLACK, Asking, plan
from verger.fetching.transport import HopFailed, Reply, Request

RFC = verger.RFC9309


def chain(*replies: Reply | HopFailed, dialect: verger.Dialect = RFC, **more: Any) -> Fetch:
    return fetch(dialect, replies, **more)


def target_of(location: str) -> str:
    """Return the URL that is asked for after a redirect, or how it failed."""
    course = plan(SITE, Asking(RFC, {}, lambda: NOW))
    next(course)
    try:
        return course.send(redirect(location)).url
    except StopIteration as end:
        return str(end.value.failure)


# Redirects: where they lead


@pytest.mark.parametrize(
    ("location", "url"),
    [
        ("https://other.example/robots.txt", "https://other.example/robots.txt"),
        ("http://example.com/robots.txt", "http://example.com/robots.txt"),
        ("/a/b.txt", f"{SITE}/a/b.txt"),
        ("b.txt", f"{SITE}/b.txt"),
        ("./b.txt", f"{SITE}/b.txt"),
        ("../../b.txt", f"{SITE}/b.txt"),
        ("?lang=en", f"{SITE}/robots.txt?lang=en"),
        ("//other.example/x", "https://other.example/x"),
        ("//other.example", "https://other.example/"),
        ("https://other.example", "https://other.example/"),
        ("https://other.example?a", "https://other.example/?a"),
        ("HTTPS://OTHER.example:443/X", "https://other.example/X"),
        ("https://other.example:8443/", "https://other.example:8443/"),
        (
            "/login?next=https://example.com/robots.txt",
            f"{SITE}/login?next=https://example.com/robots.txt",
        ),
        ("/web/https://example.com/robots.txt", f"{SITE}/web/https://example.com/robots.txt"),
        ("web/https://example.com/robots.txt", f"{SITE}/web/https://example.com/robots.txt"),
        # fragments, which are never sent
        ("/a#b", f"{SITE}/a"),
        ("https://other.example#a/b?c", "https://other.example/"),
        ("/a?b#c?d", f"{SITE}/a?b"),
        # users, whose names stay here
        ("https://user:secret@other.example/a", "https://other.example/a"),
        ("//user@other.example:8443/a", "https://other.example:8443/a"),
        # raw UTF-8, as transports hand it over, and what else no request line can hold
        ("/caf\udcc3\udca9", f"{SITE}/caf%C3%A9"),
        ("/café?é", f"{SITE}/caf%C3%A9?%C3%A9"),
        ("/\udcff", f"{SITE}/%FF"),
        ("/a b", f"{SITE}/a%20b"),
        ("  /a  ", f"{SITE}/a"),
        ("/a%20b%zz%", f"{SITE}/a%20b%zz%"),
        ('/a"<>\\^`{|}b', f"{SITE}/a%22%3C%3E%5C%5E%60%7B%7C%7Db"),
        ("/a;b,c=d&e+f~g*(h)!$'@:[i]", f"{SITE}/a;b,c=d&e+f~g*(h)!$'@:[i]"),
        # hosts
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://127.0.0.1/", "https://127.0.0.1/"),
        ("https://[::1]:8080/a", "https://[::1]:8080/a"),
        ("https://[0:0::0001]/", "https://[::1]/"),
        ("https://ex%61mple.net/", "https://example.net/"),
        ("https://0x7f.1/", "https://127.0.0.1/"),
        ("https://\uff11\uff12\uff17.1/", "https://127.0.0.1/"),
        # dot segments, however written
        ("/a/%2e%2E/b.txt", f"{SITE}/b.txt"),
        ("https://other.example/a/.%2e/../b/.", "https://other.example/b/"),
    ],
)
def test_target(location: str, url: str) -> None:
    """A `Location` becomes a URL that can stand in a request, its host in A-label form."""
    assert target_of(location) == url


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.com/robots.txt",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "javascript:alert(1)",
        "data:text/plain,User-agent:*",
        "mailto:a@example.com",
        "gopher://example.com/",
        "ws://example.com/",
        "https://",
        "https:///",
        "http://?",
        "//",
        "///",
        "https://[::1",
        "https://[::1]x/",
        "https://a b/",
        "https://example.com:99999/",
        "https://example.com:x/",
        "https://a\udcff/",
        "https://a\x00/",
        "/\ud800",
        # hosts whose final form is empty or holds what no host may hold
        "http://evil.example\uff0ffoo.example/robots.txt",
        "http://127.0.0.1\uff1a8080/",
        "http://user\uff20127.0.0.1/",
        "http://a\uff1fb/",
        "http://a\uff03b/",
        "http://a\uff05b/",
        "http://\u2100.example/",
        "http://a\u3000b/",
        "http://\u200b/",
        "//\u00ad",
        "http://%e2%80%8b/",
        "http://a%2fb/",
        "http://a%0d%0ab/",
        "http://good.example\\@evil.example/",
        # as transports hand UTF-8 over: U+FF0F
        "http://a\udcef\udcbc\udc8fb/",
        "http://1.2.3.4.5/",
    ],
)
def test_target_that_is_none(location: str) -> None:
    """Another scheme, no host, no URL: the fetch ends there, whatever the text."""
    assert target_of(location) == "redirect-invalid"


@given(
    st.text(max_size=60)
    | st.text("/:?#[]@\\%. \t\n\udcc3http\uff0f\uff1a\uff20\u3002\u200b\u2100", max_size=40)
)
def test_any_location(location: str) -> None:
    """Any text leads to a URL that is ASCII, of http or https and of its own origin, or nowhere."""
    fetched = target_of(f"x{location}") if not location.strip() else target_of(location)
    if fetched in get_args(Failure):
        return

    assert fetched.isascii()
    assert fetched.isprintable()
    assert not set(' "<>\\^`{|}#') & set(fetched)
    assert verger.origin(fetched) + "/" == fetched[: len(verger.origin(fetched)) + 1]
    assert fetched.startswith(("http://", "https://"))


def test_long_location() -> None:
    """A target of 60,000 bytes is escaped and shown in time that grows with it."""
    assert len(target_of("/" + "é" * 30_000)) == len(SITE) + 1 + 6 * 30_000
    assert len(chain(redirect("https://" + "x" * 60_000 + ":x")).result.detail) < 300


# Redirects: how many, and what the requests say


def test_hop_by_hop() -> None:
    """Each target is read against the URL that named it."""
    fetched = chain(
        redirect("https://a.example/x/y"), redirect("z"), redirect("/w"), redirect("?v"), found()
    )

    assert [request.url for request in fetched.requests] == [
        URL,
        "https://a.example/x/y",
        "https://a.example/x/z",
        "https://a.example/w",
        "https://a.example/w?v",
    ]
    assert fetched.result.redirects == tuple(request.url for request in fetched.requests[1:])


def test_five_redirects() -> None:
    """Five are followed (RFC 9309 section 2.3.1.2)."""
    fetched = chain(*redirects(5), found())

    assert (fetched.result.access, fetched.result.body) == ("successful", FILE)
    assert len(fetched.requests) == 6


def test_six_redirects() -> None:
    """The sixth is not: the file is unavailable, and the result says why."""
    fetched = chain(*redirects(6))

    assert (fetched.result.failure, fetched.result.access) == ("too-many-redirects", "unavailable")
    assert (fetched.result.status, fetched.result.detail) == (301, "more than 5 redirects")
    assert len(fetched.requests) == 6


@pytest.mark.parametrize(
    "spelling",
    [URL, f"{URL}#x", "HTTPS://EXAMPLE.COM:443/robots.txt", f"{SITE}/a/../robots.txt", ""],
)
def test_loop(spelling: str) -> None:
    """A chain that comes back is ended there, however the URL is spelled."""
    fetched = chain(redirect("https://a.example/"), redirect(spelling or "#"))

    assert fetched.result.failure == "too-many-redirects"
    assert fetched.result.detail.startswith("the redirects return to `https://")


def test_a_url_that_is_requested_again() -> None:
    """With cookies it may answer otherwise; the third time is a loop."""
    wall = [redirect("https://a.example/"), redirect(URL)]

    def result(*replies: Reply) -> AccessResult:
        course = plan(SITE, Asking(RFC, {}, lambda: NOW, returns=COOKIE_WALLS))
        step: Any = advance(course, None)
        for reply in replies:
            assert isinstance(step, Request)
            step = advance(course, reply)
        assert isinstance(step, AccessResult)
        return step

    assert result(*wall, found()).body == FILE
    assert result(redirect(URL), found()).body == FILE
    assert result(*wall * 2).failure == "too-many-redirects"


@pytest.mark.parametrize("status", range(300, 309))
def test_3xx(status: int) -> None:
    """Every 3xx but 304 leads where it says, and without saying so nowhere."""
    led = chain(redirect("/a", status=status), *([found()] if status != 304 else []))
    lost = chain(Reply(status, []))

    assert len(led.requests) == (1 if status == 304 else 2)
    assert (lost.result.access, lost.result.status) == ("unreachable", status)
    assert lost.result.failure is None


@pytest.mark.parametrize("value", ["", " ", "\t"])
def test_empty_location(value: str) -> None:
    """An empty `Location` leads nowhere, and not back to the file."""
    assert chain(redirect(value)).result.access == "unreachable"


def test_first_location_counts() -> None:
    """Of several `Location` fields the first is followed, whatever its case."""
    reply = Reply(302, [("LOCATION", "/a"), ("Location", "/b")])

    assert chain(reply, found()).result.final_url == f"{SITE}/a"


@pytest.mark.parametrize("status", [200, 201, 404, 503])
def test_location_beside_another_status(status: int) -> None:
    """What is not a redirect leads nowhere."""
    reply = Reply(status, [("Location", "/a")], FILE if status < 300 else b"")

    assert len(chain(reply).requests) == 1


def test_named_and_known_addresses() -> None:
    """Only the first request is the caller's own; where it connected to is told to the rest: the
    host where that is all that is known, as behind a proxy."""
    first = replace(redirect("https://a.example/"), address="192.0.2.1")
    second = replace(redirect("https://b.example/"), address="198.51.100.7")
    requests = chain(first, second, found()).requests
    behind_proxy = chain(redirect("https://a.example/"), found()).requests

    assert [True, False, False] == [request.named for request in requests]
    known = frozenset({"192.0.2.1"})
    assert [frozenset(), known, known] == [request.known_addresses for request in requests]
    hosts = [frozenset(), frozenset({"example.com"})]
    assert hosts == [request.known_addresses for request in behind_proxy]


PUBLIC, PRIVATE, UNKNOWN = "93.184.215.14", "127.0.0.1", ""


@pytest.mark.parametrize(
    ("addresses", "is_public"),
    [
        ((PUBLIC,), True),
        (("2606:4700::6810:84e5",), True),
        ((PRIVATE,), False),
        (("::1",), False),
        (("fe80::1%eth0",), False),
        (("not an address",), False),
        ((UNKNOWN,), False),
        ((PUBLIC, PUBLIC, PUBLIC), True),
        ((PRIVATE, PUBLIC), False),
        ((PUBLIC, PRIVATE), False),
        ((UNKNOWN, PUBLIC), False),
        ((PUBLIC, UNKNOWN), False),
    ],
)
def test_addresses_that_answered(addresses: tuple[str, ...], is_public: bool) -> None:
    """A result knows whether all of them are public, that of each redirect too; an address that no
    transport tells is not known to be."""
    *others, last = addresses
    leading = [
        replace(redirect(f"https://{number}.example/robots.txt"), address=address)
        for number, address in enumerate(others)
    ]
    file, absence = (replace(found(status=status), address=last) for status in (200, 404))
    loop = replace(redirect("https://example.com/robots.txt"), address=last)

    for end in (file, absence, loop):
        assert is_public == chain(*leading, end).result.public


@pytest.mark.parametrize(
    ("public_only", "addresses", "is_public"),
    [
        # Of the caller's own URL nobody judged the address.
        (False, (), False),
        (True, (), True),
        # The guard judged that of a redirect's target.
        (False, (PUBLIC,), True),
        (False, (PRIVATE,), False),
        (True, (PUBLIC,), True),
        # Permitted as an exception, and no more public for that.
        (True, (PRIVATE,), False),
    ],
)
def test_addresses_that_did_not_answer(
    public_only: bool, addresses: tuple[str, ...], is_public: bool
) -> None:
    """A failure is that of a public address if only such may be asked."""
    asking = Asking(verger.RFC9309, {}, lambda: NOW, public_only=public_only)
    course = plan(SITE, asking)
    step = advance(course, None)
    for number, address in enumerate(addresses):
        step = advance(course, replace(redirect(f"https://{number}.example/"), address=address))
    result = advance(course, HopFailed("timeout", "silent"))

    assert isinstance(step, Request)
    assert isinstance(result, AccessResult)
    assert is_public == result.public


def test_headers_of_each_request() -> None:
    """Every hop is asked alike: who asks, for which kinds, in which codings; and nothing else."""
    asking = Asking(RFC, {"User-Agent": "ExampleBot/1.0", "Accept": "text/*"}, lambda: NOW)
    course = plan(SITE, asking)
    requests = [next(course), course.send(redirect("https://a.example/"))]

    assert [request.headers for request in requests] == [
        {"Accept": "text/*", "Accept-Encoding": ADVERTISED, "User-Agent": "ExampleBot/1.0"}
    ] * 2


@pytest.mark.parametrize(
    ("dialect", "size", "limit"),
    [
        ("rfc9309", None, 512_000 + SLACK),
        ("yandex", None, 512_000 + SLACK),
        ("googlebot-cpp", None, UNLIMITED + SLACK),
        ("rfc9309", 1_000, 1_000 + SLACK),
    ],
)
def test_body_limit(dialect: str, size: int | None, limit: int) -> None:
    """The limit of the dialect, or the caller's, and some more to see that it was exceeded."""
    asking = Asking(verger.DIALECTS[dialect], {}, lambda: NOW, size)

    assert next(plan(SITE, asking)).body_limit == limit


# Conditional requests

KEPT = AccessResult(
    URL,
    NOW - 90_000,
    status=200,
    body=FILE,
    wire_bytes=33,
    headers={"etag": '"1"', "age": "500", "cache-control": "max-age=60"},
)


def test_conditions_go_to_one_url() -> None:
    """Validators are sent where the copy came from, and nowhere else on the way."""
    kept = replace(KEPT, redirects=("https://b.example/",))
    replies = [redirect(f"https://{name}.example/") for name in "abc"]
    requests = chain(*replies, found(), copy=kept).requests

    assert [None, None, '"1"', None] == [r.headers.get("If-None-Match") for r in requests]


def test_304_from_elsewhere() -> None:
    """A 304 of a server that was asked for the file without conditions is not an answer."""
    result = chain(redirect("https://a.example/"), Reply(304, []), copy=KEPT).result

    assert (result.access, result.status, result.body) == ("unreachable", 304, b"")


def test_304_at_the_end_of_a_new_way() -> None:
    """A renewed copy tells the way of now, and no bytes that were not sent."""
    kept = replace(KEPT, redirects=("https://a.example/", "https://b.example/"))
    result = chain(redirect("https://b.example/"), Reply(304, []), copy=kept).result

    assert (result.body, result.access, result.fetched_at) == (FILE, "successful", NOW)
    assert result.redirects == ("https://b.example/",)
    assert result.wire_bytes == 0


@pytest.mark.parametrize(("tag", "requests"), [('"a"', 1), ('W/"a"', 1), ('"b"', 2)])
def test_304_of_another_version(tag: str, requests: int) -> None:
    """It renews nothing (RFC 9111 section 4.3.4): the whole file is requested."""
    copy = replace(KEPT, headers={"etag": '"a"'})
    led = chain(Reply(304, [("ETag", tag)]), *[found()] * (requests - 1), copy=copy)

    assert len(led.requests) == requests
    assert led.result.renewed is (requests == 1)
    assert ("If-None-Match" in led.requests[-1].headers) is (requests == 1)


def test_304_updates_headers() -> None:
    """Fields of the 304 replace those of the copy (RFC 9111 section 4.3.4); the age of then is
    not that of now."""
    fields = [("ETag", '"1"'), ("Cache-Control", "max-age=7200"), ("Set-Cookie", "x")]

    assert chain(Reply(304, fields), copy=KEPT).result.headers == {
        "etag": '"1"',
        "cache-control": "max-age=7200",
    }
    assert chain(Reply(304, [("Age", "7")]), copy=KEPT).result.headers["age"] == "7"


@pytest.mark.parametrize(
    "copy",
    [
        replace(KEPT, status=404),
        replace(KEPT, status=206),
        replace(KEPT, failure="broken-body"),
        replace(KEPT, headers={"etag": ""}),
        replace(KEPT, headers={"etag": '"é"'}),
        replace(KEPT, url="https://other.example/robots.txt"),
    ],
    ids=["404", "206", "broken", "empty", "no ASCII", "of another"],
)
def test_copies_that_cannot_be_renewed(copy: AccessResult) -> None:
    """A copy that is not a file, has no validator, or is of another URL, is not asked about."""
    (request,) = chain(found(), copy=copy).requests

    assert "If-None-Match" not in request.headers


def test_new_file_in_place_of_a_copy() -> None:
    """A 200 on a conditional request is the new file, and nothing of the copy is left."""
    result = chain(found(b"new"), copy=KEPT).result

    assert (result.body, result.headers) == (b"new", {"content-type": "text/plain"})


# Replies


@pytest.mark.parametrize("status", [-200, -1, 0, 99, 1_000, 99_999, 1 << 70])
def test_number_that_is_not_a_status(status: int) -> None:
    """What a server writes in place of a status makes no reply, but a failed hop."""
    with pytest.raises(HopFailed) as raised:
        Reply(status, [])

    assert raised.value.failure == "invalid-response"
    assert f"`{str(status)[:20]}` is not a status" == raised.value.detail


@pytest.mark.parametrize("status", [None, "200", b"200", 200.0, True])
def test_status_of_another_kind(status: object) -> None:
    """A transport that hands on what it has not read is mistaken, not the server."""
    with pytest.raises(TypeError, match="a status is a number"):
        Reply(status, [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "access"),
    [
        (100, "unreachable"),
        (101, "unreachable"),
        (199, "unreachable"),
        (200, "successful"),
        (204, "successful"),
        (206, "unreachable"),
        (299, "successful"),
        (305, "unreachable"),
        (400, "unavailable"),
        (451, "unavailable"),
        (499, "unavailable"),
        (500, "unreachable"),
        (599, "unreachable"),
        (600, "unreachable"),
        (999, "unreachable"),
    ],
)
def test_status(status: int, access: str) -> None:
    """Each status is of one of three kinds (RFC 9309 section 2.3.1), none of which is an error."""
    result = chain(Reply(status, [PLAIN], b"")).result

    assert (result.access, result.status, result.failure) == (access, status, None)


@pytest.mark.parametrize("status", [199, 304, 404, 503])
def test_bodies_of_other_statuses(status: int) -> None:
    """Only what a 2xx sends is a file."""
    assert chain(Reply(status, [PLAIN], FILE)).result.body == b""


@pytest.mark.parametrize("failure", get_args(Failure))
@pytest.mark.parametrize("hops", [0, 2])
def test_failed_hop(failure: Failure, hops: int) -> None:
    """A hop that fails ends the fetch, with its own name and words, wherever on the way.

    Only a redirect can be refused as one; otherwise the address is not permitted.
    """
    result = chain(*redirects(hops), HopFailed(failure, "as it was")).result
    cause = "refused" if (failure, hops) == ("redirect-refused", 0) else failure

    assert (result.failure, result.detail, result.status) == (cause, "as it was", None)
    assert len(result.redirects) == hops
    assert result.fetched_at == NOW


def test_kept_headers() -> None:
    """What later judgement needs is kept in lower case; several of one name are one list, and
    none is longer than 2,048 characters."""
    fields = [
        ("Cache-Control", "max-age=60"),
        ("X-Other", "x"),
        ("CACHE-CONTROL", "public"),
        ("ETag", "x" * 5_000),
        ("Content-Type", "Text/Plain; charset=utf-8"),
        ("Set-Cookie", "a=b"),
    ]

    assert chain(Reply(200, fields, FILE)).result.headers == {
        "cache-control": "max-age=60, public",
        "etag": "x" * 2_048,
        "content-type": "Text/Plain; charset=utf-8",
    }


def test_many_headers_of_one_name() -> None:
    """Ten thousand fields of one name cost no more than their number."""
    fields = [("Cache-Control", "x" * 100)] * 10_000

    assert len(chain(Reply(200, fields)).result.headers["cache-control"]) == 2_048


NO_TYPE = ("no media type is given; it should be `text/plain`",)


@pytest.mark.parametrize(
    ("kind", "notes"),
    [
        ("text/plain", ()),
        ("TEXT/PLAIN ; charset=x", ()),
        ("text/html", ("the media type is `text/html`, not `text/plain`",)),
        ("", NO_TYPE),
        (None, NO_TYPE),
    ],
)
def test_media_type(kind: str | None, notes: tuple[str, ...]) -> None:
    """A file of another media type is used, and noted."""
    fields = [] if kind is None else [("Content-Type", kind)]
    result = chain(Reply(200, fields, FILE)).result

    assert (FILE, notes) == (result.body, result.notes)


@pytest.mark.parametrize(("site", "body"), [(SITE, b""), ("ftp://example.com", FILE)])
def test_media_type_of_nothing(site: str, body: bytes) -> None:
    """No content needs none (RFC 9110 section 8.3), and FTP has none."""
    result = chain(Reply(200, [], body), site=site).result

    assert (body, ()) == (result.body, result.notes)


def test_bytes_of_a_header_that_are_not_utf_8() -> None:
    """They are shown as bytes, in two digits each."""
    result = chain(Reply(200, [("Content-Type", "te\udcc2xt")], FILE)).result

    assert ("the media type is `te\\xc2xt`, not `text/plain`",) == tuple(result.notes)


@pytest.mark.parametrize(
    ("coding", "failure"),
    [
        ([], None),
        (["identity"], None),
        (["GZip"], None),
        (["br"], "broken-body"),
        (["gzip, gzip"], "broken-body"),
        (["gzip", "gzip"], "broken-body"),
    ],
)
def test_coding(coding: list[str], failure: str | None) -> None:
    """One coding that was asked for is undone; any other, or two, make the body broken."""
    body = gzip.compress(FILE) if any("zip" in c.lower() for c in coding) else FILE
    fields = [PLAIN, *(("Content-Encoding", value) for value in coding)]
    result = chain(Reply(200, fields, body)).result

    assert result.failure == failure
    assert (result.body == FILE) is (failure is None)
    assert result.wire_bytes == len(body)


@pytest.mark.parametrize(
    ("coding", "failure"),
    [
        ("chunked", None),
        ("Identity, chunked", None),
        ("gzip", "broken-body"),
        ("chu nked", "broken-body"),
        ("\vchunked", "broken-body"),
        ("chunked;q=1", "broken-body"),
    ],
)
def test_transfer_coding(coding: str, failure: str | None) -> None:
    """What is not chunks was not requested, also if it only looks like them."""
    result = chain(Reply(200, [PLAIN, ("Transfer-Encoding", coding)], FILE)).result

    assert result.failure == failure


@pytest.mark.parametrize("coding", ["", "gzip"])
def test_body_that_breaks_off(coding: str) -> None:
    """A body shorter than announced is broken, though what came is kept for show."""
    body = gzip.compress(FILE * 100) if coding else FILE
    fields = [PLAIN, ("Content-Encoding", coding)]
    result = chain(Reply(200, fields, body[:-10], ended="broken")).result

    assert (result.failure, result.access) == ("broken-body", "unreachable")
    assert result.detail == "the body ended before its announced end"


@pytest.mark.parametrize("coding", ["", "gzip", "deflate"])
@pytest.mark.parametrize("size", [1_999, 2_000, 2_001])
def test_file_at_the_limit(size: int, coding: str) -> None:
    """A file that fills the limit is whole; one byte more is cut, however it was coded."""
    body = b"#" * size
    sent = {"": body, "gzip": gzip.compress(body), "deflate": zlib.compress(body)}[coding]
    asking = Asking(RFC, {}, lambda: NOW, 2_000 - SLACK)
    course = plan(SITE, asking)
    request = next(course)
    is_cut = len(sent) > request.body_limit
    reply = Reply(
        200,
        [PLAIN, ("Content-Encoding", coding)],
        sent[: request.body_limit],
        ended="limit" if is_cut else "complete",
    )
    with pytest.raises(StopIteration) as end:
        course.send(reply)
    result: AccessResult = end.value.value

    assert (result.failure, len(result.body)) == (None, min(size, 2_000))
    assert result.truncated is (size > 2_000)


def test_times() -> None:
    """A fetch tells when it ended, and how long all of it took; a clock set back makes it 0."""
    for readings, elapsed in (([10.0, 17.5], 7.5), ([10.0, 3.0], 0.0)):
        times = iter(readings)
        course = plan(SITE, Asking(RFC, {}, lambda times=times: next(times)))
        next(course)
        with pytest.raises(StopIteration) as end:
            course.send(found())

        assert (end.value.value.fetched_at, end.value.value.elapsed) == (readings[1], elapsed)


def test_abandoned() -> None:
    """Closing a plan is all that it takes to give a fetch up."""
    course = plan(SITE, Asking(RFC, {}, lambda: NOW))
    next(course)
    course.close()

    with pytest.raises(StopIteration):
        next(course)


# Properties

TEXT = st.text(max_size=30) | st.sampled_from(
    [
        "/a",
        "/b",
        "https://a.example/",
        "//b.example",
        "gzip",
        "deflate",
        "x" * 3_000,
        '"1"',
        "\udc80",
    ]
)
FIELDS = st.lists(
    st.tuples(
        st.sampled_from(
            ["Location", "location", "Content-Encoding", "ETag", "Age", "Content-Type", "Date"]
        )
        | st.text(max_size=8),
        TEXT,
    ),
    max_size=4,
)
BODIES = st.binary(max_size=60) | st.binary(max_size=60).map(gzip.compress)
REPLIES = st.builds(
    Reply,
    st.sampled_from([200, 301, 302, 304, 307, 404, 429, 503]) | st.integers(100, 999),
    FIELDS,
    BODIES,
    st.sampled_from(["complete", "limit", "broken"]),
    st.sampled_from(["", "192.0.2.1", "::1"]),
) | st.builds(HopFailed, st.sampled_from(get_args(Failure)), TEXT)
LEADS = st.builds(redirect, st.integers(0, 30).map(lambda n: f"/{n}"))
COPIES = st.none() | st.builds(
    lambda etag, redirects: replace(KEPT, headers={"etag": etag}, redirects=redirects),
    TEXT,
    st.sampled_from([(), (f"{SITE}/a",), ("https://a.example/",)]),
)


@given(
    st.sampled_from(list(verger.DIALECTS)),
    st.lists(LEADS | REPLIES, min_size=12, max_size=12),
    COPIES,
    st.integers(0, 10),
)
def test_any_replies(
    name: str, replies: list[Reply | HopFailed], copy: AccessResult | None, most: int
) -> None:
    """Whatever comes, in whatever order: no exception, an `AccessResult` after one request and as
    many more as redirects are followed, and a body within its bound."""
    dialect = verger.DIALECTS[name].replace(max_redirects=most)
    course = plan(SITE, Asking(dialect, {}, lambda: NOW, 10), copy=copy)
    requests: list[Request] = [next(course)]
    result = None
    for reply in replies:
        try:
            requests.append(course.send(reply))
        except StopIteration as end:
            result = end.value
            break

    assert isinstance(result, AccessResult)
    assert len(requests) <= most + 1
    assert result.url == URL
    assert len(result.body) <= max(10 + SLACK, len(FILE))
    assert all(before.url != after.url for before, after in pairwise(requests))
    assert len({request.url for request in requests}) == len(requests)
