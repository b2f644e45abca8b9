"""What a later snapshot of many sites changes, on a cluster.

In: two data frames of robots.txt files. Out: a third with the rows of `verger diff` for the same
files: one for each site and the crawlers for which it changed. The files of an origin are brought
to one partition, sorted by origin, and batches stream through it.
"""

from collections.abc import Sequence

from pyspark.sql import DataFrame, functions
from pyspark.sql.types import BooleanType, StructField, StructType

from verger._core import Dialect, _dialect_of
from verger.bulk.change_rows import SCHEMA, Comparison
from verger.bulk.spark import pairs
from verger.bulk.spark.frames import ROBOTS, SnapshotColumns
from verger.options import expect_whole

PLACED = StructType([*ROBOTS.fields, StructField("is_new", BooleanType(), nullable=False)])


def changes(
    old: DataFrame,
    new: DataFrame,
    *,
    crawlers: Sequence[str] = (),
    origin: str | None = None,
    body: str | None = None,
    status: str | None = None,
    time: str | None = None,
    failure: str | None = None,
    dialect: str | Dialect = "rfc9309",
    partitions: int | None = None,
) -> DataFrame:
    """Compare two snapshots; return the rows of `verger.changes/1`, in any order.

    old, new:    data frames with the columns of a snapshot, as for `decide`.
    crawlers:    the product tokens to compare; if empty, all that either file names, and `*`.
    origin, body, status, time, failure:  the columns of both, as in `decide`.
    partitions:  how many tasks share the origins; by default Spark's own choice.
    Raises InvalidTable, which names the column, InvalidProductToken, UnknownName and InvalidOption
    at once. A row of a snapshot that has no origin makes the job fail.
    """
    Comparison(dialect, crawlers)  # refuses invalid arguments before any job
    if partitions is not None:
        expect_whole("partitions", partitions)
    sides = [
        _placed(
            SnapshotColumns.found(frame, (origin, body, status, time, failure)),
            frame,
            is_new=is_new,
        )
        for frame, is_new in ((old, False), (new, True))
    ]
    both = sides[0].unionByName(sides[1])
    by = functions.col("origin")
    met = both.repartition(by) if partitions is None else both.repartition(partitions, by)
    task = pairs.CompareByOrigin(_dialect_of(dialect), tuple(crawlers))
    schema = old.sparkSession.createDataFrame(SCHEMA.empty_table()).schema
    return met.sortWithinPartitions(by).mapInArrow(task, schema)


def _placed(columns: SnapshotColumns, frame: DataFrame, *, is_new: bool) -> DataFrame:
    """Return the files of one snapshot with canonical origins, and which snapshot it is."""
    return columns.select(frame).mapInArrow(pairs.PlaceSide(is_new), PLACED)
