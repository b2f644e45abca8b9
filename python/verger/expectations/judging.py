"""Judging: whether expectations hold, and if not, why.

In: expectations and a `Subject`. Out: a `Judgement` for each, as lines with the expected answer,
the answer of the file, and a likely reason.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from verger.access.answer import Answer
from verger.errors import InvalidTarget, OutOfScope
from verger.expectations.reading import Expectation, ExpectationFile
from verger.expectations.subject import DEFAULT_DIALECT, Subject
from verger.plain import HEADLINES, printable, shortened

LONGEST_SHOWN = 300
"""The most characters of a rule or a URL in a message."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one expectation.

    expectation:  what was expected.
    dialect:      the dialect in which the file was read.
    verdict:      the answer of the file; None if there is none.
    error:        why there is no answer.
    hint:         a likely reason if the expectation does not hold.
    """

    expectation: Expectation
    dialect: str
    verdict: Answer | None
    error: str | None = None
    hint: str | None = None

    @property
    def holds(self) -> bool:
        """Whether the file gives the expected answer."""
        expected, verdict = self.expectation, self.verdict
        return (
            verdict is not None
            and expected.allowed is verdict.allowed
            and expected.line in (None, verdict.line)
            and expected.rule in (None, str(verdict.rule))
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The report, as lines of printable text; the first one is a summary."""
        return tuple(_lines(self))

    @property
    def about(self) -> str:
        """The question in one line: crawler, URL, and the dialect if it is not the default."""
        expectation = self.expectation
        dialect = "" if self.dialect == DEFAULT_DIALECT else f" ({self.dialect})"
        return f"{_shown(expectation.agent)} {_shown(expectation.url)}{dialect}"


def judge(
    file: ExpectationFile, subject: Subject, *, dialect: str = DEFAULT_DIALECT
) -> Iterator[Judgement]:
    """Yield the judgement of each expectation.

    dialect:  the dialect of expectations that name none, in a file that names none.
    """
    usual = file.dialect or dialect
    return (judge_one(each, subject, dialect=usual) for each in file.expectations)


def judge_one(
    expectation: Expectation, subject: Subject, *, dialect: str = DEFAULT_DIALECT
) -> Judgement:
    """Return the judgement of one expectation; `dialect` is used if it names none."""
    name = expectation.dialect or dialect
    try:
        verdict = subject.verdict(expectation.tokens, expectation.url, name)
    except (InvalidTarget, OutOfScope) as error:
        return Judgement(expectation, name, None, error.message, error.hint)
    judgement = Judgement(expectation, name, verdict)
    if judgement.holds:
        return judgement
    hint = _hint(expectation, verdict) or subject.hint(expectation.tokens, name)
    return replace(judgement, hint=hint)


def _hint(expectation: Expectation, verdict: Answer) -> str | None:
    """Return a fix if the answer is as expected, but another rule or line decides."""
    if expectation.allowed is not verdict.allowed or verdict.line is None:
        return None
    if expectation.rule == str(verdict.rule):
        return f"the rule is on line {verdict.line}: update or remove `line`"
    if expectation.rule is None:
        return f"line {verdict.line} decides: update `line`, or give the `rule` instead"
    return "a different rule gives the same answer: update or remove `rule`"


def _lines(judgement: Judgement) -> Iterator[str]:
    expectation = judgement.expectation
    wanted = _said(expectation.allowed, expectation.line, expectation.rule)
    yield f"expected {wanted}"
    if judgement.verdict is None:
        yield f"no answer: {printable(judgement.error or '')}"
    else:
        yield f"but it is {_describe_verdict(judgement.verdict)}"
    if expectation.because:
        yield f"because: {_shown(expectation.because)}"
    if judgement.hint and not judgement.holds:
        yield f"hint: {printable(judgement.hint)}"


def _said(allowed: bool, line: int | None, rule: str | None) -> str:
    by = [] if line is None else [f"line {line}"]
    by += [] if rule is None else [f"`{_shown(rule)}`"]
    word = "allowed" if allowed else "disallowed"
    return f"{word} by {', '.join(by)}" if by else word


def _describe_verdict(verdict: Answer) -> str:
    allowed = verdict.allowed is True
    if verdict.rule is not None:
        return f"{_said(allowed, verdict.line, str(verdict.rule))} ({verdict.section})"
    code = str(verdict.reason)
    reason = HEADLINES.get(code) or code.replace("_", " ").lower()
    return f"{_said(allowed, None, None)}: {reason} ({verdict.section})"


def _shown(text: str) -> str:
    return shortened(printable(text), LONGEST_SHOWN)
