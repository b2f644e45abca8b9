"""Stances: each ready robots.txt file keeps its promise, whoever reads it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from verger import DIALECTS, parse
from verger.analysis import minimise, prove
from verger.crawlers import CRAWLERS, agents_of, may_use
from verger.expectations import STANCES, Expectation, Subject, expectations_in, judge_one, stance
from verger.lint import fixed, formatted, lint

READERS = [name for name in DIALECTS if name not in ("original-1994", "koster-1996")]
"""The dialects of 2019 and later, and those of search engines."""


def nameless(dialect: str) -> set[str]:
    """Return the crawlers that no group can name: Google's readers end a name at a digit or dot."""
    tokens = [each.token for each in CRAWLERS]
    text = "".join(f"User-agent: {token}\nDisallow: /\n" for token in tokens)
    agents = agents_of(parse(text, dialect=dialect), tokens, "file")
    return {token for token, agent in zip(tokens, agents, strict=True) if not agent.named}


def meant(expectation: Expectation, dialect: str) -> Iterator[Expectation]:
    """Yield the expectation without the crawlers that no group can name in a dialect; not those
    about use where `Content-Signal` is not read."""
    left_out = nameless(dialect)
    if expectation.use and "content-signal" not in DIALECTS[dialect].extensions:
        return
    if expectation.purposes:
        yield replace(expectation, except_=(*expectation.except_, *sorted(left_out)))
    elif not left_out.intersection(expectation.tokens):
        yield expectation


@pytest.mark.parametrize("dialect", READERS)
@pytest.mark.parametrize("name", STANCES)
def test_a_stance_keeps_its_promise(name: str, dialect: str) -> None:
    """For every crawler and every URL, in all dialects that are read today."""
    subject = Subject.of_bytes(stance(name).robots)
    file = expectations_in(stance(name).expectations, name=name)
    judged = [
        judge_one(one, subject, dialect=dialect)
        for each in file.expectations
        for one in meant(each, dialect)
    ]

    assert [] == [(each.about, each.lines) for each in judged if not each.holds]
    assert judged


@pytest.mark.parametrize("name", ["no-training", "search-only", "no-ai", "archive-only", "news"])
def test_google_is_told_what_it_reads(name: str) -> None:
    """It does not read `Content-Signal`, but its policy token."""
    robots = parse(stance(name).robots, dialect="google")

    assert may_use(robots, "/", "Googlebot", "ai-train").allowed is False


@pytest.mark.parametrize("name", STANCES)
def test_a_stance_has_no_findings(name: str) -> None:
    """Only notes: some operators do not promise to obey what is written for their crawlers."""
    report = lint(stance(name).robots, name="robots.txt")

    assert {each.severity for each in report.diagnostics} <= {"note"}
    assert {each.code for each in report.diagnostics} <= {"RT212"}


@pytest.mark.parametrize("dialect", READERS)
@pytest.mark.parametrize("name", ["no-training", "no-ai"])
def test_who_is_not_meant_is_as_free_as_without_a_file(name: str, dialect: str) -> None:
    """The groups are for the crawlers that the expectations close, and for nobody else."""
    file = expectations_in(stance(name).expectations)
    closed = {
        token
        for each in file.expectations
        if each.use is None and not each.allowed
        for token in judge_one(each, Subject.of_bytes(b"")).evidence.crawlers or each.tokens
    }
    robots = parse(stance(name).robots, dialect=dialect)

    changed = prove(parse(b"", dialect=dialect), robots).changed
    known = {each.token for each in CRAWLERS}
    assert {token for each in changed for token in each.crawlers} & known <= closed


def test_few_crawlers_cannot_be_named() -> None:
    """Only Google's readers cannot, and none of these crawlers is Google's."""
    left_out = {dialect: nameless(dialect) for dialect in READERS}

    assert {"google", "googlebot-cpp"} == {dialect for dialect, names in left_out.items() if names}
    operators = {each.token: each.operator for each in CRAWLERS}
    assert "Google" not in {operators[token] for token in left_out["google"]}


@pytest.mark.parametrize("name", STANCES)
def test_a_stance_that_was_edited_keeps_its_promise(name: str) -> None:
    """Whether it was minimised, formatted or fixed."""
    body = stance(name).robots
    file = expectations_in(stance(name).expectations, name=name)
    smaller, smallest = minimise(parse(body)), minimise(parse(body), dialects=())

    for edited in (smaller.body, smallest.body, formatted(body), fixed(body).body):
        judged = [judge_one(one, Subject.of_bytes(edited)) for one in file.expectations]
        assert [] == [(each.about, each.lines) for each in judged if not each.holds]
