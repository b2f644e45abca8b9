"""Decisions about a data frame of URLs, by a snapshot in another.

In: two data frames. Out: a third, with the columns of the URLs and `allowed`, `reason`, `line`, as
from `verger.bulk.decide_table`. RFC 9309 sections 2.2.2 and 2.3.

A small snapshot is sent to every worker, and the URLs stay where they are. Otherwise the files and
the URLs of an origin are brought to one partition, sorted so that a file comes before its URLs;
batches stream through it, so no site has to fit into memory. Sites with very many URLs are divided:
their files are copied to several partitions.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias, get_args

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    BooleanType,
    IntegerType,
    StringType,
    StructField,
    StructType,
)

from verger._core import Dialect
from verger.bulk.spark import workers
from verger.bulk.spark.frames import (
    BYTES,
    ROBOTS,
    SnapshotColumns,
    check_column,
    check_frame,
    column_named,
    is_hashable,
    kept_columns,
)
from verger.crawlers.binding import Bindings
from verger.errors import InvalidOption
from verger.options import expect_whole, origin_named

Plan: TypeAlias = Literal["auto", "broadcast", "shuffle"]

BROADCAST_BYTES = 64 << 20
"""The largest snapshot, in bytes of bodies, that is copied to every Python worker."""
BROADCAST_ROWS = 1_000_000
TASK_ROWS = 1_000_000
"""Roughly how many URLs of one site a task gets before the site is divided."""
SAMPLE = 0.001

ANSWER = [
    StructField("allowed", BooleanType()),
    StructField("reason", StringType(), nullable=False),
    StructField("line", IntegerType()),
]


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
    dialect: str | Dialect = "rfc9309",
    plan: Plan = "auto",
    partitions: int | None = None,
    busy: Mapping[str, int] | None = None,
) -> DataFrame:
    """Decide every URL; return its columns and `allowed`, `reason`, `line`, in any order.

    column:      the column with the URLs: text or binary.
    keep:        the columns of `urls` to keep in the result; by default all.
    origin, body, status, time, failure:  the columns of the snapshot, as in
                 `Snapshot.from_table`. Rows with the same origin and time count in the order of
                 their statuses, then of their failures, then of their bodies: data frames have no
                 order. An exported cache is read as a whole.
    bindings:    whose groups the crawler follows, as in `verger.bulk.decide_table`.
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
    columns = SnapshotColumns.found(snapshot, (origin, body, status, time, failure))
    asker = workers.Asker.checked(token, bindings, dialect)
    job = _Job(urls, column, kept_columns(urls, keep), columns.select(snapshot), asker)
    _check_choices(plan, partitions)
    shares = None if busy is None else _shares(busy)
    if plan == "broadcast" or (plan == "auto" and is_small(job.snapshot)):
        return job.broadcast()
    return job.shuffled(partitions, busy_origins(urls, column) if shares is None else shares)


def _check_choices(plan: Plan, partitions: int | None) -> None:
    if plan not in get_args(Plan):
        raise InvalidOption(f"`plan` is `{plan}`", "pass auto, broadcast or shuffle")
    if partitions is not None:
        expect_whole("partitions", partitions)


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
    ).first()
    if measured is None:
        return True
    rows, data = measured
    return rows <= BROADCAST_ROWS and (data or 0) <= BROADCAST_BYTES


def busy_origins(
    urls: DataFrame, column: str, *, task_rows: int = TASK_ROWS, sample: float = SAMPLE
) -> dict[str, int]:
    """Return the origins with too many URLs for one task, and how many tasks should share each.

    Runs a job that reads the column of URLs, and counts the origins in a sample of it.
    """
    origin = StructType([StructField("origin", StringType())])
    seen = urls.select(column_named(column).alias("url")).sample(fraction=sample, seed=0)
    counted = seen.mapInArrow(workers.origins, origin).groupBy("origin").count()
    most = task_rows * sample
    busy = counted.where(functions.col("origin").isNotNull() & (functions.col("count") > most))
    return {row["origin"]: ceil(row["count"] / most) for row in busy.collect()}


@dataclass(frozen=True, slots=True)
class _Job:
    """All rows of a data frame, the snapshot, and who asks."""

    urls: DataFrame
    column: str
    kept: list[StructField]
    snapshot: DataFrame
    asker: workers.Asker

    @property
    def schema(self) -> StructType:
        """The columns of the result."""
        return StructType([*self.kept, *ANSWER])

    @property
    def read(self) -> StructType:
        """The columns that are read: those that are kept, and then the URLs.

        They get plain names: `mapInArrow` does not find columns with a dot in the name.
        """
        fields = [*self.kept, self.urls.schema[self.column]]
        return StructType([StructField(f"c{n}", field.dataType) for n, field in enumerate(fields)])

    @property
    def answering(self) -> workers.Answering:
        return workers.Answering(self.asker, tuple(field.name for field in self.kept))

    def broadcast(self) -> DataFrame:
        """Collect the snapshot, and decide URLs in their partitions."""
        packed = workers.pack(self.snapshot.toArrow())
        decide = workers.DecideBySnapshot(self.answering, packed)
        return self._renamed_urls().mapInArrow(decide, self.schema)

    def shuffled(self, partitions: int | None, busy: Mapping[str, int]) -> DataFrame:
        """Bring the files and URLs of an origin together, and decide there."""
        both = self._placed_urls(busy).unionByName(self._placed_robots(busy))
        place = functions.col("place")
        met = both.repartition(place) if partitions is None else both.repartition(partitions, place)
        # One whole number to sort by, whose last bit puts files before URLs: Spark sorts it by
        # radix, and no text is compared.
        order = place + functions.col("robots").isNull().cast("long")
        decide = workers.DecideByPlace(self.answering)
        return met.sortWithinPartitions(order).mapInArrow(decide, self.schema)

    def _renamed_urls(self) -> DataFrame:
        names = [*(field.name for field in self.kept), self.column]
        plain = zip(names, self.read.names, strict=True)
        return self.urls.select(*(column_named(name).alias(as_) for name, as_ in plain))

    def _placed_urls(self, busy: Mapping[str, int]) -> DataFrame:
        row = functions.col("row" if is_hashable(self.read) else f"row.{self.read.names[-1]}")
        spread = functions.xxhash64(row)
        shares = functions.col("shares")
        share = functions.when(shares == 1, 0).otherwise(functions.pmod(spread, shares))
        # Rows without an origin can be decided anywhere, and may be many.
        place = functions.when(functions.col("origin").isNull(), _even(spread))
        return (
            self._renamed_urls()
            .mapInArrow(workers.Place(dict(busy), "row", workers.url_parts), self._placed("row"))
            .select(
                place.otherwise(_place_of(share)).alias("place"),
                functions.lit(None).cast(ROBOTS).alias("robots"),
                "row",
            )
        )

    def _placed_robots(self, busy: Mapping[str, int]) -> DataFrame:
        placed = self.snapshot.mapInArrow(
            workers.Place(dict(busy), "robots", workers.file_parts), self._placed("robots")
        )
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

    def _placed(self, what: Literal["row", "robots"]) -> StructType:
        return StructType(
            [
                StructField("origin", StringType()),
                StructField("shares", IntegerType(), nullable=False),
                StructField(what, self.read if what == "row" else ROBOTS),
            ]
        )


def _place_of(share: Column) -> Column:
    return _even(functions.xxhash64(functions.col("origin"), share.cast("long")))


def _even(number: Column) -> Column:
    return number.bitwiseAND(functions.lit(-2).cast("long"))
