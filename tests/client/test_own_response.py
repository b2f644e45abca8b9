"""`site_of` gives the site that a client has: for every fault, client, coding and dialect."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import brotli
import pytest
import requests
from hypothesis import given, strategies as st

import verger
from client.fetching_by_hand import (
    AGENT,
    CALLERS,
    FAULTS,
    ROBOTS,
    RULES,
    Site,
    by_requests,
    redirect,
    response,
    serving,
)
from patience import limits, patience
from property_settings import examples
from verger.access.policy import UNLIMITED
from verger.access.result import FAILURES, AccessResult

NOW = 1_700_000_000.0


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


def by_client(site: Site, dialect: str = "rfc9309", fault: str = "") -> verger.Site:
    with verger.Client(AGENT, dialect=dialect, limits=limits(fault), clock=lambda: NOW) as client:
        return client.site(site.origin)


def judged(site: Site, got: dict[str, Any], dialect: str = "rfc9309") -> verger.Site:
    return verger.site_of(
        f"{site.origin}{ROBOTS}", user_agent=AGENT, dialect=dialect, time=NOW, **got
    )


def meaning(site: verger.Site) -> tuple[object, ...]:
    """Return all that a site says, without the words for a failure and what was on the wire."""
    body = None if site.robots is None else site.robots.body
    delay = None if site.my_rules is None else site.my_rules.crawl_delay
    answers = [site.allowed(f"{site.origin}{path}") for path in ("/", "/private", ROBOTS)]
    failures = None if site.entry is None else site.entry.failures
    until = site.fresh_until
    return site.origin, site.access, body, delay, answers, until, failures, site.question


def facts(result: AccessResult) -> AccessResult:
    return replace(result, detail="", wire_bytes=0, notes=())


UNTOLD = {("gzip that breaks", caller) for caller in ("requests", "httpx", "aiohttp")}
"""Where a client does not tell its caller what the answer depends on: these return the beginning of
a body whose coding ends too early, as if it were all."""


@pytest.mark.parametrize(
    ("fault", "caller"), [pair for pair in product(FAULTS, CALLERS) if pair not in UNTOLD]
)
def test_equals_a_client(site: Site, fault: str, caller: str) -> None:
    """Whatever the site does, the answers, reasons and times are those of `Client`."""
    site.answers = FAULTS[fault]
    theirs = by_client(site, fault=fault)
    ours = judged(site, CALLERS[caller](f"{site.origin}{ROBOTS}", patience(fault)))

    assert meaning(ours) == meaning(theirs)
    assert ours.last.failure == theirs.last.failure or ours.last.access == "unreachable"


BODIES = [RULES, b"", b"\xef\xbb\xbf" + RULES, b"# \xe9\n" + RULES, b"x^\n" + RULES, RULES * 3_000]
CODINGS = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "identity": bytes,
}
FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "Cache_Control": st.sampled_from(["max-age=5", "max-age=9999", "no-store", "public"]),
        "Retry_After": st.sampled_from(["7", "120", "soon", "Tue, 14 Nov 2023 23:13:20 GMT"]),
        "Age": st.sampled_from(["3", "x"]),
        "Expires": st.sampled_from(["0", "Wed, 15 Nov 2023 22:13:20 GMT"]),
        "Content_Type": st.sampled_from(["text/plain", "text/html; charset=utf-8"]),
    },
)


@examples(30)
@given(
    status=st.sampled_from([200, 200, 203, 204, 206, 300, 304, 400, 401, 403, 410, 429, 500, 503]),
    body=st.sampled_from(BODIES),
    coding=st.sampled_from(sorted(CODINGS)),
    fields=FIELDS,
    hops=st.integers(0, 11),
    dialect=st.sampled_from(sorted(verger.DIALECTS)),
)
def test_equals_a_client_in_every_dialect(
    site: Site,
    status: int,
    body: bytes,
    coding: str,
    fields: dict[str, str],
    hops: int,
    dialect: str,
) -> None:
    """Statuses, codings, freshness and redirects mean the same, to the fields of the result."""
    coded = {"Content_Encoding": coding} if coding else {}
    said = b"" if status in (204, 304) else CODINGS[coding](body)
    paths = [ROBOTS, *(f"/{number}" for number in range(hops))]
    site.answers = {paths[-1]: response(status, said, **fields, **coded)} | {
        path: redirect(target) for path, target in pairwise(paths)
    }
    theirs = by_client(site, dialect)
    ours = judged(site, by_requests(f"{site.origin}{ROBOTS}", patience("")), dialect)

    assert meaning(ours) == meaning(theirs)
    assert facts(ours.last) == facts(theirs.last)


# Bodies


def of(body: bytes, coding: str = "", **said: Any) -> verger.Site:
    fields = {"Content-Encoding": coding} if coding else {}
    return verger.site_of(
        "https://example.com/a", user_agent=AGENT, status=200, headers=fields, body=body, **said
    )


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "gzip, br", "identity", "none"])
@pytest.mark.parametrize("body", [body for body in BODIES if body])
def test_a_body_counts_with_and_without_its_coding(coding: str, body: bytes) -> None:
    """A caller need not know whether its client has undone the coding."""
    coded = body
    for name in coding.split(", "):
        coded = CODINGS.get(name, bytes)(coded)
    found = [
        of(body, coding),
        of(coded, coding),
        of(body, coding, decoded=True),
        of(coded, coding, decoded=False),
    ]

    assert {site.binding_body for site in found} == {of(body).binding_body}


def test_a_body_that_no_client_could_decode_is_broken() -> None:
    assert of(b"\x00\x01\xff" * 50, "br").access.reason == "BROKEN_BODY"
    assert of(RULES, "gzip", decoded=False).access.reason == "BROKEN_BODY"


@pytest.mark.parametrize("dialect", ["rfc9309", "yandex", "googlebot-cpp"])
def test_a_body_that_the_caller_cut_is_broken(dialect: str) -> None:
    """Unless as much of it is there as is read: rules that are not there would disallow nothing."""
    enough = verger.DIALECTS[dialect].parse_limit or UNLIMITED
    line = RULES.splitlines(keepends=True)
    for size, reason in ((len(RULES), "BROKEN_BODY"), (enough - 1, "BROKEN_BODY"), (enough, "")):
        body = b"".join(line) + b"Allow: /private\n" * (size // 16)
        site = of(body[:size], truncated=True, dialect=dialect)

        assert site.access.reason == (reason or "SUCCESSFUL"), size
        assert site.last.truncated is not bool(reason)


def test_a_line_that_is_cut_in_two_is_left_out() -> None:
    """Half a rule would open what the whole one does not."""
    body = b"User-agent: *\nDisallow: /\n#".ljust(512_000 - 10, b"#") + b"\nAllow: /a"
    assert len(body) == 512_000

    assert of(body).allowed("https://example.com/about")
    assert not of(body, truncated=True).allowed("https://example.com/about")


LENGTHS = {
    "more than there is": [("Content-Length", "9000")],
    "more, of a coding that is none": [("Content-Length", "9000"), ("Content-Encoding", "none")],
    "more, of no coding": [("Content-Length", "9000"), ("Content-Encoding", "identity")],
    "more than any coding has": [("Content-Length", "9000"), ("Content-Encoding", "gzip")],
    "two": [("Content-Length", str(len(RULES))), ("content-length", "3")],
    "two in one": [("Content-Length", f"{len(RULES)}, 3")],
    "no number": [("Content-Length", "0x9")],
    "chunks in chunks": [("Transfer-Encoding", "chunked, chunked")],
    "chunks twice": [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "Chunked")],
    "packed on the way": [("Transfer-Encoding", "gzip, chunked")],
}
FINE = {
    "as much": [("Content-Length", str(len(RULES)))],
    "twice the same": [("Content-Length", f"{len(RULES)}, {len(RULES)}")],
    "less": [("Content-Length", "3")],
    "chunks": [("Transfer-Encoding", "identity, chunked"), ("Content-Length", "9000")],
    "that of the coded body": [("Content-Length", "90"), ("Content-Encoding", "gzip")],
}


@pytest.mark.parametrize("said", [*LENGTHS, *FINE])
def test_a_body_is_as_long_as_it_says(said: str) -> None:
    """What is shorter is half a file; of two lengths nobody knows which is right."""
    fields = LENGTHS.get(said) or FINE[said]
    site = verger.site_of("https://e.example/", token="A", status=200, headers=fields, body=RULES)

    assert site.access.reason == ("BROKEN_BODY" if said in LENGTHS else "SUCCESSFUL")


def test_what_has_no_body_is_not_too_short() -> None:
    """Responses with 204 end with their head, whatever that says (RFC 9112 section 6.3)."""
    said = {"Content-Length": "9000"}
    reasons = [
        verger.site_of(
            "https://e.example/", token="A", status=status, headers=said, body=b""
        ).access.reason
        for status in (204, 205, 200)
    ]

    assert reasons == ["SUCCESSFUL", "BROKEN_BODY", "BROKEN_BODY"]


# What was before


def after(before: verger.Site | None, time: float, **got: Any) -> verger.Site:
    return verger.site_of("https://example.com/", token="A", before=before, time=time, **got)


def test_failures_in_a_row_are_counted_and_a_copy_is_kept() -> None:
    """As in a client, the rules hold while the file is unreachable, and requests become rare."""
    good = after(None, 0, status=200, body=RULES)
    first = after(good, 100, failure="timeout")
    second = after(first, 200, status=503)

    assert (first.access.effect, first.access.copy) == ("rules", True)
    assert not second.allowed("https://example.com/private")
    assert (first.fresh_until, second.fresh_until) == (160, 320)
    assert (second.entry and second.entry.unreachable_since) == 100


def test_failures_five_weeks_apart_open_nothing() -> None:
    """Of the time between two a week counts at most, whatever `before` says of the first."""
    site = None
    for weeks in (0, 5, 10, 15):
        site = after(site, 1_767_571_200 + weeks * 604_800, status=503)
        assert (site.access.effect, site.access.reason) == ("disallow_all", "SERVER_ERROR")

    opened = after(site, 1_767_571_200 + 20 * 604_800, status=503)
    assert opened.access.effect == "disallow_all"
    assert (opened.entry and opened.entry.unreachable_for) == 4 * 604_800
    assert after(opened, 1_767_571_200 + 25 * 604_800, status=503).access.effect == "allow_all"


def test_not_modified_renews_the_copy() -> None:
    """304 is fresh again with its validators, and unreachable without a copy."""
    good = after(None, 0, status=200, body=RULES, headers=[("ETag", '"a"')])
    renewed = after(good, 500, status=304, headers={"Cache-Control": "max-age=3600"})

    assert (renewed.source, renewed.fresh_until) == ("renewed", 4_100)
    assert renewed.robots is not None
    assert after(None, 500, status=304).access.reason == "UNDEFINED_STATUS"


# Exceptions


def test_an_exception_of_a_status_is_that_status(site: Site) -> None:
    site.answers = {ROBOTS: response(429, Retry_After="1234")}
    with pytest.raises(requests.HTTPError) as raised:
        requests.get(f"{site.origin}{ROBOTS}").raise_for_status()

    assert meaning(judged(site, {"failure": raised.value})) == meaning(by_client(site))


def test_a_login_that_a_proxy_wants_is_not_an_answer_of_the_site() -> None:
    """By its status alone, 407 would open every site behind the proxy."""
    error = requests.HTTPError(response=requests.Response())
    error.response.status_code = 407
    for got in ({"status": 407}, {"failure": error}):
        site = verger.site_of("https://a.example/", token="A", **got)  # type: ignore[arg-type]

        assert (site.access.effect, site.last.failure) == ("disallow_all", "refused")


SQUID = {"X-Squid-Error": "ERR_ACCESS_DENIED 0", "Server": "squid/5.7"}


@pytest.mark.parametrize("status", [302, 403, 404])
def test_what_a_proxy_made_itself_is_not_an_answer_of_the_site(status: int) -> None:
    """The caller's client may have used one, which shows in the header fields; behind https a proxy
    has made nothing."""
    error = requests.HTTPError(response=requests.Response())
    error.response.status_code = status
    error.response.headers.update(SQUID)
    for got in ({"status": status, "headers": SQUID}, {"failure": error}):
        http, https = (
            verger.site_of(f"{scheme}://a.example/", token="A", **got)  # type: ignore[arg-type]
            for scheme in ("http", "https")
        )

        assert (http.access.effect, http.last.failure) == ("disallow_all", "refused")
        assert https.last.status == status


def test_an_exception_of_a_success_gives_no_permission() -> None:
    """A response of 200 without its body must not count as an empty file."""
    error = requests.HTTPError(response=requests.Response())
    error.response.status_code = 200

    assert verger.site_of("https://a.example/", token="A", failure=error).access.effect == (
        "disallow_all"
    )


def test_a_client_that_followed_few_redirects_says_nothing_about_the_file(site: Site) -> None:
    """RFC 9309 section 2.3.1.2 has a crawler follow five; the file may be behind the first."""
    site.answers = FAULTS["a redirect"]
    with requests.Session() as session:
        session.max_redirects = 0
        with pytest.raises(requests.TooManyRedirects) as raised:
            session.get(f"{site.origin}{ROBOTS}")

    closed = judged(site, {"failure": raised.value})

    assert (closed.access.effect, closed.last.failure) == ("disallow_all", "refused")


def test_a_response_that_was_not_read_is_no_400(site: Site) -> None:
    """aiohttp raises the same class for both, and some programs raise it anew."""
    site.answers = FAULTS["no HTTP"]
    got = CALLERS["aiohttp"](f"{site.origin}{ROBOTS}", 30)["failure"]
    for error in (got, type(got)(got.request_info, got.history, status=400, message="bad line")):
        assert judged(site, {"failure": error}).access.effect == "disallow_all"
    assert judged(site, {"failure": error}).last.detail == "bad line"


@pytest.mark.parametrize("status", [0, 99])
def test_a_status_that_is_none_closes_the_site(status: int) -> None:
    """aiohttp returns what a server made up; a crawl must not end by it."""
    site = verger.site_of("https://a.example/", token="A", status=status, body=b"")

    assert (site.access.effect, site.last.failure) == ("disallow_all", "invalid-response")


def test_an_earlier_attempt_does_not_count() -> None:
    """Too many redirects open a site; a time-out of the next attempt must not."""
    try:
        try:
            raise requests.TooManyRedirects
        except requests.RequestException:
            raise requests.Timeout  # noqa: B904
    except requests.Timeout as error:
        site = verger.site_of("https://a.example/", token="A", failure=error)

    assert (site.last.failure, site.access.effect) == ("timeout", "disallow_all")


def test_a_group_of_exceptions_counts_by_what_it_holds() -> None:
    """As trio's and anyio's connections to several addresses raise them."""
    error = ExceptionGroup("all attempts failed", [ConnectionRefusedError(111, "refused")])

    assert verger.site_of("https://a.example/", token="A", failure=error).last.failure == "refused"


def test_any_exception_closes_the_site() -> None:
    """One that says nothing is not told with the address of an object."""
    for error in (RuntimeError(object()), KeyError(), EOFError("end")):
        site = verger.site_of("https://a.example/", token="A", failure=error)

        assert site.access.effect == "disallow_all"
        assert " at 0x" not in site.last.detail


def test_a_redirect_that_was_not_followed_closes_the_site() -> None:
    """The response says nothing about the file, so nothing may be fetched."""
    here = {"Location": "https://www.a.example/robots.txt"}
    site = verger.site_of("https://a.example/", token="A", status=302, headers=here)

    assert (site.access.effect, site.last.detail) == (
        "disallow_all",
        "the redirect was not followed",
    )


@pytest.mark.parametrize("caller", CALLERS)
def test_a_refused_connection_is_told_in_a_few_words(caller: str) -> None:
    """Not with the repr of an object of the client."""
    failure = CALLERS[caller]("http://127.0.0.1:1/robots.txt", 30)["failure"]
    last = verger.site_of("http://127.0.0.1:1/", token="A", failure=failure).last

    assert (last.failure, last.detail) == ("refused", "connection refused")


@pytest.mark.parametrize("fault", ["a body that is no gzip", "a short body"])
def test_a_broken_body_is_told_by_aiohttp_in_words(site: Site, fault: str) -> None:
    """Not by the number that its class of exceptions begins with."""
    broken = {ROBOTS: response(200, RULES, Content_Encoding="gzip")}
    site.answers = FAULTS.get(fault, broken)
    last = judged(site, CALLERS["aiohttp"](f"{site.origin}{ROBOTS}", 30)).last

    assert last.failure == "broken-body"
    assert "400" not in last.detail


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_has_a_name(failure: str) -> None:
    site = verger.site_of("https://a.example/", token="A", failure=failure)  # type: ignore[arg-type]
    redirected = failure in ("too-many-redirects", "redirect-disallowed")

    assert site.access.effect == ("allow_all" if redirected else "disallow_all")


# Redirects


def test_a_redirect_to_a_disallowed_url_is_asked_about() -> None:
    """Bing's dialect ends the chain there, if the caller says so."""
    asked: list[str] = []
    got: dict[str, Any] = {
        "status": 200,
        "body": RULES,
        "redirects": ["https://b.example/closed"],
        "dialect": "google",
    }
    strict = next(
        name
        for name, dialect in verger.DIALECTS.items()
        if dialect.disallowed_redirect == "unavailable"
    )
    site = verger.site_of(
        "https://a.example/",
        token="A",
        may_follow=lambda url: bool(asked.append(url)),
        **(got | {"dialect": strict}),
    )

    assert asked == ["https://b.example/closed"]
    assert site.access.reason == "REDIRECT_DISALLOWED"


