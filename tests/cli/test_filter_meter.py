"""How far a run of `verger filter` is: share, rate and the time that is left."""

import io
import sys

import pytest

from verger.bulk.filter.blocks import Block
from verger.cli.commands import filter as meter
from verger.cli.commands.filter import FilterMeter


class Terminal(io.StringIO):
    """A stderr that a person looks at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands at the last value."""
    times = [0.0]
    monkeypatch.setattr(meter, "monotonic", lambda: times[-1])
    monkeypatch.setattr("verger.cli.progress.monotonic", lambda: times[-1])
    return times


def block(rows: int, weight: int) -> Block:
    made = Block("x", range(1, rows + 1), ["u"] * rows, {}, size=rows)
    made.weight = weight
    return made


def test_rate_and_time_left(now: list[float]) -> None:
    """The rate is that of this run, and what an earlier one did is not waited for again."""
    shown = FilterMeter(total=1_000, quiet=True, to_stdout=False)
    shown.take_over(block(5_000, 500))
    now.append(10.0)
    shown.finished(block(2_500, 250))

    assert (
        "[##################------]  75%  7,500 rows  250/s  5,000 taken over  10 s left"
        == shown.line()
    )


def test_what_is_taken_over_is_shown(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first block on, before this run has decided any."""
    monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    shown = FilterMeter(total=1_000, quiet=False, to_stdout=False)
    now.append(1.0)
    shown.take_over(block(5_000, 500))

    told = "[############------------]  50%  5,000 rows  0/s  5,000 taken over"
    assert f"\r{told}\x1b[K" == stderr.getvalue()


def test_pipes_have_no_end(now: list[float]) -> None:
    """Where nobody knows how much there is, count and rate are shown."""
    shown = FilterMeter(total=0, quiet=True, to_stdout=False)
    now.append(2.0)
    shown.finished(block(100, 0))

    assert "100 rows  50/s" == shown.line()


def test_line_on_a_terminal(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """It redraws itself, and makes way for messages."""
    monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    shown = FilterMeter(total=100, quiet=False, to_stdout=False)
    now.append(1.0)
    shown.finished(block(10, 50))
    shown.say("note\n")

    assert (
        "\r[############------------]  50%  10 rows  10/s  1 s left\x1b[K\r\x1b[Knote\n"
        == stderr.getvalue()
    )


def test_lines_in_a_file(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where stderr is no terminal, a line without a bar comes now and then; with `--quiet` none."""
    monkeypatch.setattr(sys, "stderr", stderr := io.StringIO())
    shown = FilterMeter(total=100, quiet=False, to_stdout=True)
    silent = FilterMeter(total=100, quiet=True, to_stdout=True)
    for second in (9.0, 11.0, 12.0, 22.0):
        now.append(second)
        shown.finished(block(10, 10))
        silent.finished(block(10, 10))

    assert stderr.getvalue().splitlines() == [
        "20%  20 rows  2/s  44 s left",
        "40%  40 rows  2/s  33 s left",
    ]
