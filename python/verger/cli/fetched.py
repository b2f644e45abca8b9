"""What became of fetching a file, as one answer rests on it.

In: the site that an entry is to a crawler in a dialect, and the time. Out: the facts that every
output tells. Nothing here fetches or prints.
"""

from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias

from verger.access.entry import Entry
from verger.access.policy import AccessPolicy
from verger.access.result import AccessResult
from verger.cli.times import timestamp
from verger.client.site import Site

Source: TypeAlias = Literal["fetched", "renewed", "cached"]
"""`renewed`: asked for, and found to be still what was kept. `cached`: kept, and not asked for."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A fetch, and what it means to one crawler in one dialect now."""

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
    def fetched_at(self) -> str:
        """When that was."""
        return timestamp(self.rests_on.fetched_at)

    @property
    def fresh_for(self) -> float:
        """Whole seconds until the file should be asked for again."""
        return max(0.0, ceil(self.site.fresh_until - self.now))

    @property
    def fresh_until(self) -> str:
        """When the file should be asked for again."""
        return timestamp(self.site.fresh_until)

    @property
    def unreachable_since(self) -> str | None:
        """When the current run of failures began."""
        since = self.entry.unreachable_since
        return None if since is None else timestamp(since)
