"""Snapshots made of tables: which row counts, and what a status without a body means."""

import datetime
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger
from bulk.conftest import FILE, SITE, TOKEN, URLS, Row, column, rows_of, site_answer
from support import NAMES
from verger.access.entry import Entry
from verger.access.observation import Observation, result_observed
from verger.access.policy import policy_after
from verger.access.result import AccessResult
from verger.bulk import Snapshot, decide_table
from verger.errors import InvalidTable
from verger.snapshots import open
from verger.snapshots.opening import open_stored

ALLOW, DENY = b"User-agent: *\nAllow: /\n", b"User-agent: *\nDisallow: /\n"
CLOSED: Row = (False, "UNDEFINED_STATUS", None)
INTEGERS = [pa.int16(), pa.int32(), pa.int64(), pa.uint16(), pa.uint32(), pa.uint64()]


def asked(snapshot: Snapshot, url: str = f"{SITE}/x") -> Row:
    """Ask about one URL."""
    [row] = rows_of(decide_table(column([url]), snapshot, TOKEN))
    return row


def of_one(**columns: Any) -> Snapshot:
    """Make a snapshot of rows that are all of one origin."""
    arrays = {name: values if isinstance(values, pa.Array) else pa.array(values)
              for name, values in columns.items()}  # fmt: skip
    [rows] = {len(array) for array in arrays.values()}
    return Snapshot.from_table(pa.table({"origin": [SITE] * rows, **arrays}))


# Statuses


@pytest.mark.parametrize("name", NAMES)
def test_every_status(name: str) -> None:
    """In each dialect a status means what the access policy says, with a body or an empty one."""
    dialect = verger.DIALECTS[name]
    statuses = [*range(-1, 1_050), 32_767, None]
    sites = [f"https://h{n}.example" for n in range(len(statuses))]
    bodies = [FILE] * len(statuses)
    table = pa.table({"origin": sites, "body": bodies, "status": pa.array(statuses, pa.int16())})
    snapshot = Snapshot.from_table(table, dialect=name)
    known: dict[str, bytes | AccessResult] = {
        site: result_observed("", Observation(0.0, status, None, FILE))
        for site, status in zip(sites, statuses, strict=True)
    }
    urls = [f"{site}/private" for site in sites]

    assert [site_answer(known, dialect, TOKEN, url) for url in urls] == rows_of(
        decide_table(column(urls), snapshot, TOKEN)
    )


@pytest.mark.parametrize("kind", [*INTEGERS, pa.float32(), pa.float64()], ids=str)
def test_types_of_statuses(kind: pa.DataType) -> None:
    """A status may stand in any type of number that can hold it."""
    statuses = pa.array([404, None, 200, 503], pa.int16()).cast(kind)
    sites = [f"https://h{n}.example" for n in range(4)]
    snapshot = Snapshot.from_table(
        pa.table({"origin": sites, "body": [DENY] * 4, "status": statuses})
    )

    assert [
        (True, "UNAVAILABLE", None),
        (False, "MOST_SPECIFIC_RULE", 2),
        (False, "MOST_SPECIFIC_RULE", 2),
        (False, "SERVER_ERROR", None),
    ] == [asked(snapshot, f"{site}/x") for site in sites]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8()], ids=str)
def test_statuses_of_one_byte(kind: pa.DataType) -> None:
    """Types that are too small for a status hold none: the origin is closed."""
    assert CLOSED == asked(of_one(body=[ALLOW], status=pa.array([100], kind)))


ODD_STATUSES = [float("inf"), -float("inf"), 200.5, -200.0, 1e300, 0.0, 1_000.0]


@pytest.mark.parametrize("status", ODD_STATUSES)
def test_status_that_is_none(status: float) -> None:
    """What is not a status opens nothing, whatever the body says."""
    assert CLOSED == asked(of_one(body=[ALLOW], status=pa.array([status], pa.float64())))


@pytest.mark.parametrize("status", [2**63 - 1, -(2**63), 2**16 + 200])
def test_status_that_is_far_out(status: int) -> None:
    """A number is not cut down until it is a status."""
    assert CLOSED == asked(of_one(body=[ALLOW], status=pa.array([status], pa.int64())))
    assert CLOSED == asked(of_one(body=[ALLOW], status=pa.array([2**64 - 1], pa.uint64())))


