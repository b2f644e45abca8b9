"""Tables of fetched files: Parquet, CSV and JSON Lines, a row for each time a file was fetched.

In: a file, and a `Form`, which says what its columns are called and contain. Out: record batches of
bounded size with those of the columns `url`, `body`, `status`, `time` and `location` that the table
has, and `failure` of an exported cache; from Parquet with the types of the file, except for times
and statuses. If a table has no column of statuses, a row with a body has the status 200. A missing
column, or one with other values, is an error; so is a row of text that cannot be read, unless the
caller skips it.

A CSV file cannot say that a body is null: an empty one next to a success is an empty file, and
otherwise there is no body.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from pyarrow.parquet import ParquetFile

from verger.access.result import Failure
from verger.bulk.captures import (
    BYTES,
    MOST_BYTES,
    SCHEMA,
    Batch,
    is_in_calendar,
    is_nan,
    moment_of,
    or_null,
    times_of,
)
from verger.errors import InvalidTable
from verger.files.columns import expect_kind, is_bytes, is_text, no_column
from verger.files.csv_text import read_header, read_records
from verger.files.json_text import NotAnObject, read_object
from verger.files.lines import Lines, LongLine, read_bytes
from verger.files.parquet import open_parquet, read_pieces
from verger.plain import printable

ROWS = 1_024

LONGEST_LINE = 8 * MOST_BYTES
"""Bytes of a line, and of a field of CSV: the longest body, each byte escaped in JSON."""

KINDS = {
    "url": "text",
    "body": "text or bytes",
    "status": "numbers",
    "time": "times or numbers",
    "location": "text",
}
"""What columns contain; see `verger.files.columns`."""

WHOLE = re.compile(r"\s*(-?[0-9]{1,9})(?:\.0*)?\s*")
"""A status as text; programs that keep numbers as floats write `200.0`."""

Row = Mapping[str, object]
OnSkip = Callable[[int, str], None]
"""Called with the line of an unreadable row, and the reason."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the columns of a table are called, and what they contain."""

    names: Mapping[str, Sequence[str]]
    """Some of `NAMES`: the names that each may have, in any case; the first one in the table, or in
    the row of JSON Lines, counts."""
    needed: Sequence[str] = ("url", "body")
    """The columns that a table must have."""
    hint: str | None = None
    """A hint that lists the columns that are expected."""
    is_strict: bool = True
    """Whether a text that is not a time is an error; otherwise the time is unknown."""
    most_bytes: int | None = None
    """How many bytes of a body are kept from CSV and JSON Lines; None for all."""
    takes_exports: bool = False
    """Whether a row of an exported cache is read as several observations, with `failure`s."""


NAMES = {
    "url": (
        *("origin", "url", "host", "hostname", "domain", "site", "authority", "uri"),
        *("robots_url", "target_uri", "warc-target-uri"),
    ),
    "body": ("body", "robots_txt", "robots", "robotstxt", "content", "text"),
    "status": ("status", "status_code", "http_status", "code", "fetch_status"),
    "time": ("time", "fetched_at", "crawled_at", "fetch_time", "timestamp", "date"),
    "location": ("location", "redirect", "redirect_location"),
}
"""The same for every command, so that a table has one meaning."""

OBSERVED_NAMES = {role: names for role, names in NAMES.items() if role != "location"}

SNAPSHOT = Form(
    names=OBSERVED_NAMES,
    hint="a snapshot has the columns `origin` (or `url`, `host`), `body`, and perhaps `status`, "
    "`time`",
    takes_exports=True,
)
"""Files of many origins."""

HISTORY = Form(
    names=OBSERVED_NAMES,
    needed=("time", "body"),
    hint="a history has the columns `time`, `body`, and perhaps `origin` (or `url`, `host`), "
    "`status`",
    takes_exports=True,
)
"""The versions of one file."""


