"""Workers that are killed change nothing."""

import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from bulk.spark.killing import failed_tasks, killer
from bulk.spark.tables import (
    BUSY,
    TOKEN,
    answers_of_one_machine,
    rows_of,
    snapshot_table,
    url_table,
)
from verger.bulk.spark import decide

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="finds workers below /proc"),
]


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_a_killed_worker_is_replaced(spark: SparkSession, tmp_path: Path, plan: str) -> None:
    """The worker that decides is killed in the middle of a partition; the rows are the same."""
    urls, snapshot = url_table(30_000), snapshot_table()
    marker, output = tmp_path / "killed", tmp_path / "out"
    frames = [spark.createDataFrame(table).repartition(2) for table in (urls, snapshot)]
    spark.sparkContext.setJobGroup(str(marker), "a worker is killed")
    options = {"column": "page url", "keep": urls.column_names[:3], "partitions": 2}
    result = decide(*frames, TOKEN, **options, plan=plan, busy={BUSY: 2})
    result.mapInArrow(killer(marker), result.schema).write.parquet(str(output))

    assert [] != marker.read_text().split()
    assert 1 <= failed_tasks(spark, str(marker))
    assert rows_of(
        answers_of_one_machine(urls, snapshot).drop_columns(["seen", "size.kb"])
    ) == rows_of(pq.read_table(output))
