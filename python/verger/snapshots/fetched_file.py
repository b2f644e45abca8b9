"""The fetched file of an origin, or the failed fetch, as it applies to each question.

In: the entry of an origin, questions, and the time. Out: a file that answers them. Nothing here
fetches or prints.
"""

from collections.abc import Sequence

from verger.access.answer import Answer, Question, Row, Unanswered
from verger.access.entry import Entry
from verger.access.site import Source
from verger.client.site import LEAST_FRESH, Site, site_of
from verger.errors import InvalidTarget, OutOfScope


class FetchedFile:
    """The file of one origin, for each question."""

    __slots__ = ("now", "sites", "size")

    def __init__(self, sites: Sequence[Site], now: float) -> None:
        entry = sites[0].entry
        self.sites = sites
        self.now = now
        self.size = len(entry.good.body) if entry and entry.good else 0

    def answers(self, url: str, _questions: Sequence[Question], /) -> Row:
        """Answer every question about a URL: by the rules if the policy is to use them.

        A stored file may be of another URL than those of its origin, and says nothing about them.
        """
        return [self._answer(site, url) for site in self.sites]

    def _answer(self, site: Site, url: str) -> Answer:
        try:
            return site.decide(url, now=self.now)
        except (InvalidTarget, OutOfScope) as error:
            return Answer(
                url,
                site.question,
                site.last.url,
                site.origin,
                agent=site.agent,
                problem=Unanswered.because(error),
                site=site,
                now=self.now,
            )


def fetched_file(
    entry: Entry, questions: Sequence[Question], source: Source, now: float
) -> FetchedFile:
    """Evaluate an entry in every dialect; each dialect parses it once for all crawlers."""
    read: dict[str, Site] = {}
    sites = []
    for question in questions:
        name = question.dialect.name
        if name not in read:
            read[name] = site_of(entry, question, source=source, least_fresh=LEAST_FRESH)
        sites.append(read[name].asked_by(question.tokens, question.bindings))
    return FetchedFile(sites, now)
