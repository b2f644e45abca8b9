"""Questions and answers: one URL, for one crawler, in one dialect.

In: a URL, a question, and what is known about the site. Out: an `Answer`, the same for a client, a
file on disk and a snapshot. If there is no decision, the answer holds a problem, so that one bad
URL among millions stops nothing. `Use` is the answer about use: the core decides by the file;
without one, a closed site closes every use, and an open one says nothing. Nothing here fetches or
prints.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

from verger._core import _VERDICTS, Agent, Decision, Dialect, Group, Rule, origin
from verger.crawlers.binding import Bindings, agent_of, binds, own_dialect, read_again
from verger.errors import InvalidTarget, OutOfScope, RobotsError
from verger.options import UseName

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from verger._core import UseDecision
    from verger.access.policy import AccessPolicy
    from verger.access.result import AccessResult
    from verger.access.site import SiteAccess
    from verger.showing.palette import Palette


class _Value:
    """What equals others with the same attributes; `dataclasses` costs more than a check."""

    __slots__: tuple[str, ...] = ()

    def _attributes(self) -> tuple[object, ...]:
        return tuple(getattr(self, name) for name in type(self).__slots__)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._attributes() == other._attributes()

    def __hash__(self) -> int:
        return hash(self._attributes())


class Question(_Value):
    """One crawler in one dialect: a column of the answers."""

    __slots__ = ("bindings", "crawler", "dialect", "tokens")

    def __init__(
        self, tokens: tuple[str, ...], dialect: Dialect, bindings: Bindings = "operators"
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

    def as_dict(self) -> dict[str, object]:
        """Return the problem as JSON has it."""
        return {"type": self.kind, "message": self.message, "hint": self.hint}

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


class _Told(_Value, ABC):
    """An answer that explains itself."""

    __slots__ = ()

    def explain(self, *, verbose: bool = False) -> str:
        """Return the answer as `verger check` prints it: the lines of the file that led to it, or
        what the fetch of the file means.

        verbose:  also name what the rule was compared with, and the rules that it beats.
        """
        return self._explained(verbose=verbose, coloured=False)

    def _explained(self, *, verbose: bool, coloured: bool) -> str:
        from verger.showing.palette import Palette

        return "\n".join(self.lines(Palette(coloured=coloured), verbose=verbose))

    @abstractmethod
    def lines(self, palette: "Palette", *, verbose: bool) -> "Iterable[str]":
        """Return the explanation."""


class Answer(_Told):
    """The answer to one question, with the reason. `bool(answer)` is an error: use `.allowed`.

    url:        the URL as given.
    question:   for which crawler, in which dialect.
    file:       the path or the URL of the robots.txt file that was looked for; None if there is no
                such file.
    site_name:  the origin or the host of that file; None if it is unknown.
    agent:      the crawler's rules; None if no file applies.
    decision:   the decision of the rules about the URL that is requested (`verger.requested_url`),
                which is `decision.url`; None if the access policy decided, or nothing did.
    problem:    why there is no answer; None if there is one.
    site:       what is known about fetching the file; None for a file on disk.
    now:        the time of the answer, in seconds since the epoch, if it depends on one.
    """

    __slots__ = (
        "agent",
        "decision",
        "file",
        "now",
        "problem",
        "question",
        "site",
        "site_name",
        "url",
    )

    def __init__(
        self,
        url: str,
        question: Question,
        file: str | None = None,
        site_name: str | None = None,
        *,
        agent: Agent | None = None,
        decision: Decision | None = None,
        problem: Unanswered | None = None,
        site: "SiteAccess | None" = None,
        now: float = 0.0,
    ) -> None:
        self.url = url
        self.question = question
        self.file = file
        self.site_name = site_name
        self.agent = agent
        self.decision = decision
        self.problem = problem
        self.site = site
        self.now = now

    @property
    def access(self) -> "AccessPolicy | None":
        """What the fetch of the file means; None for a file on disk."""
        return None if self.site is None else self.site.access

    def _attributes(self) -> tuple[object, ...]:
        """Answers are equal whenever they were given."""
        return tuple(getattr(self, name) for name in self.__slots__ if name != "now")

    @property
    def _by(self) -> "Decision | AccessPolicy | None":
        """What decided; None if nothing did."""
        if self.problem is not None:
            return None
        return self.access if self.decision is None else self.decision

    @property
    def allowed(self) -> bool | None:
        """Whether the URL may be fetched now; None if there is no answer."""
        if self.decision is not None:
            return self.decision.allowed
        return None if self.access is None or self.problem else self.access.effect == "allow_all"

    @property
    def reason(self) -> str | None:
        """The reason of the rules, as `verger.Decision.reason`; or of the access policy, such as
        `SERVER_ERROR`, if they were not consulted. None if there is no answer."""
        return None if self._by is None else self._by.reason

    @property
    def section(self) -> str | None:
        """What requires this answer, such as `RFC 9309 section 2.2.2`; None if there is none."""
        return None if self._by is None else self._by.section

    @property
    def line(self) -> int | None:
        """The 1-based line of the rule that decided; None if no rule did."""
        return None if self.decision is None else self.decision.line

    @property
    def rule(self) -> Rule | None:
        """The rule that decided."""
        return None if self.decision is None else self.decision.rule

    @property
    def group(self) -> Group | None:
        """The group of the rule; without a rule, the first group of the crawler."""
        return None if self.decision is None else self.decision.group

    @property
    def bound(self) -> bool | None:
        """Whether the answer binds the crawler, as its operator says; None if there is none."""
        if self.allowed is None:
            return None
        if self.question.bindings == "file":
            return True
        return binds(self.question.tokens, named=self.agent is not None and self.agent.named)

    @property
    def own_reading(self) -> "Answer | None":
        """The answer in the dialect of the crawler's operator, as the registry knows it; None if it
        is the same there, or nothing is known of it."""
        own = self.in_own_dialect()
        return None if own is None or own.allowed == self.allowed else own

    def in_own_dialect(self) -> "Answer | None":
        """Return the answer in the dialect of the crawler's operator; None if the question is in
        this one, or nothing is known of it."""
        asked = self.question
        dialect = own_dialect(asked.tokens, asked.dialect)
        if dialect is None or self.allowed is None:
            return None
        question = Question(asked.tokens, dialect, asked.bindings)
        if self.site is not None:
            return self.site.decide_in(question, self.url, self.now)  # type: ignore[attr-defined, no-any-return]
        assert self.agent is not None, "a file on disk has rules"
        agent = agent_of(read_again(self.agent.robots, dialect), asked.tokens, asked.bindings)
        return decide(self.url, question, agent, self.file, self.site_name)

    @property
    def origin(self) -> str | None:
        """The origin whose file answers; None for a file on disk."""
        return None if self.site is None else self.site.origin

    @property
    def result(self) -> "AccessResult | None":
        """The fetch that the answer is based on; None for a file on disk, and for an override."""
        return None if self.site is None else self.site.result

    @property
    def age(self) -> float | None:
        """Seconds since that fetch; None without one, and for a snapshot."""
        return None if self.site is None else self.site.age(self.now)

    @property
    def file_name(self) -> str | None:
        """The path or URL of the file; None if no file applies."""
        has_none = self.site is not None and self.agent is None
        return None if has_none else self.file

    @property
    def truncated(self) -> bool:
        """Whether only the beginning of the file counts: the dialect reads no more (RFC 9309
        section 2.5), or no more of it was kept when it was fetched."""
        return self.agent is not None and (self.agent.robots.truncated or self.is_kept_in_part)

    @property
    def is_kept_in_part(self) -> bool:
        """Whether the fetch kept only the beginning of the file."""
        return self.result is not None and self.result.truncated

    def may_use(self, purpose: UseName) -> "Use":
        """Return whether the content of the URL may be used for a purpose, and which line says so.

        purpose:  `search`, `ai-input` (answering from it) or `ai-train`.
        Raises UnknownName.
        """
        return Use(self, purpose)

    def as_dict(self) -> "dict[str, Any]":
        """Return the answer as an object that JSON can hold.

        Its members are those of the answers of `verger check --format jsonl`, without `schema`
        (docs/guides/check.md); `access` is there if the file was to be fetched.
        """
        from verger.access.answer_json import decided

        access = {} if self.site is None else {"access": self.site.facts(self.now)}
        return {
            "url": self.url,
            "tokens": self.question.tokens,
            "dialect": self.question.dialect.name,
            "file": self.file_name,
            "truncated": self.truncated,
            "allowed": self.allowed,
            "reason": self.reason,
            "section": self.section,
            "line": self.line,
            **decided(self.decision),
            "bound": self.bound,
            "own_reading": _reading_object(self.own_reading),
            **access,
            "error": self.problem and self.problem.as_dict(),
        }

    def lines(self, palette: "Palette", *, verbose: bool) -> "Iterable[str]":
        """Return the explanation, as `verger check` prints it."""
        from verger.access.answer_words import unanswered, with_rules, without_rules

        if self.problem is not None:
            return unanswered(self.problem.message, self.problem.hint, palette)
        own = own_remarks(self.own_reading)
        if self.decision is not None and self.agent is not None:
            kept = self.is_kept_in_part
            told = (self.decision, self.site, self.now, own)
            return with_rules(*told, palette, verbose=verbose, kept_in_part=kept)
        assert self.site is not None, "the file was to be fetched"
        return without_rules(self.decision, self.site, self.now, own, palette, verbose=verbose)

    def _repr_html_(self) -> str:
        from verger.showing.notebook import picture

        shown = self._explained(verbose=False, coloured=True)
        return picture(shown, f"{self.url} for {self.question.crawler}")

    def __repr__(self) -> str:
        word = "unanswered" if self.allowed is None else _VERDICTS[self.allowed]
        rule = "" if self.rule is None else f", line={self.line}, rule={str(self.rule)!r}"
        return f"Answer({word}{rule}, reason={self.reason}, url={self.url!r})"

    def __bool__(self) -> "NoReturn":
        raise TypeError("ask `answer.allowed`: an answer itself is neither true nor false")


class Use(_Told):
    """The answer to one question about use. `bool(use)` is an error: ask `.allowed`.

    answer:    the answer about fetching the URL.
    purpose:   the use that was asked about.
    decision:  the decision by the file; None if no file applies, or there is no answer.
    """

    __slots__ = ("answer", "decision", "purpose")

    def __init__(self, answer: Answer, purpose: UseName) -> None:
        self.answer = answer
        self.purpose = purpose
        self.decision: UseDecision | None = None
        if answer.agent is not None and answer.decision is not None:
            self.decision = answer.agent.may_use(answer.decision.url, purpose)

    @property
    def question(self) -> Question:
        """For which crawler, in which dialect."""
        return self.answer.question

    @property
    def problem(self) -> Unanswered | None:
        """Why there is no answer; None if there is one."""
        return self.answer.problem

    @property
    def own_reading(self) -> "Use | None":
        """The answer in the dialect of the crawler's operator, as `Answer.own_reading`."""
        own = self.answer.in_own_dialect()
        use = None if own is None else own.may_use(self.purpose)
        return None if use is None or use.allowed == self.allowed else use

    @property
    def is_closed(self) -> bool:
        """Whether the site is closed to the crawler, without a file that applies."""
        return self.decision is None and self.answer.allowed is False

    @property
    def allowed(self) -> bool | None:
        """Whether the use is allowed; None if no line mentions it, or there is no answer."""
        if self.decision is not None:
            return self.decision.allowed
        return False if self.is_closed else None

    @property
    def reason(self) -> str | None:
        """The reason, as `verger.UseDecision.reason`; of the access policy if the site is closed.
        None if there is no answer."""
        if self.decision is not None:
            return self.decision.reason
        if self.is_closed or self.problem is not None:
            return self.answer.reason
        return "NO_SIGNAL"

    @property
    def section(self) -> str | None:
        """The document that says what this means; None if no line mentions it."""
        if self.decision is not None:
            return self.decision.section
        return self.answer.section if self.is_closed else None

    @property
    def line(self) -> int | None:
        """The 1-based line that decided; None if none did."""
        return None if self.decision is None else self.decision.line

    @property
    def rule(self) -> Rule | None:
        """The rule that decided, because what a crawler may not fetch nobody may use; None if
        something else decided."""
        return self.answer.rule if self.reason == "CRAWL_RULES" else None

    def as_dict(self) -> "dict[str, Any]":
        """Return the answer as an object that JSON can hold: `use` of `verger check --use`."""
        from verger.access.answer_json import signalled

        return {
            "purpose": self.purpose,
            "allowed": self.allowed,
            "reason": self.reason,
            "section": self.section,
            "line": self.line,
            **signalled(self.decision),
            "own_reading": _reading_object(self.own_reading),
        }

    def lines(self, palette: "Palette", *, verbose: bool) -> "Iterable[str]":
        """Return the explanation, as `verger check --use` prints it."""
        from verger.access.answer_words import about_use, without_rules

        answer, own = self.answer, own_remarks(self.own_reading)
        if self.is_closed and answer.site is not None:
            told = (answer.decision, answer.site, answer.now, own)
            return without_rules(*told, palette, verbose=verbose)
        told_of_use = (self.decision, self.purpose, answer.site, answer.now, own)
        return about_use(*told_of_use, palette, verbose=verbose)

    def __repr__(self) -> str:
        word = "unanswered" if self.problem is not None else _VERDICTS[self.allowed]
        return f"Use({word}, purpose={self.purpose}, reason={self.reason}, url={self.answer.url!r})"

    def __bool__(self) -> "NoReturn":
        raise TypeError("ask `use.allowed`, which may be None: a use is neither true nor false")


