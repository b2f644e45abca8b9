"""Decisions on Spark are those of one machine, whatever the plan."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

import verger
from bulk.spark.tables import (
    BODIES,
    BUSY,
    DAY,
    TOKEN,
    answers_of_one_machine,
    rows_of,
    snapshot_table,
    url_table,
)
from support import CHECKOUT
from verger.bulk.spark import decide
from verger.bulk.spark.deciding import busy_origins, is_small
from verger.crawlers.purposes import use_column

pytestmark = pytest.mark.slow

PLANS: dict[str, dict[str, Any]] = {
    "auto": {},
    "broadcast": {"plan": "broadcast"},
    "shuffle": {"plan": "shuffle"},
    "shuffle, one partition": {"plan": "shuffle", "partitions": 1},
    "shuffle, many partitions": {"plan": "shuffle", "partitions": 16},
    "shuffle, a divided site": {"plan": "shuffle", "busy": {BUSY: 4, "https://h1.example": 2}},
}
SHUFFLES = [name for name in PLANS if name.startswith("shuffle")]


@contextmanager
def configured(spark: SparkSession, **settings: str) -> Iterator[None]:
    """Change settings of Spark for a while; `_` stands for a dot."""
    names = {key.replace("_", "."): value for key, value in settings.items()}
    before = {key: spark.conf.get(key) for key in names}
    for key, value in names.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, old in before.items():
            spark.conf.set(key, str(old))


def decided(spark: SparkSession, urls: pa.Table, snapshot: pa.Table, **options: Any) -> DataFrame:
    """Decide on Spark."""
    options = {"column": "page url", "busy": {}} | options
    return decide(frame(spark, urls), frame(spark, snapshot), TOKEN, **options)


def frame(spark: SparkSession, table: pa.Table) -> DataFrame:
    """Return a table as a data frame; of several partitions, where it has many rows."""
    made = spark.createDataFrame(table)
    return made.repartition(5) if table.num_rows > 1_000 else made


@pytest.mark.parametrize(
    ("plan", "adaptive"), [*((plan, "true") for plan in PLANS), *((p, "false") for p in SHUFFLES)]
)
def test_answers_are_those_of_one_machine(spark: SparkSession, plan: str, adaptive: str) -> None:
    """All columns of all rows are equal: null, odd and unknown URLs, files fetched repeatedly."""
    urls, snapshot = url_table(), snapshot_table()
    with configured(spark, spark_sql_adaptive_enabled=adaptive):
        result = decided(spark, urls, snapshot, **PLANS[plan]).toArrow()

    assert rows_of(answers_of_one_machine(urls, snapshot)) == rows_of(result)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_columns_keep_their_types(spark: SparkSession, plan: str) -> None:
    """The columns of the URLs come first, as they were; the answer has types of Spark's own."""
    urls = frame(spark, url_table(10))
    result = decide(
        urls, frame(spark, snapshot_table(10)), TOKEN, column="page url", plan=plan, busy={}
    )
    answer = [(field.name, field.dataType.simpleString()) for field in result.schema.fields[5:]]

    assert urls.dtypes == result.dtypes[:5]
    assert [("allowed", "boolean"), ("reason", "string"), ("line", "int")] == answer


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_only_what_is_named_is_kept(spark: SparkSession, plan: str) -> None:
    """`keep` names the columns of the result; the column of URLs need not be among them."""
    urls, snapshot = url_table(100), snapshot_table(50)
    result = decided(spark, urls, snapshot, plan=plan, keep=["size.kb", "id"]).toArrow()
    wanted = answers_of_one_machine(urls, snapshot).select(
        ["size.kb", "id", "allowed", "reason", "line"]
    )

    assert wanted.column_names == result.column_names
    assert rows_of(wanted) == rows_of(result)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle", "shuffle, many partitions"])
@pytest.mark.parametrize(
    ("urls", "files"), [(0, 0), (0, 20), (20, 0), (3, 20)], ids=lambda n: str(n)
)
def test_little_is_enough(spark: SparkSession, plan: str, urls: int, files: int) -> None:
    """Empty tables, and fewer rows than partitions, make no difference."""
    table, snapshot = url_table(urls), snapshot_table(files)[: files and None]
    result = decided(spark, table, snapshot, **PLANS[plan]).toArrow()

    assert rows_of(answers_of_one_machine(table, snapshot)) == rows_of(result)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