@pytest.mark.parametrize("status", [200, 203, 299])
def test_success_without_body(status: int) -> None:
    """A success whose body nobody kept is closed; an empty body opens."""
    null, empty = pa.array([None], pa.binary()), pa.array([b""])

    assert (False, "BROKEN_BODY", None) == asked(of_one(body=null, status=[status]))
    assert asked(of_one(body=empty, status=[status]))[0] is True


@pytest.mark.parametrize("status", [404, 301, 503])
def test_other_statuses_need_no_body(status: int) -> None:
    """The policy of any other status holds without a body."""
    policy = policy_after(AccessResult("", 0.0, status=status), verger.DIALECTS["rfc9309"])
    null = pa.array([None], pa.binary())

    assert (policy.effect == "allow_all", policy.reason, None) == asked(
        of_one(body=null, status=[status])
    )


def test_without_statuses() -> None:
    """Without a column of statuses a body is a success, and a null is none."""
    assert (False, "MOST_SPECIFIC_RULE", 2) == asked(of_one(body=[DENY]))
    assert CLOSED == asked(of_one(body=pa.array([None], pa.binary())))
    assert CLOSED == asked(of_one(body=pa.nulls(1)))


def test_statuses_of_type_null() -> None:
    """A column of nulls means the same as a missing column."""
    assert asked(of_one(body=[ALLOW], status=pa.nulls(1)))[0] is True
    assert CLOSED == asked(of_one(body=pa.nulls(1), status=pa.nulls(1)))


# Times


UTC = datetime.UTC
OLD, NEW = (datetime.datetime(2026, 1, day, 12, 30, 15, 250_000, UTC) for day in (1, 2))
TIMES: dict[str, pa.Array] = {
    **{f"int {kind}": pa.array([1, 2], kind) for kind in (pa.int8(), *INTEGERS)},
    **{
        f"timestamp {unit}": pa.array([OLD, NEW]).cast(pa.timestamp(unit, zone), safe=False)
        for unit in ("s", "ms", "us", "ns")
        for zone in (None, "UTC", "Asia/Kolkata")
    },
    "seconds with fractions": pa.array([OLD.timestamp(), NEW.timestamp()], pa.float64()),
    "fractions that come later": pa.array([1.0, 1.5], pa.float64()),
    "fractions that come first": pa.array([1.5, 2.0], pa.float64()),
    "fractions alone": pa.array([0.25, 0.5], pa.float32()),
    "one null": pa.array([None, 1], pa.int64()),
    "a NaN": pa.array([float("nan"), 1.5], pa.float64()),
    "below zero": pa.array([-2, -1], pa.int64()),
}


@pytest.mark.parametrize("kind", TIMES)
def test_the_latest_row_counts(kind: str) -> None:
    """Of two rows of an origin the later counts, in whatever order they stand."""
    times = TIMES[kind]
    turned = times.take(pa.array([1, 0]))

    assert asked(of_one(body=[ALLOW, DENY], time=times))[0] is False
    assert asked(of_one(body=[DENY, ALLOW], time=turned))[0] is False


@pytest.mark.parametrize(
    "times",
    [
        pa.array([900, 100]).cast(pa.timestamp("ns")),
        pa.array([1_767_225_600_000_000_900, 1_767_225_600_000_000_100]).cast(pa.timestamp("ns")),
        pa.array([4e-7, 1e-7]),
        pa.array([1_767_225_600.000_000_5, 1_767_225_600.0]),
    ],
    ids=["ns at the epoch", "ns", "floats at the epoch", "floats"],
)
def test_times_count_to_the_microsecond(times: pa.Array, tmp_path: Path) -> None:
    """Of rows of one microsecond the last counts, in memory as on disk."""
    table = pa.table({"origin": [SITE] * 2, "body": [ALLOW, DENY], "time": times})
    pq.write_table(table, tmp_path / "s.parquet")
    with closing(open_stored(tmp_path / "s.parquet")) as on_disk:
        [(_, entry)] = on_disk.find([SITE], [verger.RFC9309])

    assert isinstance(entry, Entry)
    assert DENY == entry.last.body
    assert asked(open(tmp_path / "s.parquet"))[0] is False
    assert asked(Snapshot.from_table(table))[0] is False


