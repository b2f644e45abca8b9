"""Scans on Spark have the rows of one machine."""

import sys
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

import verger
from bulk.spark.archives import write_archives
from bulk.spark.killing import failed_tasks, killer
from bulk.spark.tables import rows_of
from verger.bulk.scan import CAPTURES, Scanner, read_warc, scan as scan_here
from verger.bulk.spark import captures, decide, scan
from verger.errors import InvalidTable

pytestmark = pytest.mark.slow

ROBOTS = "https://h0-0.example"


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Five archives."""
    return write_archives(tmp_path_factory.mktemp("archives"))


def rows_of_one_machine(paths: list[str], scanner: Scanner | None = None) -> pa.Table:
    """Return what `verger scan` writes."""
    output = Path(paths[0]).with_name("one-machine.parquet")
    scan_here(paths, output, scanner=scanner)
    return pq.read_table(output)


@pytest.mark.parametrize("partitions", [None, 2, 9])
def test_rows_are_those_of_one_machine(
    spark: SparkSession, paths: list[str], partitions: int | None
) -> None:
    """Each archive is one task by default; fewer or more tasks change nothing."""
    result = scan(spark, paths, partitions=partitions)
    table, wanted = result.toArrow(), rows_of_one_machine(paths)

    assert wanted.schema.names == table.schema.names
    assert wanted.schema.types == table.schema.types
    assert rows_of(wanted, "url") == rows_of(table, "url")
    assert (partitions or len(paths)) == result.rdd.getNumPartitions()


def test_names_may_be_a_data_frame(spark: SparkSession, paths: list[str]) -> None:
    """Its partitions are the tasks; the dialect and the crawlers are the scanner's."""
    names = spark.createDataFrame(pa.table({"n": range(5), "the path": paths})).repartition(3)
    options = {"dialect": "google", "crawlers": ["GPTBot", "Bingbot"]}
    table = scan(spark, names, column="the path", **options).toArrow()

    assert rows_of(rows_of_one_machine(paths, Scanner(**options)), "url") == rows_of(table, "url")


def test_no_archives_make_no_rows(spark: SparkSession) -> None:
    """An empty list is one, with all columns."""
    assert [] == scan(spark, []).collect()
    assert Scanner().schema.names == scan(spark, []).columns


def test_addresses_are_opened(spark: SparkSession, paths: list[str]) -> None:
    """The addresses of `pyarrow.fs`, and whatever an opener knows."""
    prefix = "archive:"

    def opener(name: str) -> BinaryIO:
        return Path(name.removeprefix("archive:")).open("rb")

    addresses = scan(spark, [f"file://{path}" for path in paths])
    strange = scan(spark, [prefix + path for path in paths], opener=opener)

    assert 1_000 == addresses.count()
    assert 1_000 == strange.count()


def test_skips_are_told(spark: SparkSession, paths: list[str], tmp_path: Path) -> None:
    """Damage within an archive, files that are none, and those that are not there have rows of
    their own."""
    text, none = tmp_path / "text.warc", str(tmp_path / "none.warc.gz")
    text.write_text("no archive")
    result = scan(spark, [*paths, str(text), none], with_skips=True).toArrow()
    rows = result.to_pylist()
    skips = [row["skip"] for row in rows if row["skip"] is not None]

    assert 1_000 == sum(row["skip"] is None and row["url"] is not None for row in rows)
    assert {paths[3], str(text), none} == {skip["archive"] for skip in skips}
    assert any("is not a WARC file" in skip["why"] for skip in skips)
    assert any("no such file" in skip["why"] for skip in skips)


def test_what_is_no_archive_stops_the_job(spark: SparkSession, tmp_path: Path) -> None:
    """Unless skips are asked for; the message names the file."""
    text = tmp_path / "text.warc"
    text.write_text("no archive")
    with pytest.raises(Exception, match="is not a WARC file"):
        scan(spark, [str(text)]).collect()


def test_captures_are_a_snapshot(spark: SparkSession, paths: list[str]) -> None:
    """What archives hold can be asked about URLs."""
    found = captures(spark, paths)
    urls = spark.createDataFrame([(f"{ROBOTS}/page-0/x",), (f"{ROBOTS}/other",)], "url string")
    decided = decide(urls, found, "examplebot", plan="shuffle", busy={})
    here = pa.Table.from_batches([b for p in paths for b in read_warc(p)], CAPTURES)

    assert rows_of(here, "url") == rows_of(found.toArrow(), "url")
    assert {(False, 5), (True, None)} == {
        (row["allowed"], row["line"]) for row in decided.collect()
    }


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"crawlers": ["a b"]}, verger.InvalidProductToken, "`a b`"),
        ({"dialect": "rfc1"}, verger.UnknownName, "rfc1"),
        ({"partitions": 0}, verger.InvalidOption, "`partitions` is `0`"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    spark: SparkSession, options: dict[str, object], kind: type[Exception], message: str
) -> None:
    """On the driver, before any job."""
    with pytest.raises(kind, match=message):
        scan(spark, ["x.warc.gz"], **options)


def test_paths_are_a_list_or_a_column_of_text(spark: SparkSession) -> None:
    """Numbers are neither."""
    with pytest.raises(TypeError, match="`paths` must be a path or a sequence of paths, not int"):
        scan(spark, 3)  # type: ignore[arg-type]
    with pytest.raises(InvalidTable, match="the table has no column `path`"):
        scan(spark, spark.range(3))
    with pytest.raises(InvalidTable, match="the column `id` holds bigint, not text"):
        scan(spark, spark.range(3), column="id")


@pytest.mark.skipif(sys.platform != "linux", reason="finds workers below /proc")
def test_a_killed_worker_is_replaced(spark: SparkSession, tmp_path: Path) -> None:
    """The worker that reads an archive is killed in the middle of it; the rows are the same."""
    paths = write_archives(tmp_path / "archives", count=2, captures=9_000)
    marker, output = tmp_path / "killed", tmp_path / "out"
    spark.sparkContext.setJobGroup(str(marker), "a worker is killed")
    result = scan(spark, paths)
    killed = result.mapInArrow(killer(marker, after=1), result.schema)
    killed.drop("time").write.parquet(str(output))
    wanted = rows_of_one_machine(paths).drop_columns(["time"])

    assert [] != marker.read_text().split()
    assert 1 <= failed_tasks(spark, str(marker))
    assert rows_of(wanted, "url") == rows_of(pq.read_table(output), "url")
