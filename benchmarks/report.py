"""What was measured, as a table for people and as JSON for machines.

In: `Row`s. Out: text on stdout, and a file. Ratios are to verger: `12x` beside a peer says that
verger is twelve times as fast, or takes a twelfth of the memory.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.files import write_run
from benchmarks.inputs import Inputs
from benchmarks.peers import Peer
from benchmarks.rows import SUBJECT, Row, Target

NAME_WIDTH = 50
CELL_WIDTH = 15


@dataclass(frozen=True, slots=True)
class Setting:
    """Where and of what the figures were taken."""

    machine: dict[str, str | int]
    versions: dict[str, str]
    inputs: dict[str, int]


def setting(inputs: Inputs, peers: Sequence[Peer]) -> Setting:
    """Describe this machine and these inputs."""
    return Setting(
        machine=machine(),
        versions={peer.name: peer.version for peer in peers},
        inputs={"files": len(inputs.bodies), "bytes": inputs.size},
    )


def machine() -> dict[str, str | int]:
    """Describe this machine."""
    return {
        "system": platform.platform(),
        "processor": processor(),
        "processors": os.cpu_count() or 0,
        "python": platform.python_version(),
    }


def processor() -> str:
    """Return the name of the processor, where the system tells it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = (line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return next(names, platform.processor())


# --- for people ---------------------------------------------------------------------------


def print_head(where: Setting, peers: Sequence[Peer], missing: Sequence[str]) -> None:
    """Say what is measured, where."""
    machine, inputs = where.machine, where.inputs
    print(f"{machine['processors']} x {machine['processor']}, Python {machine['python']}")
    print(", ".join(f"{name} {version}" for name, version in where.versions.items()))
    if missing:
        print(f"not installed, so not measured: {', '.join(missing)}")
    print(f"{inputs['files']:,} real files, {inputs['bytes'] / 1e6:.1f} MB")
    head = "".join(f"{peer.name:>{CELL_WIDTH}}" for peer in peers)
    print(f"\n{'':<{NAME_WIDTH}}{head}")


def print_row(row: Row, peers: Sequence[Peer]) -> None:
    """Print a row, and below it what it has to reach."""
    cells = "".join(f"{cell(row, peer.name):>{CELL_WIDTH}}" for peer in peers)
    print(f"{row.name + ', ' + row.unit:<{NAME_WIDTH}}{cells}", flush=True)
    for target in row.targets:
        print(f"    {wanted(row, target)}: {result(row, target)}", flush=True)


def cell(row: Row, name: str) -> str:
    """Show the figure of one package."""
    value, own = row.values.get(name), row.values.get(SUBJECT)
    if value is None:
        return row.notes.get(name, "-")
    if name == SUBJECT or not own or not value:
        return number(value)
    return f"{number(value)} {number(row.ratio(value, own))}x"


def number(value: float) -> str:
    """Show three significant digits, or all before the point."""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:,.{digits}f}"


def wanted(row: Row, target: Target) -> str:
    """Say what a target asks for."""
    if target.than is not None:
        return f"{target.source}: at least {target.amount:g}x {target.than}"
    bound = "at least" if row.more_is_better else "at most"
    return f"{target.source}: {bound} {target.amount:,g} {row.unit.partition(',')[0]}"


def result(row: Row, target: Target) -> str:
    """Say whether this run reaches it."""
    reached = target.reached(row)
    if reached is None:
        return "not measured"
    return f"{'met' if target.is_met(row) else 'NOT MET'} ({number(reached)})"


def print_foot(rows: Sequence[Row]) -> None:
    """Count the targets."""
    verdicts = [target.is_met(row) for row in rows for target in row.targets]
    print(f"\n{verdicts.count(True)} of {len(verdicts)} targets met in this run")


# --- for machines -------------------------------------------------------------------------


def write(rows: Sequence[Row], where: Setting, path: Path) -> None:
    """Write everything as JSON."""
    write_run(
        path,
        machine=where.machine,
        versions=where.versions,
        inputs=where.inputs,
        rows=[as_json(row) for row in rows],
    )


def as_json(row: Row) -> dict[str, object]:
    """Turn a row into JSON values."""
    return {
        "group": row.group,
        "name": row.name.strip(),
        "unit": row.unit,
        "medians": dict(row.values),
        "notes": dict(row.notes),
        "runs": {name: list(runs) for name, runs in row.runs.items()},
        "targets": [
            {
                "source": target.source,
                "wanted": wanted(row, target),
                "reached": target.reached(row),
                "met": target.is_met(row),
            }
            for target in row.targets
        ],
    }
