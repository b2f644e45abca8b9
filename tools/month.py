"""`python -m tools.month --files FOLDER`: what each part of a month of the web costs.

In: real robots.txt files, of any names. Out: archives of the shape of Common Crawl's `robotstxt`
captures and a table of URLs, in a folder; and a table in Markdown with the processor time of each
part, measured by itself in one thread, and what it is for a month. docs/annex/month.md has one.

The shape of archives is public: 760 responses in each, with a request and a metadata record beside
it (benchmarks/archive.py; docs/annex/common-crawl.md has the sources). Of the URLs one host has a
tenth; the others share the rest as 1, 1/2, 1/3 and so on do (Zipf).
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
from benchmarks.archive import write_archive
from pyarrow import parquet

from verger.bulk import Snapshot, decide_table
from verger.bulk.scan import Scanner, read_warc
from verger.captures.batches import SCHEMA
from verger.files.parquet import ParquetSink

CAPTURES, URLS = 72_000_000, 3_000_000_000
"""Of a month: what all figures are multiplied to."""

OF_AN_ARCHIVE = 760
AT_ONE_HOST = 0.1
TOKEN = "ExampleBot"
AT_ONCE = 1 << 18
"""URLs that are decided at once."""


T = TypeVar("T")


class Part(NamedTuple):
    """One part of the work."""

    name: str
    of: str
    """What it is counted in: captures, or URLs."""
    seconds: float
    number: int
    size: int
    """Bytes that it takes or gives, as the name says."""

    @property
    def hours(self) -> float:
        """Hours of a core for a month."""
        month = CAPTURES if self.of == "capture" else URLS
        return self.seconds / self.number * month / 3600

    def __str__(self) -> str:
        each = self.seconds / self.number * 1e6
        size = self.size / self.number
        return (
            f"| {self.name} | {self.seconds:.2f} s | {each:.3g} µs a {self.of} | "
            f"{size:,.0f} bytes | {self.hours:.2f} |"
        )


def main(words: Sequence[str] | None = None) -> int:
    """Make the data, measure every part, and print the table."""
    grammar = argparse.ArgumentParser(prog="python -m tools.month", description=__doc__)
    grammar.add_argument("--files", type=Path, required=True, help="a folder of robots.txt files")
    grammar.add_argument("--captures", type=int, default=100_000)
    grammar.add_argument("--urls", type=int, default=5_000_000)
    grammar.add_argument("--distinct", type=float, default=0.7, help="files no other site has")
    asked = grammar.parse_args(words)
    bodies = [path.read_bytes() for path in sorted(asked.files.rglob("*")) if path.is_file()]
    with tempfile.TemporaryDirectory(prefix="verger-month-") as name:
        folder = Path(name)
        archives = list(written(folder, bodies, asked.captures, asked.distinct))
        parts = [*of_scan(archives, folder), *of_decide(folder, asked.urls)]
    print(f"{len(archives)} archives, {asked.captures:,} captures, {asked.urls:,} URLs\n")
    print("| part | measured | of each | bytes of each | core hours of a month |")
    print("|---|---|---|---|---|")
    print("\n".join(map(str, parts)))
    print(f"| together | | | | {sum(part.hours for part in parts):.2f} |")
    return 0


def written(
    folder: Path, bodies: Sequence[bytes], captures: int, distinct: float
) -> Iterator[Path]:
    """Write the archives; yield their paths."""
    one = folder / "one.warc.gz"
    write_archive(one, bodies, captures, distinct=distinct, with_requests=True)
    data, parts = one.read_bytes(), max(1, captures // OF_AN_ARCHIVE)
    one.unlink()
    begin = 0
    for number in range(parts):  # cut where a member begins
        aim = len(data) * (number + 1) // parts
        end = len(data) if number == parts - 1 else data.index(b"\x1f\x8b\x08\0", aim)
        path = folder / f"{number:06}.warc.gz"
        path.write_bytes(data[begin:end])
        begin = end
        yield path


def timed(work: Callable[..., T], *given: object) -> tuple[float, T]:
    """Return the seconds of all processors, and what came of it."""
    began = process_time()
    found = work(*given)
    return process_time() - began, found


def of_scan(archives: Sequence[Path], folder: Path) -> Iterator[Part]:
    """Measure what a scan does, part by part; each has the results of the one before."""
    size = sum(path.stat().st_size for path in archives)
    reading, _ = timed(lambda: [path.read_bytes() for path in archives])
    parsing, batches = timed(lambda: [batch for path in archives for batch in read_warc(path)])
    captures = sum(batch.num_rows for batch in batches)
    scanner = Scanner(threads=1)
    describing, rows = timed(lambda: [row for each in batches for row in scanner.scan(each).rows])
    table = folder / "scan.parquet"
    writing, _ = timed(_write, table, rows, scanner.schema)
    files = pa.Table.from_batches(batches, SCHEMA)
    parquet.write_table(files, folder / "files.parquet", compression="zstd")
    for name, seconds, bytes_ in (
        ("bytes read", reading, size),
        ("unpacked, records and responses parsed", parsing - reading, size),
        ("described", describing, sum(batch.nbytes for batch in batches)),
        ("the table of the scan written", writing, table.stat().st_size),
    ):
        yield Part(name, "capture", seconds, captures, bytes_)


def _write(path: Path, rows: Sequence[pa.RecordBatch], schema: pa.Schema) -> None:
    with path.open("wb") as file, ParquetSink(file, schema) as sink:
        for each in rows:
            sink.write(each)


def of_decide(folder: Path, urls: int) -> Iterator[Part]:
    """Measure what deciding does: a table of URLs is read, decided and written."""
    files = parquet.read_table(folder / "files.parquet")
    hosts = [f"site-{number}.example" for number in range(len(files))]
    asked, answered = folder / "urls.parquet", folder / "answers.parquet"
    _write_urls(asked, hosts, urls)
    opening, snapshot = timed(Snapshot.from_table, files)
    yield Part("files opened as a snapshot", "capture", opening, len(files), files.nbytes)
    decide = partial(decide_table, robots=snapshot, token=TOKEN, column="url", threads=1)
    spent = np.zeros(3)
    source = parquet.ParquetFile(asked)
    with parquet.ParquetWriter(answered, ANSWERS, compression="zstd") as writer:
        for group in range(source.num_row_groups):
            reading, some = timed(source.read_row_group, group)
            deciding, answers = timed(decide, some)
            writing, _ = timed(writer.write_table, pa.table(answers).cast(ANSWERS))
            spent += (reading, deciding, writing)
    reading, deciding, writing = spent.tolist()
    yield Part("URLs read", "URL", reading, urls, asked.stat().st_size)
    yield Part("decided", "URL", deciding, urls, asked.stat().st_size)
    yield Part("answers written", "URL", writing, urls, answered.stat().st_size)


ANSWERS = pa.schema([("allowed", pa.bool_()), ("reason", pa.string()), ("line", pa.int32())])
PATHS = ("/", "/products/%d", "/wp-admin/%d", "/search?q=%d", "/blog/2026/06/%d.html", "/a/b/c/%d")


def _write_urls(path: Path, hosts: Sequence[str], urls: int) -> None:
    """Write URLs in any order: a tenth of one host, the rest by Zipf."""
    chance = np.random.default_rng(9309)
    weights = 1 / np.arange(1, len(hosts) + 1)
    weights *= (1 - AT_ONE_HOST) / weights.sum()
    weights[0] += AT_ONE_HOST
    schema = pa.schema([("url", pa.string())])
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for begin in range(0, urls, AT_ONCE):
            count = min(AT_ONCE, urls - begin)
            chosen = chance.choice(len(hosts), count, p=weights)
            numbers, forms = chance.integers(0, 10**6, count), chance.integers(0, len(PATHS), count)
            rows = zip(chosen.tolist(), forms.tolist(), numbers.tolist(), strict=True)
            texts = [
                f"https://{hosts[host]}{PATHS[form] % number if form else '/'}"
                for host, form, number in rows
            ]
            writer.write_table(pa.table({"url": texts}, schema=schema), row_group_size=AT_ONCE)


if __name__ == "__main__":
    sys.exit(main())
