"""`python -m benchmarks.scan_parts [ARCHIVE]`: what each part of a scan takes of a capture.

In: an archive; by default, one of distinct captures made of the real files that `make corpus`
fetches. Out: microseconds of processor time for each capture, part by part, in one thread. Where a
part cannot be run alone, it is the difference of two runs: those that are told say of what.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

import pyarrow as pa

from benchmarks.files import CORPUS, ROOT, no_corpus, write_run
from benchmarks.scan import FOLDER, archive
from verger import parse
from verger.bulk.scan import Scanner
from verger.captures.warc import read_warc
from verger.files.parquet import ParquetSink

RESULT = ROOT / "build" / "bench" / "scan-parts.json"
RUNS = 3


def main(words: Sequence[str] | None = None) -> int:
    """Measure all parts, and tell."""
    grammar = argparse.ArgumentParser(prog="python -m benchmarks.scan_parts", description=__doc__)
    grammar.add_argument("archive", nargs="?", type=Path)
    grammar.add_argument("--captures", type=int, default=6_000)
    asked = grammar.parse_args(words)
    if asked.archive is None and not CORPUS.is_dir():
        return no_corpus(CORPUS)
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = asked.archive or archive(asked.captures, distinct=1.0)
    batches = list(read_warc(path))
    parts = measured(path, batches, sum(batch.num_rows for batch in batches))
    for name, each in parts.items():
        print(f"{name:<52}{each:>8.1f} us of CPU each")
    write_run(RESULT, parts=parts)
    return 0


def measured(path: Path, batches: Sequence[pa.RecordBatch], captures: int) -> dict[str, float]:
    """Return what each part takes, in microseconds for a capture."""

    def took(work: Callable[[], object]) -> float:
        return min(_timed(work) for _ in range(RUNS)) / captures * 1e6

    bodies = [body for each in batches for body in each.column("body").to_pylist() if body]
    everyone, known = Scanner(threads=1), Scanner(threads=1)
    few = took(lambda: scanned(Scanner(threads=1, crawlers=["no-such-crawler"]), batches))
    every = took(lambda: scanned(Scanner(threads=1), batches))
    scanned(known, batches)
    again = took(lambda: scanned(known, batches))
    digest = took(lambda: [hashlib.sha256(body).digest() for body in bodies])
    reading, parsing = took(lambda: list(read_warc(path))), took(lambda: [parse(b) for b in bodies])
    posture = took(lambda: [parse(body).agent("x").posture for body in bodies])
    rows = [row for each in batches for row in everyone.scan(each).rows]
    return {
        "records unpacked, responses, batches of captures": reading,
        "digests": digest,
        "files parsed": parsing,
        "posture of one crawler": posture - parsing,
        "lines, findings, records (the rest of one crawler)": few - again - posture,
        "who is named, their postures, and uses": every - few,
        "rows and columns of what is known": again - digest,
        "Parquet": took(lambda: _written(rows, everyone.schema)),
        "a whole scan of distinct captures": took(lambda: _written(rows, everyone.schema))
        + reading
        + every,
    }


def scanned(scanner: Scanner, batches: Sequence[pa.RecordBatch]) -> None:
    """Scan all batches, and forget the rows."""
    for batch in batches:
        scanner.scan(batch)


def _written(rows: Sequence[pa.RecordBatch], schema: pa.Schema) -> None:
    with ParquetSink(io.BytesIO(), schema) as sink:
        for batch in rows:
            sink.write(batch)


def _timed(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


if __name__ == "__main__":
    sys.exit(main())
