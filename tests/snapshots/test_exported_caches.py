"""Caches that `verger cache export` wrote: read as a snapshot, whatever is in them."""

import json
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cache.samples import filled
from cli.conftest import Run, folder, run
from cli.test_cache import cache, result
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.codec import _seal

__all__ = ["cache", "folder", "run"]

pytestmark = pytest.mark.usefixtures("cache")


def test_export_is_read_as_a_snapshot(run: Run) -> None:
    """`verger filter --snapshot` answers from what was exported."""
    run("cache", "export", "--output", "out.parquet")
    asked = ("filter", "--snapshot", "out.parquet", "--agent", "A", "--quiet", "-")
    done = run(*asked, stdin=b"https://example.com/private\nhttps://example.com/open\n")

    assert "https://example.com/open\n" == done.out


def test_export_that_another_program_wrote(run: Run, folder: Path) -> None:
    """Its columns are known without the name of its schema; `copy` may be null alone."""
    loop = result("https://a.example", age=1, status=302, failure="too-many-redirects")
    filled(folder / "loops", [Entry("https://a.example", loop)])
    run("cache", "export", "--cache", "loops", "--output", "out.parquet")
    table = pq.read_table("out.parquet").replace_schema_metadata()
    at = table.schema.get_field_index("copy")
    for number, each in enumerate((table, table.set_column(at, "copy", pa.nulls(len(table))))):
        pq.write_table(each, f"{number}.parquet")
        asked = ("check", "--snapshot", f"{number}.parquet", "--agent", "A", "https://a.example/x")
        done = run(*asked)

        assert 0 == done.code, done.err
        assert "TOO_MANY_REDIRECTS" in run(*asked, "--format", "jsonl").out


def test_export_with_a_failure_that_is_none(run: Run) -> None:
    """The error names the file, as those of other tables do."""
    run("cache", "export", "--output", "out.parquet")
    table = pq.read_table("out.parquet")
    at = table.schema.get_field_index("failure")
    words = pa.array(["gone fishing"] * len(table))
    pq.write_table(table.set_column(at, "failure", words), "out.parquet")
    done = run("check", "--snapshot", "out.parquet", "--agent", "A", "https://example.com/")

    assert 2 == done.code
    assert "error: the export `out.parquet`: `gone fishing` is not a failure\n" in done.err


def test_numbers_that_cannot_be(run: Run, folder: Path) -> None:
    """Whatever an older verger kept of a server's numbers is listed, exported, or left out."""
    path = folder / "numbers"
    filled(
        path,
        [
            Entry("https://a.example", result("https://a.example", age=1, status=999)),
            Entry(
                "https://b.example",
                result("https://b.example", age=1, failure="reset"),
                unreachable_since=1e14,
                failures=(1 << 63) - 1,
            ),
            Entry(
                "https://c.example",
                AccessResult("https://c.example/robots.txt", -1e14, 404, wire_bytes=(1 << 63) - 1),
            ),
        ],
    )
    with sqlite3.connect(path) as connection:
        data = json.dumps({"last": {"fetched_at": 1, "status": 99_999}}).encode()
        sealed = _seal("https://d.example", data) + data
        connection.execute(
            "INSERT INTO entry (origin, saved_at, record) VALUES ('https://d.example', 1, ?)",
            (sealed,),
        )
    connection.close()
    listed = run("cache", "list", "--cache", "numbers")
    exported = run("cache", "export", "--output", "out.parquet", "--cache", "numbers")

    assert (0, 0) == (listed.code, exported.code)
    assert "3 entries" in listed.err
    assert "note: 1 damaged and left out" in exported.err
    assert [999, None, 404] == pq.read_table("out.parquet").column("status").to_pylist()
