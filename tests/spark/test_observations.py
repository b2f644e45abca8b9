"""What observations of an origin mean on Spark: the cases of `conformance/access`, in each plan."""

import pytest
from pyspark.sql import SparkSession

from access.observed import PATHS, TABLE_CASES, TOKEN, columns_of
from verger.bulk.spark import decide

NAN = "coalesce(cast({0} as double), double('NaN')) as {1}"
AS_KIND = {
    "timestamps": ("timestamp_seconds(seconds) as time", "status"),
    "whole numbers": ("seconds as time", "status"),
    "floats": (NAN.format("seconds", "time"), NAN.format("status", "status")),
}
"""What times are; statuses beside floats are floats as well, and NaN stands for a null."""


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster-1996"])
@pytest.mark.parametrize("kind", AS_KIND)
@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_cases(spark: SparkSession, plan: str, kind: str, dialect: str) -> None:
    """Every case permits what it permits elsewhere, for data frames without an order."""
    # Rows of one time have no order here: the case that asks for the last of them has no answer.
    cases = [case for case in TABLE_CASES if len({row.time for row in case.rows}) == len(case.rows)]
    columns = columns_of(cases)
    rows = list(zip(*columns.values(), strict=True))
    schema = "origin string, seconds bigint, status int, body binary"
    seconds = spark.createDataFrame(rows, schema)
    snapshot = seconds.selectExpr("origin", *AS_KIND[kind], "body")
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


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_floats_that_are_no_statuses(spark: SparkSession, plan: str) -> None:
    """They open nothing, whatever the body says, and let no job fail."""
    odd = [200.5, -200.0, float("inf"), -float("inf"), 2.0**63, 1e300]
    rows = [(f"https://{n}.example", status, b"") for n, status in enumerate(odd)]
    snapshot = spark.createDataFrame(rows, "origin string, status double, body binary")
    decided = decide(snapshot.select("origin"), snapshot, TOKEN, column="origin", plan=plan)  # type: ignore[arg-type]

    assert {"UNDEFINED_STATUS"} == {row["reason"] for row in decided.collect()}
    assert [False] * len(odd) == [row["allowed"] for row in decided.collect()]
