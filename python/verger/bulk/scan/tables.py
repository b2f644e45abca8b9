"""Tables of captures: Parquet, CSV and JSON Lines, with columns of any name.

In: a file, and which of its columns hold what. Out: batches of captures. Without a column `status`
a row with a body is one that came with 200, and a row without one is a site that did not answer.
A column that is not there or holds something else is an error; a row of text that cannot be read
is skipped and reported, with its line.
"""

import csv
import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from json import JSONDecoder
from pathlib import Path
from typing import TextIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from verger.bulk.parquet import opened, pieces
from verger.bulk.scan.captures import BYTES, MOST_BYTES, SCHEMA, Batch, times_of
from verger.bulk.scan.lines import Lines, LongLine
from verger.bulk.scan.report import Report
from verger.errors import InvalidTable

USUAL = {
    "url": (
        *("url", "origin", "host", "hostname", "domain", "site", "authority", "uri"),
        *("robots_url", "target_uri", "warc-target-uri"),
    ),
    "body": ("body", "robots_txt", "robots", "robotstxt", "content", "text"),
    "status": ("status", "status_code", "http_status", "code", "fetch_status"),
    "time": ("time", "fetched_at", "crawled_at", "fetch_time", "timestamp", "date"),
    "location": ("location", "redirect", "redirect_location"),
}
"""Names that are looked for where none is given, in any case."""

NEEDED = ("url", "body")
ROWS = 1_024
LONGEST_LINE = 8 * MOST_BYTES
"""Characters of a line, and of a field of CSV: the longest body, each byte escaped in JSON."""

Row = Mapping[str, object]


