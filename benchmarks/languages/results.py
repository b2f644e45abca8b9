"""What was measured, as values and as JSON.

In: replies of harnesses. Out: `Report`, and the same from a file. Times are nanoseconds for one
unit of a row: one file, or one answer.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.files import write_json

VERSION = 1


@dataclass(frozen=True, slots=True)
class Figure:
    """What one contestant did in one row."""

    runs: tuple[float, ...]
    asked: int
    """How many files or URLs a run had."""
    unlike: int = 0
    """How many of them it answers otherwise than verger, or not at all."""
    silent: int = 0
    """How many of them it does not answer."""

    @property
    def median(self) -> float:
        """The figure that is reported."""
        return statistics.median(self.runs)


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of work."""

    key: str
    name: str
    unit: str
    figures: Mapping[str, Figure] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    """Why there is no figure."""


@dataclass(frozen=True, slots=True)
class Endurance:
    """What one contestant did with one hostile file; None where it was stopped."""

    contact: float | None = None
    """Nanoseconds to parse and answer."""
    answer: float | None = None
    """Nanoseconds for one more answer."""
    memory: int | None = None
    """Bytes that parsing and the first answer took."""
    why: str = ""
    """Why there are no figures."""
    allowed: bool | None = None


@dataclass(frozen=True, slots=True)
class Hostile:
    """One hostile file."""

    name: str
    size: int
    timeout: float
    """Seconds after which a contestant was stopped."""
    endured: Mapping[str, Endurance]


@dataclass(frozen=True, slots=True)
class Report:
    """One run."""

    date: str
    machine: Mapping[str, Any]
    inputs: Mapping[str, int]
    rounds: int
    versions: Mapping[str, str]
    """Of each contestant, by key."""
    runtimes: Mapping[str, str]
    missing: Mapping[str, str]
    """Who could not run, and why."""
    rows: tuple[Row, ...]
    hostile: tuple[Hostile, ...]
    quick: bool = False


def write(report: Report, path: Path) -> None:
    """Write everything as JSON."""
    write_json(path, {"version": VERSION, **asdict(report)})


def read(path: Path) -> Report:
    """Read what `write` wrote."""
    found = json.loads(path.read_text(encoding="utf-8"))
    del found["version"]
    rows = tuple(row_from(row) for row in found.pop("rows"))
    hostile = tuple(hostile_from(file) for file in found.pop("hostile"))
    return Report(**found, rows=rows, hostile=hostile)


def row_from(found: dict[str, Any]) -> Row:
    """Make a row of what JSON holds."""
    figures = {
        name: Figure(**{**figure, "runs": tuple(figure["runs"])})
        for name, figure in found.pop("figures").items()
    }
    return Row(**found, figures=figures)


def hostile_from(found: dict[str, Any]) -> Hostile:
    """Make a hostile file of what JSON holds."""
    endured = {name: Endurance(**one) for name, one in found.pop("endured").items()}
    return Hostile(**found, endured=endured)
