"""Scans of many WARC archives.

In: names of archives. Out: a data frame with one row per capture: the capture itself, or the row of
`verger.scan/1` that `verger.bulk.scan.scan` writes for it. One task reads an archive from beginning
to end, and only its own rows depend on it.
"""

from collections.abc import Callable, Sequence
from typing import BinaryIO, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import LongType, StringType, StructField, StructType

from verger._core import Dialect
from verger.bulk.scan import Scanner
from verger.bulk.spark import archives
from verger.bulk.spark.frames import TEXT, check_column, column_named
from verger.crawlers import LISTED
from verger.options import Paths, expect_whole, paths_of

Opener: TypeAlias = Callable[[str], BinaryIO]

SKIP = StructType(
    [
        StructField("archive", StringType()),
        StructField("offset", LongType()),
        StructField("why", StringType()),
    ]
)


def scan(
    spark: SparkSession,
    paths: DataFrame | Paths,
    *,
    column: str = "path",
    dialect: str | Dialect = "rfc9309",
    crawlers: Sequence[str] = LISTED,
    partitions: int | None = None,
    with_skips: bool = False,
    opener: Opener = archives.open_archive,
) -> DataFrame:
    """Scan archives; return one row per capture, in the columns of `Scanner.schema`.

    paths:       names of archives, one or several, which every worker can open; or a data frame,
                 whose partitions become tasks, with the names in `column`.
    partitions:  how many tasks share a list of names; by default each name is a task.
    with_skips:  add the column `skip`, and a row with nothing else for each place of an archive
                 that cannot be read, and for each file that is not an archive. Without it, the
                 worker logs such places, and a file that is not an archive makes the job fail.
    opener:      opens an archive for reading; the default takes paths, and the URLs that
                 `pyarrow.fs` knows, such as `s3://` and `hdfs://`. It is sent to the workers.
    Raises InvalidTable, InvalidProductToken, UnknownName and InvalidOption at once.
    """
    scanner = Scanner(dialect=dialect, crawlers=crawlers, threads=1)
    task = archives.ReadArchives(scanner, opener, with_skips)
    return _read(spark, paths, column, partitions, task)


def captures(
    spark: SparkSession,
    paths: DataFrame | Paths,
    *,
    column: str = "path",
    partitions: int | None = None,
    with_skips: bool = False,
    opener: Opener = archives.open_archive,
) -> DataFrame:
    """Read archives; return the captures themselves: `url`, `time`, `status`, `location`, `body`.

    They are a snapshot for `decide`. Arguments and errors are those of `scan`.
    """
    task = archives.ReadArchives(None, opener, with_skips)
    return _read(spark, paths, column, partitions, task)


def _read(
    spark: SparkSession,
    paths: DataFrame | Paths,
    column: str,
    partitions: int | None,
    task: archives.ReadArchives,
) -> DataFrame:
    # An empty table gives Spark's types without running a job.
    schema = spark.createDataFrame(task.schema.empty_table()).schema
    if task.with_skips:
        schema = StructType([*schema.fields, StructField("skip", SKIP)])
    if isinstance(paths, DataFrame):
        check_column(paths, column, TEXT)
        names = paths.select(column_named(column).alias("path"))
        return names.mapInArrow(task, schema)
    return _of_list(spark, paths, partitions, task, schema)


def _of_list(
    spark: SparkSession,
    given: Paths,
    partitions: int | None,
    task: archives.ReadArchives,
    schema: StructType,
) -> DataFrame:
    paths = paths_of("paths", given)
    if partitions is not None:
        expect_whole("partitions", partitions)
    # Spark divides numbers evenly over partitions, which it does not promise for anything else.
    numbers = spark.range(0, len(paths), 1, numPartitions=partitions or max(len(paths), 1))
    names = archives.Names.packed(paths)
    return numbers.mapInArrow(archives.ReadNumbered(task, names), schema)
