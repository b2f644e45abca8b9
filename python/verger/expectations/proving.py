"""Proving: what a file says about every URL that a pattern matches, to every crawler for a purpose.

In: an expectation and a `Subject`. Out: the crawlers that are meant, and those among them that get
another answer than expected, each with the shortest URL that shows it. That there are none is
proved for all URLs; crawlers whose rules are too intricate for a proof are named.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verger._core import Dialect, RobotsTxt, _kept, origin
from verger.access.answer import Answer, Use
from verger.analysis.proof import crawlers_of
from verger.analysis.rules import STEPS, has_wildcards
from verger.analysis.selection import selected
from verger.crawlers import alike
from verger.crawlers.uses import asked_use
from verger.errors import RobotsError
from verger.expectations.expectation import EVERYONE, Expectation
from verger.expectations.subject import Subject
from verger.grouping import by_key
from verger.untrusted_text import quoted

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Crawlers that get the same unexpected answer for the same reason.

    crawlers:  their product tokens.
    url:       the shortest URL for which the answer is unexpected.
    verdict:   the answer to one of them: about a use, if the expectation is.
    """

    crawlers: tuple[str, ...]
    url: str
    verdict: Answer | Use


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was found about an expectation.

    crawlers:         the product tokens of all crawlers that are meant.
    counterexamples:  what speaks against it; empty if it holds.
    unproved:         the crawlers whose rules are too intricate for a proof.
    """

    crawlers: tuple[str, ...]
    counterexamples: tuple[Counterexample, ...] = ()
    unproved: tuple[str, ...] = ()


def prove_one(expectation: Expectation, subject: Subject, dialect: str) -> Evidence:
    """Return what speaks against an expectation.

    Raises InvalidTarget, OutOfScope, and RobotsError for a pattern that matches no URL.
    """
    file = subject.file(dialect)
    for pattern in (expectation.pattern, *expectation.except_paths):
        _expect_expressible(pattern or "", file.dialect)
    classes = _classes(expectation, subject, file)
    found: list[Counterexample] = []
    unproved: list[str] = []
    for crawlers in classes:
        url, is_proved = _suspect(expectation, subject, crawlers[0], dialect)
        verdict = None if url is None else answered(expectation, subject, crawlers[0], url, dialect)
        if url is not None and verdict is not None and not expectation.is_met_by(verdict):
            found.append(Counterexample(_names(crawlers), url, verdict))
        elif not is_proved:
            unproved += _names(crawlers)
    asked = tuple(name for crawlers in classes for name in _names(crawlers))
    return Evidence(asked, tuple(_joined(found)), tuple(unproved))


def _names(crawlers: Iterable[Tokens]) -> tuple[str, ...]:
    return tuple(map(",".join, crawlers))


def answered(
    expectation: Expectation, subject: Subject, tokens: Tokens, url: str, dialect: str
) -> Answer | Use:
    """Return the answer about a URL, or about its use. Raises InvalidTarget, OutOfScope."""
    verdict = subject.verdict(tokens, url, dialect)
    return verdict if expectation.use is None else verdict.may_use(expectation.use)


def _expect_expressible(pattern: str, dialect: Dialect) -> None:
    if ("*" in pattern or pattern.endswith("$")) and not has_wildcards(dialect):
        raise RobotsError(
            f"{quoted(pattern)} has a wildcard, and {quoted(dialect.name)} has none",
            "end the pattern where the wildcard begins, or name another `dialect`",
        )


def _classes(expectation: Expectation, subject: Subject, file: RobotsTxt) -> list[list[Tokens]]:
    """Return the crawlers that are meant, those together that certainly get the same answers."""
    if expectation.tokens:
        return [[expectation.tokens]]
    if EVERYONE in expectation.purposes:
        left_out = {token.lower() for token in expectation.except_}
        tokens = [token for token in crawlers_of([file]) if token.lower() not in left_out]
    else:
        who = expectation.purposes, expectation.except_
        tokens = selected(file, (), *who, policy_tokens=False)
    classes = alike([file], tokens, subject.bindings(file.dialect.name))
    together = by_key(
        ((place, asked_use(token, expectation.use)), token)
        for place, same in enumerate(classes)
        for token in same
    )
    return [[(token,) for token in same] for same in together.values()]


def _suspect(
    expectation: Expectation, subject: Subject, tokens: Tokens, dialect: str
) -> tuple[str | None, bool]:
    """Return the shortest URL for which a crawler may get another answer than expected, if there is
    one; and whether the expectation holds if that URL gets the expected answer.

    Raises RobotsError for a pattern that matches no URL.
    """
    if expectation.pattern is None:
        return expectation.url, True
    agent, asked = subject.rules_for(tokens, expectation.use, dialect)
    promise = expectation.pattern, [*expectation.except_paths], expectation.allowed
    url, is_exact, has_urls, _ = _kept(agent, *promise, STEPS, asked)
    if not has_urls:
        why = f"no URL is meant by {quoted(expectation.asked)}"
        raise RobotsError(why, "correct the pattern, or remove the expectation")
    return url and _of_its_site(url, agent.robots), is_exact and url is None


def _of_its_site(url: str, robots: RobotsTxt) -> str:
    """Return a URL of the site that a file is from: before a path that would be read as a host,
    because it begins with `//`, the core writes an example of a host."""
    if robots.url is None or robots.governs(url):
        return url
    return origin(robots.url) + url.removeprefix("http://example.com")


def _joined(found: Iterable[Counterexample]) -> Iterator[Counterexample]:
    """Yield crawlers that get the same answer for the same reason, together."""
    alike = by_key(
        ((each.url, verdict.allowed, verdict.line, verdict.rule, verdict.reason), each)
        for each in found
        for verdict in [each.verdict]
    )
    for same in alike.values():
        names = tuple(name for each in same for name in each.crawlers)
        yield Counterexample(names, same[0].url, same[0].verdict)
