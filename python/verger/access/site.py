"""What is known about one origin: its access policy, and the fetches that it follows from.

In: an `Entry` and its policy in a dialect. Out: the facts that every output shows. Knows no rules
of a file, no clock and no store.
"""

from dataclasses import KW_ONLY, dataclass
from math import ceil
from typing import Literal, TypeAlias

from verger.access.entry import Entry, in_force
from verger.access.freshness import is_fresh
from verger.access.policy import AccessPolicy
from verger.access.result import AccessResult
from verger.access.times import timestamp_if

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
        return in_force(self.entry, self.access) or self.entry.last

    def is_fresh(self, now: float) -> bool:
        """Whether it may be used at a time without requesting the file again."""
        return self.entry is None or is_fresh(self.entry.last, self.fresh_until, now)

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
