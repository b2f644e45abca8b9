"""Observations: rows of tables, files in folders, captures, each of which may tell what became of
asking for a robots.txt file; and what several of them say together.

In: what is known of each: a status, a failure, a body, a time, any of which may be absent. Out: the
`AccessResult` that it stands for, and the `Entry` that all those of one origin make. Every reader
asks here, so that one row means the same to all of them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verger.access.entry import Entry, entry_after
from verger.access.result import AccessResult, Failure, is_redirect

KINDS = ("successful", "redirect", "unavailable", "unreachable")
"""The kinds of access that observations are of: those of RFC 9309 section 2.3.1, and hops."""

BODILESS = (204, 205)
"""Successes that have no body (RFC 9110 sections 15.3.5 and 15.3.6): the file is empty."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What somebody wrote down of one attempt to fetch a robots.txt file."""

    time: float | None = None
    """Seconds since the epoch; None where nobody knows, which comes before all times."""
    status: int | None = None
    failure: Failure | None = None
    body: bytes | None = field(default=None, repr=False)
    """None where nobody kept it; an empty file is `b""`."""


def result_observed(url: str, seen: Observation, *, unknown_time: float = 0.0) -> AccessResult:
    """Return the access result that an observation stands for.

    A body without status is a 200. A success whose body nobody kept is broken: what the file says
    is unknown, and so nothing may be fetched; but a 204 or a 205 has no body, and is an empty file.
    Without status, failure and body nothing is known of the file: it is unreachable.
    """
    time = unknown_time if seen.time is None else seen.time
    if seen.failure is not None:
        return AccessResult(url, time, status=seen.status, failure=seen.failure)
    status = 200 if seen.status is None and seen.body is not None else seen.status
    if status is None or not 200 <= status < 300:
        return AccessResult(url, time, status=status)
    if seen.body is None and status not in BODILESS:
        return AccessResult(url, time, status=status, failure="broken-body")
    return AccessResult(url, time, status=status, body=seen.body or b"")


def is_hop(result: AccessResult) -> bool:
    """Whether a response by itself is one hop to another, which says nothing about the site.

    After the last of its hops, a fetch that ends so has no file.
    """
    return result.failure is None and is_redirect(result.status)


def place_in_time(seen: Observation) -> tuple[bool, float]:
    """Return what puts observations into order: those without a time come before all others.

    Those of one place stay as they stand: the last of them counts.
    """
    return seen.time is not None, seen.time or 0.0


def entries_observed(origin: str, seen: Iterable[Observation]) -> Iterator[Entry]:
    """Yield what is known of an origin after each of its observations, from the first to the last.

    What has no time counts as though it were of the first known time, so that it makes no failure
    last longer.
    """
    ordered = sorted(seen, key=place_in_time)
    first = next((one.time for one in ordered if one.time is not None), 0.0)
    entry: Entry | None = None
    for one in ordered:
        result = result_observed(f"{origin}/robots.txt", one, unknown_time=first)
        entry = entry_after(entry, origin, result)
        yield entry


def entry_observed(origin: str, seen: Iterable[Observation]) -> Entry:
    """Return what is known of an origin after all of its observations; there is at least one."""
    *_, last = entries_observed(origin, seen)
    return last
