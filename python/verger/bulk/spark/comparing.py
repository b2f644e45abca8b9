"""What a later snapshot of many sites changes, on a cluster.

In: two data frames of robots.txt files. Out: a third with the rows of `verger diff` for the same
files: one for each site and the crawlers for which it changed. The files of an origin are brought
to one partition, sorted by origin, and batches stream through it.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, islice
from time import time as clock

import pyarrow as pa
from pyspark.sql import DataFrame, functions
from pyspark.sql.types import BooleanType, StructField, StructType

from verger._core import Dialect, _dialect_of
from verger.access.entry import binding_body, policy_of
from verger.access.observation import Observation, entry_observed, place_without_order
from verger.bulk.changes import SCHEMA, Comparison, batch_of
from verger.bulk.spark.frames import ROBOTS, canonical, files_of
from verger.options import AnyDialect, expect_whole

PAIRS_AT_ONCE = 128

File = tuple[str, Observation, bool]
"""Origin, observation, and whether it belongs to the new snapshot."""

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
    dialect: AnyDialect = "rfc9309",
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
    expect_whole("partitions", partitions, optional=True)
    names = (origin, body, status, time, failure)
    sides = [
        files_of(frame, names).mapInArrow(partial(_of_side, is_new=is_new), PLACED)
        for frame, is_new in ((old, False), (new, True))
    ]
    both = sides[0].unionByName(sides[1])
    by = functions.col("origin")
    met = both.repartition(by) if partitions is None else both.repartition(partitions, by)
    task = partial(_compare, dialect=_dialect_of(dialect), crawlers=tuple(crawlers))
    schema = old.sparkSession.createDataFrame(SCHEMA.empty_table()).schema
    return met.sortWithinPartitions(by).mapInArrow(task, schema)


# What runs in Spark's Python workers: only the files of some origins are in memory.


def _of_side(batches: Iterator[pa.RecordBatch], *, is_new: bool) -> Iterator[pa.RecordBatch]:
    """Yield files with canonical origins, and which snapshot they belong to."""
    for batch in batches:
        side = pa.repeat(pa.scalar(is_new), batch.num_rows)
        yield canonical(batch).append_column("is_new", side)


def _compare(
    batches: Iterator[pa.RecordBatch], dialect: Dialect, crawlers: Sequence[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the changes of each origin, whose files are consecutive."""
    comparison = Comparison(dialect, crawlers, threads=1)
    changed = _changed(batches, dialect)
    while some := list(islice(changed, PAIRS_AT_ONCE)):
        yield batch_of([row for rows in comparison.rows(some) for row in rows])


def _changed(
    batches: Iterator[pa.RecordBatch], dialect: Dialect
) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the files that apply in both snapshots, where both are known and differ."""
    for origin, files in groupby(_files(batches), key=lambda file: file[0]):
        some = sorted(files, key=lambda file: place_without_order(file[1]))
        old, new = (_body(origin, some, dialect, is_new=is_new) for is_new in (False, True))
        if old is not None and new is not None and old != new:
            yield origin, old, new


def _body(origin: str, files: Sequence[File], dialect: Dialect, *, is_new: bool) -> bytes | None:
    """Return the file that applies in a snapshot; None if it is unknown."""
    seen = [seen for _, seen, is_of in files if is_of is is_new]
    if not seen:
        return None
    entry = entry_observed(origin, seen, now=clock())
    return binding_body(entry, policy_of(entry, dialect))


def _files(batches: Iterator[pa.RecordBatch]) -> Iterator[File]:
    for batch in batches:
        columns = (column.to_pylist() for column in batch.columns)
        for origin, body, status, time, failure, *more, is_new in zip(*columns, strict=True):
            yield origin, Observation(time, status, failure, body, *more), is_new
