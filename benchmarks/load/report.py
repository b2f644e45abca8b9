"""What was measured under load, as a table for people and as JSON for machines."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.files import write_run
from benchmarks.load.contest import (
    BARE,
    BARE_CLOSING,
    BARE_PAGES,
    CLIENT,
    CLIENT_PAGES,
    FILTER,
    SCRAPY,
    SCRAPY_PAGES,
    Entry,
)
from benchmarks.load.trials import Target, Trial
from benchmarks.report import machine, processor

NAME_WIDTH = 24
Contest = Mapping[str, Entry]


def versions() -> dict[str, str]:
    """Return what is measured, and in which versions."""
    found = {name: version(name) for name in ("verger", "aiohttp")} | {
        "python": platform.python_version()
    }
    return found | ({"scrapy": scrapy_version()} if SCRAPY.exists() else {})


def scrapy_version() -> str:
    """Ask Scrapy's own environment."""
    code = "from importlib.metadata import version; print(version('scrapy'))"
    done = subprocess.run([SCRAPY, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


# --- for people ---------------------------------------------------------------------------


def print_head(setting: Mapping[str, object]) -> None:
    """Say what is measured, where."""
    found = ", ".join(f"{name} {number}" for name, number in versions().items())
    print(f"{os.cpu_count()} x {processor()}; {found}")
    print(", ".join(f"{name} {value}" for name, value in setting.items()))
    if not SCRAPY.exists():
        print("Scrapy is not measured: `make load` sets up build/frameworks-venv")


def print_contest(name: str, contest: Contest) -> None:
    """Print the figures of one contest."""
    print(
        f"\n{name:<{NAME_WIDTH}}{'s':>9}{'origins/s':>12}{'µs CPU each':>14}{'MiB':>7}{'pages':>8}"
    )
    for contender, entry in contest.items():
        print(f"{contender:<{NAME_WIDTH}}{cells(entry)}", flush=True)
    print_ratios(contest)
    print_targets(targets_of(name, contest))


def cells(entry: Entry) -> str:
    """Show the medians of one contender."""
    if entry.problem or not entry.runs:
        return f"  FAILED: {entry.problem}"
    peak = max(run.peak for run in entry.runs) >> 20
    pages = f"{entry.pages:,}" if entry.pages else "-"
    return f"{entry.seconds:>9.2f}{entry.rate:>12,.0f}{entry.cpu * 1e6:>14,.0f}{peak:>7}{pages:>8}"


def print_trial(trial: Trial) -> None:
    """Print one measurement of verger alone."""
    print(f"\n{trial.name}\n    {trial.shown}", flush=True)
    print_targets(trial.targets)


def print_targets(targets: Sequence[Target]) -> None:
    """Say of each target whether this run reaches it."""
    for target in targets:
        print(f"    {target.wanted}: {verdict(target)}", flush=True)


def verdict(target: Target) -> str:
    """Say whether this run reaches a target."""
    if target.reached is None:
        return "not measured"
    shown = f"{target.reached:,.2f}" if target.reached < 100 else f"{target.reached:,.0f}"
    return f"{'met' if target.is_met else 'NOT MET'} ({shown.removesuffix('.00')})"


def print_foot(targets: Sequence[Target]) -> None:
    """Count the targets."""
    met = sum(target.is_met is True for target in targets)
    print(f"\n{met} of {len(targets)} targets met in this run")


# --- targets ------------------------------------------------------------------------------


def targets_of(name: str, contest: Contest) -> list[Target]:
    """Return what a contest has to show."""
    third = 1 / 3
    return [
        Target(f"{name}: verger filter, at most 1.3x bare", 1.3, ratio(contest, FILTER, BARE)),
        Target(
            f"{name}: verger filter, at most 1.3x bare, closing",
            1.3,
            ratio(contest, FILTER, BARE_CLOSING),
        ),
        Target(f"{name}: AsyncClient, at most 1.3x bare", 1.3, ratio(contest, CLIENT, BARE)),
        Target(
            f"{name}: AsyncClient with pages, at most 1/3 of Scrapy",
            third,
            ratio(contest, CLIENT_PAGES, SCRAPY_PAGES),
        ),
        Target(
            f"{name}: verger filter, at least 1,000 origins a second",
            1_000,
            contest[FILTER].rate if contest[FILTER].runs else None,
            is_least=True,
        ),
    ]


def ratio(contest: Contest, name: str, other: str, *, of_cpu: bool = False) -> float | None:
    """Return the median over the rounds of one contender's time as a multiple of another's."""
    if name not in contest or other not in contest:
        return None
    pairs = list(zip(contest[name].runs, contest[other].runs, strict=False))
    if not pairs:
        return None
    if of_cpu:
        return median(own.cpu / its.cpu for own, its in pairs)
    return median(own.seconds / its.seconds for own, its in pairs)


RATIOS = (
    (FILTER, BARE),
    (FILTER, BARE_CLOSING),
    (CLIENT, BARE),
    (CLIENT, BARE_CLOSING),
    (CLIENT_PAGES, BARE_PAGES),
    (CLIENT_PAGES, SCRAPY_PAGES),
)


def print_ratios(contest: Contest) -> None:
    """Print how contenders compare, by the clock and by processor time."""
    for name, other in RATIOS:
        times, cpu = ratio(contest, name, other), ratio(contest, name, other, of_cpu=True)
        if times is not None and cpu is not None:
            print(f"    {name} / {other}: {times:.2f} by the clock, {cpu:.2f} of CPU")


# --- for machines -------------------------------------------------------------------------


def write(
    path: Path,
    setting: Mapping[str, object],
    contests: Mapping[str, Contest],
    trials: Sequence[Trial],
    targets: Sequence[Target],
) -> None:
    """Write everything as JSON."""
    write_run(
        path,
        machine=machine(),
        versions=versions(),
        setting=setting,
        contests={
            name: {contender: as_json(entry) for contender, entry in contest.items()}
            for name, contest in contests.items()
        },
        trials=[{"name": trial.name, **trial.figures} for trial in trials],
        targets=[{**asdict(target), "met": target.is_met} for target in targets],
    )


def as_json(entry: Entry) -> dict[str, object]:
    """Turn the runs of a contender into JSON values."""
    runs = [{"seconds": run.seconds, "cpu": run.cpu, "peak": run.peak} for run in entry.runs]
    return {
        "origins": entry.origins,
        "pages": entry.pages,
        "problem": entry.problem,
        "runs": runs,
    }
