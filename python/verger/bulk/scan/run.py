"""A whole scan: files in, tables of rows and of records out, with a report.

In: paths of archives and tables. Out: Parquet files, complete or not there at all. The rows have
the order of the inputs, and of the captures in each, whatever the number of threads.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from time import monotonic

import pyarrow as pa

from verger.bulk.scan.pipeline import Ahead, Behind
from verger.bulk.scan.report import Report
from verger.bulk.scan.scanner import Scanned, Scanner
from verger.bulk.scan.sink import ParquetSink
from verger.bulk.scan.tables import read_table
from verger.bulk.scan.warc import read_warc
from verger.errors import UnknownName

FORMATS = ("warc", "parquet", "csv", "jsonl")
ENDINGS = {"warc": "warc", "parquet": "parquet", "csv": "csv", "jsonl": "jsonl", "ndjson": "jsonl"}

Path = str | os.PathLike[str]


def scan(
    paths: Sequence[Path],
    output: Path,
    *,
    records: Path | None = None,
    scanner: Scanner | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Report:
    """Scan files of captures into a Parquet file, and return what became of them.

    paths:    WARC archives, or Parquet, CSV or JSON Lines tables, as their names say.
    records:  where a second table goes, with one row per record.
    scanner:  by default one of RFC 9309 and the listed crawlers.
    columns:  names of a table's columns by what they hold: `url`, `body`, `status`, `time`,
              `location`; by default usual names are looked for.
    format:   of all inputs, where their names do not say it.
    Raises InvalidTable for what is of another format, MissingExtra, OSError.
    """
    began = monotonic()
    scanner = Scanner() if scanner is None else scanner
    report = Report()
    known = scanner.recalled
    captures = captures_of(paths, report, columns=columns, format=format)
    with ExitStack() as at_end:
        sinks = [ParquetSink(output, scanner.schema)]
        if records is not None:
            sinks.append(ParquetSink(records, scanner.records_schema))
        at_end.callback(_abandon, sinks)
        for sink in sinks:
            sink.open()
        _pump(captures, scanner, sinks, report)
        for sink in sinks:
            sink.finish()
        sinks.clear()
    report.recalled = scanner.recalled - known
    report.seconds = monotonic() - began
    return report


def captures_of(
    paths: Sequence[Path],
    report: Report,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of file after file."""
    for path in paths:
        kind = format_of(path) if format is None else format
        if kind == "warc":
            yield from read_warc(path, report)
        else:
            yield from read_table(path, kind, columns or {}, report)


def format_of(path: Path) -> str:
    """Return the format that the name of a file speaks of. Raises UnknownName."""
    name = os.fspath(path)
    ending = name.lower().removesuffix(".gz").rpartition(".")[2]
    if ending not in ENDINGS:
        known = ", ".join(f"`{format}`" for format in FORMATS)
        raise UnknownName(f"the name of `{name}` does not say its format", f"name one of {known}")
    return ENDINGS[ending]


def _pump(
    captures: Iterator[pa.RecordBatch],
    scanner: Scanner,
    sinks: Sequence[ParquetSink],
    report: Report,
) -> None:
    with_records = len(sinks) > 1

    def write(scanned: Scanned) -> None:
        for sink, batches in zip(sinks, (scanned.rows, scanned.records), strict=False):
            for batch in batches:
                sink.write(batch)

    with Ahead(captures) as ahead, Behind(write) as behind:
        for batch in ahead:
            scanned = scanner.scan(batch, with_records=with_records)
            _count(scanned, report)
            behind.put(scanned)


def _count(scanned: Scanned, report: Report) -> None:
    for batch in scanned.rows:
        report.captures += batch.num_rows
        for pair in batch.column("access").value_counts().to_pylist():
            report.access[pair["values"]] += pair["counts"]
    report.records += sum(batch.num_rows for batch in scanned.records)


def _abandon(sinks: Sequence[ParquetSink]) -> None:
    for sink in sinks:
        sink.abandon()
