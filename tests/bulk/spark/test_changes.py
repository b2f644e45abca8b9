"""What a later snapshot changes, told on Spark as `verger diff` tells it on one machine."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from bulk.spark.tables import BODIES, snapshot_table
from verger.bulk.changes import diff_snapshots
from verger.bulk.spark import changes
from verger.errors import InvalidOption, InvalidProductToken, InvalidTable, UnknownName

pytestmark = pytest.mark.slow


def rows_of(table: pa.Table) -> list[str]:
    return sorted(map(repr, table.to_pylist()))


def later_table() -> pa.Table:
    """Return the snapshot with other bodies, without some sites, and with one more."""
    table = snapshot_table()
    other = [BODIES[(n * 7) % len(BODIES)] for n in range(table.num_rows)]
    bodies = pa.array(other, pa.binary())
    table = table.set_column(table.schema.get_field_index("body"), "body", bodies)
    return table.slice(20)


@pytest.mark.parametrize("crawlers", [(), ("examplebot", "GPTBot")])
def test_spark_tells_what_one_machine_tells(
    spark: SparkSession, tmp_path: Path, crawlers: tuple[str, ...]
) -> None:
    """The rows are the same, for everyone or for some crawlers."""
    old, new = snapshot_table(), later_table()
    for name, table in (("old", old), ("new", new)):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    diff_snapshots(
        tmp_path / "old.parquet",
        tmp_path / "new.parquet",
        tmp_path / "c.parquet",
        crawlers=crawlers,
    )
    expected = pq.read_table(tmp_path / "c.parquet")
    frames = (spark.createDataFrame(table) for table in (old, new))
    found = changes(*frames, crawlers=crawlers, partitions=3).toArrow()

    assert expected.num_rows > 20
    assert expected.schema.names == found.schema.names
    assert rows_of(expected) == rows_of(found)


def test_what_cannot_be_compared_is_told_at_once(spark: SparkSession) -> None:
    """Columns and names are looked at before any job."""
    frame = spark.createDataFrame([("https://a.example", b"")], "origin string, body binary")

    with pytest.raises(InvalidTable, match="no column `text`"):
        changes(frame, frame, body="text")
    with pytest.raises(InvalidProductToken):
        changes(frame, frame, crawlers=["a b"])
    with pytest.raises(UnknownName):
        changes(frame, frame, dialect="rfc")
    with pytest.raises(InvalidOption, match="`partitions` is `0`"):
        changes(frame, frame, partitions=0)
