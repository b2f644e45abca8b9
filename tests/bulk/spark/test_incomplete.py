"""What is incomplete opens nothing on Spark either: the cases of `conformance/incomplete`."""

import pytest
from pyspark.sql import SparkSession

from incomplete import CASES, SITE, Case, arrow_of, reason_of
from verger.bulk.spark import decide

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "case", [case for case in CASES if "spark" in case.doors], ids=lambda c: c.id
)
@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_the_reason_is_that_of_every_door(spark: SparkSession, case: Case, plan: str) -> None:
    """In each plan, from rows as programs write them."""
    made = arrow_of(case)
    names = list(made.schema.names)
    rows = list(zip(*(column.to_pylist() for column in made.columns), strict=True))
    kinds = {"status": "int", "time": "double", "content_length": "bigint", "truncated": "boolean"}
    kinds["content_encoding"] = "string"
    body = "string" if case.given["body"] == "word" else "binary"
    kinds |= {"origin": "string", "body": body}
    schema = ", ".join(f"`c{at}` {kinds[name]}" for at, name in enumerate(names))
    snapshot = spark.createDataFrame(rows, schema).toDF(*names)
    urls = spark.createDataFrame([(f"{SITE}/private",)], "url string")

    def asked() -> tuple[bool | None, str]:
        (row,) = decide(
            urls, snapshot, "ExampleBot", plan=plan, busy={}, dialect=case.dialect
        ).collect()
        return row["allowed"], row["reason"]

    assert case.expected("spark") == reason_of(asked)