U, B, C = "https://a.example/robots.txt", "https://b.example/login", "https://a.example/c"
CIRCLES = {"by another site": [U, B, U], "at once": [U, U], "twice": [U, B, U, C, U]}
"""What cookie walls do."""


@pytest.mark.parametrize("circle", CIRCLES)
def test_a_circle_that_led_to_a_file_is_none(circle: str) -> None:
    """A cookie wall redirects to itself; what the caller fetched in the end is the answer."""

    def judged(**got: Any) -> verger.Site:
        return verger.site_of(U, token="A", redirects=CIRCLES[circle], **got)

    assert not judged(status=200, body=RULES).allowed("https://a.example/private")
    assert judged(status=200, body=RULES).last.final_url == U
    assert judged(status=404).access.reason == "UNAVAILABLE"
    assert judged(status=503).access.reason == "SERVER_ERROR"
    assert judged(failure="timeout").access.effect == "disallow_all"
    assert judged(failure="too-many-redirects").access.reason == "TOO_MANY_REDIRECTS"


def test_a_circle_that_led_nowhere_is_judged() -> None:
    """As in a client: the file is nowhere (RFC 9309 section 2.3.1.2)."""
    said = {"Location": B}
    site = verger.site_of(U, token="A", status=302, headers=said, redirects=[U, B, U])

    assert site.access.reason == "TOO_MANY_REDIRECTS"


