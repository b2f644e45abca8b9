"""What the caller fetched, judged: the site that a client would have after the same fetch.

In: a URL, and the response or the failure that the caller's own HTTP client got for its
robots.txt. Out: a `Site`. The plan of a fetch gets the caller's replies instead of a transport's,
so that redirects, codings, failures, the policy and freshness are those of `Client`. Opens no
socket, and decides nothing.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from time import time as clock
from typing import TypeAlias

from verger._core import Dialect, Origin, _dialect_of, origin
from verger.access.answer import Question
from verger.access.entry import Entry, entry_after
from verger.access.policy import NOTHING_KNOWN, SiteFacts
from verger.access.result import FAILURES, AccessResult, Failure, is_redirect
from verger.client.identity import tokens_named
from verger.client.site import LEAST_FRESH, Site, site_after
from verger.crawlers.binding import Bindings, expect_bindings
from verger.errors import InvalidOption
from verger.fetching.address_guard import AddressGuard, literal_address
from verger.fetching.decode import is_encoded
from verger.fetching.drive import after
from verger.fetching.foreign import fields_of, reply_of
from verger.fetching.plan import Asking, MayFollow, Plan, plan, target_of
from verger.fetching.transport import (
    BODILESS,
    Ended,
    HopFailed,
    Reply,
    Request,
    is_short,
)
from verger.options import expect_seconds, expect_whole

Headers: TypeAlias = Mapping[str, str] | Iterable[tuple[str | bytes, str | bytes]]

_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

LATEST = float(1 << 33)
"""A time in seconds is before the year 2242; one in milliseconds is after it."""


def site_of(
    url: str,
    *,
    user_agent: str | None = None,
    token: str | Sequence[str] | None = None,
    bindings: Bindings = "operators",
    dialect: str | Dialect = "rfc9309",
    status: int | None = None,
    headers: Headers = (),
    body: bytes | None = None,
    failure: Failure | Exception | None = None,
    redirects: Iterable[object] = (),
    time: float | None = None,
    decoded: bool | None = None,
    truncated: bool = False,
    before: Site | None = None,
    facts: SiteFacts = NOTHING_KNOWN,
    least_fresh: float = LEAST_FRESH,
    private: Sequence[str] = (),
    may_follow: Callable[[str], bool] | None = None,
) -> Site:
    """Return the site that a `Client` would have, from what the caller fetched itself.

    url:         the robots.txt that was requested, or any URL of its site; not the URL that
                 redirects led to.
    user_agent:  the identification string that was sent; its product token selects the rules.
    token:       the product token, or several, instead of the one in `user_agent`.
    bindings:    whose groups the crawler follows, as in `Client`.
    dialect:     how files and failures are read: a name, or a `Dialect`.
    status:      the status of the last response; None with a `failure`.
    headers:     its header fields, of any client or as pairs; those of freshness, `Retry-After`,
                 `Content-Type` and the codings are read.
    body:        its bytes, not text; needed for a status of 2xx.
    failure:     why no response was read: an exception of requests, urllib, httpx, aiohttp or the
                 standard library, or a name of `verger.access.result.Failure`. An exception that
                 stands for a response, as `raise_for_status` raises it, counts as that response.
    redirects:   the URLs that redirects led to, in order; the requested URL may come first, as in
                 `[each.url for each in (*response.history, response)]`.
    time:        when the response was complete, in seconds since the epoch; by default now.
    decoded:     whether the body's `Content-Encoding` has been undone, which most clients do; None:
                 told by the first bytes of the body.
    truncated:   whether the file continues after `body`, because the caller stopped reading.
    before:      the site after the fetch before this one: its copy is used while the file is
                 unreachable and after a 304, and failures in a row are counted.
    facts:       what else is known about the site.
    least_fresh: the minimum freshness of a file in seconds, whatever `Cache-Control` says.
    private:     networks or hosts that redirects may lead to although they are not public.
    may_follow:  whether the crawler may fetch a URL that a redirect leads to, for the dialects that
                 end a chain of redirects at a disallowed URL; None for every URL.

    A redirect to an address that is not public closes the site, as in `Client`; here it is known
    only if the URL spells the address, or its name means the local network. Nothing is fetched.

    Raises: InvalidOption for arguments that make no sense; MissingUserAgent and InvalidProductToken
    without a product token; InvalidTarget for a URL without a robots.txt; UnknownName.

    >>> agent = "ExampleBot/1.0 (+https://example.com/bot)"
    >>> site = site_of(
    ...     "https://example.com/robots.txt",
    ...     user_agent=agent,
    ...     status=200,
    ...     headers={"Content-Type": "text/plain"},
    ...     body=b"User-agent: *\\nDisallow: /private\\n",
    ... )
    >>> site.allowed("https://example.com/private/a")
    False
    >>> site_of("https://example.com/", user_agent=agent, failure=TimeoutError()).access.effect
    'disallow_all'
    """
    name, reading = origin(url), _dialect_of(dialect)
    expect_bindings(bindings)
    expect_seconds("least_fresh", least_fresh, above_zero=False, for_ever=True)
    _expect("facts", facts, isinstance(facts, SiteFacts), "a `verger.SiteFacts`")
    _expect("decoded", decoded, decoded in (None, True, False), "True, False or None")
    _expect("truncated", truncated, isinstance(truncated, bool), "True or False")
    _expect("may_follow", may_follow, may_follow is None or callable(may_follow), "a function")
    question = Question(tokens_named(user_agent, token, reading), reading, bindings)
    now = clock() if time is None else _time(time)
    last = _reply(status, headers, body, failure, decoded=decoded, truncated=truncated)
    kept = _entry(before, name)
    asking = Asking(reading, {}, lambda: now)
    result = _replayed(
        plan(name, asking, copy=kept.good if kept else None),
        _replies(name, _targets(name, redirects, status), last),
        _guard(private),
        may_follow,
    )
    return site_after(
        entry_after(kept, name, result),
        question,
        source="renewed" if result.renewed else "fetched",
        facts=facts,
        least_fresh=least_fresh,
    )


def _replayed(
    course: Plan,
    replies: list[Reply | HopFailed],
    guard: AddressGuard,
    may_follow: Callable[[str], bool] | None,
) -> AccessResult:
    """Return the result of a plan whose requests get these replies, one after another."""
    coming = iter(replies)
    wanted = after(course, None)
    while not isinstance(wanted, AccessResult):
        if isinstance(wanted, MayFollow):
            wanted = after(course, may_follow is None or bool(may_follow(wanted.url)))
        else:
            wanted = after(course, _refused(guard, wanted) or next(coming, NOT_FOLLOWED))
    return wanted


NOT_FOLLOWED = HopFailed("refused", "the redirect was not followed")
"""What became of a redirect whose target the caller did not request."""


def _refused(guard: AddressGuard, request: Request) -> HopFailed | None:
    """Return why a redirect must not lead here; None if it may."""
    try:
        guard.permits_name(request, Origin(request.url).host)
    except HopFailed as refused:
        return refused
    return None


def _replies(name: str, targets: list[str], last: Reply | HopFailed) -> list[Reply | HopFailed]:
    """Return what each request of a fetch got: a redirect to each target, and the last reply."""
    address = literal_address(Origin(name).host) or ""
    hops = [Reply(301, [("Location", target)], address=address) for target in targets]
    return [*hops, last]


def _targets(name: str, redirects: Iterable[object], status: int | None) -> list[str]:
    """Return the URLs that redirects led to, without the one that was requested first."""
    is_several = isinstance(redirects, Iterable) and not isinstance(redirects, str | bytes)
    visited = list(map(str, redirects)) if is_several else [""]
    are_urls = all(map(_SCHEME.match, visited))
    _expect("redirects", redirects, are_urls, "a list of the URLs that were requested")
    first = f"{name}/robots.txt"
    if not visited or target_of(first, visited[0]) != first:
        visited.insert(0, first)
    if is_redirect(status) and visited[-2:-1] == visited[-1:]:
        visited.pop()  # aiohttp counts a redirect without a target twice
    return visited[1:]


# What the caller got


def _reply(
    status: int | None,
    headers: Headers,
    body: bytes | None,
    failure: Failure | Exception | None,
    *,
    decoded: bool | None,
    truncated: bool,
) -> Reply | HopFailed:
    """Return the last reply, as a transport would. Raises InvalidOption."""
    if (status is None) == (failure is None):
        raise InvalidOption(
            "either `status` or `failure` is needed, and not both",
            "pass the status of the response, or why there is none, such as the exception",
        )
    if failure is not None:
        return _failed(failure)
    assert status is not None, "there is one of both"
    expect_whole("status", status, least=100, most=999)
    fields = _fields(headers)
    if not 200 <= status < 300:
        return Reply(status, fields)
    octets = _body(status, body)
    coding = ", ".join(value for key, value in fields if key.lower() == "content-encoding")
    is_coded = is_encoded(octets, coding) if decoded is None else not decoded
    if coding and not is_coded:  # both fields are about a body that the caller no longer has
        fields = [field for field in fields if field[0].lower() not in OF_CODED]
    whole: Ended = "broken" if is_short(fields, octets) else "complete"
    return Reply(status, fields, octets, "limit" if truncated else whole)


OF_CODED = frozenset(("content-encoding", "content-length"))


def _failed(failure: object) -> Reply | HopFailed:
    if isinstance(failure, Exception):
        return reply_of(failure)
    if isinstance(failure, str) and failure in FAILURES:
        return HopFailed(failure, "")
    raise InvalidOption(
        f"`failure` is `{failure!r:.60}`",
        f"pass an exception of the HTTP client, or one of {', '.join(FAILURES)}",
    )


def _fields(headers: Headers) -> list[tuple[str, str]]:
    try:
        return fields_of(headers)
    except (TypeError, ValueError):
        raise InvalidOption(
            f"`headers` is `{headers!r:.60}`",
            "pass names with their values, as the client has them",
        ) from None


def _body(status: int, body: object) -> bytes:
    if body is None and status in BODILESS:
        return b""
    if isinstance(body, bytes | bytearray | memoryview):
        return bytes(body)
    raise InvalidOption(
        f"`body` is `{body!r:.60}`, and the status {status}",
        "pass the bytes as they came, such as `response.content`",
    )


# What the caller knew


def _expect(name: str, value: object, is_right: bool, wanted: str) -> None:
    if not is_right:
        raise InvalidOption(f"`{name}` is `{value!r:.60}`", f"pass {wanted}")


def _time(time: float) -> float:
    expect_seconds("time", time, above_zero=False, for_ever=True)
    _expect("time", time, time <= LATEST, "seconds since the epoch")
    return time


def _entry(before: object, name: str) -> Entry | None:
    """Return the entry of the fetch before this one. Raises InvalidOption."""
    is_right = before is None or (isinstance(before, Site) and before.origin == name)
    _expect("before", before, is_right, f"the `Site` of `{name}` after the last fetch")
    return before.entry if isinstance(before, Site) else None


def _guard(private: Sequence[str]) -> AddressGuard:
    is_several = isinstance(private, Sequence) and not isinstance(private, str | bytes)
    _expect("private", private, is_several, "a list of networks and hosts")
    return AddressGuard(private)
