"""Differences of rules whose patterns have more spellings than are looked at."""

import pytest

import verger
from verger.analysis import difference, effects

Rules = list[tuple[str, str]]

MANY_SPELLINGS = "/list?ids=" + ",".join("abcdefghijklmnopq")
"""A pattern with a query whose commas may be escaped, each for itself."""


MEETS = "/*l*i*s*t*i*d*s*=*a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p*q"
"""A longer pattern that matches some of what that matches, and has one spelling."""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([("Disallow", MANY_SPELLINGS)], []),
        ([("Disallow", MANY_SPELLINGS), ("Disallow", "/*d")], [("Allow", "/*e")]),
        ([("Disallow", MANY_SPELLINGS), ("Allow", "/other")], [("Disallow", "/other")]),
    ],
)
def test_nothing_tells_its_spellings_apart(old: Rules, new: Rules) -> None:
    """Then one of them tells of all, and the answer is proved."""
    for one, other in both_ways(old, new):
        found = difference(one, other)

        assert found.is_exact
        assert found.changes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([("Disallow", MANY_SPELLINGS), ("Allow", MEETS)], []),
        ([("Disallow", MANY_SPELLINGS)], [("Disallow", MANY_SPELLINGS), ("Allow", MEETS)]),
        ([("Disallow", MANY_SPELLINGS)], [("Disallow", "/*%2Cd")]),
        ([("Disallow", MANY_SPELLINGS)], [("Disallow", MEETS)]),
    ],
)
def test_something_may_tell_its_spellings_apart(old: Rules, new: Rules) -> None:
    """Then the answer is not called proved."""
    for one, other in both_ways(old, new):
        assert not difference(one, other).is_exact


@pytest.mark.parametrize("begin", ["/", "/*", "*/"])
def test_path_and_query_have_many_spellings(begin: str) -> None:
    """Those of one and those of the other are not multiplied: the budget is not spent on them."""
    pattern = f"{begin}a:@[]!'()?b:@[]!'()"
    rules = [("Disallow", pattern), ("Allow", f"{pattern}x")]
    (one, other), _ = both_ways(rules, rules[:1])

    assert [effect.does for effect in effects(one)] == ["decides", "decides"]
    assert difference(one, other).changes


def test_many_rules_of_many_spellings() -> None:
    """Some thousands of rules are listed in all spellings; of the others it is still said what they
    do, where nothing tells their spellings apart."""
    rules = [(("Allow", "Disallow")[n % 2], f"/{n}?:@[]!'()") for n in range(4_000)]
    (one, _), _ = both_ways(rules, [])

    assert {effect.does for effect in effects(one)} == {"decides"}


def both_ways(old: Rules, new: Rules) -> list[tuple[verger.Agent, verger.Agent]]:
    """Return the rules as those of a crawler, in both orders."""
    texts = ("".join(f"{key}: {path}\n" for key, path in rules) for rules in (old, new))
    one, other = (verger.parse(f"User-agent: *\n{text}").agent("A") for text in texts)
    return [(one, other), (other, one)]
