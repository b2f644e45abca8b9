"""Several crawlers in one run: each column says what a run for that crawler alone says."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import verger
from bulk.filter.server import Server
from bulk.filter.test_online import cache_home, folder, lines, run, server
from cli.conftest import Run
from verger.bulk.filter import filter_urls

__all__ = ["cache_home", "folder", "run", "server"]

FILE = b"User-agent: GPTBot\nDisallow: /a\n\nUser-agent: CCBot\nUser-agent: Foo\nDisallow: /b\n"
CRAWLERS: tuple[str | tuple[str, ...], ...] = ("GPTBot", "CCBot", ("Foo", "GPTBot"), "Nobody")
NAMES = ("GPTBot", "CCBot", "Foo,GPTBot", "Nobody")
HOSTS = ("one", "two", "unknown")


def rows_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        return found
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return list(csv.DictReader(path.read_text().splitlines()))


def stage(folder: Path) -> Path:
    """Write a table of URLs, some of which are none, with another column; and two sites."""
    (folder / "sites").mkdir()
    for host in HOSTS[:2]:
        (folder / "sites" / f"{host}.example").write_bytes(FILE)
    urls = [f"https://{host}.example/{path}" for path in ("a", "b", "") for host in HOSTS]
    table = folder / "urls.csv"
    table.write_text("url,id\n" + "".join(f"{url},{n}\n" for n, url in enumerate([*urls, "no"])))
    return table


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_each_column_is_that_of_a_run_of_its_own(suffix: str, tmp_path: Path) -> None:
    table, sites = stage(tmp_path), tmp_path / "sites"
    first, *further = CRAWLERS
    together, alone = tmp_path / f"together.{suffix}", tmp_path / f"alone.{suffix}"
    filter_urls(table, tokens=first, crawlers=further, snapshot=sites, output=together)
    rows = rows_of(together)

    for tokens, column in zip(CRAWLERS, ("allowed", *NAMES[1:]), strict=True):
        name = column if column == "allowed" else f"allowed_{column}"
        filter_urls(table, tokens=tokens, snapshot=sites, output=alone)
        assert [row["allowed"] for row in rows_of(alone)] == [row[name] for row in rows]
    assert [str(n) for n in range(10)] == [row["id"] for row in rows]
    assert [row["url"] for row in rows] == [row["url"] for row in rows_of(alone)]


def test_over_a_network(server: Server, run: Run) -> None:
    """Each site is fetched once, for all of them."""
    urls = [f"http://h{n % 30}.example/{'private' if n % 3 else 'x'}/{n}" for n in range(5_000)]
    asked = ["--agent", "ExampleBot", "--agent", "GPTBot", "--format", "csv"]
    done = run("filter", *server.options, *asked, stdin=lines(*urls))
    rows = list(csv.DictReader(done.out.splitlines()))

    assert {1} == set(server.asked.values())
    assert urls == [row["url"] for row in rows]
    assert [row["allowed"] for row in rows] == [row["allowed_GPTBot"] for row in rows]
    assert {"true", "false"} == {row["allowed"] for row in rows}


def test_what_cannot_be_written(tmp_path: Path) -> None:
    """A list holds a URL or does not; a column that is there already is not written twice."""
    table, sites = stage(tmp_path), tmp_path / "sites"
    with pytest.raises(verger.InvalidOption, match="2 crawlers are asked about"):
        filter_urls(table, tokens="A", crawlers=["B"], snapshot=sites, output=tmp_path / "o.txt")
    with pytest.raises(verger.InvalidProductToken):
        filter_urls(table, tokens="A", crawlers=["B/"], snapshot=sites, output=tmp_path / "o.csv")
    table.write_text("url,allowed_B\nhttps://one.example/,1\n")
    with pytest.raises(verger.InvalidOption, match="`allowed_B` is one of an input, too"):
        filter_urls(table, tokens="A", crawlers=["B"], snapshot=sites, output=tmp_path / "o.csv")


def test_a_purpose(run: Run, folder: Path) -> None:
    stage(folder)
    asked = ["--snapshot", "sites", "--agent", "Nobody", "--purpose", "training"]
    done = run("filter", *asked, "--format", "csv", "urls.csv")
    own = run("filter", *asked, "--dialect", "own", "--format", "csv", "urls.csv")
    row = next(csv.DictReader(done.out.splitlines()))

    assert ("true", "false", "true") == (
        row["allowed"],
        row["allowed_GPTBot"],
        row["allowed_CCBot"],
    )
    assert "the totals are those of `Nobody`, the first crawler" in done.err
    assert (2, "") == (own.code, own.out)
