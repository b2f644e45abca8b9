"""Decisions about a data frame of URLs, by a snapshot in another.

In: two data frames. Out: a third, with the columns of the URLs and `allowed`, `reason`, `line`, as
from `verger.bulk.decide_table`. RFC 9309 sections 2.2.2 and 2.3.

A small snapshot is sent to every worker, and the URLs stay where they are. Otherwise the files and
the URLs of an origin are brought to one partition, sorted so that a file comes before its URLs;
batches stream through it, so no site has to fit into memory. Sites with very many URLs are divided:
their files are copied to several partitions.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import ceil
from typing import Literal, TypeAlias, get_args

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    BooleanType,
    IntegerType,
    StringType,
    StructField,
    StructType,
)

from verger._core import Dialect, _dialect_of, check_product_token
from verger.bulk.decide import decide_table
from verger.bulk.spark.frames import (
    ANSWER,
    BYTES,
    FILES,
    ROBOTS,
    canonical,
    check_column,
    check_frame,
    column_named,
    files_of,
    is_hashable,
    kept_columns,
    ordered,
    origins_of,
)
from verger.crawlers.binding import Bindings, expect_bindings
from verger.crawlers.purposes import use_column
from verger.crawlers.uses import asked_use
from verger.errors import InvalidOption
from verger.options import AnyDialect, UseName, expect_whole, origin_named
from verger.snapshots.snapshot import Snapshot

Plan: TypeAlias = Literal["auto", "broadcast", "shuffle"]
Placed: TypeAlias = Literal["row", "robots"]
Batches: TypeAlias = Iterator[pa.RecordBatch]

BROADCAST_BYTES = 64 << 20
"""The largest snapshot, in bytes of bodies, that is copied to every Python worker."""
BROADCAST_ROWS = 1_000_000
TASK_ROWS = 1_000_000
"""Roughly how many URLs a task gets."""
SHARES_OF_A_TASK = 8
"""A site is divided from so small a part of a task on: of sites that nearly fill a task, two or
three come together in one by chance, and it takes four times as long as the others.
"""
SAMPLE = 0.001


def decide(
    urls: DataFrame,
    snapshot: DataFrame,
    token: str | Sequence[str],
    *,
    column: str = "url",
    keep: Sequence[str] | None = None,
    origin: str | None = None,
    body: str | None = None,
    status: str | None = None,
    time: str | None = None,
    failure: str | None = None,
    bindings: Bindings = "operators",
    use: UseName | None = None,
    dialect: AnyDialect = "rfc9309",
    plan: Plan = "auto",
    partitions: int | None = None,
    busy: Mapping[str, int] | None = None,
) -> DataFrame:
    """Decide every URL; return its columns and `allowed`, `reason`, `line`, in any order; with
    `use` also a column such as `use_ai_train`.

    column:      the column with the URLs: text or binary.
    keep:        the columns of `urls` to keep in the result; by default all.
    origin, body, status, time, failure:  the columns of the snapshot, as in
                 `Snapshot.from_table`. Rows with the same origin and time count in the order of
                 their statuses, then of their failures, then of their bodies: data frames have no
                 order. An exported cache is read as a whole.
    bindings:    whose groups the crawler follows, as in `verger.bulk.decide_table`.
    use:         also answer whether the URLs may be used for this, as there.
    plan:        `broadcast` collects the snapshot on the driver, now, and sends it to every Python
                 worker; `shuffle` moves the URLs to the files. `auto` measures the snapshot, now,
                 and broadcasts up to 64 MiB.
    partitions:  how many partitions the shuffle makes; by default Spark's own choice.
    busy:        origins with too many URLs for one task, and how many tasks share each. By default
                 they are found in a sample of the URLs, now, if the plan is to shuffle; `{}` for
                 none.
    Raises InvalidTable, which names the column, InvalidProductToken, UnknownName, InvalidTarget for
    a name in `busy` that is no origin, and InvalidOption at once. A row of the snapshot that has no
    origin makes the job fail.
    """
    check_frame(urls, "urls")
    check_column(urls, column, BYTES)
    files = files_of(snapshot, (origin, body, status, time, failure))
    check_product_token(token, dialect=dialect)
    expect_bindings(bindings)
    kept = kept_columns(urls, keep)
    # Plain names: `mapInArrow` does not find columns with a dot in the name.
    read = enumerate([*kept, urls.schema[column]])
    renamed = urls.select(*(column_named(field.name).alias(f"c{n}") for n, field in read))
    asked = _Task(
        (token,) if isinstance(token, str) else tuple(token),
        bindings,
        _dialect_of(dialect),
        tuple(field.name for field in kept),
        use,
    )
    asked_use(asked.tokens, use)  # refuses an unknown one at once
    used = [StructField(use_column(use), BooleanType())] if use else []
    job = _Job(renamed, StructType([*kept, *ANSWER, *used]), files, asked)
    _check_choices(plan, partitions)
    shares = None if busy is None else _shares(busy)
    if plan == "broadcast" or (plan == "auto" and is_small(job.snapshot)):
        return job.broadcast()
    return job.shuffled(partitions, busy_origins(urls, column) if shares is None else shares)


def _check_choices(plan: Plan, partitions: int | None) -> None:
    if plan not in get_args(Plan):
        raise InvalidOption(f"`plan` is `{plan}`", "pass auto, broadcast or shuffle")
    expect_whole("partitions", partitions, optional=True)


def _shares(busy: Mapping[str, int]) -> Mapping[str, int]:
    """Return how many tasks share each origin; any URL of an origin may name it."""
    for name, number in busy.items():
        expect_whole(f"busy[{name!r}]", number)
    return {origin_named("busy", name): number for name, number in busy.items()}


def is_small(snapshot: DataFrame) -> bool:
    """Whether every Python worker can hold a copy of the snapshot. Runs a job."""
    measured = snapshot.agg(
        functions.count("*").alias("rows"),
        functions.sum(functions.octet_length("body")).alias("bytes"),
    )
    ((rows, data),) = measured.collect()
    return rows <= BROADCAST_ROWS and (data or 0) <= BROADCAST_BYTES


def busy_origins(
    urls: DataFrame, column: str, *, task_rows: int = TASK_ROWS, sample: float = SAMPLE
) -> dict[str, int]:
    """Return the origins with too many URLs for one task beside those of other sites, and how many
    tasks should share each.

    Runs a job that reads the column of URLs, and counts the origins in a sample of it.
    """
    origin = StructType([StructField("origin", StringType())])
    seen = urls.select(column_named(column).alias("url")).sample(fraction=sample, seed=0)
    counted = seen.mapInArrow(_origins_seen, origin).groupBy("origin").count()
    most = task_rows / SHARES_OF_A_TASK * sample
    busy = counted.where(functions.col("origin").isNotNull() & (functions.col("count") > most))
    return {row["origin"]: ceil(row["count"] / most) for row in busy.collect()}


@dataclass(frozen=True, slots=True)
class _Job:
    """All rows of a data frame, the snapshot, and who asks."""

    urls: DataFrame
    """The columns that are read: those that are kept, and then the URLs."""
    schema: StructType
    """The columns of the result."""
    snapshot: DataFrame
    asked: "_Task"

    @property
    def read(self) -> StructType:
        """The columns that are read, any of which may be null."""
        return StructType([StructField(field.name, field.dataType) for field in self.urls.schema])

    def broadcast(self) -> DataFrame:
        """Collect the snapshot, and decide URLs in their partitions."""
        packed = _packed(self.snapshot.toArrow())
        decide = partial(_decide_by_snapshot, asked=self.asked, packed=packed)
        return self.urls.mapInArrow(decide, self.schema)

    def shuffled(self, partitions: int | None, busy: Mapping[str, int]) -> DataFrame:
        """Bring the files and URLs of an origin together, and decide there."""
        both = self._placed_urls(busy).unionByName(self._placed_robots(busy))
        place = functions.col("place")
        met = both.repartition(place) if partitions is None else both.repartition(partitions, place)
        # One whole number to sort by, whose last bit puts files before URLs: Spark sorts it by
        # radix, and no text is compared.
        order = place + functions.col("robots").isNull().cast("long")
        decide = partial(_decide_by_place, asked=self.asked)
        return met.sortWithinPartitions(order).mapInArrow(decide, self.schema)

    def _placed_urls(self, busy: Mapping[str, int]) -> DataFrame:
        row = functions.col("row" if is_hashable(self.read) else f"row.{self.read.names[-1]}")
        spread = functions.xxhash64(row)
        shares = functions.col("shares")
        share = functions.when(shares == 1, 0).otherwise(functions.pmod(spread, shares))
        # Rows without an origin can be decided anywhere, and may be many.
        place = functions.when(functions.col("origin").isNull(), _even(spread))
        return self.urls.mapInArrow(*self._placing(busy, "row")).select(
            place.otherwise(_place_of(share)).alias("place"),
            functions.lit(None).cast(ROBOTS).alias("robots"),
            "row",
        )

    def _placed_robots(self, busy: Mapping[str, int]) -> DataFrame:
        placed = self.snapshot.mapInArrow(*self._placing(busy, "robots"))
        share: Column = functions.lit(0)
        if busy:
            shares = functions.sequence(functions.lit(0), functions.col("shares") - 1)
            placed = placed.withColumn("share", functions.explode(shares))
            share = functions.col("share")
        return placed.select(
            _place_of(share).alias("place"),
            "robots",
            functions.lit(None).cast(self.read).alias("row"),
        )

    def _placing(
        self, busy: Mapping[str, int], what: Placed
    ) -> tuple[Callable[[Batches], Batches], StructType]:
        """Return what gives rows their origins, and the columns that it returns."""
        columns = [
            StructField("origin", StringType()),
            StructField("shares", IntegerType(), nullable=False),
            StructField(what, self.read if what == "row" else ROBOTS),
        ]
        return partial(_placed_rows, busy=dict(busy), what=what), StructType(columns)


def _place_of(share: Column) -> Column:
    return _even(functions.xxhash64(functions.col("origin"), share.cast("long")))


def _even(number: Column) -> Column:
    return number.bitwiseAND(functions.lit(-2).cast("long"))


# What runs in Spark's Python workers: a worker has one core and reads one partition at a time; only
# the current batch and the files of the last origin are in memory. Functions are pickled by name.


PLACED_FILES = FILES.insert(0, pa.field("place", pa.int64()))


@dataclass(frozen=True, slots=True)
class _Task:
    """Who asks, how files are read, and the names of the columns besides the URLs."""

    tokens: tuple[str, ...]
    bindings: Bindings
    dialect: Dialect
    names: tuple[str, ...]
    use: UseName | None = None

    def answered(self, batch: pa.RecordBatch, snapshot: Snapshot) -> pa.RecordBatch:
        """Return the rows of a batch, without the URLs in its last column, and with the columns of
        `decide_table`, in Spark's types.
        """
        *kept, urls = batch.columns
        table = pa.table(
            decide_table(
                urls, snapshot, self.tokens, bindings=self.bindings, threads=1, use=self.use
            )
        )
        allowed, reason, *more = (column.combine_chunks() for column in table.columns)
        columns = [*kept, allowed, reason.cast(pa.string()), *more]
        return pa.RecordBatch.from_arrays(columns, [*self.names, *table.schema.names])

    def snapshot_of(self, files: pa.Table) -> Snapshot:
        """Return the snapshot of files as `FILES` has them."""
        return Snapshot.from_observations([files], dialect=self.dialect, url="origin")


def _origins_seen(batches: Batches) -> Batches:
    """Yield the origins of the URLs in the first column."""
    for batch in batches:
        yield pa.RecordBatch.from_arrays([origins_of(batch.column(0))], ["origin"])


def _packed(snapshot: pa.Table) -> bytes:
    """Return a snapshot as bytes, the same in every task.

    Raises InvalidTable for a row without an origin.
    """
    files = [canonical(batch) for batch in snapshot.to_batches()]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, FILES, options=options) as writer:
        writer.write_table(ordered(pa.Table.from_batches(files, FILES)))
    return bytes(sink.getvalue())


@lru_cache(maxsize=1)
def _unpacked(packed: bytes, asked: _Task) -> Snapshot:
    """Return the snapshot, made once in each process: Spark reuses its workers."""
    return asked.snapshot_of(pa.ipc.open_stream(packed).read_all())


def _decide_by_snapshot(batches: Batches, asked: _Task, packed: bytes) -> Batches:
    """Decide every row with one snapshot, which all workers have."""
    snapshot = _unpacked(packed, asked)
    for batch in batches:
        yield asked.answered(batch, snapshot)


def _decide_by_place(batches: Batches, asked: _Task) -> Batches:
    """Decide rows that come after the files of their origins.

    In: batches of `place`, `robots` and `row`, one of the last two null, sorted so that the files
    of a place come first. Several origins may share a place, and a place several batches, so the
    files of the last place before a batch are kept.
    """
    files = PLACED_FILES.empty_table()
    snapshot, last = asked.snapshot_of(files), None
    for batch in batches:
        if not batch.num_rows:
            continue
        place, robots, row = (batch.column(name) for name in ("place", "robots", "row"))
        # Without new files the snapshot is kept, and with it the files that it has compiled.
        if robots.null_count < len(robots):
            before = files.filter(pc.field("place") == pa.scalar(last, pa.int64()))
            files = ordered(pa.concat_tables([before, _new_files(place, robots)]), "place")
            snapshot = asked.snapshot_of(files)
        last = place[-1].as_py()
        row = row.filter(row.is_valid()) if row.null_count else row
        if len(row):
            yield asked.answered(pa.RecordBatch.from_struct_array(row), snapshot)


def _new_files(place: pa.Array, robots: pa.StructArray) -> pa.Table:
    is_file = robots.is_valid()
    columns = [place.filter(is_file), *robots.filter(is_file).flatten()]
    return pa.Table.from_arrays(columns, schema=PLACED_FILES)


def _placed_rows(batches: Batches, busy: dict[str, int], what: Placed) -> Batches:
    """Yield each row, or file, with its origin, and how many tasks share it."""
    names = pa.array(busy.keys(), pa.string())
    shares = pa.array(busy.values(), pa.int32())
    for batch in batches:
        given = canonical(batch) if what == "robots" else batch
        origin = given.column("origin") if what == "robots" else origins_of(given.column(-1))
        share = shares.take(pc.index_in(origin, names)).fill_null(1)
        row = pa.StructArray.from_arrays(given.columns, given.schema.names)
        yield pa.RecordBatch.from_arrays([origin, share, row], ["origin", "shares", what])
