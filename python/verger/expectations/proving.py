"""Proving: what a file says about every URL that a pattern matches, to every crawler for a purpose.

In: an expectation and a `Subject`. Out: the crawlers that are meant, and those among them that get
another answer than expected, each with the shortest URL that shows it. That there are none is
proved for all URLs; where the proof takes too many steps, the crawlers are named.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verger._core import Agent, RobotsTxt
from verger.access.answer import Answer
from verger.analysis.proof import crawlers_of
from verger.analysis.rules import Budget, has_wildcards
from verger.analysis.selecting import selected
from verger.crawlers import agent_of, alike
from verger.errors import RobotsError
from verger.expectations.reading import EVERYONE, Expectation
from verger.expectations.subject import Subject
from verger.grouping import by_key
from verger.plain import quoted

Crawlers = list[tuple[str, ...]]
"""The product tokens of some crawlers that follow the same groups."""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Crawlers that get the same unexpected answer for the same reason.

    crawlers:  their product tokens.
    verdict:   the answer to one of them, about the shortest URL for which it is unexpected.
    """

    crawlers: tuple[str, ...]
    verdict: Answer


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about an expectation.

    crawlers:         the product tokens of all crawlers that are meant.
    counterexamples:  what speaks against it; empty if it holds.
    unproved:         the crawlers for which the proof took too many steps.
    """

    crawlers: tuple[str, ...]
    counterexamples: tuple[Counterexample, ...] = ()
    unproved: tuple[str, ...] = ()


def prove_one(expectation: Expectation, subject: Subject, dialect: str) -> Finding:
    """Return what speaks against an expectation.

    Raises InvalidTarget, OutOfScope, and RobotsError for a pattern that a dialect cannot express.
    """
    file = subject.file(dialect)
    _expect_expressible(expectation.pattern, file)
    classes = _classes(expectation, subject, file)
    found: list[tuple[Answer, Crawlers]] = []
    unproved: list[str] = []
    for crawlers in classes:
        url, is_exact = _shortest(expectation, subject, file, crawlers[0])
        verdict = None if url is None else subject.verdict(crawlers[0], url, dialect)
        if verdict is not None and not expectation.is_met_by(verdict):
            found.append((verdict, crawlers))
        elif not is_exact:
            unproved += _names(crawlers)
    asked = tuple(name for each in classes for name in _names(each))
    return Finding(asked, tuple(_joined(found)), tuple(unproved))


def _expect_expressible(pattern: str | None, file: RobotsTxt) -> None:
    if pattern and ("*" in pattern or "$" in pattern) and not has_wildcards(file.dialect):
        raise RobotsError(
            f"{quoted(pattern)} has a wildcard, and {quoted(file.dialect.name)} has none",
            "end the pattern where the `*` begins, or name another `dialect`",
        )


def _classes(expectation: Expectation, subject: Subject, file: RobotsTxt) -> list[Crawlers]:
    """Return the crawlers that are meant, by the groups that they follow."""
    if expectation.tokens:
        return [[expectation.tokens]]
    if EVERYONE in expectation.purposes:
        left_out = {token.lower() for token in expectation.except_}
        tokens = [token for token in crawlers_of([file]) if token.lower() not in left_out]
    else:
        who = expectation.purposes, expectation.except_
        tokens = selected(file, (), *who, policy_tokens=False)
    return [
        [(token,) for token in each]
        for each in alike([file], tokens, subject.bindings(file.dialect.name))
    ]


def _shortest(
    expectation: Expectation, subject: Subject, file: RobotsTxt, tokens: tuple[str, ...]
) -> tuple[str | None, bool]:
    """Return the shortest URL for which a crawler gets another answer, and whether it is proved
    that there is none if there is none."""
    if expectation.pattern is None:
        return expectation.url, True
    agent: Agent = agent_of(file, tokens, subject.bindings(file.dialect.name))
    over = [(expectation.allowed, expectation.pattern)]
    (found,) = Budget().compare([agent], [agent], over)
    urls = [change.witness for change in found.changes if change.is_requested]
    return min(urls, key=len, default=None), found.is_exact


def _names(crawlers: Crawlers) -> list[str]:
    return [",".join(tokens) for tokens in crawlers]


def _joined(found: Iterable[tuple[Answer, Crawlers]]) -> Iterator[Counterexample]:
    """Yield crawlers that get the same answer for the same reason, together."""
    alike = by_key(
        ((verdict.url, verdict.line, verdict.rule, verdict.reason), (verdict, crawlers))
        for verdict, crawlers in found
    )
    for same in alike.values():
        names = tuple(name for _, crawlers in same for name in _names(crawlers))
        yield Counterexample(names, same[0][0])
