"""Entries: the state of one origin's robots.txt after all results so far.

In: access results, one after another, or observations: attempts that others recorded, such as table
rows, files and captures. Out: an `Entry`, its meaning in a dialect, and the facts of a site that
every output shows. Only this module decides
what an observation stands for, so that a row means the same to every reader, and which of several
results counts: the last, unless it is a failure; then the last good copy is kept with it, and the
policy says how long that copy applies (RFC 9309 sections 2.3.1.4 and 2.4).
"""

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from math import ceil
from typing import Literal, TypeAlias

from verger._core import Agent, Decision, Dialect, parse
from verger.access.policy import NOTHING_KNOWN, AccessPolicy, SiteFacts, policy_after
from verger.access.result import AccessResult, Failure, is_redirect
from verger.access.times import timestamp_if

CLOSED = b"User-agent: *\nDisallow: /\n"
"""The file that means the same as a status that restricts access."""

EXEMPT = "ROBOTS_TXT_ITSELF"
"""The reason of a URL that may be fetched although its site is closed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The state of one origin's robots.txt.

    origin:             the key, as `verger.origin` writes it.
    last:               the last attempt.
    copy:               the last successful result, if `last` is not; used while the file is
                        unreachable.
    unreachable_since:  when the current run of failures began, in seconds since the epoch:
                        unreachable results, and 429; None if the last fetch did not fail.
    failures:           the number of failures in that run, or of redirect loops in a row.
    """

    origin: str
    last: AccessResult
    copy: AccessResult | None = None
    unreachable_since: float | None = None
    failures: int = 0

    @property
    def good(self) -> AccessResult | None:
        """The newest successful result."""
        return self.last if self.last.access == "successful" else self.copy

    @property
    def size(self) -> int:
        """Bytes of the files and of all texts."""
        copy = 0 if self.copy is None else self.copy.size
        return len(self.origin) + self.last.size + copy


def entry_after(before: Entry | None, origin: str, result: AccessResult) -> Entry:
    """Return the entry of an origin after one more result."""
    copy = before.good if before else None
    since = before.unreachable_since if before else None
    goes_on = before and _run_of(before.last) == _run_of(result)
    failures = before.failures + 1 if before and goes_on else 1
    if is_failure(result):
        return Entry(origin, result, copy, result.fetched_at if since is None else since, failures)
    # Most dialects read a loop as a missing file, so the copy is gone; the others request the file
    # again, less and less often.
    return Entry(origin, result, failures=failures if _run_of(result) == "loops" else 0)


def policy_of(entry: Entry, dialect: Dialect, *, site: SiteFacts = NOTHING_KNOWN) -> AccessPolicy:
    """Return the access policy of an entry in a dialect."""
    return policy_after(
        entry.last, dialect, unreachable_for=unreachable_for(entry), copy=entry.copy, site=site
    )


def binding_body(entry: Entry | None, policy: AccessPolicy) -> bytes | None:
    """Return the bytes of the file in force under a policy for this entry.

    They are empty if everything may be fetched, since an empty file means the same (RFC 9309
    section 2.3.1.3). They disallow everything if a status restricts access, as 401 and 403 do in
    the drafts of 1994 and 1996. None if no file says what may be fetched.
    """
    match policy.effect:
        case "rules":
            good = entry.good if entry else None
            return None if good is None else good.body
        case "allow_all":
            return b""
        case "disallow_all" if policy.reason == "FORBIDDEN":
            return CLOSED
        case _:
            return None


def exemption(policy: AccessPolicy, dialect: Dialect, url: str) -> Decision | None:
    """Return the decision that allows a URL although the policy closes its site; else None.

    `/robots.txt` may always be requested: only that request can end the closure (RFC 9309 sections
    2.2.2 and 2.3.1.4).
    """
    if policy.effect in ("rules", "allow_all"):
        return None
    decision = no_rules(dialect).decide(url)
    return decision if decision.reason == EXEMPT else None


@lru_cache(maxsize=32)
def no_rules(dialect: Dialect) -> Agent:
    """Return the rules of an empty file, which tell `/robots.txt` from all other URLs."""
    return parse(b"", dialect=dialect.replace(robots_txt_allowed=True)).agent("*")


def unreachable_for(entry: Entry) -> float:
    """Return the seconds between the first and the last of the current run of failures."""
    since = entry.unreachable_since
    return 0.0 if since is None else max(0.0, entry.last.fetched_at - since)


def is_failure(result: AccessResult) -> bool:
    """Whether a result says nothing lasting about the file: unreachable, or 429."""
    return result.access == "unreachable" or (result.failure is None and result.status == 429)


def _run_of(result: AccessResult) -> Literal["failures", "loops"] | None:
    """Return what a result is counted with, one after another."""
    if is_failure(result):
        return "failures"
    return "loops" if result.failure == "too-many-redirects" else None


# Observations

KINDS = ("successful", "redirect", "unavailable", "unreachable")
"""The kinds of observations: those of RFC 9309 section 2.3.1, and redirects."""

