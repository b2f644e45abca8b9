"""History: the versions of a site's file, what each changed and for whom, and what counted when.

In: what was observed of an origin. Out: `VersionSeen`s, each against the last one before it that
could be judged; and for a picture, what crawlers for each purpose could fetch from when to when.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verger.access.times import timestamp
from verger.crawlers import agents_of
from verger.crawlers.purposes import PURPOSES
from verger.crawlers.registry import by_purpose
from verger.files.json_text import Json
from verger.objects.diff import facts, use_object
from verger.watch.archive import Seen
from verger.watch.news import Comparisons, Felt, Interest, found_in, observed
from verger.watch.states import StateName

SCHEMA = "verger.history/1"

STANDINGS = {frozenset({"all"}): "open", frozenset({"none"}): "closed"}
"""What crawlers with these postures together may fetch; others, some of it."""


@dataclass(frozen=True, slots=True)
class VersionSeen:
    """What a site said for a while.

    seen:   the observation.
    found:  what it is: `good`, `failing`, `replaced` or `gone`.
    felt:   what it changes for crawlers; None if nothing, or nothing was known before.
    """

    seen: Seen
    found: StateName
    felt: Felt | None

    def as_dict(self) -> Json:
        """Return it as an object that JSON can hold."""
        return {
            "schema": SCHEMA,
            "origin": self.seen.origin,
            **observed(self.seen),
            "state": self.found,
            "severity": self.felt.found.severity if self.felt else None,
            "difference": self.felt and facts(self.felt.found),
            "uses": [use_object(each) for each in self.felt.uses] if self.felt else [],
        }


def versions_of(observations: Sequence[Seen], interest: Interest) -> Iterator[VersionSeen]:
    """Yield the versions of an origin, in order of time."""
    before: Seen | None = None
    for seen in observations:
        found, _ = found_in(seen.result, interest.dialect)
        is_known = found != "failing"
        felt = None
        if before and is_known:
            felt = Comparisons(interest).felt(before.result, seen.result)
        yield VersionSeen(seen, found, felt)
        before = seen if is_known else before


def standings(observations: Sequence[Seen], interest: Interest) -> Iterator[dict[str, str]]:
    """Yield what crawlers for each purpose could fetch, from one observation to the next."""
    crawlers = {purpose: [each.token for each in by_purpose([purpose])] for purpose in PURPOSES}
    ends = [seen.first for seen in observations[1:]] + [seen.last for seen in observations[-1:]]
    for seen, end in zip(observations, ends, strict=True):
        found, robots = found_in(seen.result, interest.dialect)
        for purpose, tokens in crawlers.items():
            what: str = found
            if robots is not None and tokens:
                postures = frozenset(agent.posture for agent in agents_of(robots, tokens))
                what = STANDINGS.get(postures, "partly")
            times = {"from": timestamp(seen.first), "to": timestamp(end)}
            yield {"name": purpose, "what": what, **times}