def _reading_object(own: Answer | Use | None) -> dict[str, object] | None:
    """Return the answer in the dialect of the crawler's operator as JSON has it."""
    if own is None:
        return None
    facts = {name: getattr(own, name) for name in ("allowed", "reason", "section", "line")}
    return {"dialect": own.question.dialect.name, **facts}


def own_remarks(own: Answer | Use | None) -> list[str]:
    """Return what the answer is in the dialect of the crawler's operator, if it differs."""
    if own is None:
        return []
    said = _VERDICTS[own.allowed] + ("" if own.line is None else f" by line {own.line}")
    return [f"in its operator's own reading: {said} ({own.question.dialect.name})"]


Row = list[Answer]
"""The answers to all questions about one URL, in the order of the questions."""

Told = Answer | Use
"""An answer about fetching a URL, or one about what it may be used for."""


def told_of(row: Row, purpose: UseName | None) -> list[Told]:
    """Return the answers to all questions about one URL, or those about a purpose, if one is
    given."""
    return [each if purpose is None else each.may_use(purpose) for each in row]


def answer_of(told: Told) -> Answer:
    """Return the answer about fetching the URL."""
    return told.answer if isinstance(told, Use) else told


def labels(questions: Sequence[Question]) -> list[str]:
    """Return the shortest names that distinguish the questions: crawlers, dialects or both."""
    crawlers = {question.tokens for question in questions}
    dialects = {question.dialect.name for question in questions}
    if len(dialects) == 1:
        return [question.crawler for question in questions]
    if len(crawlers) == 1:
        return [question.dialect.name for question in questions]
    return [f"{question.crawler}@{question.dialect.name}" for question in questions]


def decide(
    url: str, question: Question, agent: Agent, file: str | None, site_name: str | None
) -> Answer:
    """Return the decision of an agent, or its problem."""
    decision = problem = None
    try:
        decision = agent.decide(url)
    except (InvalidTarget, OutOfScope) as error:
        problem = Unanswered.because(error)
    return Answer(url, question, file, site_name, agent=agent, decision=decision, problem=problem)