def test_without_times_the_last_row_counts() -> None:
    """So it does where the times are the same, or null."""
    for columns in ({}, {"time": [5, 5]}, {"time": pa.nulls(2, pa.int64())}, {"time": pa.nulls(2)}):
        assert asked(of_one(body=[ALLOW, DENY], **columns))[0] is False
        assert asked(of_one(body=[DENY, ALLOW], **columns))[0] is True


MONTH = 30 * 86_400
NOON = 1_772_366_464
"""In March 2026, as floats of four bytes have it: in steps of 128 seconds."""
SECONDS = [NOON, *(NOON + 128 + 604_800 * week for week in range(5)), NOON + 256 + MONTH]
STAMPS = pa.array(SECONDS, pa.int64()).cast(pa.timestamp("s"))
SPANS: dict[str, pa.Array] = {
    **{f"int {kind}": pa.array(SECONDS, kind) for kind in (pa.int32(), pa.int64(), pa.uint64())},
    **{
        f"float {kind}": pa.array(map(float, SECONDS), kind)
        for kind in (pa.float32(), pa.float64())
    },
    **{f"timestamp {unit}": STAMPS.cast(pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")},
}


@pytest.mark.parametrize("kind", SPANS)
def test_failures_after_a_file(kind: str) -> None:
    """A copy binds for as long as the dialect says, whatever the unit of the times."""
    bodies, statuses = [DENY, *[None] * 6], [404, *[503] * 5, 500]
    columns = {"body": bodies, "status": statuses, "time": SPANS[kind]}
    later = of_one(**columns)
    sooner = of_one(**{name: values[:2] for name, values in columns.items()})

    assert (False, "SERVER_ERROR", None) == asked(sooner)
    assert (True, "UNREACHABLE_FOR_LONG", None) == asked(later)
    for rows in (2, 7):
        kept = of_one(
            **{n: v[:rows] for n, v in (columns | {"status": [200, *statuses[1:]]}).items()}
        )
        assert (False, "MOST_SPECIFIC_RULE", 2) == asked(kept)


def test_duplicates_over_pieces() -> None:
    """Rows of one origin may stand in several pieces."""
    pieces = [
        pa.table({"origin": [f"{SITE}:443", "https://b.example"], "body": [DENY, ALLOW]}),
        pa.table({"origin": [], "body": []}, schema=pa.schema({"origin": "str", "body": "binary"})),
        pa.table({"origin": ["HTTPS://example.com/"], "body": [ALLOW]}),
    ]
    snapshot = Snapshot.from_table(pa.concat_tables(pieces))

    assert 2 == len(snapshot)
    assert asked(snapshot)[0] is True


# Forms and libraries


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.binary(), pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string()),
        *(pa.string_view(), pa.dictionary(pa.int32(), pa.binary())),
    ],
    ids=str,
)
def test_forms_of_bodies(kind: pa.DataType) -> None:
    """Bodies may stand in any form of text or binary, and be a slice of it."""
    bodies = pa.array([b"rubbish", FILE, b"User-agent: *\nDisallow: /\n"]).cast(kind)
    table = pa.table({"origin": ["https://x", SITE, "https://y"], "body": bodies}).slice(1, 1)
    snapshot = Snapshot.from_table(table)

    assert 1 == len(snapshot)
    assert rows_of(decide_table(column(URLS), Snapshot({SITE: FILE}), TOKEN)) == rows_of(
        decide_table(column(URLS), snapshot, TOKEN)
    )


def test_bodies_are_bytes() -> None:
    """A body need not be UTF-8."""
    body = b"\xff\xfe" + "User-agent: *\nDisallow: /\n".encode("utf-16-le") + b"\xff"
    table = pa.table({"origin": [SITE], "body": pa.array([body])})
    single = verger.parse(body).decide("/x", TOKEN)

    assert (single.allowed, single.reason, single.line) == asked(Snapshot.from_table(table))


