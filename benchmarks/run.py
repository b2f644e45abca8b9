"""Measure verger beside its peers: `python -m benchmarks` or `python benchmarks/run.py`.

In: the real files that `make corpus` fetches. Out: a table on stdout, and
`build/bench/bench.json`. Exit code 0 when everything was measured, whatever the figures:
benchmarks are no tests. 2 when there is nothing to measure with.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from benchmarks import inputs, peers, report  # noqa: E402 (the path comes first)
from benchmarks.files import CORPUS, no_corpus  # noqa: E402
from benchmarks.rows import ROWS, Bench, Row  # noqa: E402

RESULT = ROOT / "build" / "bench" / "bench.json"
QUICK_STEP = 20
"""A quick look takes every twentieth file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for, and report it."""
    options = options_from(arguments)
    if not options.corpus.is_dir():
        return no_corpus(options.corpus)
    bench, missing = bench_for(options)
    where = report.setting(bench.inputs, bench.peers)
    report.print_head(where, bench.peers, missing)
    rows = list(measured(bench, options.rows))
    report.print_foot(rows)
    report.write(rows, where, options.json)
    return 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description="Measure verger beside its peers."
    )
    parser.add_argument("--quick", action="store_true", help="fewer files, less patience: a minute")
    parser.add_argument(
        "--rows",
        nargs="+",
        choices=ROWS,
        default=list(ROWS),
        metavar="NAME",
        help=f"measure only these: {', '.join(ROWS)}",
    )
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE", help="where to write")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the real files")
    parser.add_argument(
        "--inputs",
        type=Path,
        metavar="DIR",
        help="take the inputs that another generator wrote to DIR",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="how long a peer may take for a hostile file",
    )
    return parser.parse_args(arguments)


def bench_for(options: argparse.Namespace) -> tuple[Bench, list[str]]:
    """Prepare inputs and peers; return the names of peers that are not installed, too."""
    installed, missing = peers.installed()
    if options.inputs:
        taken = inputs.read(options.inputs, options.corpus)
    else:
        taken = inputs.generate(options.corpus)
    if options.quick:
        taken = inputs.thinned(taken, QUICK_STEP)
    timeout, budget, starts = (0.5, 0.04, 7) if options.quick else (4.0, 0.3, 21)
    timeout = options.timeout or timeout
    return Bench(taken, installed, timeout, budget, starts, options.corpus), missing


def measured(bench: Bench, names: Sequence[str]) -> list[Row]:
    """Measure and print one row after the other."""
    rows: list[Row] = []
    for name in names:
        for row in ROWS[name](bench):
            report.print_row(row, bench.peers)
            rows.append(row)
    return rows


if __name__ == "__main__":
    sys.exit(main())
