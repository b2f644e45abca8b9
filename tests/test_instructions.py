"""The record of instruction counts can fail: what has grown is found, wherever it was counted."""

from dataclasses import replace

import pytest
from benchmarks.instructions import RECORD, Counts, judge, read, report

RECORDED = read(RECORD)


def doctored(factor: float) -> Counts:
    """Return the record with its first count made larger."""
    first = next(iter(RECORDED.instructions))
    grown = round(RECORDED.instructions[first] * factor)
    return replace(RECORDED, instructions={**RECORDED.instructions, first: grown})


def test_record() -> None:
    """The record speaks of every kind of work, and is met by itself."""
    kinds = {work.partition(",")[0] for work in RECORDED.instructions}

    assert {"parse", "first contact", "select", "compile", "first answer", "answer"} <= kinds
    assert report(RECORDED, RECORDED) == 0


@pytest.mark.parametrize(("factor", "code"), [(0.5, 0), (1.09, 0), (1.11, 1), (2, 1)])
def test_growth(factor: float, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """A count that has grown by more than a tenth fails, and is named."""
    assert report(RECORDED, doctored(factor)) == code
    assert ("NOT MET" in capsys.readouterr().out) == bool(code)


@pytest.mark.parametrize(("factor", "code"), [(1.24, 0), (1.26, 1)])
def test_other_compiler(factor: float, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Another compiler may cost a quarter more; that the comparison is weaker is said."""
    assert report(RECORDED, replace(doctored(factor), rustc="1.0.0")) == code
    assert "WARNING: recorded with rustc" in capsys.readouterr().out


def test_other_work() -> None:
    """Work that only the record knows, or only this run, is not a success."""
    less = replace(RECORDED, instructions=dict(list(RECORDED.instructions.items())[1:]))

    assert [verdict.is_met for verdict in judge(RECORDED, less)].count(False) == 1
    assert report(RECORDED, less) == 1
    assert report(less, RECORDED) == 1


@pytest.mark.parametrize("work", [name for name in RECORDED.instructions if "about use" in name])
def test_use_costs_at_most_twice_a_decision(work: str) -> None:
    """Without a line about use, the decision about use is at most twice as much work."""
    plain = RECORDED.instructions[work.replace(" about use", "")]

    assert RECORDED.instructions[work] <= 2 * plain
