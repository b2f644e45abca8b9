"""Captures: batches of responses to requests for robots.txt files, from any source.

In: one capture after the other. Out: record batches of `SCHEMA`, or of `WITH_FAILURES`, bounded by
rows and by bytes, and so in memory; the report of what was read, and what was skipped. Knows no
file format.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TypeVar

import pyarrow as pa

from verger._core import _moment
from verger.access.freshness import http_date
from verger.captures.column_names import COUNTED, TRUNCATED, ArrowStream
from verger.options import time_of
from verger.untrusted_text import without_secrets

CAPTURED_AT = pa.timestamp("us", "UTC")

KNOWN: Mapping[str, pa.DataType] = {
    "url": pa.string(),
    "origin": pa.string(),
    "time": CAPTURED_AT,
    "status": pa.int32(),
    "failure": pa.string(),
    "location": pa.string(),
    "body": pa.binary(),
    COUNTED: pa.float64(),
    TRUNCATED: pa.bool_(),
}
"""What may be known of a file that was fetched, and the type of its column."""


def schema_of(*names: str, **types: pa.DataType) -> pa.Schema:
    """Return a schema of some of the columns of `KNOWN`, in this order.

    types:  those of columns that have another one where they are kept.
    """
    return pa.schema([(name, types.get(name, KNOWN[name])) for name in names])


SCHEMA = schema_of("url", "time", "status", "location", TRUNCATED, "body")

WITH_FAILURES = schema_of("url", "time", "status", "failure", "location", TRUNCATED, "body")
"""The columns of tables, which may also have why a fetch failed; archives never do."""

SEEN = schema_of(
    *("url", "time", "status", "failure", "body", COUNTED, TRUNCATED), body=pa.large_binary()
)
"""The observations of the entries of an exported cache."""

ROWS = 1_024
"""Rows after which a batch is full."""
BYTES = 4 << 20
"""Bytes of bodies after which a batch is full."""

MOST_BYTES = 1 << 20
"""The most bytes of a body that are kept; dialects with a limit read half of it at most."""

T = TypeVar("T")


def grouped(
    items: Iterable[T],
    size_of: Callable[[T], tuple[int, int]],
    most_rows: int = ROWS,
    most_bytes: int = BYTES,
) -> Iterator[list[T]]:
    """Yield items in groups, each of up to so many rows or bytes and one item more.

    size_of:  returns the rows and the bytes of an item.
    """
    group: list[T] = []
    rows = data = 0
    for item in items:
        group.append(item)
        more_rows, more_data = size_of(item)
        rows, data = rows + more_rows, data + more_data
        if rows >= most_rows or data >= most_bytes:
            yield group
            group, rows, data = [], 0, 0
    if group:
        yield group


def batches_of(captures: Iterable[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield captures, tuples whose last member is the body, in batches of a schema."""
    for rows in grouped(captures, lambda row: (1, len(row[-1] or b""))):
        yield pa.record_batch(list(zip(*rows, strict=True)), schema=schema)


def batches_from(table: ArrowStream) -> list[pa.RecordBatch]:
    """Return the batches of a table that is not one of pandas: `pyarrow.table` would import that to
    see whether it is."""
    return list(pa.RecordBatchReader.from_stream(table))


CALENDAR = (datetime.min, datetime.max)
"""Times lie between these; milliseconds taken for seconds do not."""

NUMBER = re.compile(r"-?\d{1,19}(\.\d{1,9})?", re.ASCII)
"""A time as a number in text; some would be years in ISO 8601."""

DATE = re.compile(r"\d{8}", re.ASCII)
"""A date without hyphens, which is not a number of seconds."""


def is_nan(value: str | float) -> bool:
    """Whether this is NaN, which pandas writes for a null among numbers; as text in any case."""
    return value.strip().lower() == "nan" if isinstance(value, str) else value != value


def moment_of(time: str | float) -> datetime | None:
    """Return the time that a text (RFC 3339, or RFC 9110 section 5.6.7) or a number means, in UTC;
    None for others, and outside the years 1 to 9999.

    A number counts seconds since the epoch, or milli-, micro- or nanoseconds by its size; fourteen
    digits are a date with its clock, as in `20230615123456`.
    """
    try:
        text = time.strip() if isinstance(time, str) else "0"
        if not NUMBER.fullmatch(text) or DATE.fullmatch(text):
            at = http_date(text) if text[:1].isalpha() else None
            return time_of(text).astimezone(UTC) if at is None else datetime.fromtimestamp(at, UTC)
        at = _moment(float(time))
        return None if at is None else datetime.fromtimestamp(at / 1e6, UTC)
    except (ValueError, OverflowError, OSError):
        return None


# The report

MOST_SHOWN = 1_000
"""The most places that are listed; more are only counted."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A place in an input that could not be read.

    file:    the path of the input; of an address, without a password or a signature.
    offset:  the byte in an archive, or the line in JSON Lines and CSV; None for a whole file.
    why:     the reason, in words.
    count:   how many rows of a table that name no site; otherwise 1.
    """

    file: str
    offset: int | None
    why: str
    count: int = 1

    def __str__(self) -> str:
        place = "" if self.offset is None else f" {self.offset}:"
        return f"{self.file}:{place} {self.why}"


@dataclass(slots=True)
class ScanReport:
    """The counts of all inputs together.

    captures:  rows of the result.
    records:   rows of the table of records.
    access:    captures by kind of access; None if the URL has no robots.txt.
    skips:     the first places where something was skipped.
    skipped:   how many such places there are; a row of a table that names no site is one.
    revisits:  records of a body that was seen before, without the body.
    others:    responses for URLs other than `/robots.txt`.
    cut:       huge bodies, of which the end was not read.
    recalled:  bodies that repeat an earlier one, which were not read again.
    bytes:     the sizes of the archives.
    seconds:   how long the scan took.
    """

    captures: int = 0
    records: int = 0
    access: Counter[str | None] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    skipped: int = 0
    revisits: int = 0
    others: int = 0
    cut: int = 0
    recalled: int = 0
    bytes: int = 0
    seconds: float = 0.0

    def skip(self, file: str, offset: int | None, why: str, count: int = 1) -> None:
        """Note that something was skipped."""
        self.skipped += count
        if len(self.skips) < MOST_SHOWN:
            self.skips.append(Skip(without_secrets(file), offset, without_secrets(why), count))
