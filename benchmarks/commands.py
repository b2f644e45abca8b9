"""Measure commands beside the core: `python -m benchmarks.commands`.

In: the real files that `make corpus` fetches, given to many sites; URLs of these sites, sorted by
site and shuffled. Out: a line for each run: processor time a row in microseconds, wall time, the
peak of memory, and how many times the core's own work that is; `build/bench/commands.json`.

The core's work is one call that decides all rows of a table (`decide_table`). Protego, which parses
the file of each site once, has a process for each core. Each run is a process of its own, on the
cores that it is given; a cold one begins with inputs that the system has to read from the disk.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from time import perf_counter, time
from typing import NamedTuple

import pyarrow as pa
from pyarrow import parquet

from benchmarks.archive import member
from benchmarks.files import CORPUS, ROOT, no_corpus, write_json
from benchmarks.inputs import RULE, url_for
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore

FOLDER = ROOT / "build" / "bench" / "commands"
ENDINGS = {"text": "txt", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet"}
ORDERS = ("sorted", "shuffled")
TOKEN = "ExampleBot"
SAVED_AT_ONCE = 500
RULES_OF_A_SITE = 200


class Run(NamedTuple):
    """One run of a command, or of the core alone."""

    name: str
    rows: int
    seconds: float
    cpu: float
    """Seconds of all cores together."""
    peak: float
    """MiB."""

    def beside(self, core: Run) -> str:
        """Return a line of the table."""
        return (
            f"{self.name:<46}{self.rows:>11,}{self.cpu / self.rows * 1e6:>9.2f}"
            f"{self.seconds:>8.2f}{self.peak:>7.0f}{self.cpu / core.cpu:>8.1f}"
        )


HEADER = f"{'command':<46}{'rows':>11}{'us a row':>9}{'wall s':>8}{'MiB':>7}{'x core':>8}"


# --- inputs -------------------------------------------------------------------------------


@cache
def bodies() -> list[bytes]:
    """Return the real files."""
    return [path.read_bytes() for path in sorted(CORPUS.iterdir())]


class Inputs:
    """The sites and URLs of one size, made once and kept in a folder."""

    def __init__(self, rows: int, sites: int) -> None:
        self.rows, self.sites = rows, sites
        self.folder = FOLDER / f"{rows}-{sites}"
        self.folder.mkdir(parents=True, exist_ok=True)

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Yield each host with its file."""
        for number in range(self.sites):
            yield f"site-{number}.example", bodies()[number % len(bodies())]

    def urls(self, order: str, ending: str) -> Path:
        """Return the path of the URLs in an order: half of them derived from rules."""
        path = self.folder / f"{order}.{ending}"
        if not path.exists():
            chance, found = random.Random(self.sites), []
            each, more = divmod(self.rows, self.sites)
            for number, (host, body) in enumerate(self.files()):
                rules = RULE.findall(body)[:RULES_OF_A_SITE]
                found += [url_for(host, rules, chance) for _ in range(each + (number < more))]
            if order == "shuffled":
                random.Random(order).shuffle(found)
            if ending == "parquet":
                parquet.write_table(pa.table({"id": range(len(found)), "url": found}), path)
            else:
                text = "".join(f"{url}\n" for url in found)
                path.write_text(text, "utf-8", "surrogateescape")
        return path

    def snapshot(self, kind: str) -> Path:
        """Return the path of the files of all sites in one of the `SNAPSHOTS`."""
        name, write = SNAPSHOTS[kind]
        path = self.folder / name
        if not path.exists():
            write(path, self)
        return path


def _as_table(path: Path, inputs: Inputs) -> None:
    hosts, files = zip(*inputs.files(), strict=True)
    origins = [f"https://{host}" for host in hosts]
    table = pa.table({"origin": origins, "body": pa.array(files, pa.binary())})
    parquet.write_table(table, path, row_group_size=10_000)


def _as_folder(path: Path, inputs: Inputs) -> None:
    path.mkdir()
    for host, body in inputs.files():
        (path / host).write_bytes(body)


def _as_archive(path: Path, inputs: Inputs) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n"
    with path.open("wb") as file:
        for number, (host, body) in enumerate(inputs.files()):
            url = f"https://{host}/robots.txt".encode()
            kind = b"application/http; msgtype=response"
            file.write(member(b"response", url, number, kind, head % len(body) + body))


def _as_store(path: Path, inputs: Inputs) -> None:
    asyncio.run(_fill(path, inputs))


async def _fill(path: Path, inputs: Inputs) -> None:
    store, now = SqliteStore(path), time()
    entries: list[Entry] = []
    for host, body in inputs.files():
        url = f"https://{host}/robots.txt"
        entries.append(Entry(f"https://{host}", AccessResult(url, now, status=200, body=body)))
    for start in range(0, len(entries), SAVED_AT_ONCE):
        await store.save(entries[start : start + SAVED_AT_ONCE])
    await store.close()


SNAPSHOTS: dict[str, tuple[str, Callable[[Path, Inputs], None]]] = {
    "table": ("files.parquet", _as_table),
    "folder": ("folder", _as_folder),
    "archive": ("files.warc.gz", _as_archive),
    "store": ("store", _as_store),
}


# --- runs ---------------------------------------------------------------------------------


LAUNCH = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
"""Starts a program: its peak would count that of the process that starts it, if that is larger."""


