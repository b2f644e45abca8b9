"""The fetch that an answer is based on.

In: the entry of an origin, and its access policy for one crawler. Out: the facts that every output
shows. Nothing here fetches or prints.
"""

from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias

from verger.access.entry import Entry
from verger.access.policy import AccessPolicy
from verger.access.result import AccessResult
from verger.access.times import timestamp, timestamp_if
from verger.client.site import Site
from verger.files.json_text import Json

Source: TypeAlias = Literal["fetched", "renewed", "cached", "snapshot"]
"""`renewed`: the server confirmed the kept copy. `cached`: the kept copy is fresh, and no
request was made. `snapshot`: a row of a table, however old."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetch, and what it currently means for one crawler in one dialect."""

    site: Site
    entry: Entry
    source: Source
    now: float

    @property
    def policy(self) -> AccessPolicy:
        """What the crawler may do at this origin."""
        return self.site.access

    @property
    def last(self) -> AccessResult:
        """The last attempt."""
        return self.entry.last

    @property
    def rests_on(self) -> AccessResult:
        """The fetch that the rules, or the refusal, come from."""
        return self.site.result or self.entry.last

    @property
    def allowed(self) -> bool:
        """Whether the policy alone allows everything."""
        return self.policy.effect == "allow_all"

    @property
    def age(self) -> float:
        """Seconds since the rules, or the refusal, were fetched."""
        return max(0.0, self.now - self.rests_on.fetched_at)

    @property
    def fetched_at(self) -> float | None:
        """The time of that fetch; None if a snapshot does not record it."""
        at = self.rests_on.fetched_at
        return None if self.source == "snapshot" and not at else at

    @property
    def fresh_for(self) -> float:
        """Whole seconds until the file should be fetched again."""
        return max(0.0, ceil(self.site.fresh_until - self.now))

    @property
    def unreachable_since(self) -> float | None:
        """The start of the current run of failures; None if there is none, or it is unknown."""
        since = self.entry.unreachable_since
        return None if self.source == "snapshot" and not since else since


def access_facts(fetched: Fetched) -> Json:
    """Return a fetch and its meaning as an object: the member `access` of all schemas."""
    last, policy, entry = fetched.last, fetched.policy, fetched.entry
    is_old = fetched.source == "snapshot"
    return {
        "origin": entry.origin,
        "effect": policy.effect,
        "reason": policy.reason,
        "section": policy.section,
        "copy": policy.copy,
        "url": last.url,
        "redirects": last.redirects,
        "status": last.status,
        "failure": last.failure,
        "detail": last.detail,
        "notes": last.notes,
        "source": fetched.source,
        "fetched_at": timestamp_if(fetched.fetched_at),
        "age": None if is_old else round(fetched.age, 3),
        "fresh_until": None if is_old else timestamp(fetched.site.fresh_until),
        "unreachable_since": timestamp_if(fetched.unreachable_since),
        "failures": entry.failures,
    }