BODILESS = (204, 205)
"""Successful statuses without a body (RFC 9110 sections 15.3.5, 15.3.6): the file is empty."""


@dataclass(frozen=True, slots=True)
class Observation:
    """The record of one attempt to fetch a robots.txt file.

    time:     seconds since the epoch; None if unknown, which sorts before all times.
    status:   the final status; None if no response was read, or it is unknown.
    failure:  why the fetch failed; None if it did not.
    body:     the bytes of the file; None if they were not kept, while an empty file is `b""`.
    """

    time: float | None = None
    status: int | None = None
    failure: Failure | None = None
    body: bytes | None = field(default=None, repr=False)


def result_observed(url: str, seen: Observation, *, unknown_time: float = 0.0) -> AccessResult:
    """Return the access result that an observation stands for.

    A body without a status is a 200. A successful status whose body was not kept is a broken body:
    the rules are unknown, so nothing may be fetched; but a 204 or 205 has no body, and is an empty
    file. Without status, failure and body, the file counts as unreachable.
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
    failure, then with the greater body; unknown values come before all others. If observations have
    an order, `place_in_time` is their key.
    """
    values = (seen.time, seen.status, seen.failure, seen.body)
    return [(value is not None, value) for value in values]


def entries_observed(origin: str, seen: Iterable[Observation]) -> Iterator[Entry]:
    """Yield the entry of an origin after each of its observations, in order of time.

    Observations without a time get the first known time, so that they do not prolong a failure.
    """
    ordered = sorted(seen, key=place_in_time)
    first = next((one.time for one in ordered if one.time is not None), 0.0)
    entry: Entry | None = None
    for one in ordered:
        result = result_observed(f"{origin}/robots.txt", one, unknown_time=first)
        entry = entry_after(entry, origin, result)
        yield entry


def entry_observed(origin: str, seen: Iterable[Observation]) -> Entry:
    """Return the entry of an origin after all of its observations; there must be at least one."""
    *_, last = entries_observed(origin, seen)
    return last


# Sites

Source: TypeAlias = Literal["fetched", "renewed", "cached", "snapshot"]
"""`renewed`: the server confirmed the kept copy. `cached`: the kept copy is fresh, and no
request was made. `snapshot`: a row of a table, however old."""


@dataclass(frozen=True, slots=True, repr=False)
class SiteAccess:
    """What a crawler may do at one origin without the rules of its file, and why.

    origin:       as `verger.origin` writes it.
    access:       what a crawler may do here, and why.
    entry:        the stored fetches; None for an override.
    fresh_until:  seconds since the epoch: when the file should be requested again.
    source:       where the entry came from.
    """

    origin: str
    access: AccessPolicy
    _: KW_ONLY
    entry: Entry | None = None
    fresh_until: float
    source: Source = "fetched"

    @property
    def result(self) -> AccessResult | None:
        """The fetch that the rules, or their absence, come from."""
        if self.entry is None:
            return None
        return self.entry.good if self.access.effect == "rules" else self.entry.last

    def age(self, now: float) -> float | None:
        """Seconds since that fetch, at a time; None without one, and for a snapshot."""
        if self.result is None or self.source == "snapshot":
            return None
        return max(0.0, now - self.result.fetched_at)

    def fresh_for(self, now: float) -> float:
        """Whole seconds from a time until the file should be fetched again."""
        return max(0.0, ceil(self.fresh_until - now))

    @property
    def last(self) -> AccessResult:
        """The last attempt; not for an override, which has none."""
        assert self.entry is not None, "it is no override"
        return self.entry.last

    @property
    def unreachable_since(self) -> float | None:
        """The start of the current run of failures; None if there is none, or it is unknown."""
        return None if self.entry is None else self._recorded(self.entry.unreachable_since)

    def _recorded(self, at: float | None) -> float | None:
        """Return a time; None if a snapshot does not record it."""
        return None if self.source == "snapshot" and not at else at

    def facts(self, now: float) -> dict[str, object]:
        """Return a fetch and its meaning as an object: the member `access` of all schemas.

        now:  the time for its age, in seconds since the epoch.
        """
        policy, entry, result = self.access, self.entry, self.result
        last, age = entry and entry.last, self.age(now)
        fetched_at = None if result is None else self._recorded(result.fetched_at)
        until = None if self.source == "snapshot" or entry is None else self.fresh_until
        return {
            "origin": self.origin,
            "effect": policy.effect,
            "reason": policy.reason,
            "section": policy.section,
            "copy": policy.copy,
            "url": last and last.url,
            "redirects": last.redirects if last else (),
            "status": last and last.status,
            "failure": last and last.failure,
            "detail": last.detail if last else "",
            "notes": last.notes if last else (),
            "source": self.source if entry else None,
            "fetched_at": timestamp_if(fetched_at),
            "age": None if age is None else round(age, 3),
            "fresh_until": timestamp_if(until),
            "unreachable_since": timestamp_if(self.unreachable_since),
            "failures": entry.failures if entry else 0,
        }