def test_the_redirects_of_a_circle_are_not_too_many() -> None:
    """Those to other URLs may be: the sixth is one too many."""

    def reason(*redirects: str) -> str:
        got: dict[str, Any] = {"status": 200, "body": RULES, "redirects": redirects}
        return verger.site_of(U, token="A", **got).access.reason

    way = [f"https://a.example/{number}" for number in range(6)]

    assert reason(U, *(B, U) * 9) == "SUCCESSFUL"
    assert reason(U, *way[:5], *way[:5], U) == "SUCCESSFUL"
    assert reason(U, *way, U) == "TOO_MANY_REDIRECTS"


def test_a_circle_through_a_private_address_is_refused() -> None:
    """It would be in a client, whatever came of it."""
    through = [U, "http://10.0.0.1/", U]
    site = verger.site_of(U, token="A", status=200, body=RULES, redirects=through)

    assert site.access.reason == "REDIRECT_REFUSED"


def test_private_redirects_that_the_caller_exempts_count() -> None:
    got: dict[str, Any] = {"status": 200, "body": RULES, "redirects": ["http://10.1.2.3/r"]}

    def reason(**more: Any) -> str:
        return verger.site_of("https://a.example/", token="A", **got, **more).access.reason

    assert reason() == "REDIRECT_REFUSED"
    assert reason(private=["10.0.0.0/8"]) == "SUCCESSFUL"


