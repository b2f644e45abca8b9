"""Exporting a store as Parquet: a row for each origin, with its file as bytes.

In: the entries of a store. Out: a complete file or none, ordered by origin. Memory holds one row
group. In text, bytes that are not UTF-8 are written as `\\xff`; bodies are unchanged.
"""

import os

from verger.access.entry import Entry, told_others
from verger.access.result import AccessResult
from verger.cache.store import Store
from verger.dialects import RFC9309
from verger.errors import MissingExtra
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import writing
from verger.untrusted_text import unicode_text

with MissingExtra.unless_installed("parquet", "writing Parquet"):
    import pyarrow as pa

    from verger.files.parquet import ParquetSink

__all__ = ["SCHEMA", "export_parquet"]

SCHEMA = "verger.cache-export/1"

GROUP_ROWS = 20_000
GROUP_BYTES = 64 << 20
"""The maximum size of a row group, which memory must hold."""

MOST_FAILURES = (1 << 31) - 1
"""The maximum of the column's type."""

LATEST = 1 << 62
"""Microseconds; beyond any calendar, and near the maximum of Parquet."""


TIME = pa.timestamp("us", tz="UTC")

RESULT = [
    pa.field("url", pa.string(), nullable=False),
    pa.field("fetched_at", TIME, nullable=False),
    pa.field("access", pa.string(), nullable=False),
    pa.field("status", pa.int16()),
    pa.field("failure", pa.string()),
    pa.field("detail", pa.string()),
    pa.field("redirects", pa.list_(pa.string()), nullable=False),
    pa.field("headers", pa.map_(pa.string(), pa.string()), nullable=False),
    pa.field("notes", pa.list_(pa.string()), nullable=False),
    pa.field("body", pa.binary()),
    pa.field("truncated", pa.bool_(), nullable=False),
    pa.field("wire_bytes", pa.int64(), nullable=False),
    pa.field("elapsed", pa.float64(), nullable=False),
    pa.field("public", pa.bool_(), nullable=False),
]
"""The columns of a result."""

COLUMNS = pa.schema(
    [
        pa.field("origin", pa.string(), nullable=False),
        *RESULT,
        pa.field("unreachable_since", TIME),
        pa.field("unreachable_for", pa.float64()),
        pa.field("failures", pa.int32(), nullable=False),
        pa.field("copy", pa.struct(RESULT)),
    ],
    metadata={"schema": SCHEMA},
)


async def export_parquet(store: Store, output: str | os.PathLike[str]) -> int:
    """Write every entry of a store into a Parquet file, and return their number.

    output:  the path of the file, replaced when the new one is complete; `-` is stdout.
    The columns are those of `verger cache export`; `verger filter --snapshot` reads the file, and
    it means the same as the store.
    Raises:  CacheError; UnusableOutput, also for a file of the store.
    """
    own = getattr(store, "path", None)
    expect_no_overwriting([output], stores=[own] if isinstance(own, str | os.PathLike) else [])
    with writing(output) as file, ParquetSink(file, COLUMNS, group_rows=GROUP_ROWS) as sink:
        rows: list[dict[str, object]] = []
        size = 0
        async for entry in store.entries():
            rows.append(_row(entry))
            size += entry.size
            if len(rows) >= GROUP_ROWS or size >= GROUP_BYTES:
                _write_group(sink, rows)
                rows, size = [], 0
        _write_group(sink, rows)
        return sink.total


def _write_group(sink: ParquetSink, rows: list[dict[str, object]]) -> None:
    sink.write(pa.RecordBatch.from_pylist(rows, schema=COLUMNS))
    sink.end_group()


def _row(entry: Entry) -> dict[str, object]:
    return {
        "origin": entry.origin,
        **_result(entry.last),
        "unreachable_since": _micros(entry.unreachable_since),
        "unreachable_for": None if entry.unreachable_since is None else entry.unreachable_for,
        "failures": min(entry.failures, MOST_FAILURES),
        "copy": entry.copy and _result(entry.copy),
    }


def _result(result: AccessResult) -> dict[str, object]:
    told = told_others(result, RFC9309)
    return {
        "url": unicode_text(result.url),
        "fetched_at": _micros(result.fetched_at),
        "access": told.access,
        "status": result.status,
        "failure": told.failure,
        "detail": unicode_text(result.detail) or None,
        "redirects": [unicode_text(url) for url in result.redirects],
        "headers": [
            (unicode_text(name), unicode_text(value)) for name, value in result.headers.items()
        ],
        "notes": [unicode_text(note) for note in result.notes],
        "body": told.body if told.access == "successful" else None,
        "truncated": result.truncated,
        "wire_bytes": result.wire_bytes,
        "elapsed": result.elapsed,
        "public": result.public,
    }


def _micros(at: float | None) -> int | None:
    return None if at is None else int(min(max(at * 1e6, -LATEST), LATEST))
