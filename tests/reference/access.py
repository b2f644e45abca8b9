"""The access rules as tables: what a crawler may do after one attempt to fetch robots.txt.

In: an `Event`, the facts of the attempt and what was known before it, and `AccessSwitches`, typed
here from the specification's own tables. Out: an `Outcome`. Nothing here shares code, a table or
an import with verger; the names of failures are its own words, written down once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from .switches import NAMES

Outcome: TypeAlias = Literal["parse", "follow", "use_cached", "allow_all", "disallow_all", "defer"]
Effect: TypeAlias = Literal["allow", "disallow", "defer"]
Kind: TypeAlias = Literal[
    "file", "empty", "missing", "forbidden", "429", "endless", "disallowed", "error", "trouble"
]

HOUR = 3_600
DAY = 24 * HOUR
MONTH = 30 * DAY
WEEK = 7 * DAY
EARLIEST = 946_684_800
"""1 January 2000, 00:00 UTC."""
FAILURES = (
    *("dns", "refused", "tls", "reset", "timeout", "invalid-response", "broken-body"),
    *("too-many-redirects", "redirect-disallowed", "redirect-refused", "redirect-invalid", "ftp"),
)


@dataclass(frozen=True, slots=True)
class AccessSwitches:
    """Everything that fetching and keeping a file hangs on, in the order of `verger.KNOBS`."""

    max_redirects: int
    too_many_redirects: Effect
    disallowed_redirect: Literal["follow", "unavailable"]
    forbidden: Effect
    status_429: Effect
    unreachable: Effect
    yandex_errors: Literal["open", "rfc9309"]
    google_unreachable: Literal["none", "2023", "2026"]
    stale_when_unreachable: int | None
    unreachable_limit: int | None
    conditional_get: bool
    cache_headers: Literal["all", "cache-control", "max-age"]
    default_lifetime: int
    max_lifetime: int | None


# Columns: 1994, 1996, koster-rep-00, RFC 9309, google, googlebot-cpp, yandex, bing.
# googlebot-cpp is a parser that fetches nothing; the crawler around it is Google's.
# Yandex's row of errors is one switch; what lies below it is RFC 9309's.
OLD, NEW = ("defer", "defer"), 6
TABLE: dict[str, tuple[Any, ...]] = {
    "max_redirects": (5,) * 8,
    "too_many_redirects": (*OLD, *("allow",) * NEW),
    "disallowed_redirect": (*("follow",) * 4, "unavailable", "unavailable", "follow", "follow"),
    "forbidden": ("disallow", "disallow", *("allow",) * NEW),
    "status_429": (*OLD, *("disallow",) * NEW),
    "unreachable": (*OLD, *("disallow",) * NEW),
    "yandex_errors": (*("rfc9309",) * 6, "open", "rfc9309"),
    "google_unreachable": (*("none",) * 4, "2026", "2026", "none", "none"),
    "stale_when_unreachable": (None, None, MONTH, MONTH, MONTH, MONTH, None, None),
    "unreachable_limit": (None, None, *(MONTH,) * NEW),
    "conditional_get": (True, True, True, True, False, False, True, True),
    "cache_headers": (*("all",) * 4, "max-age", "max-age", "cache-control", "cache-control"),
    "default_lifetime": (7 * DAY, 7 * DAY, *(DAY,) * NEW),
    "max_lifetime": (None, None, DAY, DAY, None, None, DAY, DAY),
}

ACCESS_SWITCHES: dict[str, AccessSwitches] = {
    name: AccessSwitches(**{switch: row[column] for switch, row in TABLE.items()})
    for column, name in enumerate(NAMES)
}


@dataclass(frozen=True, slots=True)
class Event:
    """One attempt, and what was known before it."""

    status: int | None = None
    failure: str | None = None
    """One of `FAILURES`; it outweighs a status."""
    empty: bool = False
    """Whether the body has no bytes."""
    unreachable_for: float = 0
    """Seconds of the current run of unreachable results, as `period` counts them."""
    copy: bool = False
    """Whether the last good file is still there."""
    site_works: bool | None = None
    """Whether the rest of the site answers."""
    errors_for_missing: bool = False
    """Whether the site answers 5xx for pages that are not there."""


def judged(event: Event, switches: AccessSwitches) -> Outcome:
    """Return what a crawler may do after the event."""
    kind = kind_of(event)
    if kind == "file":
        yandex_refuses = switches.yandex_errors == "open" and event.status != 200
        return "allow_all" if yandex_refuses else "parse"
    if kind in ("empty", "missing", "disallowed") or switches.yandex_errors == "open":
        return "allow_all"
    if kind == "endless":
        return as_outcome(switches.too_many_redirects)
    if kind == "forbidden":
        return as_outcome(switches.forbidden)
    if kind == "429" and (
        switches.status_429 != "disallow" or switches.google_unreachable == "none"
    ):
        return as_outcome(switches.status_429)
    return {"none": by_limits, "2023": by_2023, "2026": by_2026}[switches.google_unreachable](
        event, switches
    )


def chained(hops: int, switches: AccessSwitches, *, disallowed: bool = False) -> Outcome:
    """Return what becomes of a chain of redirects, `disallowed` if it leads through such a URL."""
    if disallowed and switches.disallowed_redirect == "unavailable":
        return judged(Event(failure="redirect-disallowed"), switches)
    if hops > switches.max_redirects:
        return judged(Event(failure="too-many-redirects"), switches)
    return "follow"


def kind_of(event: Event) -> Kind:
    """Return the row of the tables that an event belongs to."""
    if event.failure is not None:
        rows: dict[str, Kind] = {
            "too-many-redirects": "endless",
            "redirect-disallowed": "disallowed",
        }
        return rows.get(event.failure, "trouble")
    status = event.status or 0
    if status in (401, 403):
        return "forbidden"
    if status == 429:
        return "429"
    if 200 <= status <= 299 and status != 206:
        return "empty" if event.empty else "file"
    if 400 <= status <= 499:
        return "missing"
    return "error" if 500 <= status <= 599 else "trouble"


def as_outcome(effect: Effect) -> Outcome:
    outcomes: dict[Effect, Outcome] = {
        "allow": "allow_all",
        "disallow": "disallow_all",
        "defer": "defer",
    }
    return outcomes[effect]


def by_limits(event: Event, switches: AccessSwitches) -> Outcome:
    """RFC 9309: the copy as long as it may stand in; closed; when it has been too long, the copy
    goes on to bind, and without one all is open (section 2.3.1.4 permits both)."""
    stale, limit = switches.stale_when_unreachable, switches.unreachable_limit
    if event.copy and stale is not None and event.unreachable_for <= stale:
        return "use_cached"
    if limit is not None and event.unreachable_for > limit and (event.copy or not answered(event)):
        return "use_cached" if event.copy else "allow_all"
    return as_outcome(switches.unreachable)


def by_2023(event: Event, _: AccessSwitches) -> Outcome:
    """Google until 2023: closed for 30 days, then the last copy, else open."""
    if missing_by_error(event):
        return "allow_all"
    if event.unreachable_for <= MONTH:
        return "disallow_all"
    return "use_cached" if event.copy else opened(event)


def by_2026(event: Event, _: AccessSwitches) -> Outcome:
    """Google in 2026: closed for 12 hours, then the last copy, else open; then as the site is."""
    if missing_by_error(event):
        return "allow_all"
    if event.unreachable_for <= 12 * HOUR:
        return "disallow_all"
    if event.unreachable_for <= MONTH:
        return "use_cached" if event.copy else opened(event)
    return opened(event) if event.site_works else "disallow_all"


MISLED = ("redirect-refused", "redirect-invalid")


def answered(event: Event) -> bool:
    """Whether a server answered, and so had no error, nor had the network."""
    is_odd = event.failure is None and kind_of(event) == "trouble"
    return is_odd or event.failure in ("broken-body", *MISLED)


def opened(event: Event) -> Outcome:
    """What Google's steps come to, unless a server answered something of no use: that shows that
    there is a file, or that nobody knows."""
    return "disallow_all" if answered(event) else "allow_all"


def period(times: Sequence[float | None], now: float) -> float:
    """Return how long a file has been unreachable, by the failures that were seen one after
    another: each gap counts, as a week at most. Those without a time, of the last century, or more
    than five minutes ahead of now, were not seen."""
    seen = [time for time in times if time is not None and EARLIEST <= time <= now + 300]
    return sum(min(max(later - earlier, 0), WEEK) for earlier, later in pairwise(seen))


def missing_by_error(event: Event) -> bool:
    """Whether Google reads the error as 404: a page of a site that has no other word for it."""
    return event.errors_for_missing and kind_of(event) == "error"


@dataclass(frozen=True, slots=True)
class AccessFlip:
    """An event whose outcome changes when one switch of the dialect changes to `value`."""

    switch: str
    value: int | str | None
    dialect: str
    event: Event
    before: Outcome
    after: Outcome


OUT, LONG_OUT = Event(status=503, copy=True), Event(status=503, unreachable_for=MONTH + 1)
ACCESS_FLIPS = (
    AccessFlip(
        *("too_many_redirects", "disallow", "rfc9309", Event(failure="too-many-redirects")),
        *("allow_all", "disallow_all"),
    ),
    AccessFlip("forbidden", "disallow", "rfc9309", Event(status=403), "allow_all", "disallow_all"),
    AccessFlip("forbidden", "allow", "koster-1996", Event(status=401), "disallow_all", "allow_all"),
    AccessFlip("status_429", "allow", "rfc9309", Event(status=429), "disallow_all", "allow_all"),
    AccessFlip("status_429", "defer", "google", Event(status=429), "disallow_all", "defer"),
    AccessFlip("unreachable", "defer", "rfc9309", Event(status=500), "disallow_all", "defer"),
    AccessFlip("unreachable", "allow", "bing", Event(failure="dns"), "disallow_all", "allow_all"),
    AccessFlip(
        *("yandex_errors", "rfc9309", "yandex", Event(failure="tls"), "allow_all", "disallow_all")
    ),
    AccessFlip(
        *("yandex_errors", "rfc9309", "yandex", Event(status=201), "allow_all", "parse"),
    ),
    AccessFlip("google_unreachable", "2023", "google", LONG_OUT, "disallow_all", "allow_all"),
    AccessFlip("google_unreachable", "none", "google", OUT, "disallow_all", "use_cached"),
    AccessFlip(
        *("stale_when_unreachable", None, "rfc9309", OUT, "use_cached", "disallow_all"),
    ),
    AccessFlip("unreachable_limit", None, "rfc9309", LONG_OUT, "allow_all", "disallow_all"),
)
