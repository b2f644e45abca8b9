"""The fetched file of an origin, or the failed fetch, as it applies to each question.

In: the entry of an origin, questions, and the time. Out: a file that answers them. Nothing here
fetches or prints.
"""

from collections.abc import Sequence

from verger._core import DIALECTS
from verger.access.entry import Entry, exemption
from verger.client.site import LEAST_FRESH, Site, site_of
from verger.snapshots.answer import CheckAnswer, Question, Row, decide
from verger.snapshots.fetched import Fetched, Source


class FetchedFile:
    """The file of one origin, for each question."""

    __slots__ = ("_fetched", "name", "site", "size")

    def __init__(self, fetched: Sequence[Fetched]) -> None:
        entry = fetched[0].entry
        self._fetched = fetched
        self.name = entry.last.url
        self.site: str | None = entry.origin
        self.size = len(entry.good.body) if entry.good else 0

    def answers(self, url: str, questions: Sequence[Question]) -> Row:
        """Answer every question about a URL: by the rules if the policy is to use them."""
        asked = zip(questions, self._fetched, strict=True)
        return [self._answer(url, question, fetched) for question, fetched in asked]

    def _answer(self, url: str, question: Question, fetched: Fetched) -> CheckAnswer:
        agent = fetched.site.agent
        if agent is not None:
            return decide(url, question, agent, self.name, self.site, fetched)
        exempt = exemption(fetched.policy, fetched.site.dialect, url)
        return CheckAnswer(url, question, self.name, self.site, decision=exempt, fetched=fetched)


def fetched_file(
    entry: Entry, questions: Sequence[Question], source: Source, now: float
) -> FetchedFile:
    """Evaluate an entry in every dialect; each dialect parses it once for all crawlers."""
    read: dict[str, Site] = {}
    judged = []
    for question in questions:
        known = read.get(question.dialect)
        if known is None:
            dialect = DIALECTS[question.dialect]
            site = site_of(entry, dialect, question.tokens, least_fresh=LEAST_FRESH)
            read[question.dialect] = known = site
        judged.append(
            Fetched(known.asked_by(question.tokens, question.bindings), entry, source, now)
        )
    return FetchedFile(judged)
