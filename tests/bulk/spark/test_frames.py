"""What cannot be meant is refused on the driver, before any job."""

from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import verger
from bulk.spark.tables import TOKEN, snapshot_table, url_table
from verger.bulk.spark import decide
from verger.errors import InvalidTable

pytestmark = pytest.mark.slow

REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "no such column": (
        {"column": "url"},
        InvalidTable,
        "the table has no column `url`\n"
        "hint: it has `id`, `page url`, `tags`, `seen`, `size.kb`; name the one to read",
    ),
    "numbers for URLs": (
        {"column": "id"},
        InvalidTable,
        "the column `id` holds bigint, not text or binary\nhint: cast the column, or name another",
    ),
    "a map for URLs": (
        {"column": "tags"},
        InvalidTable,
        "the column `tags` holds map<string,int>, not text or binary",
    ),
    "no such origin": ({"origin": "host"}, InvalidTable, "no column `host` in the data frame"),
    "no such body": ({"body": "text"}, InvalidTable, "no column `text` in the data frame"),
    "no such status": ({"status": "code"}, InvalidTable, "no column `code` in the data frame"),
    "text for statuses": (
        {"status": "origin"},
        InvalidTable,
        "the column `origin` holds string, not numbers",
    ),
    "binary data for times": (
        {"time": "body"},
        InvalidTable,
        "the column `body` holds binary, not timestamps or numbers",
    ),
    "no such column to keep": (
        {"keep": ["id", "x"]},
        InvalidTable,
        "the table has no column `x`",
    ),
    "a column twice": (
        {"keep": ["id", "ID"]},
        InvalidTable,
        "the table has no column `ID`",
    ),
    "one column kept twice": (
        {"keep": ["id", "id"]},
        InvalidTable,
        "the result would have two columns `id`",
    ),
    "no token": ({"token": "a b"}, verger.InvalidProductToken, "`a b` is not a product token"),
    "no such dialect": ({"dialect": "rfc1"}, verger.UnknownName, "rfc1"),
    "no such plan": ({"plan": "fast"}, verger.InvalidOption, "pass auto, broadcast or shuffle"),
    "no partitions": ({"partitions": 0}, verger.InvalidOption, "`partitions` is `0`"),
    "no tasks": (
        {"busy": {"https://a.example": 0}},
        verger.InvalidOption,
        "`busy['https://a.example']` is `0`",
    ),
    "too many tasks": (
        {"busy": {"https://a.example": 1 << 31}},
        verger.InvalidOption,
        "pass a whole number from 1 to 2,147,483,647",
    ),
    "tasks of no site": (
        {"busy": {"nonsense": 3}},
        verger.InvalidTarget,
        "`nonsense` in `busy` is not an origin",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_meant_is_refused(spark: SparkSession, name: str) -> None:
    """The error names the column, and no job ran."""
    changed, kind, message = REFUSED[name]
    urls, snapshot = (
        spark.createDataFrame(table).drop() for table in (url_table(3), snapshot_table(3))
    )
    options = {"column": "page url", "token": TOKEN, "busy": {}} | changed
    spark.sparkContext.setJobGroup(name, name)
    with pytest.raises(kind) as caught:
        decide(urls, snapshot, **options)

    assert message in str(caught.value)
    assert [] == list(spark.sparkContext.statusTracker().getJobIdsForGroup(name))


@pytest.mark.parametrize("name", ["allowed", "Reason", "line"])
def test_names_of_the_answer_are_taken(spark: SparkSession, name: str) -> None:
    """A column of that name has to be renamed or left out, whatever its case."""
    urls = spark.createDataFrame(pa.table({"url": ["https://a.example/"], name: [1]}))
    snapshot = spark.createDataFrame(snapshot_table(3))
    with pytest.raises(InvalidTable, match="the result would have two columns"):
        decide(urls, snapshot, TOKEN)

    assert ["url", "allowed", "reason", "line"] == decide(
        urls, snapshot, TOKEN, keep=["url"], plan="shuffle", busy={}
    ).columns


def test_a_name_that_is_there_twice_is_none(spark: SparkSession) -> None:
    """Spark lets columns share a name; which is meant cannot be known."""
    urls = spark.sql("SELECT 'https://a.example/' AS url, 'x' AS url")
    with pytest.raises(InvalidTable, match="the table has 2 columns `url`"):
        decide(urls, spark.createDataFrame(snapshot_table(3)), TOKEN)


@pytest.mark.parametrize("which", ["urls", "snapshot"])
def test_other_things_are_no_data_frames(spark: SparkSession, which: str) -> None:
    """Tables of other libraries have `verger.bulk.decide_table`."""
    frames: dict[str, Any] = {
        "urls": spark.createDataFrame(pa.table({"url": ["https://a.example/"]})),
        "snapshot": spark.createDataFrame(snapshot_table(3)),
    }
    frames[which] = snapshot_table(3)
    with pytest.raises(TypeError, match=f"`{which}` must be a Spark DataFrame, not Table"):
        decide(token=TOKEN, **frames)
