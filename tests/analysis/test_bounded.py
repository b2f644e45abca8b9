"""Edits of hostile files: bounded steps and memory, and a refusal that says so.

How the work grows with such files is counted by `benchmarks/command_growth.py`.
"""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest

import verger
from steps import steps_of
from verger.analysis import Refused, access_edits, block, diff, minimise, prove
from verger.analysis.rules import Budget
from verger.crawlers import CRAWLERS, alike, survey, survey_of

STARS = "User-agent: *\n" + "".join(f"Allow: /{'x*y*' * 75}{n}\n" for n in range(200))
GROUPS_OF_ALL = "".join(f"User-agent: *\nDisallow: /{n}\n" for n in range(2_000))
NAMES = "".join(f"User-agent: bot{n}\nDisallow: /\n\n" for n in range(500))


def test_an_edit_that_takes_too_many_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says so, and what may be done."""
    monkeypatch.setattr(access_edits, "STEPS_OF_ALL", 1_000)
    with pytest.raises(Refused, match="too many steps") as refused:
        block(verger.parse("User-agent: *\nDisallow: /a\n"), ["*"], paths=["/b"])

    assert "many `*`" in str(refused.value.hint)


def test_patterns_of_many_stars_are_edited_or_refused() -> None:
    """They do not take forever."""
    with pytest.raises(Refused, match="too many steps"):
        block(verger.parse(STARS), ["*"], paths=["/*x*y"])


@pytest.fixture
def pairs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs of different rules are compared, in each comparison."""
    counts: list[int] = []
    compare = Budget.compare

    def counted(budget: Budget, old: Sequence[Any], new: Sequence[Any], over: Any = ()) -> Any:
        found = compare(budget, old, new, over)
        counts.append(len({id(each) for each in found}))
        return found

    monkeypatch.setattr(Budget, "compare", counted)
    return counts


def test_crawlers_of_equal_groups_are_compared_once(pairs: list[int]) -> None:
    """Five hundred groups say the same, before and after."""
    (changed,) = diff(verger.parse(NAMES), verger.parse(NAMES.replace("/\n", "/a\n"))).changed

    assert {f"bot{n}" for n in range(500)} <= set(changed.crawlers)
    assert max(pairs) <= 3


def test_groups_of_all_crawlers_take_memory_once() -> None:
    """Which of thousands of groups they follow is not kept for each of hundreds of crawlers."""
    robots = verger.parse(GROUPS_OF_ALL)
    block(verger.parse("User-agent: *\nDisallow: /a\n"), ["*"], paths=["/b"])  # fills caches
    tracemalloc.start()
    block(robots, ["*"], paths=["/b"])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 400 * len(robots.body)


def test_equal_rules_become_one() -> None:
    """Thousands of them are not compared with each other."""
    text = "User-agent: *\n" + "Disallow: /a\n" * 5_000
    outcome = minimise(verger.parse(text))

    assert outcome.body == b"User-agent: *\nDisallow: /a\n"
    assert outcome.untried == 0


def test_crawlers_that_no_group_names_are_not_looked_at() -> None:
    """A proof takes no steps of its own for each of hundreds of them, but to list them."""
    old, new = (verger.parse(f"User-agent: a\nDisallow: /{path}\n") for path in "bb")
    prove(old, new)  # fills caches
    steps = steps_of(lambda: prove(old, new))

    assert steps < 4 * len(CRAWLERS)


def test_crawlers_are_looked_up_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof asks once about all its files, and about what names are cut to with them."""
    counts: list[int] = []

    def counted(files: Sequence[Any], crawlers: Sequence[str], *bindings: Any) -> Any:
        counts.append(len(files))
        return alike(files, crawlers, *bindings)

    monkeypatch.setattr("verger.analysis.proof.alike", counted)
    usage = "User-agent: a1\nContent-Usage: train-ai=n\nDisallow: /b\n"
    prove(verger.parse(usage), verger.parse(usage))

    assert counts == [4]


def test_a_survey_walks_the_file_for_all_names_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each of the names in it."""
    counts: list[int] = []

    for name in ("agents_of", "_binding_lines"):
        walk = getattr(survey, name)

        def counted(
            robots: verger.RobotsTxt, tokens: list[str], *bindings: Any, walk: Any = walk
        ) -> Any:
            counts.append(len(tokens))
            return walk(robots, tokens, *bindings)

        monkeypatch.setattr(survey, name, counted)
    names = "".join(f"User-agent: {'b' * n}\n" for n in range(1, 41))
    survey_of(verger.parse(f"{names}Disallow: /\n"))

    several = [count for count in counts if count > 1]
    assert several[1:3] == [40, 40]
    assert len(several) == 6  # all crawlers, the names twice, and the crawlers of three operators
    assert len(counts) < 30  # in four dialects: as asked, and as three operators read it


def test_an_edit_past_the_limit_names_it() -> None:
    """The refusal says how long the file would be, and how much of it is read."""
    robots = verger.parse("User-agent: *\n" + "Disallow: /a\n" * 39_383)

    with pytest.raises(Refused, match="the file would have 512,0") as refused:
        block(robots, ["GPTBot"])

    assert "`parse_limit` is 512,000" in str(refused.value.hint)
