"""What became of fetching a file, as one answer rests on it.

In: the entry of an origin, questions, and the time. Out: the answers, with the facts that every
output tells. Nothing here fetches or prints.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias

from verger import DIALECTS
from verger.access.entry import Entry
from verger.access.policy import AccessPolicy
from verger.access.result import AccessResult
from verger.answers.answer import CheckAnswer, Question, Row, decided
from verger.client.site import LEAST_FRESH, Site, site_of
from verger.crawlers import agent_of

Source: TypeAlias = Literal["fetched", "renewed", "cached", "snapshot"]
"""`renewed`: asked for, and found to be still what was kept. `cached`: kept, and not asked for.
`snapshot`: written down by somebody, whenever that was."""


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
    def fetched_at(self) -> float | None:
        """When that was; None where nobody wrote it down."""
        at = self.rests_on.fetched_at
        return None if self.source == "snapshot" and not at else at

    @property
    def fresh_for(self) -> float:
        """Whole seconds until the file should be asked for again."""
        return max(0.0, ceil(self.site.fresh_until - self.now))

    @property
    def unreachable_since(self) -> float | None:
        """When the current run of failures began; None where there is none, or nobody knows."""
        since = self.entry.unreachable_since
        return None if self.source == "snapshot" and not since else since


class FetchedFile:
    """What one origin has, for each question."""

    __slots__ = ("_fetched", "name", "site", "size")

    def __init__(self, fetched: Sequence[Fetched]) -> None:
        entry = fetched[0].entry
        self._fetched = fetched
        self.name = entry.last.url
        self.site: str | None = entry.origin
        self.size = len(entry.good.body) if entry.good else 0

    def answers(self, url: str, questions: Sequence[Question]) -> Row:
        """Answer every question about a URL: the policy first, and the rules where it says so."""
        asked = zip(questions, self._fetched, strict=True)
        return [self._answer(url, question, fetched) for question, fetched in asked]

    def _answer(self, url: str, question: Question, fetched: Fetched) -> CheckAnswer:
        agent = fetched.site.agent
        if agent is not None:
            return decided(url, question, self, agent, fetched)
        return CheckAnswer(url, question, self, fetched=fetched)


def fetched_file(
    entry: Entry, questions: Sequence[Question], source: Source, now: float
) -> FetchedFile:
    """Judge an entry in every dialect; each reads it once for all crawlers."""
    read: dict[str, Site] = {}
    judged = []
    for question in questions:
        known = read.get(question.dialect)
        if known is None:
            dialect = DIALECTS[question.dialect]
            site = site_of(entry, dialect, question.tokens, least_fresh=LEAST_FRESH)
            read[question.dialect] = known = site
        judged.append(Fetched(for_another(known, question.tokens), entry, source, now))
    return FetchedFile(judged)


def for_another(site: Site, tokens: Sequence[str]) -> Site:
    """Return what a site is to another crawler in the same dialect, as its operator says."""
    return site if site.robots is None else site.with_agent(agent_of(site.robots, tokens))