@pytest.mark.parametrize(
    "drop", [["status"], ["time"], ["status", "time"]], ids=lambda names: "+".join(names)
)
def test_statuses_and_times_may_be_missing(spark: SparkSession, plan: str, drop: list[str]) -> None:
    """Without statuses a body means success; without times no origin may have two files here."""
    urls = url_table(300)
    snapshot = snapshot_table(50)[:50] if "time" in drop else snapshot_table(50)
    snapshot = snapshot.drop_columns(drop)
    result = decided(spark, urls, snapshot, plan=plan).toArrow()

    assert rows_of(answers_of_one_machine(urls, snapshot)) == rows_of(result)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_bytes_may_be_columns_of_binary_data(spark: SparkSession, plan: str) -> None:
    """URLs and origins may be binary, bodies text, times numbers: what they mean is the same."""
    urls, snapshot = url_table(300), snapshot_table(50)
    places = {name: n for n, name in enumerate(snapshot.column_names)}
    data = urls.set_column(1, "page url", urls.column("page url").cast(pa.binary()))
    for name, kind in {"origin": pa.binary(), "body": pa.string(), "time": pa.int64()}.items():
        column = snapshot.column(name)
        if name == "time":
            column = column.cast(pa.timestamp("s", column.type.tz), safe=False)
        snapshot = snapshot.set_column(places[name], name, column.cast(kind))
    result = decided(spark, data, snapshot, plan=plan).toArrow()

    assert rows_of(answers_of_one_machine(data, snapshot)) == rows_of(result)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_bytes_need_not_be_utf_8(spark: SparkSession, plan: str) -> None:
    """In a column of binary data a path may hold anything; a host may not."""
    texts = ["/private/\xff", "/\xff", "?\xff", "\xff/private/", ".\xff.example/private/"]
    data = [f"{BUSY}{text}".encode("latin-1") for text in texts]
    urls = pa.table({"id": range(5), "page url": pa.array(data, pa.binary())})
    result = decided(spark, urls, snapshot_table(3), plan=plan).toArrow()

    assert rows_of(answers_of_one_machine(urls, snapshot_table(3))) == rows_of(result)
    assert [False, True, True, None, None] == [row["allowed"] for row in rows_of(result)]


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_text_that_is_no_utf_8_is_told(spark: SparkSession, plan: str) -> None:
    """Spark lets any bytes be text."""
    urls = spark.sql(
        "SELECT cast(unhex('68747470733a2f2f612e6578616d706c652fff') AS string) AS url"
    )
    result = decide(urls, frame(spark, snapshot_table(3)), TOKEN, plan=plan, keep=[], busy={})

    assert [("INVALID_UTF8",)] == [tuple(row) for row in result.select("reason").collect()]


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_the_dialect_and_the_crawlers_names_count(spark: SparkSession, plan: str) -> None:
    """Files are read in the dialect given, one's own too, for the first name that they know."""
    body = b"User-agent: second\nDisallow: /a\nAllow: /a\n\nUser-agent: *\nDisallow: /"
    snapshot = pa.table({"origin": ["https://a.example"], "body": [body]})
    urls = pa.table({"page url": ["https://a.example/a"]})
    for dialect in ("rfc9309", verger.RFC9309.replace(tie="disallow")):
        robots = verger.parse(body, dialect=dialect)
        result = decide(
            frame(spark, urls),
            frame(spark, snapshot),
            ["first", "second"],
            column="page url",
            dialect=dialect,
            plan=plan,
            busy={},
        )
        wanted = robots.decide("/a", ["first", "second"])

        assert [(wanted.allowed, wanted.line)] == [
            (row["allowed"], row["line"]) for row in result.collect()
        ]


@pytest.mark.parametrize("plan", ["broadcast", "shuffle", "shuffle, a divided site"])
def test_of_files_with_one_time_the_order_of_rows_chooses_none(
    spark: SparkSession, plan: str
) -> None:
    """The greater status counts, then the greater body."""
    files = [(404, None), (200, b"User-agent: *\nDisallow: /"), (200, b""), (None, b"x")]
    rows = [{"origin": BUSY, "body": body, "status": n, "time": DAY} for n, body in files * 3]
    snapshot = pa.Table.from_pylist(rows, snapshot_table(1).schema)
    urls = pa.table({"page url": [f"{BUSY}/{n}" for n in range(40)]})
    result = decided(spark, urls, snapshot, **PLANS[plan])

    assert [("UNAVAILABLE", 40)] == [
        tuple(row) for row in result.groupBy("reason").count().collect()
    ]


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
@pytest.mark.parametrize("origin", [None, "/nonsense"])
def test_a_file_without_origin_stops_the_job(
    spark: SparkSession, plan: str, origin: str | None
) -> None:
    """The message says which row, as on one machine."""
    snapshot = pa.Table.from_pylist(
        [{"origin": origin, "body": b"", "status": 200, "time": DAY}], snapshot_table(1).schema
    )
    with pytest.raises(Exception, match=str(origin or "row without origin")) as caught:
        decided(spark, url_table(3), snapshot, plan=plan).toArrow()

    assert "InvalidTable" in f"{type(caught.value)} {caught.value}"


def test_busy_sites_are_found_in_a_sample(spark: SparkSession) -> None:
    """An origin with more than an eighth of a task's rows is shared by enough tasks."""
    urls = frame(spark, url_table(3_000))

    assert {BUSY: 4} == busy_origins(urls, "page url", task_rows=2_000, sample=1.0)
    assert {BUSY: 2} == busy_origins(urls, "page url", task_rows=7_992, sample=1.0)
    assert {} == busy_origins(urls, "page url", task_rows=8_000, sample=1.0)


