"""Tables of fetched files: Parquet, CSV and JSON Lines, a row for each time a file was fetched.

In: a file, and a `Form`, which says what its columns are called and contain. Out: record batches of
bounded size with those of the columns `url`, `body`, `status`, `failure`, `time` and `location`
that the table has; from Parquet with the types of the file, except for times, statuses and
failures. `verger.access.observation` says what a row means. A missing column, or one with other
values, is an error; so is a row of text that cannot be read, unless the caller skips it. A row of
an exported cache is read as several observations, by every reader.

A CSV file cannot say that a body is null: an empty one next to a success is an empty file, and
otherwise there is no body.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds
from pyarrow.parquet import ParquetFile

from verger._core import _changed_bodies, _origins
from verger.access.entry import uncounted
from verger.access.result import FAILURES, carries_file
from verger.captures.batches import (
    CALENDAR,
    CAPTURED_AT,
    MOST_BYTES,
    SEEN,
    WITH_FAILURES,
    batches_of,
    grouped,
    is_nan,
    moment_of,
)
from verger.captures.column_names import (
    BESIDE,
    COPIED,
    COUNTED,
    EXPORTED,
    FROM_CACHE,
    NAMES,
    OBSERVED_NAMES,
    SNAPSHOT_HINT,
    TRUNCATED,
    ArrowStream,
    Columns,
    export_columns,
    find_columns,
    is_export,
    resembles_export,
)
from verger.errors import InvalidTable
from verger.fetching.decode import kept_file
from verger.files.csv_records import CsvLines, read_rows
from verger.files.input_errors import no_column
from verger.files.json_text import NotAnObject, read_object
from verger.files.lines import numbered_lines, read_bytes
from verger.files.parquet import expect_kind, has_kind, open_parquet, read_pieces
from verger.untrusted_text import octets_of, quoted

LONGEST_LINE = 8 * MOST_BYTES
"""Bytes of a line, and of a field of CSV: the longest body, each byte escaped in JSON."""

KINDS = {
    "url": "text",
    "body": "text or bytes",
    "status": "numbers",
    "failure": "words or nothing",
    "time": "times or numbers",
    "location": "text",
    **dict.fromkeys(BESIDE, "numbers, text or flags"),
}
"""What columns contain; see `verger.files.parquet`."""

WHOLE = re.compile(r"\s*(-?[0-9]{1,9})(?:\.0*)?\s*")
"""A status as text; programs that keep numbers as floats write `200.0`."""

Row = Mapping[str, object]
OnSkip = Callable[[int, str], None]
"""Called with the line of an unreadable row (of Parquet: its number), and the reason."""

NO_TIME = " is not a time: it is unknown here"


@dataclass(frozen=True, slots=True)
class Form:
    """What the columns of a table are called, and what they contain."""

    names: Mapping[str, Sequence[str]]
    """Some of `NAMES`; in JSON Lines, each row may have other names than the one before."""
    needed: Sequence[str] = ("url", "body")
    """The columns that a table must have."""
    hint: str | None = None
    """A hint that lists the columns that are expected."""
    joins_rows: bool = True
    """Whether the rows of an origin are combined. Then what is not a time is an error, and an entry
    of an exported cache also gives the beginning of its failures, which is not a capture: its
    outcome is unknown. Otherwise such a time is unknown, and of a body in CSV or JSON Lines up to
    `MOST_BYTES` are kept."""


SNAPSHOT = Form(
    names=OBSERVED_NAMES,
    hint=SNAPSHOT_HINT,
)
"""Files of many origins."""

HISTORY = Form(
    names=OBSERVED_NAMES,
    needed=("time", "body"),
    hint="a history has the columns `time`, `body`, and perhaps `origin` (or `url`, `host`), "
    "`status`, `failure`",
)
"""The versions of one file."""

CAPTURES = Form(
    names=NAMES,
    joins_rows=False,
)
"""Attempts of many origins, each by itself."""


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
    on_skip:  called with the line of an unreadable row, or the number of a row of Parquet, and the
              reason; without it the first such row of text is an error.
    Raises:   InvalidTable, MissingExtra.
    """
    name = os.fspath(path)
    if format == "parquet":
        yield from _read_parquet(name, form, columns or {}, on_skip)
        return
    read = {"csv": _csv_rows, "jsonl": _json_rows}[format]
    skip = on_skip or partial(_refuse, name)
    rows = read(name, form, columns or {}, skip)
    first = list(islice(rows, 1))
    rows = chain(first, rows)
    if "url" in form.needed or any("url" in row for _, row in first):
        yield from batches_of(_captures(name, rows, form, skip), WITH_FAILURES)
    else:
        rows = _of_one_site(name, rows)
        for batch in batches_of(_captures(name, rows, form, skip), WITH_FAILURES):
            yield batch.select([role for role in WITH_FAILURES.names if role != "url"])