def measured(name: str, rows: int, command: Sequence[object], cores: int) -> Run:
    """Run a program to its end."""
    pinned = ["taskset", "-c", ",".join(map(str, range(cores)))]
    launched = [*pinned, sys.executable, "-c", LAUNCH, *map(str, command)]
    began = perf_counter()
    done = subprocess.run(launched, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    cpu, peak = map(float, done.stdout.split())
    return Run(name, rows, perf_counter() - began, cpu, peak / 1024)


CORE = f"""
import sys
import pyarrow as pa
from pyarrow import parquet
from verger.bulk import Snapshot, decide_table
urls, files = (parquet.read_table(path) for path in sys.argv[1:])
pa.table(decide_table(urls, Snapshot.from_table(files), {TOKEN!r}))
"""

PEER = f"""
import sys
from multiprocessing import Pool
import pyarrow as pa
from pyarrow import parquet
from protego import Protego

FILES = dict(zip(*parquet.read_table(sys.argv[2]).to_pydict().values()))

def decided(urls):
    parsed, found = {{}}, []
    for url in urls.to_pylist():
        origin = url[: url.index("/", 8)]
        if origin not in parsed:
            parsed[origin] = Protego.parse(FILES[origin].decode("utf-8", "replace"))
        found.append(parsed[origin].can_fetch(url, {TOKEN!r}))
    return found

urls = parquet.read_table(sys.argv[1], columns=["url"])["url"].combine_chunks()
count = int(sys.argv[3])
parts = [urls[len(urls) * n // count : len(urls) * (n + 1) // count] for n in range(count)]
with Pool(count) as pool:
    allowed = sum(pool.map(decided, parts), [])
parquet.write_table(pa.table({{"url": urls, "allowed": allowed}}), sys.argv[4])
"""


def core(inputs: Inputs, order: str, cores: int) -> Run:
    """Decide all rows in one call."""
    paths = inputs.urls(order, "parquet"), inputs.snapshot("table")
    command = [sys.executable, "-c", CORE, *paths]
    return measured(f"decide_table, {order}", inputs.rows, command, cores)


def peer(inputs: Inputs, order: str, cores: int) -> Run:
    """Decide all rows by Protego, with a process for each core."""
    paths = inputs.urls(order, "parquet"), inputs.snapshot("table")
    output = inputs.folder / "protego.parquet"
    command = [sys.executable, "-c", PEER, *paths, cores, output]
    return measured(f"Protego, parquet to parquet, {order}", inputs.rows, command, cores)


def filtered(inputs: Inputs, order: str, source: str, written: str, cores: int) -> Run:
    """Filter all rows with a snapshot, or with a warm cache (`online`)."""
    read = "parquet" if written == "parquet" else "txt"
    ending = ENDINGS[written]
    agent = ["--user-agent", f"{TOKEN}/1.0 (+https://example.com/bot)"]
    given = (
        [*agent, "--cache", inputs.snapshot("store")]
        if source == "online"
        else ["--agent", TOKEN, "--snapshot", inputs.snapshot(source)]
    )
    command = [
        *(sys.executable, "-m", "verger", "filter", "--quiet", *given),
        *(inputs.urls(order, read), "--output", inputs.folder / f"out.{ending}", "--restart"),
    ]
    return measured(f"filter, {source}, to {written}, {order}", inputs.rows, command, cores)


def cold(inputs: Inputs) -> None:
    """Make the system forget what it has read of the inputs."""
    os.sync()
    for path in inputs.folder.rglob("*"):
        if path.is_file():
            file = os.open(path, os.O_RDONLY)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


def main(words: Sequence[str] | None = None) -> int:
    """Run all, and write what came of it."""
    options = _options(words)
    if not CORPUS.is_dir():
        return no_corpus(CORPUS)
    inputs = Inputs(options.rows, options.sites)
    print(HEADER)
    found: list[object] = []
    for cores in options.cores:
        for state in options.states:
            print(f"--- {state}, cores: {cores}")
            for order in options.orders:
                for base, run in _runs(options, inputs, order, cores, state):
                    print(run.beside(base), flush=True)
                    found.append({"cores": cores, "state": state, **run._asdict()})
    write_json(FOLDER.with_suffix(".json"), found)
    return 0


def _runs(
    options: argparse.Namespace, inputs: Inputs, order: str, cores: int, state: str
) -> Iterator[tuple[Run, Run]]:
    """Yield the core's run with each run beside it."""
    works: list[Callable[[], Run]] = [lambda: core(inputs, order, cores)]
    if options.protego:
        works.append(lambda: peer(inputs, order, cores))
    for source in options.sources:
        for written in options.formats:
            works.append(
                lambda source=source, written=written: filtered(
                    inputs, order, source, written, cores
                )
            )
    works[0]()  # makes the inputs
    base: Run | None = None
    for work in works:
        if state == "cold":
            cold(inputs)
        run = work()
        base = base or run
        yield base, run


def _options(words: Sequence[str] | None) -> argparse.Namespace:
    grammar = argparse.ArgumentParser(prog="python -m benchmarks.commands", description=__doc__)
    sources = [*SNAPSHOTS, "online"]
    grammar.add_argument("--rows", type=int, default=200_000)
    grammar.add_argument("--sites", type=int, default=4_000)
    grammar.add_argument("--orders", nargs="+", choices=ORDERS, default=ORDERS)
    grammar.add_argument("--formats", nargs="+", choices=ENDINGS, default=["text", "parquet"])
    grammar.add_argument("--sources", nargs="+", choices=sources, default=["table", "online"])
    grammar.add_argument("--states", nargs="+", choices=("cold", "warm"), default=["cold", "warm"])
    grammar.add_argument("--cores", nargs="+", type=int, default=[1, 2])
    grammar.add_argument("--protego", action="store_true", help="with Protego beside it")
    return grammar.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
