"""`verger diff` of two snapshots: a table of what changed, and how many sites did."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bulk.test_changes import NEW, OLD, folder, table
from cache.samples import filled
from verger.bulk.changes import SCHEMA

from .conftest import Run, validator
from .test_cache import entries

VALIDATOR = validator("changes")

CLOSING = """\
sites                         7
  not compared                2
  identical                   1
  same answers                1
  changed                     3
    site-closed               1
    site-opened               1
    closed                    1
for crawlers of     site-closed
  training                    1
"""


@pytest.fixture
def snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay down both as folders and as tables."""
    monkeypatch.chdir(tmp_path)
    for name, sites in (("old", OLD), ("new", NEW)):
        folder(Path(name), sites)
        table(Path(f"{name}.parquet"), sites)


@pytest.mark.usefixtures("snapshots")
@pytest.mark.parametrize("name", ["c.parquet", "c.csv", "c.jsonl"])
@pytest.mark.parametrize("ending", ["", ".parquet"])
def test_the_table_says_what_changed(run: Run, name: str, ending: str) -> None:
    """The format is that of the name; the summary stands on stderr alone."""
    done = run("diff", f"old{ending}", f"new{ending}", "--output", name)
    rows = read(Path(name))

    assert (1, "", CLOSING) == (done.code, done.out, done.err)
    assert SCHEMA.names == [key for key in rows[0] if key != "schema"]
    assert [
        ("https://closed.example", "site-closed", "/"),
        ("https://opened.example", "site-opened", "/"),
        ("https://php.example", "closed", "/.phpz"),
    ] == [(row["origin"], row["severity"], row["witness"]) for row in rows]


def read(path: Path) -> list[dict[str, object]]:
    """Return the rows of a table of any format."""
    if path.suffix == ".parquet":
        return list(pq.read_table(path).to_pylist())
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return list(csv.DictReader(io.StringIO(text)))
    rows = [json.loads(line) for line in text.splitlines()]
    for row in rows:
        VALIDATOR.validate(row)
    return rows


@pytest.mark.usefixtures("snapshots")
def test_stdout_takes_a_table(run: Run) -> None:
    """In the format that is asked for, and else in Parquet."""
    lines = run("diff", "old", "new", "--output=-", "--format=jsonl", "--quiet")
    parquet = run("diff", "old", "new", "--output=-", "--quiet")

    assert (1, 3, "") == (lines.code, len(lines.out.splitlines()), lines.err)
    assert lines == run("diff", "old", "new", "--format=jsonl", "--quiet")
    assert 3 == pq.read_table(io.BytesIO(parquet.data)).num_rows


@pytest.mark.usefixtures("snapshots")
def test_some_crawlers_alone(run: Run) -> None:
    """A crawler that no group names is told what `*` is told; a purpose is many crawlers."""
    run("diff", "old", "new", "--output=c.jsonl", "--agent", "GPTBot", "--agent", "ExampleBot")
    told = [(row["origin"], row["agents"]) for row in read(Path("c.jsonl"))]
    run("diff", "old", "new", "--output=p.jsonl", "--purpose=training")
    trained = [row for row in read(Path("p.jsonl")) if row["origin"] == "https://closed.example"]

    assert [
        ("https://closed.example", ["GPTBot"]),
        ("https://opened.example", ["GPTBot", "ExampleBot"]),
        ("https://php.example", ["GPTBot", "ExampleBot"]),
    ] == told
    assert [["training"]] == [row["purposes"] for row in trained]


@pytest.mark.usefixtures("snapshots")
def test_nothing_changed(run: Run) -> None:
    """The exit code is 0, and the table has no rows."""
    done = run("diff", "old", "old.parquet", "--output=c.parquet")

    assert 0 == done.code
    assert 0 == pq.read_table("c.parquet").num_rows


@pytest.mark.usefixtures("snapshots")
def test_a_cache_is_a_snapshot(run: Run) -> None:
    """Its entries count, whatever their age."""
    filled("c.sqlite", entries())
    done = run("diff", "c.sqlite", "old", "--output=c.csv")

    assert "changed" in done.err
    assert done.code in (0, 1)