LIBRARIES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(1),
    "polars": pl.DataFrame,
    "pandas": lambda table: table.to_pandas(),
    "duckdb": lambda table: duckdb.connect().from_arrow(table),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_library(library: str) -> None:
    """A table of each library makes the same snapshot; pandas writes NaN where there is none."""
    table = pa.table(
        {
            "origin": [SITE, "https://b.example", "https://c.example"],
            "body": pa.array([DENY, None, None], pa.binary()),
            "status": pa.array([200, 404, None], pa.int32()),
            "time": pa.array([NEW] * 3),
        }
    )
    snapshot = Snapshot.from_table(LIBRARIES[library](table))
    urls = [f"{SITE}/x", "https://b.example/x", "https://c.example/x"]

    assert [(False, "MOST_SPECIFIC_RULE", 2), (True, "UNAVAILABLE", None), CLOSED] == [
        asked(snapshot, url) for url in urls
    ]


def test_pandas_writes_nan() -> None:
    """A pandas column of numbers with a gap is one of floats; a body without status is a 200."""
    frame = pd.DataFrame({"origin": [SITE, SITE + ":1"], "body": [DENY] * 2, "status": [404, None]})

    assert frame["status"].dtype == float
    assert (True, "UNAVAILABLE", None) == asked(Snapshot.from_table(frame))
    assert (False, "MOST_SPECIFIC_RULE", 2) == asked(Snapshot.from_table(frame), f"{SITE}:1/x")


def test_names_of_columns() -> None:
    """Any column may have another name, and one that is not named is not read."""
    table = pa.table({"site": [SITE], "text": [DENY], "code": [404], "at": [1], "status": ["text"]})
    names = {"origin": "site", "body": "text", "time": "at"}

    assert asked(Snapshot.from_table(table, status="code", **names))[0] is True
    with pytest.raises(InvalidTable, match="column `status` holds Utf8, not numbers"):
        Snapshot.from_table(table, **names)


# What will not do


def source(*columns: tuple[list[Any], list[Any]]) -> pa.RecordBatchReader:
    """Make a reader that breaks after these pieces."""
    schema = pa.schema({"origin": pa.string(), "body": pa.binary()})

    def batches() -> Iterator[pa.RecordBatch]:
        for origins, bodies in columns:
            yield pa.record_batch([pa.array(origins, "str"), pa.array(bodies, "binary")], schema)
        raise OSError("the disk is on fire")

    return pa.RecordBatchReader.from_batches(schema, batches())


def export(*pieces: list[Any]) -> pa.Table:
    """Make an exported cache with these origins, each of which has a copy."""
    copy = {"fetched_at": 1.0, "status": 200, "body": DENY, "truncated": False}
    alike = {"fetched_at": 9.0, "status": 200, "failure": None, "body": DENY, "copy": copy}
    alike["truncated"] = False
    tables = [
        pa.Table.from_pylist(
            [{"origin": origin, "unreachable_since": None, **alike} for origin in origins]
        )
        for origins in pieces
    ]
    return pa.concat_tables(tables)