def _of_one_site(name: str, rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Yield rows that name no site. Raises InvalidTable for one that does."""
    for line, row in rows:
        if "url" in row:
            message = f"line {line:,} of {quoted(name)} names a site, and the first does not"
            raise InvalidTable(message, "give each row an origin, or leave the column out")
        yield line, row


def _refuse(name: str, line: int, why: str) -> None:
    message = f"cannot read line {line:,} of {quoted(name)}: {why}"
    raise InvalidTable(message, "correct the line, or leave it out")


def plain(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return a column of another type, and without a dictionary, which each batch would repeat."""
    if kinds.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(kind)


def _columns_of(
    name: str,
    present: Sequence[str],
    form: Form,
    wanted: Mapping[str, str],
    needed: Collection[str],
) -> dict[str, str]:
    """Return the column for each role. Raises InvalidTable, which names column and file."""
    return find_columns(quoted(name), present, form.names, wanted, needed=needed, hint=form.hint)


# Parquet


def _read_parquet(
    name: str, form: Form, wanted: Mapping[str, str], on_skip: OnSkip | None
) -> Iterator[pa.RecordBatch]:
    with open_parquet(name) as file:
        if is_export(file.schema_arrow.names, quoted(name)):
            yield from _read_export(name, file, form, wanted)
            return
        columns = _columns_of(name, file.schema_arrow.names, form, wanted, form.needed)
        for role, column in columns.items():
            expect_kind(name, column, file.schema_arrow.field(column).type, KINDS[role])
        before = 0
        for batch in _batches_in(name, file, list(columns.values())):
            rows = _as_rows(name, batch, columns, form)
            if on_skip and "time" in columns:
                _tell_unknown(batch.column(columns["time"]), rows.column("time"), before, on_skip)
            before += len(batch)
            yield whole_rows(rows)


def _tell_unknown(written: pa.Array, times: pa.Array, before: int, skip: OnSkip) -> None:
    """Report what is written as a time and is none; `before` rows stand before these."""
    lost = pc.and_(pc.invert(pc.is_null(written, nan_is_null=True)), times.is_null())
    rows = pc.indices_nonzero(lost)
    texts = plain(written.take(rows), pa.string())  # also of times that Python cannot hold
    for row, text in zip(rows.to_pylist(), texts.to_pylist(), strict=True):
        skip(before + row + 1, f"{quoted(text, MOST_SHOWN)}{NO_TIME}")


def _batches_in(name: str, file: ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in batches that are larger than its pieces, and bounded."""
    pieces = read_pieces(name, file, columns)
    for some in grouped(pieces, lambda piece: (piece.num_rows, piece.nbytes)):
        yield from pa.Table.from_batches(some).combine_chunks().to_batches()


def _as_rows(
    name: str, batch: pa.RecordBatch, columns: Mapping[str, str], form: Form
) -> pa.RecordBatch:
    made: dict[str, pa.Array] = {}
    for role, column in columns.items():
        where = f"the column {quoted(column)} of {quoted(name)}"
        with _telling(where, "correct the value, or leave the row out"):
            made[role] = _cast(role, batch.column(column), form)
    return pa.RecordBatch.from_pydict(made)


def whole_rows(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows, named by their roles, with the files in their bodies, and of what is said about
    these whether they are truncated; a body that is not whole is null next to a status. Raises
    InvalidTable.
    """
    columns = dict(zip(rows.schema.names, rows.columns, strict=True))
    kept = {name: column for name, column in columns.items() if name not in BESIDE}
    is_cut: list[bool | None] = [None] * len(rows)
    if changed := _changed_bodies(rows, kept_file):
        bodies = enumerate(plain(columns["body"], pa.large_binary()).to_pylist())
        pairs = [changed.get(row, (body, False)) or (None, False) for row, body in bodies]
        files, is_cut = [file for file, _ in pairs], [cut or None for _, cut in pairs]
        assumed = pa.array([200 if row in changed else None for row in range(len(rows))])
        status = pc.coalesce(columns.get("status", pa.nulls(len(rows), pa.int64())), assumed)
        kept |= {"body": pa.array(files, pa.large_binary()), "status": status}
    return pa.RecordBatch.from_pydict({**kept, TRUNCATED: pa.array(is_cut, pa.bool_())})


# Exported caches

OWN = {"url": "origin", "time": "fetched_at"}
"""The columns of an export by what they contain, if these have other names."""


def entries_in(table: Columns, opened: ArrowStream) -> Iterator[pa.RecordBatch]:
    """Yield the rows of an exported cache, of which one batch at a time is in memory.

    opened:  the same table, of which nothing was read.
    Raises InvalidTable if its source fails, or a row has no origin.
    """
    before = 0
    for batch in batches_in(table, opened):
        _expect_origins(batch.column("origin"), before)
        yield batch
        before += batch.num_rows


def _expect_origins(column: pa.Array, before: int) -> None:
    """Raise InvalidTable if a row of an exported cache has no origin.

    before:  the number of rows before those of the column.
    """
    if not has_kind(column.type, "text"):
        why = f"the column `origin` holds `{column.type}`, not text"
        raise InvalidTable(why, "export the cache again")
    given = pa.table([column], names=["origin"])
    found = pa.table(_origins(given, "origin", with_hosts=True)).column("origin")
    if not found.null_count:
        return
    row = found.is_valid().index(pa.scalar(value=False)).as_py()
    text = _text(column[row].as_py())
    if text is None:
        why = f"the column `origin` is null in row {before + row}"
        raise InvalidTable(why, "each row of a snapshot has an origin")
    why = f"the column `origin` holds {quoted(text, MOST_SHOWN)} in row {before + row}"
    raise InvalidTable(
        f"{why}, which is not an origin", "an origin looks like `https://example.com`"
    )


def in_memory(table: Columns, opened: ArrowStream) -> pa.Table:
    """Return a table as one of pyarrow's. Raises InvalidTable if its source fails.

    opened:  the same table, of which nothing was read; one in one piece can be had again.
    """
    with _telling(*OF_A_SOURCE):
        if hasattr(table, "__arrow_c_stream__"):
            return pa.table(opened)
        return pa.table(pa.record_batch(table))


def batches_in(table: Columns, opened: ArrowStream) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a table, one at a time; otherwise like `in_memory`."""
    with _telling(*OF_A_SOURCE):
        if hasattr(table, "__arrow_c_stream__"):
            yield from pa.RecordBatchReader.from_stream(opened)
        else:
            yield pa.record_batch(table)


OF_A_VALUE = (pa.ArrowException, ValueError, OverflowError)
"""What Arrow and Python raise for a value that cannot be cast."""
OF_A_SOURCE = "the Arrow data cannot be read", None, (OSError, TypeError, *OF_A_VALUE)
"""What a source of Arrow data may raise, and what is told then."""


@contextmanager
def _telling(
    where: str, hint: str | None, errors: tuple[type[Exception], ...] = OF_A_VALUE
) -> Iterator[None]:
    """Within the block, an error of these kinds is InvalidTable, which says where it came up."""
    try:
        yield
    except errors as error:
        why = str(error).partition("\n")[0]  # the rest may be a traceback
        raise InvalidTable(f"{where}: {why}", hint) from None


def expect_own_columns(name: str, wanted: Iterable[tuple[str, str | None]]) -> None:
    """Refuse columns other than those of an export. Raises InvalidTable."""
    for role, column in wanted:
        if column not in (None, OWN.get(role, role)):
            why = f"{name} is an exported cache, which is read as a whole, not by its column"
            hint = "name no columns, or leave the column `copy` out of the table"
            raise InvalidTable(f"{why} {quoted(str(column))}", hint)


def _read_export(
    name: str, file: ParquetFile, form: Form, wanted: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    shown = quoted(name)
    expect_own_columns(shown, wanted.items())
    for role, column in (("url", "origin"), ("body", "body"), ("status", "status")):
        expect_kind(name, column, file.schema_arrow.field(column).type, KINDS[role])
    columns = export_columns(file.schema_arrow.names)
    yield from observations(_batches_in(name, file, columns), shown, form)


def observations(
    batches: Iterable[pa.RecordBatch], name: str, form: Form = SNAPSHOT
) -> Iterator[pa.RecordBatch]:
    """Yield the observations of the entries of a cache. Raises InvalidTable."""
    for batch in batches:
        with _telling(f"the export {name}", "export the cache again"):
            yield from _observations(batch, form).to_batches()


def _observations(batch: pa.RecordBatch, form: Form) -> pa.Table:
    """Return the observations of the entries of a cache, in this order: the copy that is used while
    the file cannot be fetched, the first of the failures, and the last attempt.

    In a cache, a lost body is a failure, so a null next to a status without one is an empty body.
    If rows are combined, each has a time of its own, because they may lose their order.
    """
    origin, at, status, failure, body, since, copy, cut = map(batch.column, EXPORTED)
    at, since = (_cast("time", each, form) for each in (at, since))
    status, failure = _cast("status", status, form), _cast("failure", failure, form)
    is_response = pc.and_(pc.is_valid(status), pc.is_null(failure))
    body = body.cast(pa.large_binary())
    body = pc.if_else(is_response, pc.coalesce(body, pa.scalar(b"", pa.large_binary())), body)
    copied_at, copied_status, copied, copied_cut = _members(copy)
    copied_at = _cast("time", copied_at, form)
    nothing, not_counted = (pa.nulls(len(batch), kind) for kind in (pa.string(), pa.float64()))
    copied_status = _cast("status", copied_status, form)
    earlier = [origin, copied_at, copied_status, nothing, copied, not_counted, copied_cut]
    first = [origin, since, status, failure, body, not_counted, cut]
    last = [origin, at, status, failure, body, _counted(batch, since, at), cut]
    has_copy, is_there = copy.is_valid(), pa.repeat(pa.scalar(value=True), len(batch))
    if not form.joins_rows:
        return _by_entry([(earlier, has_copy), (last, is_there)])
    begin = pc.coalesce(since, at)
    before = pc.subtract(begin, pa.scalar(1, pa.duration("us")))
    earlier[1] = pc.if_else(pc.less(copied_at, before), copied_at, before)
    is_run = pc.fill_null(pc.less(since, at), fill_value=False)
    last[1] = pc.if_else(is_run, at, begin)
    return _by_entry([(earlier, has_copy), (first, is_run), (last, is_there)])


def _counted(batch: pa.RecordBatch, since: pa.Array, at: pa.Array) -> pa.Array:
    """Return for how many seconds each file has been unreachable, as the cache counted it."""
    if COUNTED in batch.schema.names:
        return batch.column(COUNTED)
    moments = zip(*(each.cast(pa.int64()).to_pylist() for each in (since, at)), strict=True)
    spans = [
        None if None in both else uncounted(*(each / 1e6 for each in both)) for both in moments
    ]
    return pa.array(spans, pa.float64())


def _members(copy: pa.Array) -> list[pa.Array]:
    """Return the fields of copies that are read."""
    if kinds.is_null(copy.type):
        kinds_of = (pa.int64(), pa.int32(), pa.binary(), pa.bool_())
        return [pa.nulls(len(copy), kind) for kind in kinds_of]
    names = [field.name for field in copy.type] if kinds.is_struct(copy.type) else []
    if not set(COPIED) <= set(names):
        raise ValueError(f"`copy` holds `{copy.type}`, not a file with its time and status")
    return [pc.struct_field(copy, name) for name in COPIED]


def _by_entry(parts: Sequence[tuple[list[pa.Array], pa.Array]]) -> pa.Table:
    """Return the rows of all parts that exist, with those of one entry next to each other."""
    tables, entries = [], []
    for columns, is_there in parts:
        cast = [column.cast(field.type) for column, field in zip(columns, SEEN, strict=True)]
        tables.append(pa.table(cast, schema=SEEN).filter(is_there))
        entries.append(pa.array(range(len(is_there)), pa.int64()).filter(is_there))
    order = pc.sort_indices(pa.chunked_array(entries))
    return pa.concat_tables(tables).take(order)


def _cast(role: str, array: pa.Array, form: Form) -> pa.Array:
    """Return a column of a table with types as this role needs it. Raises ValueError."""
    readers: dict[str, tuple[Callable[[Any], object], pa.DataType]] = {
        "status": (status_of, pa.int32()),
        "failure": (failure_of, pa.string()),
        "time": (partial(time_of, form=form), CAPTURED_AT),
    }
    if role not in readers:
        return array  # with its dictionary, if it has one: bodies may be many times as long without
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    if role == "time" and (kinds.is_timestamp(array.type) or kinds.is_date(array.type)):
        return _in_calendar(array, form)
    read, kind = readers[role]
    encoded = array.dictionary_encode()  # each value is read once, because many are equal
    values = [read(value) for value in encoded.dictionary.to_pylist()]
    return pa.array(values, kind).take(encoded.indices)


def _in_calendar(array: pa.Array, form: Form) -> pa.Array:
    """Return times to the microsecond, the rest cut off. Those of years that no calendar has are
    null, or refused."""
    is_finer = kinds.is_timestamp(array.type) and array.type.unit == "ns"
    zone = getattr(array.type, "tz", None)
    times = array.cast(pa.timestamp("us", zone), safe=not is_finer).cast(CAPTURED_AT)
    first, last = (pa.scalar(each.replace(tzinfo=UTC), CAPTURED_AT) for each in CALENDAR)
    is_in = pc.and_(pc.greater_equal(times, first), pc.less_equal(times, last))
    if form.joins_rows and (others := times.filter(pc.invert(is_in))):
        raise ValueError(f"{others[0].value / 1e6:,.0f} seconds since 1970 are not a time")
    return pc.if_else(is_in, times, pa.scalar(None, CAPTURED_AT))


# Text: CSV and JSON Lines


UNENDED = "the record has no line end: if the file is not cut off there, add one"


def _csv_rows(
    name: str, form: Form, wanted: Mapping[str, str], skip: OnSkip
) -> Iterator[tuple[int, Row]]:
    chunks = read_bytes(name, what="a table", format="csv")
    lines = CsvLines(chunks, LONGEST_LINE)
    header, records = read_rows(name, lines)
    _expect_no_export(name, header)
    columns = _columns_of(name, header, form, wanted, form.needed)
    places = {role: header.index(column) for role, column in columns.items()}
    for line, record, problem in records:
        if problem or not lines.has_end:
            skip(line, problem or UNENDED)
        else:
            row: dict[str, object] = {role: record[at] or None for role, at in places.items()}
            if row["body"] is None and _is_file(row):
                row["body"] = ""
            yield line, row


def _expect_no_export(name: str, present: Sequence[str]) -> None:
    if resembles_export(present):
        why = f"{quoted(name)} looks like an exported cache, which is read from Parquet"
        raise InvalidTable(why, FROM_CACHE)


def _is_null(value: object) -> bool:
    """Whether a value is null, or NaN, as pandas writes a null."""
    return value is None or (isinstance(value, float | str) and is_nan(value))


def _is_file(row: Row) -> bool:
    """Whether a row stands for a response that has a file, even an empty one."""
    with suppress(ValueError):  # which the row is told for
        return _is_null(row.get("failure")) and carries_file(status_of(row.get("status")))
    return False


def _json_rows(
    name: str, form: Form, wanted: Mapping[str, str], skip: OnSkip
) -> Iterator[tuple[int, Row]]:
    """Yield rows, each of which may have different names than the one before.

    Members that are null are often left out, and a file may have lines of several programs.
    """
    columns: dict[str, str] = {}
    shown: list[str] = []
    has_success = False
    for line, text in numbered_lines(name, LONGEST_LINE, what="a table", format="jsonl"):
        if not text.strip():
            continue
        try:
            value = read_object(text, longest=LONGEST_LINE)
        except NotAnObject as why:
            skip(line, str(why)[:MOST_SHOWN])
            continue
        if not columns or shown != list(value):
            shown = list(value)
            _expect_no_export(name, shown)
            # What follows shows whether there is a body: rows that are all failures have no files.
            needed = () if columns else set(form.needed) - {"body"}
            present = list(dict.fromkeys([*shown, *wanted.values()]))
            columns |= _columns_of(name, present, form, wanted, needed)
        row = {role: value.get(column) for role, column in columns.items()}
        has_success = has_success or _is_file(row)
        yield line, row
    tells_outcome = "status" in columns or "failure" in columns
    if columns and "body" not in columns and (has_success or not tells_outcome):
        raise no_column(quoted(name), form.names["body"][0], shown, needs=form.hint)


MOST_SHOWN = 100
"""The most characters of a value or an error that are shown."""


def _captures(
    name: str, rows: Iterable[tuple[int, Row]], form: Form, skip: OnSkip
) -> Iterator[tuple[object, ...]]:
    """Yield the captures of rows of text, in the order of `WITH_FAILURES`.

    Raises InvalidTable if there are some, and none can be read: a column holds something else.
    """
    first, is_one = None, False
    for line, row in rows:
        try:
            capture = _capture(row, form)
        except ValueError as why:
            first = first or f"line {line:,}: {why}"
            skip(line, str(why))
        else:
            is_one, time = True, row.get("time")
            if capture[1] is None and isinstance(time, str | float | int) and not is_nan(time):
                skip(line, f"{quoted(str(time), MOST_SHOWN)}{NO_TIME}")
            yield capture
    if first and not is_one:
        message = f"no row of {quoted(name)} can be read; {first}"
        raise InvalidTable(message, "name the columns with `--columns`: `status=` leaves one out")


def _capture(row: Row, form: Form) -> tuple[object, ...]:
    body, url, location = (_string(row, role) for role in ("body", "url", "location"))
    time, status = time_of(row.get("time"), form), status_of(row.get("status"))
    failure = None if _is_null(row.get("failure")) else failure_of(row["failure"])
    data, is_cut = None, False
    if body is not None:
        length, coding, cut = (str(said) if said else None for said in map(row.get, BESIDE))
        kept = kept_file(octets_of(body), True, length, coding, cut)
        data, is_cut = kept or (None, False)
        status = 200 if data is None and status is None else status
    if data is not None and not form.joins_rows and len(data) > MOST_BYTES:
        data, is_cut = data[:MOST_BYTES], True
    return _utf8(url), time, status, failure, _utf8(location), is_cut or None, data


# Values


def time_of(value: object, form: Form) -> datetime | None:
    """Return the time that a value means. Raises ValueError."""
    if value is None:
        return None
    value = _text(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError("`time` is not a string")
    moment = moment_of(value)
    if moment is None and form.joins_rows and not is_nan(value):
        raise ValueError(f"{quoted(str(value), MOST_SHOWN)} is not a time")
    return moment


def status_of(value: object) -> int | None:
    match value:
        case None:
            return None
        case float() | str() as number if is_nan(number):
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


def failure_of(value: object) -> str | None:
    """Return the name of a failure. Raises ValueError."""
    if isinstance(value, float) and is_nan(value):  # as pandas writes a column without any text
        return None
    word: str | None = _text(value)
    if word is not None and word not in FAILURES:
        raise ValueError(f"{quoted(str(word), MOST_SHOWN)} is not a failure")
    return word


def _text(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _string(row: Row, role: str) -> str | None:
    value = row.get(role)
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"`{role}` is not a string")


def _utf8(text: str | None) -> str | None:
    return text if text is None or text.isascii() else octets_of(text).decode("utf-8", "replace")
