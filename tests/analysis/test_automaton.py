"""The analysis beside automata, which share nothing with it: on generated lists of rules in every
dialect, on those of real files, and on real versions.

`VERGER_EVERYTHING=1` takes all real files, and `VERGER_AUTOMATON_STATES` says how large automata
may become (1,000): 100,000 take many hours. With `-s` it tells how many lists they could hold.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice, pairwise

import pytest
from hypothesis import event, given, strategies as st

import verger
from property_settings import examples
from reference import SUBJECT_FORMS, SWITCHES, subject_of
from support import members, shared
from verger.analysis import difference, effects, redundant

from .automaton import shortest_changes, shortest_decided

pytestmark = pytest.mark.slow

EVERYTHING = os.environ.get("VERGER_EVERYTHING") == "1"
SHARE = 1 if EVERYTHING else 160
"""Of so many real files one is looked at."""
STATES = int(os.environ.get("VERGER_AUTOMATON_STATES", "1000"))
"""So many states an automaton may have."""

UNNAMED = "verger-unnamed"

PIECES = (
    *("a", "a", "b", "/", "*", "*", "A", "?", ":", "%3A", "%2F", "%41", "%", "3", "$"),
    *("index.html", "\u00fc", "(", "robots.txt"),
)
FIELDS = ("Allow", "Disallow", "Disallow")

dialects = st.sampled_from(list(verger.DIALECTS))


@st.composite
def rules(draw: st.DrawFn) -> str:
    """A rule; a star within an escape is left to a test of its own."""
    begin = draw(st.sampled_from(["/", "/", "/", "*", ""]))
    body = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=5)))
    end = draw(st.sampled_from(["", "", "$"]))
    pattern = f"{begin}{body}{end}".replace("%*", "%").replace("%3*", "%3")
    return f"{draw(st.sampled_from(FIELDS))}: {pattern}"


lists = st.lists(rules(), max_size=5)


def agent(lines: Iterable[str], dialect: str) -> verger.Agent:
    text = "\n".join(["User-agent: *", *lines, ""])
    return verger.parse(text, dialect=dialect).agent(UNNAMED)


def length(agent: verger.Agent, url: str) -> int:
    """Return the bytes of a URL that rules are compared with."""
    switches = SWITCHES[agent.robots.dialect.name]
    return len(SUBJECT_FORMS[switches.normalisation](subject_of(url, switches)))


def changes_said(old: verger.Agent, new: verger.Agent) -> dict[bool, int] | None:
    """Return what the analysis says is opened and closed: the lengths of shortest witnesses."""
    found = difference(old, new)
    said: dict[bool, int] = {}
    for change in found.changes:
        size = length(old, change.witness)
        said[change.opened] = min(said.get(change.opened, size), size)
    return said if found.is_exact else None


def deciders_said(agent: verger.Agent) -> dict[int, int] | None:
    """Return which lines decide something, and the lengths of their witnesses."""
    found = effects(agent)
    if any(effect.does == "unknown" for effect in found):
        return None
    return {
        effect.rule.line: length(agent, effect.witness)
        for effect in found
        if effect.witness is not None
    }


# Generated lists


@examples(300)
@given(dialects, lists, lists)
def test_changes(dialect: str, before: list[str], after: list[str]) -> None:
    """What was opened and closed is what an automaton finds, and so is how short it can be."""
    old, new = agent(before, dialect), agent(after, dialect)
    expected = shortest_changes(old, new, STATES * 20)
    event(f"{dialect}: {'not held' if expected is None else len(expected)}")

    assert expected is None or changes_said(old, new) == expected


@examples(300)
@given(dialects, lists, st.data())
def test_small_changes(dialect: str, before: list[str], data: st.DataObject) -> None:
    """One rule more, less, or elsewhere: nearly all that was said stays so."""
    place = data.draw(st.integers(0, len(before)))
    after = before[:place] + before[place + 1 :]
    if data.draw(st.booleans()):
        after.insert(data.draw(st.integers(0, len(after))), data.draw(rules()))
    old, new = agent(before, dialect), agent(after, dialect)
    expected = shortest_changes(old, new, STATES * 20)

    assert expected is None or changes_said(old, new) == expected


@examples(300)
@given(dialects, lists)
def test_effects(dialect: str, lines: list[str]) -> None:
    """A rule decides something where an automaton says so, and no URL shows it in fewer bytes."""
    one = agent(lines, dialect)
    expected = shortest_decided(one, STATES * 20)
    said = deciders_said(one)

    assert expected is None or said == expected


@examples(200)
@given(dialects, lists)
def test_redundant_rules(dialect: str, lines: list[str]) -> None:
    """Without the redundant rules nothing changes, and without one more something does."""
    one = agent(lines, dialect)
    found = redundant(one)
    places = {rule.line - 2 for rule in found.rules}  # rules stand from line 2 on
    left = [line for place, line in enumerate(lines) if place not in places]
    rest = agent(left, dialect)

    assert found.is_exact
    assert shortest_changes(one, rest, STATES * 20) in ({}, None)
    for rule in rest.rules:
        fewer = agent(left[: rule.line - 2] + left[rule.line - 1 :], dialect)
        assert shortest_changes(one, fewer, STATES * 20) != {}, rule


SPELT_OTHERWISE = {
    "a query that is cut off": ("koster-1996", ["Disallow: /?b$"], {2: 4}),
    "two slashes at which Google's parser looks for a host": (
        *("googlebot-cpp", ["Disallow: //a"], {2: 3}),
    ),
    "a dot that would be a segment": ("rfc9309", ["Disallow: /.", "Disallow: /*?/."], {2: 3, 3: 4}),
    "an index page that stands for its folder": (
        *("googlebot-cpp", ["Disallow: /", "Allow: /a/index.html"], {2: 1, 3: 3}),
    ),
}


@pytest.mark.parametrize("name", SPELT_OTHERWISE)
def test_witnesses_of_effects_are_urls(name: str) -> None:
    """The witness of a rule is a URL that it decides, and none is shorter."""
    dialect, lines, expected = SPELT_OTHERWISE[name]
    one = agent(lines, dialect)
    decided = {
        effect.rule.line: one.decide(effect.witness).line
        for effect in effects(one)
        if effect.witness is not None
    }

    assert shortest_decided(one, STATES) == expected
    assert decided == {line: line for line in expected}
    assert deciders_said(one) == expected


def test_a_star_within_an_escape() -> None:
    """Where a star may take part of an escape, the analysis does not say that it knows all."""
    lines = ["Disallow: /%*A", "Allow: /:", "Allow: /?a/b"]
    old, new = agent(lines[:1], "rfc9309"), agent(lines, "rfc9309")

    assert shortest_changes(old, new, STATES) == {}
    assert changes_said(old, new) is None


# Real files


def test_real_lists() -> None:
    """Which rules of real files decide anything, and how short a URL shows it."""
    held = compared(
        (f"{name}: {one.tokens}", shortest_decided(one, STATES), deciders_said(one))
        for name, one in real_lists()
    )

    assert held["held"] > held.total() / 2, held


def test_real_versions() -> None:
    """What real versions open and close, and how short a URL shows it."""
    held = compared(
        (f"{name}: {old.tokens}", shortest_changes(old, new, STATES), changes_said(old, new))
        for name, old, new in real_pairs()
    )

    assert held["held"] > held.total() / 4, held


def compared(answers: Iterable[tuple[str, object, object]]) -> Counter[str]:
    """Expect that what is known of each name is also what is said; return how often it is."""
    wrong = []
    held = Counter[str]()
    for name, expected, said in answers:
        held[kind(expected, said)] += 1
        if expected is not None and said is not None and said != expected:
            wrong.append(name)
    print(dict(held))

    assert wrong == []
    return held


def kind(expected: object, said: object) -> str:
    if said is None:
        return "not proved"
    return "not held" if expected is None else "held"


def real_lists() -> Iterator[tuple[str, verger.Agent]]:
    """Yield the lists of rules of real files, each once."""
    known: set[object] = set()
    files = members(shared("corpus/robots-real.tar.gz"))
    for name, body in islice(files, 0, None, SHARE):
        robots = verger.parse(body)
        for token in tokens_in(robots):
            one = robots.agent(token)
            if one.rules and (key := rules_of(one)) not in known:
                known.add(key)
                yield name, one


def real_pairs() -> Iterator[tuple[str, verger.Agent, verger.Agent]]:
    """Yield what consecutive versions of real files tell a crawler, where it differs."""
    known: set[object] = set()
    hosts = groupby(
        sorted(members(shared("corpus/robots-timeseries.tar.xz"))),
        key=lambda each: each[0].rpartition("/")[0],
    )
    for _, versions in islice(((n, list(v)) for n, v in hosts), 0, None, -(-SHARE // 4)):
        for (_, before), (name, after) in pairwise(versions):
            old, new = verger.parse(before), verger.parse(after)
            for token in dict.fromkeys((*tokens_in(old), *tokens_in(new))):
                pair = old.agent(token), new.agent(token)
                key = tuple(map(rules_of, pair))
                if key[0] != key[1] and key not in known:
                    known.add(key)
                    yield name, *pair


def tokens_in(robots: verger.RobotsTxt) -> list[str]:
    """Return whom a file names, as far as these are product tokens, and one whom it does not."""
    named = {token for group in robots.groups for token in group.product_tokens}
    found = []
    for token in sorted(named):
        try:
            verger.check_product_token(token)
        except verger.InvalidProductToken:
            continue
        found.append(token)
    return [*found, UNNAMED]


def rules_of(agent: verger.Agent) -> object:
    return tuple((rule.allow, rule.pattern_bytes) for rule in agent.rules)
