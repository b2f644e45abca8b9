"""Observations: recorded attempts to fetch robots.txt, such as table rows, files and captures.

In: a status, a failure, a body, a time, any of which may be missing. Out: the `AccessResult` that
an observation stands for, and the `Entry` of all observations of one origin. All readers use this
module, so that a row means the same to each of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verger.access.entry import Entry, entry_after
from verger.access.result import PROXY_WANTS_LOGIN, AccessResult, Failure, carries_file, is_redirect

KINDS = ("successful", "redirect", "unavailable", "unreachable")
"""The kinds of observations: those of RFC 9309 section 2.3.1, and redirects."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The record of one attempt to fetch a robots.txt file.

    time:     seconds since the epoch; None if unknown, which sorts before all times.
    status:   the final status; None if no response was read, or it is unknown.
    failure:  why the fetch failed; None if it did not.
    body:     the bytes of the file; None if they were not kept, while an empty file is `b""`.
    truncated:  whether the file goes on behind them.
    unreachable_for:  for how many seconds the file has been unreachable, if a store has counted
              that; None if it follows from the observations.
    """

    time: float | None = None
    status: int | None = None
    failure: Failure | None = None
    body: bytes | None = field(default=None, repr=False)
    unreachable_for: float | None = None
    truncated: bool | None = None


def result_observed(url: str, seen: Observation) -> AccessResult:
    """Return the access result that an observation stands for; its time is 0 if unknown.

    A body without a status is a 200. A successful status whose body was not kept is a broken body:
    the rules are unknown, so nothing may be fetched; but a 204 has no body, and is an empty file.
    Without status, failure and body, the file counts as unreachable. So does a redirect that one
    crawler might not follow, see `AccessResult.for_others`, and a 407, which a proxy sends (RFC
    9110 section 15.5.8).
    """
    time = 0.0 if seen.time is None else seen.time
    if seen.failure is not None:
        return AccessResult(url, time, status=seen.status, failure=seen.failure).for_others(0, 0)
    status = 200 if seen.status is None and seen.body is not None else seen.status
    if status == PROXY_WANTS_LOGIN:
        return AccessResult(url, time, status=status, failure="refused")
    if status is None or not 200 <= status < 300:
        return AccessResult(url, time, status=status)
    if seen.body is None and carries_file(status):
        return AccessResult(url, time, status=status, failure="broken-body")
    cut = seen.truncated is True
    return AccessResult(url, time, status=status, body=seen.body or b"", truncated=cut)


def is_hop(result: AccessResult) -> bool:
    """Whether a response is only a redirect to another, which says nothing about the site.

    A fetch whose last response is a redirect found no file.
    """
    return result.failure is None and is_redirect(result.status)


def place_in_time(seen: Observation) -> tuple[bool, float]:
    """Return the sort key of an observation: those without a time come before all others.

    Observations with equal keys keep their order, and the last of them counts.
    """
    return seen.time is not None, seen.time or 0.0


def place_without_order(
    seen: Observation,
) -> list[tuple[bool, float | str | bytes | None]]:
    """Return the sort key of an observation among others that have no order, as on Spark.

    Of several with the same time, the one with the greater status counts, then with the greater
    failure, then with the greater body, then the longer unreachable, then one that is truncated;
    unknown values come before all others. If observations have an order, `place_in_time` is their
    key.
    """
    values = (seen.time, seen.status, seen.failure, seen.body, seen.unreachable_for, seen.truncated)
    return [(value is not None, value) for value in values]


def entries_observed(origin: str, seen: Iterable[Observation], *, now: float) -> Iterator[Entry]:
    """Yield the entry of an origin after each of its observations, in order of time.

    now:  the time, in seconds since the epoch; see `entry_after`.
    """
    entry: Entry | None = None
    for one in sorted(seen, key=place_in_time):
        result = result_observed(f"{origin}/robots.txt", one)
        entry = entry_after(entry, origin, result, now=now, unreachable_for=one.unreachable_for)
        yield entry


def entry_observed(origin: str, seen: Iterable[Observation], *, now: float) -> Entry:
    """Return the entry of an origin after all of its observations; there must be at least one."""
    *_, last = entries_observed(origin, seen, now=now)
    return last
