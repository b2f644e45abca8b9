"""What the caller fetched, judged: the site that a client would have after the same fetch.

In: a URL, and the response or the failure that the caller's own HTTP client got for its
robots.txt. Out: a `Site`. The plan of a fetch gets the caller's replies instead of a transport's,
so that redirects, codings, failures, the policy and freshness are those of `Client`. Opens no
socket, and decides nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from time import time as clock
from typing import TYPE_CHECKING, TypeAlias, cast

from verger._core import Origin, _dialect_of, origin
from verger.access.answer import Question
from verger.access.entry import entry_after
from verger.access.policy import NOTHING_KNOWN, SiteFacts
from verger.access.result import (
    FAILURES,
    STATUSES,
    AccessResult,
    Failure,
    carries_file,
    is_redirect,
)
from verger.client.identity import tokens_named
from verger.client.site import LEAST_FRESH, Site, site_after
from verger.crawlers.binding import Bindings, expect_bindings
from verger.errors import InvalidOption
from verger.fetching.address_guard import AddressGuard, literal_address
from verger.fetching.client_errors import fields_of, reply_of
from verger.fetching.decode import without_codings
from verger.fetching.drive import advance
from verger.fetching.plan import Asking, MayFollow, Plan, plan, target_of
from verger.fetching.transport import HopFailed, Reply, of_the_site
from verger.options import AnyDialect, expect_seconds, expect_whole

if TYPE_CHECKING:
    from email.message import Message  # of urllib

Headers: TypeAlias = "Mapping[str, str] | Message | Iterable[tuple[str | bytes, str | bytes]]"

_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:")

LATEST = float(1 << 33)
"""A time in seconds is before the year 2242; one in milliseconds is after it."""


def site_of(
    url: str,
    *,
    user_agent: str | None = None,
    token: str | Sequence[str] | None = None,
    bindings: Bindings = "operators",
    dialect: AnyDialect = "rfc9309",
    status: int | None = None,
    headers: Headers = (),
    body: bytes | bytearray | memoryview | None = None,
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
                 `Content-Type` and the codings are read, and those by which a proxy shows that it
                 made an error or a redirect itself.
    body:        its bytes, not text; needed for a status of 2xx, except 204.
    failure:     why no response was read: an exception of requests, urllib, httpx, aiohttp or the
                 standard library, or a name of `verger.access.result.Failure`. An exception that
                 stands for a response, as `raise_for_status` raises it, counts as that response.
    redirects:   the URLs that redirects led to, in order; the requested URL may come first, as in
                 `[each.url for each in (*response.history, response)]`. A circle is a loop only if
                 nothing came of it.
    time:        when the response was complete, in seconds since the epoch; by default now.
    decoded:     whether the body's `Content-Encoding` has been undone, which most clients do; None:
                 told by the first bytes of the body.
    truncated:   whether the file continues after `body`, because the caller stopped reading; the
                 body is broken then, unless it has as much as the dialect reads.
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
    question = Question(tokens_named(user_agent, token, reading), reading, bindings)
    now = clock() if time is None else time
    fields, visited, exempt = fields_of(headers), _texts(redirects), _texts(private)
    is_number = isinstance(now, int | float) and not isinstance(now, bool)
    is_named = isinstance(failure, str) and failure in FAILURES
    is_octets = isinstance(body, bytes | bytearray | memoryview)
    expect_whole("status", status, least=0, most=999, optional=True)
    has_body = carries_file(status)
    has_before = isinstance(before, Site) and before.origin == name
    are_urls = visited is not None and all(map(_SCHEME.match, visited))
    for option, value, is_right, wanted in (
        ("time", time, is_number and 0 <= now <= LATEST, "seconds since the epoch"),
        ("failure", failure, (status is None) != (failure is None), ONE_OF_BOTH),
        ("failure", failure, failure is None or is_named or isinstance(failure, Exception), WHY),
        ("headers", headers, fields is not None, "names with their values, as the client has them"),
        ("body", body, is_octets or not has_body, "its bytes, such as `response.content`"),
        ("redirects", redirects, are_urls, "a list of the URLs that were requested"),
        ("before", before, before is None or has_before, f"the last `Site` of `{name}`"),
        ("private", private, exempt is not None, "a list of networks and hosts"),
        ("facts", facts, isinstance(facts, SiteFacts), "a `verger.SiteFacts`"),
        ("decoded", decoded, decoded in (None, True, False), "True, False or None"),
        ("truncated", truncated, isinstance(truncated, bool), "True or False"),
        ("may_follow", may_follow, may_follow is None or callable(may_follow), "a function"),
    ):
        if not is_right:
            raise InvalidOption(f"`{option}` is `{value!r:.60}`", f"pass {wanted}")
    kept = before.entry if before else None
    octets = bytes(body or b"") if has_body else b""
    # a circle that led on in the end, as cookies do it, was none
    returns = 0 if is_redirect(status) else len(visited or ())
    asking = Asking(reading, {}, lambda: now, returns=returns)
    result = _replayed(
        plan(name, asking, copy=kept.good if kept else None),
        _hops(name, visited or [], status),
        _last(status, fields or [], octets, failure, decoded=decoded, truncated=truncated),
        AddressGuard(exempt or ()),
        may_follow,
    )
    return site_after(
        entry_after(kept, name, result),
        question,
        source="renewed" if result.renewed else "fetched",
        facts=facts,
        least_fresh=least_fresh,
        is_own=True,
    )


ONE_OF_BOTH = "either the `status` of the response, or as `failure` why there is none"
WHY = f"an exception of the HTTP client, or one of {', '.join(FAILURES)}"


def _texts(values: object) -> list[str] | None:
    """Return several values as texts; None for what is not several."""
    is_one = isinstance(values, str | bytes) or not isinstance(values, Iterable)
    return None if is_one else list(map(str, cast(Iterable[object], values)))


def _replayed(
    course: Plan,
    hops: Iterable[Reply],
    last: Reply | HopFailed,
    guard: AddressGuard,
    may_follow: Callable[[str], bool] | None,
) -> AccessResult:
    """Return the result of a plan whose requests get these replies, one after another."""
    coming = chain(hops, [last], repeat(NOT_FOLLOWED))
    wanted = advance(course, None)
    while not isinstance(wanted, AccessResult):
        step: Reply | HopFailed | bool
        if isinstance(wanted, MayFollow):
            step = may_follow is None or bool(may_follow(wanted.url))
        else:
            try:
                guard.permits_name(wanted, Origin(wanted.url).host)
                step = next(coming)
                if isinstance(step, Reply):
                    # whether there was a proxy, only the caller knows
                    of_the_site(step, is_forwarded=wanted.url.startswith("http:"))
            except HopFailed as refused:
                step = refused
        wanted = advance(course, step)
    return wanted


NOT_FOLLOWED = HopFailed("refused", "the redirect was not followed")
"""What became of a redirect whose target the caller did not request."""


def _hops(name: str, visited: list[str], status: int | None) -> Iterator[Reply]:
    """Yield a redirect to each URL that was requested after the first."""
    first, address = f"{name}/robots.txt", literal_address(Origin(name).host) or ""
    if not visited or target_of(first, visited[0]) != first:
        visited.insert(0, first)
    if is_redirect(status) and visited[-2:-1] == visited[-1:]:
        visited.pop()  # aiohttp counts a redirect without a target twice
    for target in visited[1:]:
        yield Reply(301, [("Location", target)], address=address)


def _last(
    status: int | None,
    fields: list[tuple[str, str]],
    octets: bytes,
    failure: str | Exception | None,
    *,
    decoded: bool | None,
    truncated: bool,
) -> Reply | HopFailed:
    """Return the last reply, as a transport would."""
    if isinstance(failure, Exception):
        return reply_of(failure)
    if status is None:
        return HopFailed(cast(Failure, failure), "")
    if status < STATUSES.start:
        return HopFailed("invalid-response", f"`{status}` is not a status")
    if not octets and decoded is None:
        decoded = True  # most clients undo codings, and an empty file is empty then
    told = without_codings(fields, octets, is_decoded=decoded)
    return Reply(status, told, octets, "limit" if truncated else "complete")
