"""Questions and answers: every URL, for every crawler, in every dialect asked.

In: URLs, questions, and a source that knows which file speaks for which URL.
Out: one row of answers for each URL. What cannot be answered is an answer with a problem,
so that one bad URL among millions stops nothing. Nothing here prints.
"""

from collections.abc import Iterable, Iterator, Sequence

from verger import Agent, Decision, InvalidTarget, OutOfScope, RobotsError, parse
from verger.crawlers import agent_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.answers.fetched import Fetched

    class Source(Protocol):
        """What knows which robots.txt file speaks for a URL."""

        def file_for(self, url: str, /) -> "File":
            """Return the file, or raise `Unanswered`."""
            ...

    class File(Protocol):
        """A robots.txt file, or what stands in for one that could not be fetched."""

        @property
        def name(self) -> str:
            """The path or URL of the file."""
            ...

        @property
        def site(self) -> str | None:
            """Whom the file is of, where there are several."""
            ...

        def answers(self, url: str, questions: Sequence["Question"]) -> "Row":
            """Answer every question about a URL."""
            ...


class Question:
    """One crawler in one dialect: a column of the answers."""

    __slots__ = ("crawler", "dialect", "tokens")

    def __init__(self, tokens: tuple[str, ...], dialect: str) -> None:
        self.tokens = tokens
        self.crawler = ",".join(tokens)  # as it was given on the command line
        self.dialect = dialect


class RobotsFile:
    """One robots.txt file, read in each dialect and compiled for each crawler asked."""

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

    def answers(self, url: str, questions: Sequence[Question]) -> "Row":
        """Answer every question about a URL."""
        asked = zip(questions, self.agents, strict=True)
        return [decided(url, question, self, agent) for question, agent in asked]


class Unanswered(Exception):
    """Why one URL has no answer; raised by sources, kept as a value in answers."""

    def __init__(
        self, kind: str, message: str, hint: str | None = None, *, url: str = "", site: str = ""
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.url = url
        self.site = site

    @classmethod
    def because(cls, error: RobotsError) -> "Unanswered":
        """Take over what the core says of a URL."""
        kind = "out-of-scope" if isinstance(error, OutOfScope) else "invalid-target"
        return cls(kind, error.message, error.hint)


class CheckAnswer:
    """One decision, or what a fetch without rules means, or the problem in their place."""

    __slots__ = ("agent", "decision", "fetched", "file", "problem", "question", "url")

    def __init__(
        self,
        url: str,
        question: Question,
        file: "File | None" = None,
        agent: Agent | None = None,
        decision: Decision | None = None,
        problem: Unanswered | None = None,
        fetched: "Fetched | None" = None,
    ) -> None:
        self.url = url
        self.question = question
        self.file = file
        self.agent = agent
        self.decision = decision
        self.problem = problem
        self.fetched = fetched

    @property
    def allowed(self) -> bool | None:
        """Whether the URL may be fetched; None where there is no answer."""
        if self.decision is not None:
            return self.decision.allowed
        return None if self.fetched is None else self.fetched.allowed

    @property
    def file_name(self) -> str | None:
        """The path or URL of the file; None where there is none."""
        has_none = self.fetched is not None and self.decision is None
        return None if self.file is None or has_none else self.file.name

    @property
    def truncated(self) -> bool:
        """Whether the file is longer than the dialect reads (RFC 9309 section 2.5)."""
        return self.agent is not None and self.agent.robots.truncated


Row = list[CheckAnswer]
"""The answers to all questions about one URL, in the order of the questions."""


def rows_of(
    urls: Iterable[str | Unanswered], source: "Source", questions: Sequence[Question]
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


def labels(questions: Sequence[Question]) -> list[str]:
    """Return the shortest names that tell the questions apart: crawlers, dialects or both."""
    crawlers = {question.tokens for question in questions}
    dialects = {question.dialect for question in questions}
    if len(dialects) == 1:
        return [question.crawler for question in questions]
    if len(crawlers) == 1:
        return [question.dialect for question in questions]
    return [f"{question.crawler}@{question.dialect}" for question in questions]


def decided(
    url: str, question: Question, file: "File", agent: Agent, fetched: "Fetched | None" = None
) -> CheckAnswer:
    """Return what an agent decides."""
    try:
        return CheckAnswer(url, question, file, agent, agent.decide(url), fetched=fetched)
    except (InvalidTarget, OutOfScope) as error:
        return CheckAnswer(url, question, file, agent, problem=Unanswered.because(error))


def _agents(data: bytes, questions: Sequence[Question], url: str | None) -> list[Agent]:
    dialects = dict.fromkeys(question.dialect for question in questions)
    read = {dialect: parse(data, dialect=dialect, url=url) for dialect in dialects}
    return [agent_of(read[question.dialect], question.tokens) for question in questions]
