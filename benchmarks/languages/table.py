"""What was measured, for people at a terminal, and the words that page and chart share.

In: `Row`s and `Hostile`s. Out: lines on stdout, printed as soon as there is something to print.
Ratios are to verger: `12x` beside a parser says that verger takes a twelfth of the time.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.languages.contest import Contest
from benchmarks.languages.contestants import CONTESTANTS, SUBJECTS, Contestant
from benchmarks.languages.results import Endurance, Figure, Hostile, Row
from benchmarks.report import number

MANY_RULES = "14,000 rules /*/word*x$"
MANY_AGENTS = "5,000 agents x 5,000 rules"


def print_head(held: Contest, missing: Mapping[str, str]) -> None:
    """Say who takes part."""
    for one in held.contestants:
        hello = held.hellos[one.key]
        print(f"{one.title} {hello.version}, {hello.runtime or one.language}")
    for title, why in {**missing, **held.failed}.items():
        print(f"not measured: {title}: {why}")


def print_found(found: Row | Hostile) -> None:
    """Print a row, or what a hostile file did."""
    if isinstance(found, Row):
        print_row(found)
    else:
        print_hostile(found)


def print_row(row: Row) -> None:
    """Print one line for each contestant."""
    print(f"\n{row.name}, µs for one {row.unit}")
    for one in CONTESTANTS:
        if one.key in row.figures or one.key in row.notes:
            figure = row.figures.get(one.key)
            time = micros(figure) if figure else row.notes[one.key]
            ratio = times(ratio_of(row, one))
            word = "not parsed" if row.key == "parse" else "unlike"
            differs = f"{figure.unlike:,} of {figure.asked:,} {word}" if figure else ""
            print(f"  {one.title:<20}{time:>12}{ratio:>10}  {differs}", flush=True)


def print_hostile(found: Hostile) -> None:
    """Print one line for each contestant."""
    print(f"\n{found.name}, {found.size:,} bytes: with parsing, one more answer, memory")
    for one in CONTESTANTS:
        if one.key in found.endured:
            result = found.endured[one.key]
            cells = (duration(result.contact), duration(result.answer), megabytes(result.memory))
            told = "".join(f"{cell:>12}" for cell in cells)
            print(f"  {one.title:<20}{result.why or told}", flush=True)


# --- words --------------------------------------------------------------------------------


def micros(figure: Figure) -> str:
    """Show a time in microseconds."""
    return number(figure.median / 1e3)


def duration(ns: float | None) -> str:
    """Show a time with the unit that suits it."""
    if ns is None:
        return "-"
    for unit, name in ((1e9, "s"), (1e6, "ms"), (1e3, "µs")):
        if ns >= unit:
            return f"{number(ns / unit)} {name}"
    return f"{ns:.0f} ns"


def megabytes(size: int | None) -> str:
    """Show an amount of memory."""
    return "-" if size is None else f"{size / 1e6:,.1f} MB"


def times(ratio: float | None) -> str:
    """Show a ratio to verger."""
    if ratio is None:
        return ""
    digits = 0 if ratio >= 9.95 else 1 if ratio >= 0.95 else 2
    return f"{ratio:,.{digits}f}x"


def ratio_of(row: Row, one: Contestant) -> float | None:
    """Return how many times as long as verger somebody takes, if both were measured."""
    subject = SUBJECTS[one.side]
    ours, theirs = row.figures.get(subject), row.figures.get(one.key)
    if one.key == subject or ours is None or theirs is None:
        return None
    return theirs.median / ours.median


def is_stopped(result: Endurance) -> bool:
    """Whether its time was over before it answered."""
    return result.why.startswith(">")
