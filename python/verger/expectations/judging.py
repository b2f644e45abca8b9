"""Judging: whether expectations hold, and if not, why; one by one, or files of them together.

In: expectations and a `Subject`. Out: a `Judgement` for each, as lines with the expected answer,
the answer of the file, and a likely reason. A `Suite` reads each robots.txt file once, in all
dialects that need it; one that cannot be read does not stop the others.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from verger._core import _REASONS, _VERDICTS, UseDecision
from verger.access.answer import Answer, Use
from verger.errors import RobotsError, UnusableInput
from verger.expectations.expectation import Expectation, ExpectationFile
from verger.expectations.proving import Evidence, answered, prove_one
from verger.expectations.reading import load
from verger.expectations.subject import DEFAULT_DIALECT, Subject, subject_of
from verger.options import DialectName, Paths, paths_of
from verger.untrusted_text import MOST_NAMED, counted, listed, printable, quoted, visible

T = TypeVar("T")

Find = Callable[[str, Sequence[DialectName]], Subject]

LONGEST_SHOWN = 300
"""The most characters of a rule or a URL in a message."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of one expectation.

    expectation:  what was expected.
    dialect:      the dialect in which the file was read.
    verdict:      the answer of the file, about fetching or use; None if there is none. If the
                  expectation is about many URLs or crawlers, the first unexpected one.
    error:        why there is no answer.
    hint:         a likely reason if the expectation does not hold.
    evidence:     of an expectation about many URLs or crawlers, what speaks against it.
    """

    expectation: Expectation
    dialect: str
    verdict: Answer | Use | None
    error: str | None = None
    hint: str | None = None
    evidence: Evidence | None = None

    @property
    def holds(self) -> bool:
        """Whether the file gives the expected answer, proved for all URLs and crawlers meant."""
        if self.evidence is not None:
            return not self.evidence.counterexamples and not self.evidence.unproved
        return self.verdict is not None and self.expectation.is_met_by(self.verdict)

    @property
    def lines(self) -> tuple[str, ...]:
        """The report, as lines of printable text; the first one is a summary."""
        return self.told()

    def told(self, most: int = MOST_NAMED) -> tuple[str, ...]:
        """Return the judgement in lines that name at most so many crawlers at a time."""
        return tuple(_lines(self, most))

    @property
    def about(self) -> str:
        """The question in one line: crawler, URL, and the dialect if it is not the default."""
        return f"{_shown(self.expectation.agent)} {self.asked}"

    @property
    def asked(self) -> str:
        """The question without the crawler."""
        dialect = "" if self.dialect == DEFAULT_DIALECT else f" ({self.dialect})"
        return f"{_shown(self.expectation.asked)}{dialect}"


def judge(
    file: ExpectationFile, subject: Subject, *, dialect: DialectName = DEFAULT_DIALECT
) -> Iterator[Judgement]:
    """Yield the judgement of each expectation.

    dialect:  the dialect of expectations that name none, in a file that names none.
    """
    usual = file.dialect or dialect
    return (judge_one(each, subject, dialect=usual) for each in file.expectations)


def judge_one(
    expectation: Expectation, subject: Subject, *, dialect: DialectName = DEFAULT_DIALECT
) -> Judgement:
    """Return the judgement of one expectation; `dialect` is used if it names none."""
    name = expectation.dialect or dialect
    try:
        judgement = _judged(expectation, subject, name)
    except RobotsError as error:
        return Judgement(expectation, name, None, error.message, error.hint)
    if judgement.holds or judgement.verdict is None:
        return judgement
    hint = _hint(expectation, judgement.verdict)
    return replace(judgement, hint=hint or subject.hint(expectation.tokens or ("*",), name))


def _judged(expectation: Expectation, subject: Subject, dialect: str) -> Judgement:
    if expectation.is_proved:
        evidence = prove_one(expectation, subject, dialect)
        first = evidence.counterexamples[0].verdict if evidence.counterexamples else None
        return Judgement(expectation, dialect, first, evidence=evidence)
    url = expectation.url or ""
    verdict = answered(expectation, subject, expectation.tokens, url, dialect)
    return Judgement(expectation, dialect, verdict)


def _hint(expectation: Expectation, verdict: Answer | Use) -> str | None:
    """Return a fix if the answer is as expected, but another rule or line decides."""
    if expectation.allowed is not verdict.allowed or verdict.line is None:
        return None
    if expectation.rule == str(verdict.rule):
        return f"the rule is on line {verdict.line}: update or remove `line`"
    if expectation.rule is None:
        return f"line {verdict.line} decides: update `line`, or give the `rule` instead"
    return "a different rule gives the same answer: update or remove `rule`"


def _lines(judgement: Judgement, most: int) -> Iterator[str]:
    expectation = judgement.expectation
    yield f"expected {_said(expectation.allowed, expectation.line, expectation.rule)}"
    if judgement.evidence is not None:
        yield from _lines_of_evidence(judgement.evidence, expectation, most)
    elif judgement.verdict is None:
        yield f"no answer: {printable(judgement.error or '')}"
    else:
        turn = "and" if judgement.holds else "but"
        yield f"{turn} it is {_describe_verdict(judgement.verdict)}"
    if expectation.because:
        yield f"because: {_shown(expectation.because)}"
    if judgement.hint and not judgement.holds:
        yield f"hint: {printable(judgement.hint)}"


def _lines_of_evidence(evidence: Evidence, expectation: Expectation, most: int) -> Iterator[str]:
    for each in evidence.counterexamples:
        url = "it" if expectation.url else _shown(each.url)
        whom = "" if expectation.tokens else f"for {listed(each.crawlers, _shown, most=most)}, "
        yield f"but {whom}{url} is {_describe_verdict(each.verdict)}"
    if evidence.unproved:
        names = listed(evidence.unproved, _shown, most=most)
        yield f"not proved for {names}: the rules are too intricate"
    if not evidence.counterexamples and not evidence.unproved:
        yield f"and it is, for {counted(len(evidence.crawlers), 'crawler')}"


def _said(allowed: bool | None, line: int | None, rule: str | None) -> str:
    by = [] if line is None else [f"line {line}"]
    by += [] if rule is None else [f"`{_shown(rule)}`"]
    return f"{_VERDICTS[allowed]} by {', '.join(by)}" if by else _VERDICTS[allowed]


def _describe_verdict(verdict: Answer | Use) -> str:
    if isinstance(verdict, Use) and verdict.decision is not None:
        return _describe_use(verdict.decision)
    answer = verdict.answer if isinstance(verdict, Use) else verdict
    allowed = answer.allowed is True
    if answer.rule is not None:
        return f"{_said(allowed, answer.line, str(answer.rule))} ({answer.section})"
    said = _said(verdict.allowed, None, None)
    return f"{said}: {_REASONS[str(answer.reason)]} ({answer.section})"


def _describe_use(decision: UseDecision) -> str:
    if decision.allowed is None:
        return f"{_VERDICTS[None]}: no line allows or disallows it"
    word = "allow" if decision.allowed else "disallow"
    first = next(signal for signal in decision.signals if signal.verdict == word)
    line = decision.robots.lines[(first.line or 1) - 1]
    said = _said(decision.allowed, first.line, f"{line.key}: {line.value}")
    return f"{said} ({first.mechanism}, {first.section})"


def _shown(text: str) -> str:
    return visible(text, LONGEST_SHOWN)


# Files of expectations


@dataclass(frozen=True, slots=True)
class JudgedFile:
    """The result for one file with expectations.

    name:        the path of the file with expectations.
    robots:      the path or URL of the robots.txt file, if it is known.
    judgements:  the judgement of each expectation.
    error:       message and hint if it could not be tested; None if it was.
    """

    name: str
    robots: str | None
    judgements: tuple[Judgement, ...] = ()
    error: tuple[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The results for all files.

    files:  the result for each file with expectations.
    """

    files: tuple[JudgedFile, ...]

    @property
    def judgements(self) -> Iterator[Judgement]:
        """The judgements of all files."""
        return (judgement for file in self.files for judgement in file.judgements)

    @property
    def passed(self) -> int:
        """How many expectations hold."""
        return sum(judgement.holds for judgement in self.judgements)

    @property
    def failed(self) -> int:
        """How many do not hold."""
        return sum(not judgement.holds and judgement.error is None for judgement in self.judgements)

    @property
    def errors(self) -> int:
        """How many files could not be tested, and how many expectations have no answer."""
        unread = sum(file.error is not None for file in self.files)
        return unread + sum(judgement.error is not None for judgement in self.judgements)


