"""Which captures count: one for each origin in each snapshot.

In: tables and a calendar. Out: a bit for each row, in the order in which the tables are read. Of
the captures of an origin in a snapshot, the latest with an answer counts, a file or that there is
none: a later failure does not, as for every reader of a table (`verger.access.entry`). Otherwise
the latest that is not a redirect counts, otherwise the latest. Of equal times, the later row is the
latest; a capture without a time comes before all others.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verger.bulk.report.grouping import Grouping, schema_of
from verger.bulk.report.snapshots import Calendar
from verger.bulk.report.sources import ReportInput

if TYPE_CHECKING:
    import pyarrow as pa

BEFORE_ALL = -(1 << 63)


class Choice:
    """The rows that count."""

    def __init__(self, rows: int) -> None:
        self._bits = bytearray(rows // 8 + 1)

    def take(self, rows: list[int]) -> None:
        """Mark rows that count."""
        bits = self._bits
        for row in rows:
            bits[row >> 3] |= 1 << (row & 7)

    def mask(self, start: int, number: int) -> "pa.BooleanArray":
        """Return whether each row from `start` on counts."""
        import pyarrow as pa

        bits = pa.py_buffer(self._bits)
        return pa.Array.from_buffers(pa.bool_(), number, [None, bits], offset=start)


def chosen(sources: Sequence[ReportInput], calendar: Calendar, folder: Path) -> Choice:
    """Return the rows that count; `folder` is for temporary files."""
    rows = sum(source.rows for source in sources)
    choice = Choice(rows)
    schema = _schema()
    grouping = Grouping(folder / "origins", schema, key="origin", rows=rows, merge=_last)
    with grouping:
        start = 0
        for source in sources:
            for batch in source.batches(["origin", "time", "access"]):
                grouping.add(_candidates(batch, calendar, start))
                start += batch.num_rows
        for table in grouping.merged():
            choice.take(table["row"].to_pylist())
    return choice


def _schema() -> "pa.Schema":
    return schema_of(snapshot="int32", origin="string", rank="int8", time="int64", row="int64")


def _candidates(batch: "pa.RecordBatch", calendar: Calendar, start: int) -> "pa.Table":
    import pyarrow as pa
    import pyarrow.compute as pc

    # a redirect is the worst, an answer the best; any other kind ranks between them
    kinds = pa.array(["redirect", "successful", "unavailable"])
    ranks = pc.take(
        pa.array([0, 2, 2], pa.int8()), pc.index_in(batch["access"].cast("string"), kinds)
    )
    times = batch["time"].cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    table = pa.table(
        [
            calendar.of(batch["time"]),
            batch["origin"].cast(pa.string()),
            ranks.fill_null(pa.scalar(1, pa.int8())),
            times.fill_null(BEFORE_ALL),
            pa.array(range(start, start + batch.num_rows), pa.int64()),
        ],
        schema=_schema(),
    )
    return table.filter(pc.and_(table["snapshot"].is_valid(), table["origin"].is_valid()))


def _last(table: "pa.Table") -> "pa.Table":
    """Return the row that counts for each origin and snapshot."""
    keys = ["snapshot", "origin"]
    ordered = table.sort_by([(name, "ascending") for name in ("rank", "time", "row")])
    columns = ["rank", "time", "row"]
    grouped = ordered.group_by(keys, use_threads=False)
    last = grouped.aggregate([(name, "last") for name in columns])
    renamed = last.rename_columns([name.removesuffix("_last") for name in last.column_names])
    return renamed.select(table.column_names).cast(table.schema)
