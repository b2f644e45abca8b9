"""Proofs: readers for which a change is proved, and what they take a name for."""

import random
from itertools import product

import pytest

import verger
from verger._core import _special_bindings
from verger.analysis.proof import prove
from verger.crawlers import agent_of
from verger.crawlers.binding import Bindings
from verger.lint import fixed

BINDINGS: tuple[Bindings, ...] = ("operators", "file")
KEY_OF_OTHERS = b"User-agent: Yandex\nuser agent:yandexbot\nDisallow:/\n"
"""A start-group line that not every dialect reads, of a crawler that follows the other."""


def test_a_crawler_that_follows_another_is_also_read_by_its_name() -> None:
    """YandexBot obeys the group of Yandex; who reads names alone finds no group of its name."""
    old = verger.parse(KEY_OF_OTHERS, dialect="koster-1996")
    new = verger.parse(KEY_OF_OTHERS.replace(b"user agent", b"User-agent"), dialect="koster-1996")

    assert not prove(old, new, bindings=["operators"]).changed
    (changed,) = prove(old, new).changed

    assert changed.crawlers == ("YandexBot",)
    assert [change.region for change in changed.changes] == ["/"]


def test_a_safe_fix_changes_nothing_for_readers_of_names() -> None:
    assert b"user agent" in fixed(KEY_OF_OTHERS).body


@pytest.mark.parametrize("dialect", list(verger.DIALECTS))
def test_names_and_operators(dialect: str) -> None:
    """What a proof leaves out changes for nobody, whatever decides whose groups bind a crawler."""
    choice = random.Random(dialect)
    tokens = ["Googlebot", "Yandex", "msnbot", *(token for token, *_ in _special_bindings())]
    for _ in range(40):
        names = choice.sample(tokens, 3)
        old, new = (verger.parse(_groups(choice, names), dialect=dialect) for _ in range(2))
        proof = prove(old, new)
        changed = {token.lower() for each in proof.changed for token in each.crawlers}
        for token, bindings in product(tokens, BINDINGS):
            by_star = bindings == "file" and "*" in changed
            if token.lower() not in changed and not by_star:
                answers = (agent_of(robots, token, bindings) for robots in (old, new))
                one, other = ([agent.allowed(url) for url in ("/a", "/b")] for agent in answers)
                assert one == other, (token, bindings, old.body, new.body)


def _groups(choice: random.Random, names: list[str]) -> bytes:
    rules = ("Disallow: /a", "Disallow: /b", "Disallow: /", "Allow: /")
    return "".join(
        f"User-agent: {name}\n{choice.choice(rules)}\n\n"
        for name in choice.sample([*names, "*"], choice.randrange(4))
    ).encode()
