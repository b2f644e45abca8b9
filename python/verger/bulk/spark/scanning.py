"""Scans of many WARC archives.

In: names of archives. Out: a data frame with one row per capture: the capture itself, or the row of
`verger.scan/1` that `verger.bulk.scan.scan` writes for it. One task reads an archive from beginning
to end, and only its own rows depend on it.
"""

import logging
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import BinaryIO, TypeAlias, cast

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession

from verger.bulk.scan import CAPTURES, Scanner, ScanReport, Skip, read_warc
from verger.bulk.spark.frames import TEXT, check_column, column_named
from verger.crawlers import LISTED
from verger.errors import InvalidTable, UnusableInput
from verger.files.addresses import open_input
from verger.files.input_errors import unreadable
from verger.files.paths import HDFS, is_address, scheme_of
from verger.options import AnyDialect, Paths, expect_whole, paths_of
from verger.untrusted_text import without_secrets

Opener: TypeAlias = Callable[[str], BinaryIO]

SKIP = pa.struct([("archive", pa.string()), ("offset", pa.int64()), ("why", pa.string())])

log = logging.getLogger("verger")


def open_archive(path: str) -> BinaryIO:
    """Open a file by its path or address. Raises OSError, UnusableInput."""
    if "://" not in path or (is_address(path) and scheme_of(path) != HDFS):
        return open_input(path, 0)
    system, name = fs.FileSystem.from_uri(path)
    return cast(BinaryIO, system.open_input_file(name))


def scan(
    spark: SparkSession,
    paths: DataFrame | Paths,
    *,
    column: str = "path",
    dialect: AnyDialect = "rfc9309",
    crawlers: Sequence[str] = LISTED,
    partitions: int | None = None,
    with_skips: bool = False,
    opener: Opener = open_archive,
) -> DataFrame:
    """Scan archives; return one row per capture, in the columns of `Scanner.schema`.

    paths:       names of archives, one or several, which every worker can open; or a data frame,
                 whose partitions become tasks, with the names in `column`.
    partitions:  how many tasks share a list of names; by default each name is a task.
    with_skips:  add the column `skip`, and a row with nothing else for each place of an archive
                 that cannot be read, and for each file that cannot be opened or is not an archive.
                 Without it, the worker logs such places, and such a file makes the job fail.
    opener:      opens an archive for reading; the default takes paths, addresses such as
                 `s3://BUCKET/NAME` and `https://`, and others that `pyarrow.fs` knows, such as
                 `hdfs://`. It is sent to the workers.
    Raises InvalidTable, InvalidProductToken, UnknownName and InvalidOption at once.
    """
    scanner = Scanner(dialect=dialect, crawlers=crawlers, threads=1)
    return _read(spark, paths, column, partitions, _ReadArchives(scanner, opener, with_skips))


def captures(
    spark: SparkSession,
    paths: DataFrame | Paths,
    *,
    column: str = "path",
    partitions: int | None = None,
    with_skips: bool = False,
    opener: Opener = open_archive,
) -> DataFrame:
    """Read archives; return the captures themselves: `url`, `time`, `status`, `location`, `body`.

    They are a snapshot for `decide`. Arguments and errors are those of `scan`.
    """
    return _read(spark, paths, column, partitions, _ReadArchives(None, opener, with_skips))


def _read(
    spark: SparkSession,
    paths: DataFrame | Paths,
    column: str,
    partitions: int | None,
    task: "_ReadArchives",
) -> DataFrame:
    # An empty table gives Spark's types without running a job.
    schema = spark.createDataFrame(task.schema.empty_table()).schema
    if isinstance(paths, DataFrame):
        check_column(paths, column, TEXT)
        names = paths.select(column_named(column).alias("path"))
        return names.mapInArrow(partial(_read_archives, task=task, packed=None), schema)
    listed = paths_of("paths", paths)
    expect_whole("partitions", partitions, optional=True)
    # Spark divides numbers evenly over partitions, which it does not promise for anything else.
    numbers = spark.range(0, len(listed), 1, numPartitions=partitions or max(len(listed), 1))
    # Every task gets all names, and they are similar.
    packed = zlib.compress("\0".join(listed).encode())
    return numbers.mapInArrow(partial(_read_archives, task=task, packed=packed), schema)


# What runs in Spark's Python workers.


@dataclass(frozen=True, slots=True)
class _ReadArchives:
    """Reads archives."""

    scanner: Scanner | None
    """Makes rows of captures; None keeps the captures."""
    opener: Opener
    with_skips: bool

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows."""
        rows = CAPTURES if self.scanner is None else self.scanner.schema
        return rows.append(pa.field("skip", SKIP)) if self.with_skips else rows

    def rows(self, name: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows of an archive."""
        report = ScanReport()
        try:
            with self.opener(name) as file:
                captures = read_warc(file, report, name=name)
                read = captures if self.scanner is None else self.scanner.scan_batches(captures)
                for rows in read:
                    skips = pa.nulls(rows.num_rows, SKIP)
                    yield rows.append_column("skip", skips) if self.with_skips else rows
        except (UnusableInput, OSError) as error:
            told = unreadable(name, error) if isinstance(error, OSError) else error
            # what fails once it is open is for Spark to try again, unless it is no archive
            if not self.with_skips or (report.bytes and not isinstance(told, InvalidTable)):
                raise
            report.skips.insert(0, Skip(without_secrets(name), 0, told.message))
        for skip in report.skips:
            log.warning("%s", skip)
        if self.with_skips and report.skips:
            places = [
                {"archive": skip.file, "offset": skip.offset, "why": skip.why}
                for skip in report.skips
            ]
            nothing_else = [{"skip": place} for place in places]
            yield pa.RecordBatch.from_pylist(nothing_else, schema=self.schema)


def _read_archives(
    batches: Iterator[pa.RecordBatch], task: _ReadArchives, packed: bytes | None
) -> Iterator[pa.RecordBatch]:
    """Read the archives that the first column names, or whose numbers it has among `packed`."""
    for batch in batches:
        for each in batch.column(0).drop_null().to_pylist():
            yield from task.rows(each if packed is None else _unpacked(packed)[each])


@lru_cache(maxsize=1)
def _unpacked(names: bytes) -> list[str]:
    return zlib.decompress(names).decode().split("\0")
