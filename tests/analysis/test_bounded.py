"""Edits of hostile files: bounded steps and memory, and a refusal that says so.

How the work grows with such files is counted by `benchmarks/command_growth.py`.
"""

import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest

import verger
from verger.analysis import Refused, block, blocking, diff, minimise
from verger.analysis.rules import Budget

STARS = "User-agent: *\n" + "".join(f"Allow: /{'x*y*' * 75}{n}\n" for n in range(200))
GROUPS_OF_ALL = "".join(f"User-agent: *\nDisallow: /{n}\n" for n in range(2_000))
NAMES = "".join(f"User-agent: bot{n}\nDisallow: /\n\n" for n in range(500))


def test_an_edit_that_takes_too_many_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says so, and what may be done."""
    monkeypatch.setattr(blocking, "STEPS_OF_ALL", 1_000)
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
