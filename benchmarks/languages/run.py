"""Measure verger beside parsers in other languages: `python -m benchmarks.languages`.

In: the real files that `make corpus` fetches, and the toolchains that this machine has. Out: a
table on stdout, and `build/bench/peers.json`. With `--write-docs` that file becomes
docs/benchmarks.md and its chart. Exit code 0 when everybody who could run was measured, whatever
the figures; with `--require-all` 1 when somebody was not; 2 when there is nothing to measure with,
or nothing to write.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from benchmarks import inputs, report
from benchmarks.files import CORPUS, no_corpus, refused
from benchmarks.languages import chart, contest, page, results, table, toolchains
from benchmarks.languages.contestants import Contestant
from benchmarks.languages.protocol import ROOT
from benchmarks.languages.results import Hostile, Report, Row
from benchmarks.run import QUICK_STEP

WORK = ROOT / "build" / "bench" / "peers"
RESULT = ROOT / "build" / "bench" / "peers.json"
QUICK_RESULT = ROOT / "build" / "bench" / "peers-quick.json"
PAGE = ROOT / "docs" / "benchmarks.md"
CHART = ROOT / "docs" / "images" / "benchmarks.svg"
QUICK_CASES = 3
"""A quick look takes the first and the last of four files with many rules."""
QUICK_HOSTILE = (table.MANY_RULES, table.MANY_AGENTS)

Found = TypeVar("Found", Row, Hostile)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, or write what was measured."""
    options = options_from(arguments)
    return written(options) if options.write_docs else measured(options)


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.languages",
        description="Measure verger beside parsers in other languages.",
    )
    parser.add_argument("--quick", action="store_true", help="fewer files, less patience: a minute")
    parser.add_argument(
        "--write-docs", action="store_true", help="measure nothing; write the page and its chart"
    )
    parser.add_argument(
        "--require-all", action="store_true", help="fail when somebody is not measured"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="the results")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the real files")
    options = parser.parse_args(arguments)
    options.json = options.json or (QUICK_RESULT if options.quick else RESULT)
    return options


# --- measuring ----------------------------------------------------------------------------


def measured(options: argparse.Namespace) -> int:
    """Measure everybody, and report it."""
    if not options.corpus.is_dir():
        return no_corpus(options.corpus)
    taken = inputs.generate(options.corpus)
    if options.quick:
        hostile = [question for question in taken.hostile if question.name in QUICK_HOSTILE]
        thinned = inputs.thinned(taken, QUICK_STEP)
        taken = replace(thinned, cases=taken.cases[::QUICK_CASES], hostile=hostile)
    contest.write_packs(taken, WORK / "inputs")
    contestants, missing = toolchains.all_built(WORK)
    effort = contest.QUICK if options.quick else contest.THOROUGH
    load = os.getloadavg()[0]
    with closing(contest.Contest(contestants, launch, effort)) as held:
        table.print_head(held, missing)
        rows = [shown(row) for row in held.rows(taken.cases)]
        missing |= held.failed
        ready, hellos = held.contestants, held.hellos
    endured = [shown(file) for file in contest.hostile(taken, ready, launch, effort)]
    found = Report(
        date=datetime.now(UTC).isoformat(timespec="minutes"),
        machine=machine(load),
        inputs={"files": len(taken.bodies), "bytes": taken.size},
        rounds=effort.rounds,
        versions={key: hello.version for key, hello in hellos.items()},
        runtimes=toolchains.compilers(ready)
        | {key: hello.runtime for key, hello in hellos.items() if hello.runtime},
        missing=missing,
        rows=tuple(rows),
        hostile=tuple(endured),
        quick=options.quick,
    )
    results.write(found, options.json)
    print(f"\nwritten: {toolchains.shown(options.json.resolve())}")
    return 1 if options.require_all and is_lacking(found) else 0


def is_lacking(found: Report) -> bool:
    """Whether somebody could not run, or has no figure on real files."""
    return bool(found.missing) or any(row.notes for row in found.rows)


def launch(contestant: Contestant) -> tuple[list[str], Path]:
    """Return the command of a contestant's harness, and where its errors go."""
    command = toolchains.command_for(contestant, WORK, WORK / "inputs")
    return command, WORK / f"{contestant.harness}.log"


def machine(load: float) -> dict[str, str | int | float]:
    """Describe this machine, and how busy it was before the first round."""
    return {**report.machine(), "load": round(load, 2)}


def shown(found: Found) -> Found:
    """Print a row as soon as it is there."""
    table.print_found(found)
    return found


# --- writing ------------------------------------------------------------------------------


def written(options: argparse.Namespace) -> int:
    """Write the page and the chart from the results of an earlier run."""
    if not options.json.is_file():
        return refused(f"`{options.json}` is not there", "`make bench-peers` measures")
    found = results.read(options.json)
    if found.quick:
        return refused("a quick run is not a measurement", "run without `--quick` first")
    CHART.parent.mkdir(parents=True, exist_ok=True)
    CHART.write_text(chart.svg(found), encoding="utf-8")
    PAGE.write_text(page.markdown(found), encoding="utf-8")
    print(f"written: {toolchains.shown(PAGE)}, {toolchains.shown(CHART)}")
    return 0
