"""Stances: each ready robots.txt file keeps its promise, whoever reads it."""

from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import pytest

from verger import DIALECTS, parse
from verger.crawlers import CRAWLERS, agents_of
from verger.expectations import Expectation, Subject, expectations_in, judge_one

NAMES = ("open", "no-training", "search-only", "no-ai", "archive-only", "staging", "shop", "news")
READERS = [name for name in DIALECTS if name not in ("original-1994", "koster-1996")]
"""The dialects of 2019 and later, and those of search engines."""
FOLDER = files("verger.expectations") / "stances"


def nameless(dialect: str) -> set[str]:
    """Return the crawlers that no group can name: Google's readers end a name at a digit or dot."""
    tokens = [each.token for each in CRAWLERS]
    text = "".join(f"User-agent: {token}\nDisallow: /\n" for token in tokens)
    agents = agents_of(parse(text, dialect=dialect), tokens, "file")
    return {token for token, agent in zip(tokens, agents, strict=True) if not agent.named}


def meant(expectation: Expectation, dialect: str) -> Iterator[Expectation]:
    """Yield the expectation without the crawlers that no group can name in a dialect."""
    left_out = nameless(dialect)
    if expectation.purposes:
        yield replace(expectation, except_=(*expectation.except_, *sorted(left_out)))
    elif not left_out.intersection(expectation.tokens):
        yield expectation


@pytest.mark.parametrize("dialect", READERS)
@pytest.mark.parametrize("name", NAMES)
def test_a_stance_keeps_its_promise(name: str, dialect: str) -> None:
    """For every crawler and every URL, in all dialects that are read today."""
    subject = Subject.of_bytes((FOLDER / f"{name}.txt").read_bytes())
    import re

    text = (FOLDER / f"{name}.toml").read_text()
    text = "".join(t for t in re.split(r"(?=\[\[expect)", text) if "\nuse" not in t)
    file = expectations_in(text, name=name)
    judged = [
        judge_one(one, subject, dialect=dialect)
        for each in file.expectations
        for one in meant(each, dialect)
    ]

    assert [] == [(each.about, each.lines) for each in judged if not each.holds]
    assert judged


def test_few_crawlers_cannot_be_named() -> None:
    """Only Google's readers cannot, and none of these crawlers is Google's."""
    left_out = {dialect: nameless(dialect) for dialect in READERS}

    assert {"google", "googlebot-cpp"} == {dialect for dialect, names in left_out.items() if names}
    operators = {each.token: each.operator for each in CRAWLERS}
    assert "Google" not in {operators[token] for token in left_out["google"]}
