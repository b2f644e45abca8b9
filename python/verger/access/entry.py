"""Entries: the state of one origin's robots.txt after all results so far.

In: access results, one after another. Out: an `Entry`, and its meaning in a dialect. Only this
module decides which of several results counts: the last, unless it is a failure; then the last good
copy is kept with it, and the policy says how long that copy applies (RFC 9309 sections 2.3.1.4 and
2.4).
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from verger._core import Agent, Decision, Dialect, _period_after, parse
from verger.access.policy import (
    ANSWERED,
    LONG,
    NOTHING_KNOWN,
    AccessPolicy,
    SiteFacts,
    bytes_read,
    policy_after,
    reason_of,
    redirects_followed,
)
from verger.access.result import AccessResult

CLOSED = b"User-agent: *\nDisallow: /\n"
"""The file that means the same as a closed site, such as a status that restricts access."""

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
    unreachable_for:    the seconds of that run: of those between two failures a week counts at
                        most, so that a file which was asked for seldom is not taken for one that
                        was seen to be unreachable all the time. Without a copy, which would bind
                        then, the first server or network error behind an answer begins it anew.
    """

    origin: str
    last: AccessResult
    copy: AccessResult | None = None
    unreachable_since: float | None = None
    failures: int = 0
    unreachable_for: float = 0.0

    @property
    def good(self) -> AccessResult | None:
        """The newest successful result."""
        return self.last if self.last.access == "successful" else self.copy

    @property
    def size(self) -> int:
        """Bytes of the files and of all texts."""
        copy = 0 if self.copy is None else self.copy.size
        return len(self.origin) + self.last.size + copy


def entry_after(
    before: Entry | None,
    origin: str,
    result: AccessResult,
    *,
    now: float | None = None,
    unreachable_for: float | None = None,
) -> Entry:
    """Return the entry of an origin after one more result.

    now:              the time of judging, in seconds since the epoch; by default that of the
                      result. A failure with a time that lies ahead of it prolongs no run.
    unreachable_for:  the seconds of the run, if a store has counted them.
    """
    copy = before.good if before else None
    since = before.unreachable_since if before else None
    goes_on = before and _run_of(before.last) == _run_of(result)
    failures = before.failures + 1 if before and goes_on else 1
    if not is_failure(result):
        # Most dialects read a loop as a missing file, so the copy is gone; the others request the
        # file again, less and less often.
        return Entry(origin, result, failures=failures if _run_of(result) == "loops" else 0)
    time = result.fetched_at
    if before is None or since is None or result.unasked:
        since, period = since or time, 0.0
    elif copy is None and has_answered(before.last) and not has_answered(result):
        period = 0.0
    else:
        latest = time if now is None else now
        period = _period_after(before.unreachable_for, before.last.fetched_at, time, latest)
    period = period if unreachable_for is None else unreachable_for
    return Entry(origin, result, copy, since, failures, period)


def policy_of(
    entry: Entry, dialect: Dialect, *, site: SiteFacts = NOTHING_KNOWN, is_own: bool = False
) -> AccessPolicy:
    """Return the access policy of an entry in a dialect.

    is_own:  whether it is for the crawler that made the requests, see `AccessResult.for_others`.
    """
    last, period = entry.last, entry.unreachable_for
    if last.renewed or not is_own:
        last = told_others(last, dialect)
    # of a copy that others may have kept in part, the rest is unknown: no period opens the site
    is_short = entry.copy is not None and is_kept_short(entry.copy, dialect)
    copy, period = (None, 0.0) if is_short else (entry.copy, period)
    return policy_after(last, dialect, unreachable_for=period, copy=copy, site=site)


def is_kept_short(result: AccessResult, dialect: Dialect) -> bool:
    """Whether a file was kept, but less of it than the dialect reads."""
    return result.access == "successful" and told_others(result, dialect) is not result


def told_others(result: AccessResult, dialect: Dialect) -> AccessResult:
    """Return what a result says in a dialect to whoever did not make the request."""
    return result.for_others(redirects_followed(dialect), bytes_read(dialect))


def in_force(entry: Entry, policy: AccessPolicy) -> AccessResult | None:
    """Return the result whose file is in force under a policy for this entry; None without one."""
    if policy.effect != "rules":
        return None
    return entry.copy if policy.copy else entry.last


def binding_body(entry: Entry | None, policy: AccessPolicy) -> bytes | None:
    """Return the bytes of the file in force under a policy for this entry.

    They are empty if everything may be fetched, since an empty file means the same (RFC 9309
    section 2.3.1.3). They disallow everything if a status restricts access, as 401 and 403 do in
    the drafts of 1994 and 1996. None if no file says what may be fetched.
    """
    match policy.effect:
        case "rules":
            file = None if entry is None else in_force(entry, policy)
            return None if file is None else file.body
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


def uncounted(since: float | None, last: float) -> float:
    """Return the seconds of a run of failures of which only the first and the last are known.

    Earlier versions of verger stored no more. Up to a week that is exact, and of more a week
    counts. Of more than 30 days nothing does: what Google's steps closed by then would be open.
    """
    if since is None or last - since > LONG:
        return 0.0
    return _period_after(0.0, since, last, last)


def is_failure(result: AccessResult) -> bool:
    """Whether a result says nothing lasting about the file: unreachable, or 429."""
    return result.access == "unreachable" or (result.failure is None and result.status == 429)


def has_answered(result: AccessResult) -> bool:
    """Whether a failure is an answer that is of no use: a broken body, a refused redirect, 429; or
    nobody was asked."""
    return result.unasked or reason_of(result) in (*ANSWERED, "TOO_MANY_REQUESTS")


def _run_of(result: AccessResult) -> Literal["failures", "loops"] | None:
    """Return what a result is counted with, one after another."""
    if is_failure(result):
        return "failures"
    return "loops" if result.failure == "too-many-redirects" else None