class Suite:
    """Files with expectations, which are read at once, and the robots.txt files to test.

    paths:    one or several.
    robots:   the path or URL of the robots.txt file, whatever the files name.
    dialect:  the dialect of expectations that name none, in a file that names none.
    option:   what passes another robots.txt file, for hints.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        robots: str | None = None,
        dialect: DialectName = DEFAULT_DIALECT,
        option: str = "robots",
    ) -> None:
        self._robots = robots
        self._dialect = dialect
        self._option = option
        self._files = [(path, _tried(load, path)) for path in paths_of("paths", paths)]
        self._dialects: dict[str, dict[DialectName, None]] = {}
        """The dialects in which each robots.txt file is read."""
        for _, file in self._files:
            if isinstance(file, ExpectationFile) and (name := robots or file.robots_path):
                dialects = dict.fromkeys(file.dialects(dialect))
                self._dialects.setdefault(name, {}).update(dialects)

    def __repr__(self) -> str:
        return f"Suite({len(self._files):,} files, {len(self._dialects):,} robots.txt files)"

    @property
    def robots(self) -> list[str]:
        """The paths and URLs of the robots.txt files."""
        return list(self._dialects) if self._robots is None else [self._robots]

    @property
    def unread(self) -> list[tuple[str, str | None]]:
        """Message and hint for each file with expectations that cannot be read."""
        return [(file.message, file.hint) for _, file in self._files if isinstance(file, Exception)]

    def about(self, robots: str) -> list[ExpectationFile]:
        """Return the files with expectations about a robots.txt file, which are read."""
        files = (file for _, file in self._files if isinstance(file, ExpectationFile))
        return [file for file in files if robots == (self._robots or file.robots_path)]

    def judge(self, find: Find | None = None) -> SuiteReport:
        """Return the judgement of each expectation.

        find:    returns the `Subject` of a path or URL, to be read in some dialects; by default
                 `subject_of`.
        Raises:  UnusableInput and others of `find`, if one robots.txt file is for all.
        """
        find = find or (lambda robots, dialects: subject_of(robots, dialects=dialects))
        found = {name: _tried(find, name, list(each)) for name, each in self._dialects.items()}
        return SuiteReport(tuple(self._judged(*each, found) for each in self._files))

    def _judged(
        self,
        path: str,
        file: ExpectationFile | RobotsError,
        found: Mapping[str, Subject | RobotsError],
    ) -> JudgedFile:
        if isinstance(file, RobotsError):
            return JudgedFile(path, None, error=(file.message, file.hint))
        name = self._robots or file.robots_path
        subject = found[name] if name else nameless(file, self._option)
        if isinstance(subject, Subject):
            judgements = tuple(judge(file, subject, dialect=self._dialect))
            return JudgedFile(path, subject.name, judgements)
        if self._robots is not None:
            raise subject
        return JudgedFile(path, name, error=(subject.message, subject.hint))


def nameless(file: ExpectationFile, option: str) -> UnusableInput:
    """Return the error of a file that names no robots.txt file; `option` passes another one."""
    return UnusableInput(
        f"{quoted(file.name)} names no robots.txt file",
        f'pass `{option}`, or write `robots = "robots.txt"` at its top',
    )


def _tried(call: Callable[..., T], *args: object) -> T | RobotsError:
    """Return what a function returns, or why it cannot."""
    try:
        return call(*args)
    except RobotsError as error:
        return error
