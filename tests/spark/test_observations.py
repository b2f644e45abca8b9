"""What observations of an origin mean on Spark: the cases of `conformance/access`, in each plan."""

import pytest
from pyspark.sql import SparkSession

from access.observed import PATHS, TABLE_CASES, TOKEN, columns_of
from verger.bulk.spark import decide

TIMES = ["timestamps", "whole numbers"]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster-1996"])
@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_cases(spark: SparkSession, plan: str, kind: str, dialect: str) -> None:
    """Every case permits what it permits elsewhere, for data frames without an order."""
    # Rows of one time have no order here: the case that asks for the last of them has no answer.
    cases = [case for case in TABLE_CASES if len({row.time for row in case.rows}) == len(case.rows)]
    columns = columns_of(cases)
    rows = list(zip(*columns.values(), strict=True))
    schema = "origin string, seconds bigint, status int, body binary"
    seconds = spark.createDataFrame(rows, schema)
    time = "timestamp_seconds(seconds)" if kind == "timestamps" else "seconds"
    snapshot = seconds.selectExpr("origin", f"{time} as time", "status", "body")
    urls = spark.createDataFrame([(url,) for case in cases for url in case.urls()], "url string")
    decided = decide(urls, snapshot, TOKEN, dialect=dialect, plan=plan, busy={})  # type: ignore[arg-type]
    said = {row["url"]: row["allowed"] for row in decided.collect()}
    expected = {
        url: allowed
        for case in cases
        for url, allowed in zip(case.urls(), case.permitted(dialect), strict=True)
    }

    assert len(cases) * len(PATHS) == len(said)
    assert expected == said
