"""Questions and answers: one URL, for one crawler, in one dialect.

In: a URL, a question, and the rules of a crawler. Out: an answer. If there is no decision, the
answer holds a problem, so that one bad URL among millions stops nothing. Nothing here prints.
"""

from collections.abc import Sequence

from verger._core import Agent, Decision, origin
from verger.crawlers.binding import Bindings, binds
from verger.errors import InvalidTarget, OutOfScope, RobotsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.snapshots.fetched import Fetched


class Question:
    """One crawler in one dialect: a column of the answers."""

    __slots__ = ("bindings", "crawler", "dialect", "tokens")

    def __init__(
        self, tokens: tuple[str, ...], dialect: str, bindings: Bindings = "operators"
    ) -> None:
        self.tokens = tokens
        self.bindings = bindings
        self.crawler = ",".join(tokens)  # as it was given on the command line
        self.dialect = dialect


class Unanswered(Exception):
    """Why a URL has no answer; raised by sources, kept as a value in answers."""

    def __init__(
        self, kind: str, message: str, hint: str | None = None, *, url: str = "", site: str = ""
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.url = url
        self.site = site
        self.size = len(message) + len(hint or "")

    @classmethod
    def because(cls, error: RobotsError) -> "Unanswered":
        """Return the problem for an error that the core raised for a URL."""
        kind = "out-of-scope" if isinstance(error, OutOfScope) else "invalid-target"
        return cls(kind, error.message, error.hint)


def origin_asked(url: str, *, why_not: str, hint: str) -> str:
    """Return the origin of a URL; raise `Unanswered` if it has none, or is only a path."""
    if url.startswith("/"):
        raise Unanswered("no-host", f"`{url}` names no host, and {why_not}", hint)
    try:
        return origin(url)
    except InvalidTarget as error:
        raise Unanswered.because(error) from None


class CheckAnswer:
    """One decision, or the policy of a fetch without rules, or the problem instead."""

    __slots__ = ("agent", "decision", "fetched", "file", "problem", "question", "site", "url")

    def __init__(
        self,
        url: str,
        question: Question,
        file: str | None = None,
        site: str | None = None,
        *,
        agent: Agent | None = None,
        decision: Decision | None = None,
        problem: Unanswered | None = None,
        fetched: "Fetched | None" = None,
    ) -> None:
        self.url = url
        self.question = question
        self.file = file
        self.site = site
        self.agent = agent
        self.decision = decision
        self.problem = problem
        self.fetched = fetched

    @property
    def allowed(self) -> bool | None:
        """Whether the URL may be fetched; None if there is no answer."""
        if self.decision is not None:
            return self.decision.allowed
        return None if self.fetched is None else self.fetched.allowed

    @property
    def bound(self) -> bool | None:
        """Whether the answer binds the crawler, as its operator says; None if there is none."""
        if self.allowed is None:
            return None
        if self.question.bindings == "file":
            return True
        return binds(self.question.tokens, named=self.agent is not None and self.agent.named)

    @property
    def file_name(self) -> str | None:
        """The path or URL of the file; None if there is no file."""
        has_none = self.fetched is not None and self.agent is None
        return None if has_none else self.file

    @property
    def truncated(self) -> bool:
        """Whether only the beginning of the file counts: the dialect reads no more (RFC 9309
        section 2.5), or no more of it was kept when it was fetched."""
        if self.agent is None:
            return False
        return self.agent.robots.truncated or self.is_kept_in_part

    @property
    def is_kept_in_part(self) -> bool:
        """Whether the fetch kept only the beginning of the file."""
        return self.fetched is not None and self.fetched.rests_on.truncated


Row = list[CheckAnswer]
"""The answers to all questions about one URL, in the order of the questions."""


def labels(questions: Sequence[Question]) -> list[str]:
    """Return the shortest names that distinguish the questions: crawlers, dialects or both."""
    crawlers = {question.tokens for question in questions}
    dialects = {question.dialect for question in questions}
    if len(dialects) == 1:
        return [question.crawler for question in questions]
    if len(crawlers) == 1:
        return [question.dialect for question in questions]
    return [f"{question.crawler}@{question.dialect}" for question in questions]


def decide(
    url: str,
    question: Question,
    agent: Agent,
    file: str,
    site: str | None,
    fetched: "Fetched | None" = None,
) -> CheckAnswer:
    """Return the decision of an agent, or its problem."""
    decision = problem = None
    try:
        decision = agent.decide(url)
    except (InvalidTarget, OutOfScope) as error:
        problem = Unanswered.because(error)
    return CheckAnswer(
        url,
        question,
        file,
        site,
        agent=agent,
        decision=decision,
        problem=problem,
        fetched=fetched,
    )