# Misuse


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"status": 200, "failure": "dns"},
        {"status": 200},
        {"status": 200, "body": "User-agent: *"},
        {"status": -1},
        {"status": 1_000},
        {"status": True},
        {"status": "404"},
        {"status": 404, "headers": "Retry-After: 7"},
        {"status": 404, "headers": 7},
        {"status": 404, "headers": {"Retry-After": 7}},
        {"status": 404, "redirects": "https://a.example/robots.txt"},
        {"status": 404, "redirects": 3},
        {"status": 404, "redirects": [None]},
        {"status": 404, "redirects": [b"https://a.example/robots.txt"]},
        {"status": 404, "headers": None},
        {"status": 404, "time": "now"},
        {"status": 404, "time": float("nan")},
        {"status": 404, "time": float("inf")},
        {"status": 404, "time": 1_700_000_000_000},
        {"status": 404, "time": -1},
        {"status": 404, "before": "fresh"},
        {"status": 404, "before": verger.site_of("https://b.example/", token="A", status=404)},
        {"status": 404, "private": "10.0.0.0/8"},
        {"status": 404, "private": ["no host/"]},
        {"status": 404, "least_fresh": -1},
        {"status": 404, "private": 10},
        {"status": 404, "facts": "works"},
        {"status": 404, "decoded": "yes"},
        {"status": 404, "truncated": None},
        {"status": 404, "may_follow": "all"},
        {"failure": "broken"},
        {"failure": KeyboardInterrupt()},
        {"failure": True},
        {"failure": TimeoutError},
    ],
    ids=lambda said: str(said)[:60],
)
def test_what_makes_no_sense_is_refused_with_a_hint(said: dict[str, Any]) -> None:
    with pytest.raises(verger.InvalidOption) as refused:
        verger.site_of("https://a.example/", token="A", **said)

    assert refused.value.hint


def test_a_crawler_without_a_name_is_refused() -> None:
    for agent in (None, " "):
        with pytest.raises(verger.MissingUserAgent):
            verger.site_of("https://a.example/", status=404, user_agent=agent)
    with pytest.raises(verger.InvalidProductToken):
        verger.site_of("https://a.example/", status=404, token="a b")


def test_who_is_bound_is_as_in_a_client() -> None:
    """A crawler follows the groups that its operator names, or only those of its own name."""
    body = b"User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nAllow: /\n"
    operators, file = (
        verger.site_of(
            "https://a.example/",
            token="Googlebot-News",
            bindings=bindings,
            status=200,
            body=body,
        ).allowed("https://a.example/a")
        for bindings in ("operators", "file")
    )

    assert (operators, file) == (True, False)
