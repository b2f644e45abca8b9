"""The rows of `verger filter` in each format: the same, byte for byte, packed or not."""

import csv
import gzip
import io
import json
from pathlib import Path

import pyarrow.parquet as pq

from cli.conftest import Run, folder, objects, run
from cli.test_filter import ASK, URLS, lines, sites

__all__ = ["folder", "run", "sites"]


def test_formats_say_the_same(run: Run, folder: Path) -> None:
    """JSON Lines, CSV and Parquet hold the same rows; `urls` the allowed ones."""
    rows = lines(*URLS, "rubbish", "https://a.example/caf\xe9", 'https://a.example/"a,b"')
    (folder / "urls.txt").write_bytes(rows)
    for name in ("out.jsonl", "out.csv", "out.parquet", "out.txt"):
        assert 2 == run(*ASK, "urls.txt", "--output", name).code
    objects = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    records = list(csv.DictReader(Path("out.csv").read_text("utf-8").splitlines()))
    table = pq.read_table("out.parquet").to_pylist()
    for each in objects:
        del each["schema"]

    assert objects == table
    assert [{name: as_csv(value) for name, value in each.items()} for each in objects] == records
    assert [each["url"] for each in objects if each["allowed"]] == Path("out.txt").read_text(
        "utf-8"
    ).splitlines()


def as_csv(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_bytes_come_back(run: Run) -> None:
    """Bytes that are not UTF-8 are written as they were read."""
    data = b"https://a.example/\xff\xfe\n"

    assert data == run(*ASK, stdin=data).data
    assert data.strip() in run(*ASK, "--format", "csv", stdin=data).data
    assert "/\udcff\udcfe" in objects(run(*ASK, "--format", "jsonl", stdin=data))[0]["url"]


def test_parquet_shows_bytes_that_it_cannot_hold(run: Run) -> None:
    """Parquet's text is UTF-8."""
    run(*ASK, "--output", "out.parquet", stdin=b"https://a.example/\xc3\xa9\xff\n")

    assert ["https://a.example/\xe9\\xff"] == pq.read_table("out.parquet")["url"].to_pylist()


def test_parquet_on_stdout(run: Run) -> None:
    """A stream will do, although it cannot be asked where it is."""
    done = run(*ASK, "--format", "parquet", stdin=lines(*URLS))

    assert URLS == pq.read_table(io.BytesIO(done.data))["url"].to_pylist()


def test_packed_output(run: Run, folder: Path) -> None:
    """An output that ends in `.gz` is compressed, and the same each time."""
    for _ in range(2):
        assert 2 == run(*ASK, "--output", "out.csv.gz", stdin=lines(*URLS)).code
    again = (folder / "out.csv.gz").read_bytes()
    run(*ASK, "--output", "two.csv.gz", stdin=lines(*URLS))

    assert again == (folder / "two.csv.gz").read_bytes()
    assert gzip.decompress(again) == run(*ASK, "--format", "csv", stdin=lines(*URLS)).data


def test_no_rows(run: Run, folder: Path) -> None:
    """An empty input gives an empty output, which has a header where the format has one."""
    assert b"" == run(*ASK, stdin=b"").data
    assert b"row,input,url," == run(*ASK, "--format", "csv", stdin=b"\n\n").data[:14]
    assert 0 == run(*ASK, "--output", "out.parquet", stdin=b"").code
    assert 0 == pq.read_table(folder / "out.parquet").num_rows