def read_table(
    path: str | os.PathLike[str],
    format: str,
    form: Form,
    *,
    columns: Mapping[str, str] | None = None,
    on_skip: OnSkip | None = None,
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table, in batches.

    format:   one of `verger.files.formats.TABLES`; CSV and JSON Lines are unpacked if the name
              ends in `.gz`.
    columns:  the names of columns that do not have a usual one, by what they contain.
    on_skip:  called with the line of an unreadable row, and the reason; without it the first such
              row is an error.
    Raises:   InvalidTable, MissingExtra.
    """
    name = os.fspath(path)
    if format == "parquet":
        yield from _read_parquet(name, form, columns or {})
        return
    read = {"csv": _csv_rows, "jsonl": _json_rows}[format]
    skip = on_skip or _refuse(name)
    batch = Batch()
    for line, row in read(name, form, columns or {}, skip):
        try:
            is_full = batch.add(*_capture(row, form))
        except ValueError as why:
            skip(line, str(why))
            continue
        if is_full:
            yield batch.take()
    if batch:
        yield batch.take()


def _refuse(name: str) -> OnSkip:
    def skip(line: int, why: str) -> None:
        message = f"cannot read line {line:,} of `{printable(name)}`: {why}"
        raise InvalidTable(message, "correct the line, or leave it out")

    return skip


def values_of(batch: pa.RecordBatch) -> dict[str, list[Any]]:
    """Return times, statuses, failures and bodies of a batch; all None if it has no such column.

    A body is bytes, which need not be UTF-8.
    """
    there = set(batch.schema.names)
    values = {
        name: batch.column(name).to_pylist() if name in there else [None] * batch.num_rows
        for name in ("time", "status", "failure")
    }
    return {**values, "body": _bytes_in(batch.column("body"))}


def _bytes_in(column: pa.Array) -> list[bytes | None]:
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    data: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    return data


def found_columns(
    name: str, present: Sequence[str], form: Form, wanted: Mapping[str, str]
) -> dict[str, str]:
    """Return the column for each role. Raises InvalidTable, which names column and file."""
    lower = {column.lower(): column for column in reversed(present)}
    found = {}
    for role, usual in form.names.items():
        if role in wanted:
            if wanted[role] not in present:
                raise no_column(name, wanted[role], present)
            found[role] = wanted[role]
        elif (
            column := next((lower[known] for known in usual if known in lower), None)
        ) is not None:
            found[role] = column
        elif role in form.needed:
            raise no_column(name, usual[0], present, needs=form.hint)
    for role, column in found.items():
        _expect_one(name, column, present, is_exact=role in wanted)
    return found


def _expect_one(name: str, column: str, present: Sequence[str], *, is_exact: bool) -> None:
    """Refuse a column that exists twice; if nobody named it, in any case of letters."""
    same = [other for other in present if other == column]
    if not is_exact:
        same += [other for other in present if other != column and other.lower() == column.lower()]
    if len(same) > 1:
        names = " and ".join(f"`{printable(other)}`" for other in dict.fromkeys(same))
        why = f"`{printable(name)}` has several columns {names}"
        raise InvalidTable(why, "leave all but one out, or rename them")


# Parquet


def _read_parquet(name: str, form: Form, wanted: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    with open_parquet(name) as file:
        if form.takes_exports and is_export(file.schema_arrow):
            yield from _read_export(name, file, form)
            return
        columns = found_columns(name, file.schema_arrow.names, form, wanted)
        for role, column in columns.items():
            expect_kind(name, column, file.schema_arrow.field(column).type, KINDS[role])
        for batch in _bounded(read_pieces(name, file, list(columns.values()))):
            yield _as_rows(name, batch, columns, form)


def _bounded(few: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield larger batches, each of up to `ROWS` rows or `BYTES` bytes and one piece more."""
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


def _as_rows(
    name: str, batch: pa.RecordBatch, columns: Mapping[str, str], form: Form
) -> pa.RecordBatch:
    made: dict[str, pa.Array] = {}
    for role, column in columns.items():
        try:
            made[role] = _cast(role, batch.column(column), form)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            why = str(error).partition("\n")[0]
            shown = f"the column `{printable(column)}` of `{printable(name)}`"
            raise InvalidTable(
                f"{shown}: {why}", "correct the value, or leave the row out"
            ) from None
    if "status" not in made:
        is_there = pc.is_valid(made["body"])
        status = pa.scalar(None, pa.int32())
        made["status"] = pc.if_else(is_there, pa.scalar(200, pa.int32()), status)
    return pa.RecordBatch.from_pydict(made)


EXPORTED = ("origin", "fetched_at", "status", "failure", "body", "unreachable_since", "copy")
"""The columns of an exported cache that are read (`verger.cache.export`)."""


COPIED = ("fetched_at", "status", "body")
"""The fields of a copy that are read."""


def is_export(schema: pa.Schema) -> bool:
    """Whether a table is an exported cache, or rows of one that another program wrote."""
    if not set(EXPORTED) <= set(schema.names):
        return False
    copy = schema.field("copy").type
    fields = {copy.field(at).name for at in range(copy.num_fields)} if kinds.is_struct(copy) else {}
    return kinds.is_null(copy) or set(COPIED) <= set(fields)


def _read_export(name: str, file: ParquetFile, form: Form) -> Iterator[pa.RecordBatch]:
    for role, column in (("url", "origin"), ("body", "body"), ("status", "status")):
        expect_kind(name, column, file.schema_arrow.field(column).type, KINDS[role])
    for batch in _bounded(read_pieces(name, file, EXPORTED)):
        try:
            yield _observations(batch, form)
        except (pa.ArrowException, ValueError, OverflowError) as error:
            why = str(error).partition("\n")[0]
            hint = "export the cache again"
            raise InvalidTable(f"the export `{printable(name)}`: {why}", hint) from None


def _observations(batch: pa.RecordBatch, form: Form) -> pa.RecordBatch:
    """Return the observations of the entries of a cache, in this order: the copy that is used while
    the file cannot be fetched, the first of the failures, and the last attempt.

    In a cache, a lost body is a failure, so a null next to a status without one is an empty body.
    """
    origin, at, status, failure, body, since, copy = (batch.column(name) for name in EXPORTED)
    at, since = (_cast("time", each, form) for each in (at, since))
    status, failure = _cast("status", status, form), failure.cast(pa.string())
    _expect_failures(failure)
    begin = pc.coalesce(since, at)
    is_response = pc.and_(pc.is_valid(status), pc.is_null(failure))
    body = body.cast(pa.large_binary())
    body = pc.if_else(is_response, pc.coalesce(body, pa.scalar(b"", pa.large_binary())), body)
    if kinds.is_null(copy.type):
        copy = pa.nulls(len(copy), pa.struct([(name, pa.null()) for name in COPIED]))
    copied = [pc.struct_field(copy, name) for name in COPIED]
    copied_at = _cast("time", copied[0], form)
    copied_at = pc.if_else(pc.less(copied_at, begin), copied_at, begin)
    nothing = pa.nulls(len(batch), pa.string())
    earlier = [origin, copied_at, _cast("status", copied[1], form), nothing, copied[2]]
    first = [origin, since, status, failure, body]
    last = [origin, pc.if_else(pc.less(begin, at), at, begin), status, failure, body]
    has_copy, is_run = copy.is_valid(), pc.fill_null(pc.less(since, at), fill_value=False)
    parts = [(earlier, has_copy), (first, is_run), (last, pc.is_valid(at))]
    tables = [_seen(columns).filter(is_there) for columns, is_there in parts]
    return pa.concat_tables(tables).combine_chunks().to_batches()[0]


def _seen(columns: list[pa.Array]) -> pa.Table:
    columns[-1] = columns[-1].cast(pa.large_binary())
    return pa.table(columns, names=["url", "time", "status", "failure", "body"])


def _expect_failures(failures: pa.Array) -> None:
    for word in pc.unique(failures).to_pylist():
        if word is not None and word not in get_args(Failure):
            raise ValueError(f"`{printable(word)[:MOST_SHOWN]}` is not a failure")


def _cast(role: str, array: pa.Array, form: Form) -> pa.Array:
    if role == "status":
        return _numbers(array).cast(pa.int32())
    if role != "time":
        return array
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not is_text(array.type) and not is_bytes(array.type):
        return _in_calendar(_micros(array), form)
    texts = [_text(value) for value in array.to_pylist()]
    if form.is_strict:
        times = [None if text is None else _moment_or_null(text) for text in texts]
        return pa.array(times, SCHEMA.field("time").type)
    return times_of(texts)


def _micros(array: pa.Array) -> pa.Array:
    """Return times to the microsecond; the rest is cut off, and rounded for floats."""
    kind = SCHEMA.field("time").type
    if kinds.is_timestamp(array.type):
        is_finer = array.type.unit == "ns"
        return array.cast(pa.timestamp("us", array.type.tz), safe=not is_finer).cast(kind)
    if kinds.is_integer(array.type) or kinds.is_floating(array.type):
        micros = pc.multiply_checked(_numbers(array).cast(pa.float64()), 1e6)
        return pc.round(micros).cast(pa.int64()).cast(kind)
    return array.cast(pa.timestamp("us")).cast(kind)


def _in_calendar(times: pa.Array, form: Form) -> pa.Array:
    """Refuse times outside the calendar, such as milliseconds for seconds; or make them null."""
    if form.is_strict and (others := times.filter(pc.invert(is_in_calendar(times)))):
        micros = others[0].value
        raise ValueError(f"{micros / 1e6:,.0f} seconds since 1970 are not a time")
    return or_null(times)


def _numbers(array: pa.Array) -> pa.Array:
    """Return numbers; NaN, which pandas writes for a null among numbers, is null."""
    if not kinds.is_floating(array.type):
        return array
    array = array.cast(pa.float64())
    return pc.if_else(pc.is_nan(array), pa.scalar(None, pa.float64()), array)


def _text(value: str | bytes | None) -> str | None:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


# Text: CSV and JSON Lines


def _csv_rows(
    name: str, form: Form, wanted: Mapping[str, str], skip: OnSkip
) -> Iterator[tuple[int, Row]]:
    lines = Lines(read_bytes(name, what="a table"), LONGEST_LINE)
    records = read_records(lines, LONGEST_LINE)
    header = read_header(name, records)
    columns = found_columns(name, header, form, wanted)
    places = {role: header.index(column) for role, column in columns.items()}
    for line, record, problem in records:
        if problem:
            skip(line, problem)
        elif len(record) <= max(places.values()):
            skip(line, "the record has fewer fields than the header")
        else:
            row = {role: record[place] or None for role, place in places.items()}
            if row["body"] is None and _is_success(row.get("status")):
                row["body"] = ""
            yield line, row


def _is_success(status: str | None) -> bool:
    return status is not None and status.strip().startswith("2")


def _has_file(status: str) -> bool:
    """Whether a response with this status has a file (RFC 9110 sections 15.3.5 and 15.3.6)."""
    return _is_success(status) and not status.strip().startswith(("204", "205"))


def _json_rows(
    name: str, form: Form, wanted: Mapping[str, str], skip: OnSkip
) -> Iterator[tuple[int, Row]]:
    """Yield rows, each of which may have other names than the one before.

    Members that are null are often left out, and a file may have lines of several programs.
    """
    columns: dict[str, str] = {}
    has_body, has_success = "body" in wanted, False
    value: Mapping[str, object] = {}
    shown: list[str] = []
    for line, text in _lines(name, skip):
        try:
            value = read_object(text)
        except NotAnObject as why:
            skip(line, str(why)[:MOST_SHOWN])
            continue
        if not columns or shown != list(value):
            shown = list(value)
            columns |= _shown_columns(name, value, form, wanted, is_first=not columns)
            has_body = has_body or columns["body"] in value
        row = {role: value.get(column) for role, column in columns.items()}
        has_success = has_success or _has_file(str(row.get("status")))
        yield line, row
    # Rows that are all failures have no files.
    if columns and not has_body and (has_success or "status" not in columns):
        raise no_column(name, form.names["body"][0], list(value), needs=form.hint)


MOST_SHOWN = 100
"""The most characters of a value or an error that are shown."""


def _lines(name: str, skip: OnSkip) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line that is not empty."""
    lines = Lines(read_bytes(name, what="a table"), LONGEST_LINE)
    while True:
        try:
            text = next(lines, None)
        except LongLine as error:
            skip(lines.number, str(error))
            continue
        if text is None:
            return
        if text.strip():
            yield lines.number, text


def _shown_columns(
    name: str, value: Mapping[str, object], form: Form, wanted: Mapping[str, str], *, is_first: bool
) -> dict[str, str]:
    if is_first:
        present = [*value, *(column for column in wanted.values() if column not in value)]
        if "body" not in wanted and not {column.lower() for column in value} & set(
            form.names["body"]
        ):
            present.append("body")
        return found_columns(name, present, form, wanted)
    lower = {column.lower(): column for column in value}
    known = {
        role: next((lower[column] for column in usual if column in lower), None)
        for role, usual in form.names.items()
        if role not in wanted
    }
    there = {role: column for role, column in known.items() if column is not None}
    for column in there.values():
        _expect_one(name, column, list(value), is_exact=False)
    return there


def _capture(
    row: Row, form: Form
) -> tuple[str | None, str | datetime | None, int | None, str | None, bytes | None]:
    """Return the capture of a row of text. Raises ValueError."""
    body = _string(row, "body")
    data = None if body is None else _bytes(body)[: form.most_bytes]
    status = _status(row) if "status" in row else (None if data is None else 200)
    url, location = _string(row, "url"), _string(row, "location")
    return _utf8(url), _time(row, form), status, _utf8(location), data


def _time(row: Row, form: Form) -> str | datetime | None:
    value = row.get("time")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _moment_or_null(value) if form.is_strict else moment_of(value)
    text = _string(row, "time")
    return text if text is None or not form.is_strict else _moment_or_null(text)


def _moment_or_null(value: str | float) -> datetime | None:
    return None if is_nan(value) else _moment(value)


def _moment(value: str | float) -> datetime:
    """Return the time that a text or a number means. Raises ValueError."""
    moment = moment_of(value)
    if moment is None:
        raise ValueError(f"`{printable(str(value))[:MOST_SHOWN]}` is not a time")
    return moment


def _status(row: Row) -> int | None:
    match row["status"]:
        case None:
            return None
        case float() | str() as value if is_nan(value):
            return None
        case bool():
            pass
        case int(number) if abs(number) < 1 << 31:
            return number
        case float(number) if number.is_integer() and abs(number) < 1 << 31:
            return int(number)
        case str(text) if whole := WHOLE.fullmatch(text):
            return int(whole[1])
    raise ValueError("`status` is not a whole number; a fetch without an answer has none")


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
