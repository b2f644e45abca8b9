"""`python -m benchmarks.scan`: captures of robots.txt files a second, and the memory that it takes.

In: the real files that `make corpus` fetches, made into archives of a million captures (see
`archive.py`), which are kept in `build/bench`. Out: one line for each run, and `scan.json` there.
Each run is a process of its own that begins with nothing imported.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from benchmarks.archive import write_archive
from benchmarks.files import CORPUS, ROOT, write_json

FOLDER = ROOT / "build" / "bench"
GOAL = 60_000
"""Captures a second."""
MEMORY = 300
"""MiB."""


class Run(NamedTuple):
    """One run of the command."""

    name: str
    captures: int
    size: int
    """Of the archive."""
    seconds: float
    cpu: float
    """Seconds of all cores together."""
    rss: float
    """MiB, at most."""

    @property
    def rate(self) -> float:
        """Captures a second."""
        return self.captures / self.seconds

    def __str__(self) -> str:
        each = self.cpu / self.captures * 1e6
        return (
            f"{self.name:<32}{self.captures:>10,} captures {self.seconds:>8.1f} s "
            f"{self.rate:>9,.0f} a second {each:>6.1f} us of CPU each {self.rss:>6.0f} MiB"
        )


def main(words: Sequence[str] | None = None) -> int:
    """Run all, and write what came of it."""
    asked = _asked(words)
    FOLDER.mkdir(parents=True, exist_ok=True)
    plain = archive(asked.captures)
    runs = [measured("the real files again and again", plain)]
    runs.append(measured("70 % of them distinct", archive(asked.captures, distinct=0.7)))
    if asked.common_crawl:
        runs.append(measured("with requests", archive(asked.captures, with_requests=True)))
    if asked.records:
        path = plain
        runs.append(measured("with --records", path, "--records", str(FOLDER / "records.parquet")))
    results = {"goal": GOAL, "memory": MEMORY, "cores": os.cpu_count()}
    results["runs"] = [run._asdict() | {"rate": run.rate} for run in runs]
    write_json(FOLDER / "scan.json", results)
    return 0


def _asked(words: Sequence[str] | None) -> argparse.Namespace:
    grammar = argparse.ArgumentParser(prog="python -m benchmarks.scan", description=__doc__)
    grammar.add_argument("--captures", type=int, default=1_000_000)
    grammar.add_argument("--records", action="store_true", help="also with a table of records")
    grammar.add_argument(
        "--common-crawl",
        action="store_true",
        help="also with a request and a metadata record beside each response",
    )
    return grammar.parse_args(words)


def archive(captures: int, *, distinct: float = 0.0, with_requests: bool = False) -> Path:
    """Return an archive of so many captures, made now or kept."""
    kind = f"{'pairs' if with_requests else 'plain'}-{distinct:.0%}".rstrip("%")
    path = FOLDER / f"scan-{kind}-{captures}.warc.gz"
    if not path.exists():
        bodies = [site.read_bytes() for site in sorted(CORPUS.iterdir())]
        part = path.with_name(path.name + ".part")
        write_archive(part, bodies, captures, distinct=distinct, with_requests=with_requests)
        part.replace(path)
    return path


def measured(name: str, path: Path, *options: str) -> Run:
    """Scan an archive in a process of its own."""
    output = FOLDER / "scan.parquet"
    command = [sys.executable, "-m", "verger", "scan", str(path), "--output", str(output)]
    began = perf_counter()
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - began
    if status:
        raise SystemExit(told)
    run = Run(
        name,
        int(told.split()[1].replace(",", "")),
        path.stat().st_size,
        seconds,
        used.ru_utime + used.ru_stime,
        used.ru_maxrss / 1024,
    )
    print(run, flush=True)
    return run


if __name__ == "__main__":
    sys.exit(main())