BAD: dict[str, tuple[Callable[[], Any], str]] = {
    "no origins": (
        lambda: pa.table({"body": [DENY]}),
        "no column `origin` in the table\nhint: a snapshot has",
    ),
    "no bodies": (
        lambda: pa.table({"origin": [SITE]}),
        "no column `body` in the table\nhint: a snapshot has",
    ),
    "a lone column": (
        lambda: pa.array([SITE]),
        "`table` is a column of Utf8\nhint: pass a table with columns",
    ),
    "numbers for origins": (
        lambda: pa.table({"origin": [1], "body": [DENY]}),
        "column `origin` holds Int64, not text or binary",
    ),
    "numbers for bodies": (
        lambda: pa.table({"origin": [SITE], "body": [1.5]}),
        "column `body` holds Float64, not text or binary",
    ),
    "text for statuses": (
        lambda: pa.table({"origin": [SITE], "body": [DENY], "status": ["200"]}),
        "column `status` holds Utf8, not numbers\nhint: cast",
    ),
    "truth for statuses": (
        lambda: pa.table({"origin": [SITE], "body": [DENY], "status": [True]}),
        "column `status` holds Boolean, not numbers",
    ),
    "text for times": (
        lambda: pa.table({"origin": [SITE], "body": [DENY], "time": ["2026-01-01"]}),
        "column `time` holds Utf8, not timestamps or numbers",
    ),
    "two columns of one name": (
        lambda: pa.table([[SITE], [DENY], [b""]], names=["origin", "body", "body"]),
        "the table has several columns `body`\nhint: leave all but one out",
    ),
    "a null origin": (
        lambda: pa.table({"origin": [SITE, SITE, None], "body": [DENY] * 3}),
        "column `origin` is null in row 2\nhint:",
    ),
    "a bad origin": (
        lambda: pa.table({"origin": [SITE, "/example"], "body": [DENY] * 2}),
        "column `origin` holds `/example` in row 1, which is not an origin",
    ),
    "a bad origin in a later piece": (
        lambda: source(([SITE] * 3, [DENY] * 3), ([], []), ([SITE, "wss://x"], [DENY] * 2)),
        "column `origin` holds `wss://x` in row 4, which is not an origin",
    ),
    "a null origin of an export": (
        lambda: export([SITE], [SITE, None]),
        "column `origin` is null in row 2\nhint: each row of a snapshot has an origin",
    ),
    "a bad origin of an export": (
        lambda: export([SITE, "/example"]),
        "column `origin` holds `/example` in row 1, which is not an origin\nhint: an origin ",
    ),
    "numbers for origins of an export": (
        lambda: export([1]),
        "column `origin` holds `int64`, not text\nhint: export the cache again",
    ),
    "a source that breaks": (lambda: source(([SITE], [DENY])), "the disk is on fire"),
    "rows that are null as a whole": (
        lambda: pa.chunked_array(
            [pa.array([None], pa.struct([("origin", pa.string()), ("body", pa.binary())]))]
        ),
        "rows that are null as a whole",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_table_that_will_not_do(name: str) -> None:
    """The error names the column, and the row counted over all pieces."""
    make, message = BAD[name]
    with pytest.raises(InvalidTable, match=re.escape(message)):
        Snapshot.from_table(make())


@pytest.mark.parametrize("table", [None, [SITE], {"origin": [SITE]}, SITE], ids=type)
def test_what_is_not_arrow(table: Any) -> None:
    """What has no Arrow PyCapsule interface is a mistake of type."""
    with pytest.raises(TypeError, match="`table` must be a table with the Arrow PyCapsule"):
        Snapshot.from_table(table)


# Room for few


def test_more_files_than_there_is_room_for() -> None:
    """Files that are parsed anew, since there is no room for all, say the same each time.

    A dictionary makes 400 bodies of 500,000 bytes of two: parsed they count for 400 MB.
    """
    filler = b"#" * 499 + b"\n"
    bodies = [b"User-agent: *\nDisallow: /%d\n" % n + filler * 1_000 for n in (0, 1)]
    keys = pa.array([n % 2 for n in range(400)], pa.int32())
    sites = [f"https://h{n}.example" for n in range(400)]
    snapshot = Snapshot.from_table(
        pa.table({"origin": sites, "body": pa.DictionaryArray.from_arrays(keys, bodies)})
    )
    rows = [(n * 7 % 400, n % 2) for n in range(1_200)]
    urls = column([f"{sites[site]}/{path}" for site, path in rows])

    found = [row[0] for row in rows_of(decide_table(urls, snapshot, TOKEN, threads=2))]

    assert [site % 2 != path for site, path in rows] == found


def test_an_exported_cache_is_read_batch_by_batch() -> None:
    """What is wrong with the first batch is found before the others are read."""
    table = export(["/example"], *([f"https://{n}.example"] for n in range(40)))
    read = []

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in table.to_batches():
            read.append(batch)
            yield batch

    with pytest.raises(InvalidTable, match="in row 0, which is not an origin"):
        Snapshot.from_table(pa.RecordBatchReader.from_batches(table.schema, batches()))
    assert len(read) < 5
