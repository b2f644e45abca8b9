"""What observations of an origin mean on Spark: the cases of `conformance/access`, in each plan."""

from collections.abc import Sequence
from pathlib import Path
from time import time

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import verger
from access.observed import (
    CASES,
    PATHS,
    STORED,
    TOKEN,
    Case,
    allowed_by,
    columns_of,
    exported,
)
from verger.access.entry import binding_body, policy_of
from verger.access.observation import entry_observed, place_without_order
from verger.bulk.spark import changes, decide
from verger.errors import InvalidTable

pytestmark = pytest.mark.slow

NAN = "coalesce(cast({0} as double), double('NaN')) as {1}"
AS_KIND = {
    "timestamps": ("timestamp_seconds(seconds) as time", "status"),
    "whole numbers": ("seconds as time", "status"),
    "other names": ("timestamp_seconds(seconds) as fetched_at", "status as Status_Code"),
    "floats": (NAN.format("seconds", "time"), NAN.format("status", "status")),
}
"""What times are; statuses beside floats are floats as well, and NaN stands for a null."""

NAMES = {"other names": ["substr(origin, 9) as Host", "failure as FAILURE", "body as robots_txt"]}


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster-1996"])
@pytest.mark.parametrize("kind", AS_KIND)
@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_cases(spark: SparkSession, plan: str, kind: str, dialect: str) -> None:
    """Every case permits what it permits elsewhere, where rows have no order."""
    columns = columns_of(CASES)
    rows = list(zip(*columns.values(), strict=True))
    schema = "origin string, seconds bigint, status int, failure string, body binary"
    seconds = spark.createDataFrame(rows, schema)
    snapshot = seconds.selectExpr(*NAMES.get(kind, ["origin", "failure", "body"]), *AS_KIND[kind])
    expected = {case.id: permitted_without_order(case, dialect) for case in CASES}

    assert expected == answers(spark, snapshot, CASES, plan, dialect)


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "koster-1996"])
@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_an_exported_store(spark: SparkSession, plan: str, dialect: str, tmp_path: Path) -> None:
    """What was exported from a cache permits what the cache does."""
    snapshot = spark.read.parquet(str(exported(tmp_path, STORED)))
    expected = {case.id: case.permitted(dialect) for case in STORED}

    assert expected == answers(spark, snapshot.repartition(3), STORED, plan, dialect)


def test_changes_of_an_exported_store(spark: SparkSession, tmp_path: Path) -> None:
    """It is compared by the files that bind: a copy while the site cannot be reached."""
    cases = [case for case in STORED if any(case.permitted("rfc9309"))]
    new = spark.read.parquet(str(exported(tmp_path, cases)))
    closed = [(case.origin, b"User-agent: *\nDisallow: /\n") for case in cases]
    old = spark.createDataFrame(closed, "origin string, body binary")
    found = {row["origin"] for row in changes(old, new, crawlers=[TOKEN]).collect()}

    assert {case.origin for case in cases} == found


def test_an_exported_store_is_read_as_a_whole(spark: SparkSession, tmp_path: Path) -> None:
    """It is not read by other columns than its own."""
    snapshot = spark.read.parquet(str(exported(tmp_path, STORED)))

    with pytest.raises(InvalidTable, match="not by its column `url`"):
        decide(snapshot, snapshot, TOKEN, origin="url")


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_failures_in_other_words(spark: SparkSession, plan: str) -> None:
    """They make the job fail, as other rows do that cannot be read."""
    rows = [("https://a.example", b"", "slow")]
    snapshot = spark.createDataFrame(rows, "origin string, body binary, failure string")
    urls = snapshot.select("origin")

    with pytest.raises((InvalidTable, PySparkException), match="`slow` is not a failure"):
        decide(urls, snapshot, TOKEN, column="origin", plan=plan).collect()  # type: ignore[arg-type]


def permitted_without_order(case: Case, dialect: str) -> list[bool]:
    """Return what a crawler may fetch where rows of one time have no order."""
    seen = sorted((row.seen() for row in case.rows), key=place_without_order)
    entry = entry_observed(case.origin, seen, now=time())
    return allowed_by(binding_body(entry, policy_of(entry, verger.DIALECTS[dialect])))


def answers(
    spark: SparkSession, snapshot: DataFrame, cases: Sequence[Case], plan: str, dialect: str
) -> dict[str, list[bool]]:
    """Return what is decided about the URLs of each case."""
    urls = spark.createDataFrame([(url,) for case in cases for url in case.urls()], "url string")
    decided = decide(urls, snapshot, TOKEN, dialect=dialect, plan=plan, busy={})  # type: ignore[arg-type]
    said = {row["url"]: row["allowed"] for row in decided.collect()}

    assert len(cases) * len(PATHS) == len(said)
    return {case.id: [said[url] for url in case.urls()] for case in cases}


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_floats_that_are_no_statuses(spark: SparkSession, plan: str) -> None:
    """They open nothing, whatever the body says, and let no job fail."""
    odd = [200.5, -200.0, float("inf"), -float("inf"), 2.0**63, 1e300]
    rows = [(f"https://{n}.example", status, b"") for n, status in enumerate(odd)]
    snapshot = spark.createDataFrame(rows, "origin string, status double, body binary")
    decided = decide(snapshot.select("origin"), snapshot, TOKEN, column="origin", plan=plan)  # type: ignore[arg-type]

    assert {"UNDEFINED_STATUS"} == {row["reason"] for row in decided.collect()}
    assert [False] * len(odd) == [row["allowed"] for row in decided.collect()]
