"""Measure whole tables: `python -m benchmarks.bulk`.

In: the real files that `make corpus` fetches. Out: tables on stdout, and `build/bench/bulk.json`:
rows per second and peak memory of `decide_table` by the number of origins, and the cost of a row
of `decide_stream` by the number of rows. Each case is a process of its own. Exit code 0 when
everything was measured, whatever the figures; 2 when there is nothing to measure with.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

import verger
from benchmarks.bulk_case import Case, Found, Measured, Order
from benchmarks.files import CORPUS, no_corpus, write_run
from benchmarks.load.process import MIB, ROOT, run
from benchmarks.report import machine

RESULT = ROOT / "build" / "bench" / "bulk.json"
ORIGINS = (1, 100, 10_000, 1_000_000)
THREADS = (1, 2)
ORDERS: tuple[Order, ...] = ("sorted", "shuffled")
ROWS = 2_000_000
STREAMS = (100_000, 1_000_000, 10_000_000, 100_000_000)
STREAM_ORIGINS = 10_000
STREAM_THREADS = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure every case, and report it."""
    options = options_from(arguments)
    if not options.corpus.is_dir():
        return no_corpus(options.corpus)
    here = machine_here()
    print(", ".join(f"{name} {value}" for name, value in here.items()))
    tables = tables_measured(options)
    streams = streams_measured(options)
    write(options.json, here, tables, streams)
    return 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bulk", description="Measure verger on whole tables."
    )
    parser.add_argument(
        "--quick", action="store_true", help="fewer rows and origins: half a minute"
    )
    parser.add_argument("--origins", type=int, nargs="+", metavar="N", help="origins of the tables")
    parser.add_argument("--rows", type=int, metavar="N", help="rows of the tables")
    parser.add_argument("--streams", type=int, nargs="+", metavar="N", help="rows of the streams")
    parser.add_argument("--json", type=Path, default=RESULT, metavar="FILE", help="where to write")
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="DIR", help="the real files")
    options = parser.parse_args(arguments)
    options.origins = options.origins or (ORIGINS[:3] if options.quick else ORIGINS)
    options.rows = options.rows or (ROWS // 20 if options.quick else ROWS)
    options.streams = options.streams or (STREAMS[:2] if options.quick else STREAMS)
    return options


def tables_measured(options: argparse.Namespace) -> list[Found]:
    """Measure `decide_table` by origins, order and threads."""
    print(f"\ndecide_table, {options.rows:,} rows, a file for each origin")
    print(f"{'origins':>9} {'order':>9} {'threads':>7} {'first rows/s':>13} {'again rows/s':>13}"
          f" {'ns/row':>7} {'cpu ns':>7} {'URLs':>9} {'files':>9}"
          f" {'held':>9} {'peak':>9}")  # fmt: skip
    found = []
    for origins in options.origins:
        for order in ORDERS if origins > 1 else ORDERS[:1]:
            for threads in THREADS:
                case = Case("table", origins, options.rows, order, threads, str(options.corpus))
                found.append(measured(case))
                print(table_line(found[-1]), flush=True)
    return found


def table_line(found: Found) -> str:
    """Show one case of `decide_table`."""
    case, here = found.case, found.measured
    return (
        f"{case.origins:>9,} {case.order:>9} {case.threads:>7} {case.rows / here.first:>13,.0f}"
        f" {case.rows / here.again:>13,.0f} {row_costs(found)}"
        f" {mib(here.urls)} {mib(here.bodies)} {mib(here.held)} {mib(here.peak)}"
    )


def streams_measured(options: argparse.Namespace) -> list[Found]:
    """Measure `decide_stream` by rows; all cases of one order should cost the same a row."""
    print(
        f"\ndecide_stream, {STREAM_ORIGINS:,} origins, {STREAM_THREADS} threads,"
        " files parsed before"
    )
    print(f"{'rows':>13} {'order':>9} {'seconds':>9} {'ns/row':>7} {'cpu ns':>7} {'held':>9}"
          f" {'peak':>9}")  # fmt: skip
    found = []
    for order in ORDERS:
        some = []
        for rows in options.streams:
            case = Case("stream", STREAM_ORIGINS, rows, order, STREAM_THREADS, str(options.corpus))
            some.append(measured(case))
            print(stream_line(some[-1]), flush=True)
        print(f"{'':>13} {order:>9} most / least ns a row: {flatness(some):.2f}", flush=True)
        found += some
    return found


def stream_line(found: Found) -> str:
    """Show one case of `decide_stream`."""
    here = found.measured
    shown = f"{found.case.rows:>13,} {found.case.order:>9} {here.again:>9.2f} {row_costs(found)}"
    return f"{shown} {mib(here.held)} {mib(here.peak)}"


def row_costs(found: Found) -> str:
    """Show what a row costs, in nanoseconds by the clock and of processors."""
    return f"{found.ns_per_row:>7.0f} {found.cpu_ns_per_row:>7.0f}"


def flatness(found: Sequence[Found]) -> float:
    """Return the dearest row over the cheapest."""
    costs = [one.ns_per_row for one in found]
    return max(costs) / min(costs)


def mib(size: int) -> str:
    """Show bytes as MiB."""
    return f"{size / MIB:>6,.0f}MiB"


def measured(case: Case) -> Found:
    """Measure one case in a process of its own."""
    load = os.getloadavg()[0]
    command = [sys.executable, "-m", "benchmarks.bulk_case", json.dumps(asdict(case))]
    said = json.loads(run(command).output.splitlines()[-1])
    return Found(case, Measured(**said), load)


def machine_here() -> dict[str, str | int]:
    """Describe this machine, and what decides about tables."""
    return {**machine(), "verger": verger.__version__, "pyarrow": pa.__version__}


def write(
    path: Path, here: dict[str, str | int], tables: Sequence[Found], streams: Sequence[Found]
) -> None:
    """Write everything as JSON."""
    write_run(
        path,
        machine=here,
        tables=[as_json(found) for found in tables],
        streams=[as_json(found) for found in streams],
    )


def as_json(found: Found) -> dict[str, object]:
    """Turn a case into JSON values; the corpus is wherever it is."""
    case = {name: value for name, value in asdict(found.case).items() if name != "corpus"}
    return {
        **case,
        **asdict(found.measured),
        "ns_per_row": found.ns_per_row,
        "cpu_ns_per_row": found.cpu_ns_per_row,
        "rows_per_second": found.case.rows / found.measured.again,
        "load": found.load,
    }


if __name__ == "__main__":
    sys.exit(main())
