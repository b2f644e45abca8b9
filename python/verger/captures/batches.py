"""Captures: batches of responses to requests for robots.txt files, from any source.

In: one capture after the other. Out: record batches of `SCHEMA`, or of `WITH_FAILURES`, bounded
by rows and by bytes, and so in memory. Knows no file format.
"""

import re
from array import array
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import accumulate

import pyarrow as pa
import pyarrow.compute as pc

from verger.options import time_of

SCHEMA = pa.schema(
    [
        pa.field("url", pa.string()),
        pa.field("time", pa.timestamp("us", "UTC")),
        pa.field("status", pa.int32()),
        pa.field("location", pa.string()),
        pa.field("body", pa.binary()),
    ]
)

WITH_FAILURES = SCHEMA.insert(3, pa.field("failure", pa.string()))
"""The columns of tables, which may also have why a fetch failed; archives never do."""

ROWS = 2_048
BYTES = 4 << 20
"""Bytes of bodies after which a batch is full."""

MOST_BYTES = 1 << 20
"""The most bytes of a body that are kept; dialects with a limit read half of it at most."""


class Batch:
    """Captures that are collected into a batch."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.urls: list[str | None] = []
        self.times: list[str | datetime | None] = []
        self.statuses: list[int | None] = []
        self.failures: list[str | None] = []
        self.locations: list[str | None] = []
        self.bodies: list[bytes | None] = []
        self.data = 0

    def add(
        self,
        url: str | None,
        time: str | datetime | None,
        status: int | None,
        location: str | None,
        body: bytes | None,
        failure: str | None = None,
    ) -> bool:
        """Take a capture; return whether the batch is full."""
        self.urls.append(url)
        self.times.append(time)
        self.statuses.append(status)
        self.failures.append(failure)
        self.locations.append(location)
        self.bodies.append(body)
        if body is not None:
            self.data += len(body)
        return len(self.urls) >= ROWS or self.data >= BYTES

    def __len__(self) -> int:
        return len(self.urls)

    def take(self) -> pa.RecordBatch:
        """Return the batch, and begin a new one."""
        columns = [
            pa.array(self.urls, pa.string()),
            times_of(self.times),
            pa.array(self.statuses, pa.int32()),
            pa.array(self.failures, pa.string()),
            pa.array(self.locations, pa.string()),
            _bytes_of(self.bodies),
        ]
        self._clear()
        return pa.record_batch(columns, schema=WITH_FAILURES)


def _bytes_of(bodies: Sequence[bytes | None]) -> pa.Array:
    """Return bodies as a column, joined at once: a builder would grow, and copy, many times.

    A batch has fewer bytes than 32 bits can count.
    """
    ends = array("i", [0, *accumulate(0 if body is None else len(body) for body in bodies)])
    is_there = pa.array([body is not None for body in bodies], pa.bool_())
    data = b"".join([body for body in bodies if body])
    buffers = [is_there.buffers()[1], pa.py_buffer(ends), pa.py_buffer(data)]
    return pa.BinaryArray.from_buffers(pa.binary(), len(bodies), buffers)


def times_of(times: Sequence[str | datetime | None]) -> pa.Array:
    """Return times as a column; null for invalid ones (RFC 3339; WARC 1.1 section 5.4)."""
    kind = SCHEMA.field("time").type
    try:
        return or_null(pa.array(times, pa.string()).cast(kind))
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if time is None else moment_of(time) for time in times], kind)


CALENDAR = (datetime.min, datetime.max)
"""Times lie between these; milliseconds taken for seconds do not."""


def is_in_calendar(times: pa.Array) -> pa.Array:
    """Return for each time whether it lies in the years 1 to 9999, in UTC."""
    first, last = (pa.scalar(one.replace(tzinfo=UTC), times.type) for one in CALENDAR)
    return pc.and_(pc.greater_equal(times, first), pc.less_equal(times, last))


def or_null(times: pa.Array) -> pa.Array:
    """Return times; null for those of other years."""
    is_in = is_in_calendar(times)
    if pc.all(is_in).as_py() is not False:
        return times
    return pc.if_else(is_in, times, pa.scalar(None, times.type))


NUMBER = re.compile(r"-?\d{1,15}(\.\d{1,9})?", re.ASCII)
"""Seconds since the epoch as text; some would be years in ISO 8601."""

DATE = re.compile(r"\d{8}", re.ASCII)
"""A date without hyphens, which is not a number of seconds."""


def is_nan(value: str | float) -> bool:
    """Whether this is NaN, which pandas writes for a null among numbers; as text in any case."""
    return value.strip().lower() == "nan" if isinstance(value, str) else value != value


def moment_of(time: str | float | datetime) -> datetime | None:
    """Return the time that a text (RFC 3339) or seconds since the epoch mean, in UTC; None for
    others, and outside the years 1 to 9999.
    """
    try:
        if isinstance(time, int | float):
            return datetime.fromtimestamp(time, UTC)
        if isinstance(time, str):
            text = time.strip()
            if NUMBER.fullmatch(text) and not DATE.fullmatch(text):
                return moment_of(float(text))
            time = time_of(text)
        return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
