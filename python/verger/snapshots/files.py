"""Many URLs, each answered from the robots.txt file that governs it.

In: URLs, questions, and a source that knows which file governs which URL. Out: a row of answers for
each URL.
"""

from collections.abc import Iterable, Iterator, Sequence

from verger._core import Agent, parse
from verger.crawlers import agent_of
from verger.snapshots.answer import CheckAnswer, Question, Row, Unanswered, decide

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.snapshots.answer import File

    class FileSource(Protocol):
        """Knows which robots.txt file governs a URL."""

        def file_for(self, url: str, /) -> File:
            """Return the file, or raise `Unanswered`."""
            ...


class RobotsFile:
    """One robots.txt file, read in each dialect and compiled for each crawler."""

    __slots__ = ("agents", "name", "site", "size")

    def __init__(
        self,
        data: bytes,
        questions: Sequence[Question],
        *,
        name: str,
        site: str | None = None,
        url: str | None = None,
    ) -> None:
        self.name = name
        self.site = site
        self.size = len(data)
        self.agents = _agents(data, questions, url)

    def answers(self, url: str, questions: Sequence[Question]) -> Row:
        """Answer every question about a URL."""
        asked = zip(questions, self.agents, strict=True)
        return [decide(url, question, self, agent) for question, agent in asked]


def rows_of(
    urls: Iterable[str | Unanswered], source: "FileSource", questions: Sequence[Question]
) -> Iterator[Row]:
    """Yield the answers to every question about each URL."""
    for url in urls:
        if isinstance(url, Unanswered):
            yield [CheckAnswer(url.url, question, problem=url) for question in questions]
            continue
        try:
            file = source.file_for(url)
        except Unanswered as why:
            yield [CheckAnswer(url, question, problem=why) for question in questions]
        else:
            yield file.answers(url, questions)


def _agents(data: bytes, questions: Sequence[Question], url: str | None) -> list[Agent]:
    dialects = dict.fromkeys(question.dialect for question in questions)
    read = {dialect: parse(data, dialect=dialect, url=url) for dialect in dialects}
    return [agent_of(read[each.dialect], each.tokens, each.bindings) for each in questions]
