"""A whole scan: files in, tables of rows and of records out, with a report.

In: paths of archives and tables. Out: Parquet files, complete or not there at all: of two, both
are. The rows have the order of the inputs, and of the captures in each, whatever the number of
threads.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from time import monotonic

import pyarrow as pa

from verger.bulk.scan.folder import read_folder
from verger.bulk.scan.pipeline import WAITING, Behind
from verger.bulk.scan.report import Report
from verger.bulk.scan.scanner import Scanned, Scanner
from verger.bulk.scan.tables import read_table
from verger.bulk.scan.warc import read_warc
from verger.errors import UnknownName
from verger.files.ahead import read_ahead
from verger.files.apart import expect_apart
from verger.files.formats import CAPTURED, format_begun, format_told, input_format
from verger.files.parquet_sink import ParquetSink
from verger.files.places import is_special
from verger.files.writing import writing_all
from verger.options import AnyPath, paths_of


def scan(
    paths: AnyPath | Iterable[AnyPath],
    output: AnyPath,
    *,
    records: AnyPath | None = None,
    scanner: Scanner | None = None,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Report:
    """Scan files of captures into a Parquet file, and return what became of them.

    paths:    one or several WARC archives, or Parquet, CSV or JSON Lines tables, as their names
              say; or folders of robots.txt files named by host.
    output:   replaced when all is complete; `-` is stdout.
    records:  where a second table goes, with one row per record. It is replaced before the output:
              where the output is new, so are the records.
    scanner:  by default one of RFC 9309 and the listed crawlers.
    columns:  names of a table's columns by what they hold: `url`, `body`, `status`, `time`,
              `location`; by default usual names are looked for.
    format:   of all inputs whose names do not say it.
    Raises InvalidTable for what is of another format, InvalidOption, MissingExtra, UnusableOutput
    for an output that cannot be written or is an input, OSError.
    """
    began = monotonic()
    scanner = Scanner() if scanner is None else scanner
    report = Report()
    known = scanner.recalled
    several = paths_of("paths", paths)
    captures = captures_of(several, report, columns=columns, format=format)
    outputs = [output] if records is None else [records, output]
    expect_apart(outputs, inputs=several, folders=folders_in(several))
    schemas = (scanner.schema, scanner.records_schema)
    with writing_all(outputs) as files, ExitStack() as at_end:
        # The rows come first here, and take their place last.
        pairs = zip(reversed(files), schemas, strict=False)
        sinks = [at_end.enter_context(ParquetSink(file, schema)) for file, schema in pairs]
        _pump(captures, scanner, sinks, report)
    report.recalled = scanner.recalled - known
    report.seconds = monotonic() - began
    return report


def captures_of(
    paths: Sequence[AnyPath],
    report: Report,
    *,
    columns: Mapping[str, str] | None = None,
    format: str | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of file after file."""
    folders = folders_in(paths)
    for path in paths:
        if path in folders:
            yield from read_folder(path, report)
            continue
        kind = format_of(path, format)
        if kind == "warc":
            yield from read_warc(path, report)
        else:
            yield from read_table(path, kind, columns or {}, report)


def folders_in(paths: Sequence[AnyPath]) -> list[AnyPath]:
    """Return those of the inputs that are folders."""
    return [path for path in paths if Path(path).is_dir()]


def format_of(path: AnyPath, format: str | None) -> str:
    """Return the format of a file: the one given, Parquet by its first bytes, or by its name.

    Raises UnknownName, InvalidOption, OSError.
    """
    if format is not None:
        input_format(path, format, CAPTURED)
        return format
    is_parquet = not is_special(os.fspath(path)) and format_begun(path) == "parquet"
    told = "parquet" if is_parquet else format_told(path)
    if told not in CAPTURED:
        known = ", ".join(f"`{format}`" for format in CAPTURED)
        name = os.fspath(path)
        raise UnknownName(f"the name of `{name}` does not say its format", f"name one of {known}")
    return told


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

    ahead = read_ahead(captures, waiting=WAITING, name="verger-read", joins=True)
    with closing(ahead), Behind(write) as behind:
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
