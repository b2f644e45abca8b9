"""conformance/statements: each statement is held by something that exists."""

import runpy
from collections import Counter

from support import CHECKOUT

STATEMENTS = runpy.run_path(str(CHECKOUT / "tools" / "statements.py"))
ROWS = [row for stem in STATEMENTS["SOURCES"] for row in STATEMENTS["statements"](stem)]
FIELDS = {"id", "section", "statement", "cases", "tests", "none", "decision", "same", "mended"}


def test_nothing_is_wrong() -> None:
    """Cases, tests and statements that are named exist, and each statement is held in one way."""
    assert [] == list(STATEMENTS["problems"]())


def test_all_are_there() -> None:
    assert 890 == len(ROWS)
    assert {True} == {FIELDS >= set(row) for row in ROWS}


def test_most_are_cases_of_the_suite() -> None:
    kinds: Counter[str] = sum(
        (STATEMENTS["counted"](it) for it in STATEMENTS["SOURCES"]), Counter()
    )

    assert kinds["suite"] > 500
    assert kinds["none"] < 20