def test_no_task_has_three_times_the_rows_of_others(spark: SparkSession) -> None:
    """One host has a tenth of the URLs, and the rest 1, 1/2, 1/3 and so on, as on the web."""
    numbers = range(50_000)
    hosts = [49 if n % 10 == 0 else int(2_000 ** (n * 0.6180339887 % 1)) for n in numbers]
    urls = [f"https://h{host}.example/{n}" for host, n in zip(hosts, numbers, strict=True)]
    table = frame(spark, pa.table({"page url": urls})).repartition(2)
    busy = busy_origins(table, "page url", task_rows=500, sample=1.0)
    result = decide(
        table,
        frame(spark, snapshot_table(20)),
        TOKEN,
        column="page url",
        plan="shuffle",
        partitions=100,
        busy=busy,
    )
    tasks = sizes(result)

    assert 100 == len(tasks)
    assert max(tasks) <= 3 * median(tasks)


def test_a_busy_site_is_spread(spark: SparkSession) -> None:
    """The rows of a divided site stand in several partitions, about equally many in each."""
    urls = frame(spark, pa.table({"page url": [f"{BUSY}/{n}" for n in range(4_000)]}))
    both = (urls, frame(spark, snapshot_table(20)), TOKEN)
    options: dict[str, Any] = {"column": "page url", "plan": "shuffle", "partitions": 16}
    whole = decide(*both, **options, busy={})
    divided = decide(*both, **options, busy={f"{BUSY.upper()}:443/a": 8})

    assert [4_000] == sizes(whole)
    assert 3 <= len(sizes(divided))
    assert 2_000 >= max(sizes(divided))


def test_rows_without_origin_are_spread(spark: SparkSession) -> None:
    """However many URLs are null, no partition gets them all."""
    urls = frame(spark, pa.table({"id": range(4_000), "url": pa.nulls(4_000, pa.string())}))
    result = decide(
        urls, frame(spark, snapshot_table(3)), TOKEN, plan="shuffle", partitions=4, busy={}
    )

    assert 4 == len(sizes(result))
    assert 2_000 > max(sizes(result))


def sizes(result: DataFrame) -> list[int]:
    """Return how many rows there are in each partition that has any."""
    from pyspark.sql.functions import spark_partition_id

    counted = result.groupBy(spark_partition_id().alias("partition")).count().collect()
    return [row["count"] for row in counted]


@pytest.mark.parametrize(("bodies", "expected"), [(BODIES, True), ((b"x" * (65 << 20),), False)])
def test_auto_measures_the_snapshot(
    spark: SparkSession, bodies: tuple[bytes | None, ...], expected: bool
) -> None:
    """64 MiB of bodies are the most that is sent to every worker."""
    snapshot = spark.createDataFrame(pa.table({"body": pa.array(bodies, pa.binary())}))

    assert expected == is_small(snapshot)


@pytest.mark.parametrize("plan", ["broadcast", "shuffle"])
def test_use(spark: SparkSession, plan: str) -> None:
    """The column of a use is that of one machine: null where no line mentions the use."""
    bodies = [b"User-agent: *\nContent-Signal: search=yes\nDisallow: /no\n", b"User-agent: *\n"]
    origins = ["https://a.example", "https://b.example"]
    snapshot = pa.table({"origin": origins, "body": bodies})
    urls = pa.table({"url": [f"{origin}{path}" for origin in origins for path in ("/", "/no")]})
    frames = frame(spark, urls), frame(spark, snapshot)
    options: dict[str, Any] = {"column": "url", "plan": plan, "busy": {}}
    result = decide(*frames, TOKEN, use="search", **options)
    found = {row["url"]: row["use_search"] for row in result.toArrow().to_pylist()}

    assert [True, False, None, None] == [found[url] for url in urls["url"].to_pylist()]
    with pytest.raises(verger.UnknownName, match="unknown use"):
        decide(*frames, TOKEN, use="training")  # type: ignore[arg-type]


def test_uses_of_every_surface(spark: SparkSession) -> None:
    """The cases that all surfaces are asked: one job for each crawler and use."""
    text = (CHECKOUT / "conformance/surfaces/uses.toml").read_text("utf-8")
    table = tomllib.loads(text)
    body = table["robots"].lstrip("\n").encode()
    files = frame(spark, pa.table({"origin": ["https://example.com"], "body": [body]}))
    for case in table["case"]:
        ask = case["ask"]
        urls = frame(spark, pa.table({"url": [ask["url"]]}))
        (row,) = decide(urls, files, ask["token"], use=ask["use"]).toArrow().to_pylist()

        assert row[use_column(ask["use"])] is case["expect"].get("allowed"), case["id"]