def read_table(
    path: str | os.PathLike[str], format: str, columns: Mapping[str, str], report: Report
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of a table. Raises InvalidTable, OSError."""
    name = os.fspath(path)
    if format == "parquet":
        yield from _read_parquet(name, columns)
        return
    read = {"csv": _csv_rows, "jsonl": _json_rows}[format]
    batch = Batch()
    with ExitStack() as at_end:
        for line, row in _readable(name, read(name, at_end, columns, report)):
            try:
                is_full = batch.add(*_capture(row))
            except ValueError as why:
                report.skip(name, line, str(why))
                continue
            if is_full:
                yield batch.take()
    if batch:
        yield batch.take()


def found_columns(name: str, present: Sequence[str], wanted: Mapping[str, str]) -> dict[str, str]:
    """Return which column holds what. Raises InvalidTable, which names column and file."""
    lower = {column.lower(): column for column in reversed(present)}
    found = {}
    for role, usual in USUAL.items():
        if role in wanted:
            if wanted[role] not in present:
                raise _no_column(name, wanted[role], present)
            found[role] = wanted[role]
            continue
        column = next((lower[known] for known in usual if known in lower), None)
        if column is not None:
            found[role] = column
        elif role in NEEDED:
            raise _no_column(name, role, present)
    return found


def _no_column(name: str, column: str, present: Sequence[str]) -> InvalidTable:
    shown = ", ".join(f"`{column[:40]}`" for column in present[:20]) or "none"
    return InvalidTable(
        f"no column `{column}` in `{name}`", f"its columns are {shown}; name the one to read"
    )


# Parquet


def _read_parquet(name: str, wanted: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    # What a damaged file makes Arrow raise is often an OSError that names no file.
    try:
        with opened(name) as file:
            columns = found_columns(name, file.schema_arrow.names, wanted)
            for role, column in columns.items():
                _check_type(name, role, column, file.schema_arrow.field(column).type)
            for batch in _bounded(pieces(file, list(columns.values()))):
                yield _as_captures(name, batch, columns)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _broken(name, error) from None


def _bounded(few: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield larger batches, each of so many rows or bytes at most and one piece more."""
    waiting: list[pa.RecordBatch] = []
    rows = data = 0
    for piece in few:
        waiting.append(piece)
        rows, data = rows + piece.num_rows, data + piece.nbytes
        if rows >= ROWS or data >= BYTES:
            yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
            waiting, rows, data = [], 0, 0
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


def _check_type(name: str, role: str, column: str, kind: pa.DataType) -> None:
    kind = kind.value_type if kinds.is_dictionary(kind) else kind
    is_bytes = (
        kinds.is_string(kind)
        or kinds.is_large_string(kind)
        or kinds.is_string_view(kind)
        or kinds.is_binary(kind)
        or kinds.is_large_binary(kind)
        or kinds.is_binary_view(kind)
    )
    match role:
        case "status":
            fits, expected = kinds.is_integer(kind), "whole numbers"
        case "time":
            is_time = kinds.is_timestamp(kind) or kinds.is_date(kind)
            fits, expected = is_time or is_bytes, "times"
        case "body":
            fits, expected = is_bytes, "text or bytes"
        case _:
            fits, expected = is_bytes, "text"
    if not fits and not kinds.is_null(kind):
        raise InvalidTable(
            f"the column `{column}` of `{name}` holds {kind}, not {expected}",
            "name another column, or cast it",
        )


def _as_captures(name: str, batch: pa.RecordBatch, columns: Mapping[str, str]) -> pa.RecordBatch:
    made: dict[str, pa.Array] = {}
    for role, column in columns.items():
        array = batch.column(column)
        try:
            made[role] = _cast(role, array)
        except pa.ArrowException as error:
            why = str(error).partition("\n")[0]
            raise InvalidTable(f"the column `{column}` of `{name}`: {why}") from None
    if "status" not in made:
        is_there = pc.is_valid(made["body"])
        status = pa.scalar(None, pa.int32())
        made["status"] = pc.if_else(is_there, pa.scalar(200, pa.int32()), status)
    return pa.RecordBatch.from_pydict(made)


def _cast(role: str, array: pa.Array) -> pa.Array:
    if role == "status":
        return array.cast(pa.int32())
    if role != "time":
        return array
    kind = SCHEMA.field("time").type
    if kinds.is_timestamp(array.type):
        return array.cast(pa.timestamp("us", array.type.tz), safe=False).cast(kind)
    if kinds.is_date(array.type):
        return array.cast(pa.timestamp("us")).cast(kind)
    return times_of([_text(value) for value in array.to_pylist()])


def _text(value: str | bytes | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


# Text: CSV and JSON Lines


def _csv_rows(
    name: str, at_end: ExitStack, wanted: Mapping[str, str], report: Report
) -> Iterator[tuple[int, Row]]:
    csv.field_size_limit(LONGEST_LINE)
    lines = Lines(_opened(name, at_end), LONGEST_LINE)
    rows = csv.reader(lines)
    try:
        header = [column.strip() for column in next(rows, [])]
    except (csv.Error, LongLine) as error:
        raise _broken(name, error) from None
    columns = found_columns(name, header, wanted)
    places = {role: header.index(column) for role, column in columns.items()}
    while True:
        line = lines.number + 1
        try:
            record = next(rows, None)
        except csv.Error as error:
            report.skip(name, line, f"the record is not CSV: {error}")
            continue
        except LongLine as error:
            report.skip(name, lines.number, str(error))
            continue
        if record is None:
            return
        if not record:
            continue
        if len(record) <= max(places.values()):
            report.skip(name, line, "the record has fewer fields than the header")
            continue
        yield line, {role: record[place] or None for role, place in places.items()}


def _json_rows(
    name: str, at_end: ExitStack, wanted: Mapping[str, str], report: Report
) -> Iterator[tuple[int, Row]]:
    decode: Callable[[str], object] = JSONDecoder().decode
    columns: dict[str, str] = {}
    lines = Lines(_opened(name, at_end), LONGEST_LINE)
    while True:
        try:
            text = next(lines, None)
        except LongLine as error:
            report.skip(name, lines.number, str(error))
            continue
        if text is None:
            return
        if not text.strip():
            continue
        line = lines.number
        try:
            value = decode(text)
        except (ValueError, RecursionError) as error:
            report.skip(name, line, f"the line is not JSON: {str(error)[:80]}")
            continue
        if not isinstance(value, dict):
            report.skip(name, line, "the line is not a JSON object")
            continue
        # Members that are null are often left out, so that each row may show another column.
        if not columns or not set(columns) >= set(USUAL):
            columns |= _shown_columns(name, value, wanted, is_first=not columns)
        yield line, {role: value.get(column) for role, column in columns.items()}


def _shown_columns(
    name: str, value: Mapping[str, object], wanted: Mapping[str, str], *, is_first: bool
) -> dict[str, str]:
    if is_first:
        present = [*value, *(column for column in wanted.values() if column not in value)]
        if "body" not in wanted and not {column.lower() for column in value} & set(USUAL["body"]):
            present.append("body")
        return found_columns(name, present, wanted)
    lower = {column.lower(): column for column in value}
    known = {
        role: next((lower[column] for column in usual if column in lower), None)
        for role, usual in USUAL.items()
        if role not in wanted
    }
    return {role: column for role, column in known.items() if column is not None}


def _opened(name: str, at_end: ExitStack) -> TextIO:
    path = Path(name)
    data = gzip.open(path, "rb") if name.endswith(".gz") else path.open("rb")  # noqa: SIM115
    at_end.enter_context(data)
    import io

    return io.TextIOWrapper(data, "utf-8-sig", "surrogateescape", newline="")


def _readable(name: str, rows: Iterator[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Yield rows; turn a broken stream into an error that names the file."""
    try:
        yield from rows
    except (EOFError, zlib.error) as error:
        raise _broken(name, error) from None
    except OSError as error:
        if error.filename is not None:
            raise
        raise _broken(name, error) from None


def _broken(name: str, error: Exception) -> InvalidTable:
    words = error.strerror if isinstance(error, OSError) else None
    why = (words or str(error)).partition("\n")[0]
    return InvalidTable(f"cannot read `{name}`: {why}", "is it of the format that its name says?")


def _capture(
    row: Row,
) -> tuple[str | None, str | datetime | None, int | None, str | None, bytes | None]:
    """Return the capture that a row of text holds. Raises ValueError."""
    body = _string(row, "body")
    data = None if body is None else _bytes(body)[:MOST_BYTES]
    status = _status(row) if "status" in row else (None if data is None else 200)
    url, location = _string(row, "url"), _string(row, "location")
    return _utf8(url), _string(row, "time"), status, _utf8(location), data


def _status(row: Row) -> int | None:
    match row["status"]:
        case None:
            return None
        case bool():
            pass
        case int(number) if abs(number) < 1 << 31:
            return number
        case float(number) if number.is_integer() and abs(number) < 1 << 31:
            return int(number)
        case str(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 10:
            return int(text)
    raise ValueError("`status` is no whole number")


def _string(row: Row, role: str) -> str | None:
    value = row.get(role)
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"`{role}` is not a string")


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def _utf8(text: str | None) -> str | None:
    return text if text is None or text.isascii() else _bytes(text).decode("utf-8", "replace")
