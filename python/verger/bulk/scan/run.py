"""A whole scan: files in, tables of rows and of records out, with a report.

In: paths of archives, tables and folders. Out: Parquet files, complete or absent; two are replaced
together. Rows have the order of the inputs, and of the captures in each, for any number of threads.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from time import monotonic

import pyarrow as pa

from verger.bulk.scan.inputs import FOLDER, captures_of, kinds_of
from verger.bulk.scan.scanner import Scanned, Scanner
from verger.captures.batches import ScanReport
from verger.files.formats import CapturedFormat
from verger.files.parquet import ParquetSink
from verger.files.same_file import expect_no_overwriting
from verger.files.workers import read_ahead
from verger.files.writing import writing_all
from verger.options import AnyPath, paths_of

WAITING = 2
"""The most batches that wait to be scanned."""


def scan(
    paths: AnyPath | Iterable[AnyPath],
    output: AnyPath,
    *,
    records: AnyPath | None = None,
    scanner: Scanner | None = None,
    columns: Mapping[str, str] | None = None,
    format: CapturedFormat | None = None,
    on_batch: Callable[[ScanReport], None] = lambda _: None,
) -> ScanReport:
    """Scan files of captures into a Parquet file, and return a report.

    paths:    one or several WARC archives, or tables (Parquet, CSV, JSON Lines), by their names;
              or folders of robots.txt files named by host; `-` is an archive from stdin.
    output:   the table of captures, written when it is complete; `-` is stdout.
    records:  a second table, with one row per record. It is replaced before the output: if the
              output is new, so are the records.
    scanner:  by default one for RFC 9309 and the listed crawlers.
    columns:  the names of a table's columns for `url`, `body`, `status`, `time` and `location`; by
              default the usual names.
    format:   the format of all inputs whose names do not say it: `warc`, `parquet`, `csv` or
              `jsonl`.
    on_batch: called with the counts so far after each batch, to show progress.
    Raises UnusableInput for an input that does not exist or has no files, InvalidTable for content
    of another format, UnknownName and InvalidOption for a format, MissingExtra, UnusableOutput for
    an output that cannot be written or is an input, OSError.
    """
    began = monotonic()
    scanner = Scanner() if scanner is None else scanner
    report = ScanReport()
    known = scanner.recalled
    several = paths_of("paths", paths)
    inputs = list(zip(several, kinds_of(several, format), strict=True))
    captures = captures_of(inputs, report, columns or {})
    outputs = [output] if records is None else [records, output]
    folders = [path for path, kind in inputs if kind == FOLDER]
    expect_no_overwriting(outputs, inputs=several, folders=folders)
    with writing_all(outputs) as files, ExitStack() as at_end:
        # The rows are the first sink, and are moved to their path last.
        schemas = scanner.schema, scanner.records_schema
        pairs = zip(reversed(files), schemas, strict=False)
        sinks = [at_end.enter_context(ParquetSink(file, schema)) for file, schema in pairs]
        _pump(captures, scanner, sinks, report, on_batch)
    report.recalled = scanner.recalled - known
    report.seconds = monotonic() - began
    return report


def _pump(
    captures: Iterator[pa.RecordBatch],
    scanner: Scanner,
    sinks: Sequence[ParquetSink],
    report: ScanReport,
    on_batch: Callable[[ScanReport], None],
) -> None:
    """Read, scan and write at the same time, each in a thread of its own.

    Reading needs the interpreter most of the time, scanning and writing hardly ever.
    """
    ahead = read_ahead(captures, waiting=WAITING, name="verger-read", joins=True)
    with closing(ahead), ThreadPoolExecutor(1, "verger-write") as writer:
        written: Future[None] = writer.submit(lambda: None)
        for batch in scanner.larger(ahead):
            scanned = scanner.scan(batch, with_records=len(sinks) > 1)
            count_scanned(scanned, report)
            on_batch(report)
            written.result()
            written = writer.submit(_write, scanned, sinks)
        written.result()


def _write(scanned: Scanned, sinks: Sequence[ParquetSink]) -> None:
    for sink, batches in zip(sinks, (scanned.rows, scanned.records), strict=False):
        for batch in batches:
            sink.write(batch)


def count_scanned(scanned: Scanned, report: ScanReport) -> None:
    """Add the rows of a batch to a report."""
    for batch in scanned.rows:
        report.captures += batch.num_rows
        for pair in batch.column("access").value_counts().to_pylist():
            report.access[pair["values"]] += pair["counts"]
    report.records += sum(batch.num_rows for batch in scanned.records)
