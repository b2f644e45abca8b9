"""One measurement of `verger.bulk`, in the process that this module is run as.

In: a `Case` as JSON, the only argument. Out: one line of JSON on stdout with a `Measured`. Every
origin has a file of its own: a real one with a comment that differs, so that nothing can be shared.
URLs are made column-wise, half of them from rules of the file they are asked of.
"""

from __future__ import annotations

import gc
import json
import random
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks import inputs, measure
from verger.bulk import Snapshot, decide_stream, decide_table

TOKEN = "ExampleBot"
PATHS = 16
"""Paths that are asked of each real file."""
BATCH = 65_536
POOL = 16
"""Batches that a stream repeats, all different."""

Order: TypeAlias = Literal["sorted", "shuffled"]


@dataclass(frozen=True, slots=True)
class Case:
    """What is measured."""

    kind: Literal["table", "stream"]
    origins: int
    rows: int
    order: Order
    threads: int
    corpus: str
    again: int = 3
    """How often a table is decided about once its files are parsed."""


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds and bytes of one case."""

    first: float
    """Seconds of the first run, which parses the files that are asked for."""
    again: float
    """Seconds of a later run, the median; files for which there is room are parsed by then."""
    cpu: float
    """Seconds of processor time of the later runs, on average: what a busy machine leaves alone."""
    urls: int
    """Bytes of the URLs that are held at a time."""
    bodies: int
    """Bytes of the files in the snapshot."""
    snapshot: float
    """Seconds that making the snapshot took."""
    held: int
    """Bytes of memory before the first run: interpreter, libraries, URLs, files, snapshot."""
    peak: int
    """Bytes of memory at most."""


@dataclass(frozen=True, slots=True)
class Found:
    """A case, what was measured, and how busy the machine was before."""

    case: Case
    measured: Measured
    load: float

    @property
    def cpu_ns_per_row(self) -> float:
        """What a row costs in processor time, over all threads, in nanoseconds."""
        return self.measured.cpu / self.case.rows * 1e9

    @property
    def ns_per_row(self) -> float:
        """What a row costs when the files are parsed, in nanoseconds."""
        return self.measured.again / self.case.rows * 1e9


def main() -> None:
    """Measure the case, and print what was measured."""
    case = Case(**json.loads(sys.argv[1]))
    print(json.dumps(asdict(measured(case))))


def measured(case: Case) -> Measured:
    """Prepare a snapshot and URLs, and ask."""
    files, paths = real_files(Path(case.corpus))
    bodies = bodies_of(files, case.origins)
    origins = joined("https://site", numbers(np.arange(case.origins)), ".example")
    table = pa.table({"origin": origins, "body": bodies})
    start = time.perf_counter()
    snapshot = Snapshot.from_table(table)
    built = time.perf_counter() - start
    data = bodies.nbytes
    del table, origins, bodies
    if case.kind == "table":
        batches = [urls_of(places(case, 0, case.rows), paths, len(files))]
    else:
        batches = [urls_of(places(case, n * BATCH, BATCH), paths, len(files)) for n in range(POOL)]
    pa.default_memory_pool().release_unused()
    ask = table_asker(case, snapshot, batches) if case.kind == "table" else None
    gc.collect()
    gc.disable()
    forget_peak()
    held = measure.memory_now()
    if ask is not None:
        first = measure.seconds(ask, 1)
        before = time.process_time()
        again = statistics.median(measure.seconds(ask, 1) for _ in range(case.again))
        cpu = (time.process_time() - before) / case.again
    else:
        # The first pass through the pool meets every file once.
        first = stream_seconds(case, snapshot, batches, POOL * BATCH)
        before = time.process_time()
        again = stream_seconds(case, snapshot, batches, case.rows)
        cpu = time.process_time() - before
    return Measured(
        first=first,
        again=again,
        cpu=cpu,
        urls=sum(batch.nbytes for batch in batches),
        bodies=data,
        snapshot=built,
        held=held,
        peak=measure.peak_memory(),
    )


def forget_peak() -> None:
    """Let the peak of memory begin anew, where the system can: making inputs took more."""
    path = Path("/proc/self/clear_refs")
    if path.exists():
        path.write_text("5")


def table_asker(case: Case, snapshot: Snapshot, batches: list[Any]) -> measure.Work:
    """Return the work on a table."""
    [urls] = batches
    return lambda: decide_table(urls, snapshot, TOKEN, threads=case.threads)


def stream_seconds(case: Case, snapshot: Snapshot, batches: list[Any], rows: int) -> float:
    """Decide about a stream that repeats the batches, reading the decisions as they come."""
    reader = pa.RecordBatchReader.from_batches(batches[0].schema, repeated(batches, rows))
    start = time.perf_counter()
    stream = decide_stream(reader, snapshot, TOKEN, threads=case.threads)
    found = sum(batch.num_rows for batch in pa.RecordBatchReader.from_stream(stream))
    spent = time.perf_counter() - start
    if found != rows:
        raise RuntimeError(f"{found} rows came out of {rows}")
    return spent


def repeated(batches: list[Any], rows: int) -> Iterator[Any]:
    """Yield the batches over and over until there were so many rows."""
    number = 0
    while rows > 0:
        batch = batches[number % len(batches)]
        yield batch.slice(0, min(rows, batch.num_rows))
        rows -= batch.num_rows
        number += 1


# --- inputs -------------------------------------------------------------------------------


def real_files(corpus: Path) -> tuple[list[bytes], list[str]]:
    """Return the real files, and for each of them `PATHS` paths one after the other."""
    found = [path for path in sorted(corpus.iterdir()) if path.is_file()]
    files, paths = [], []
    for path in found:
        body = path.read_bytes()
        rules, chance = inputs.RULE.findall(body), random.Random(path.name)
        files.append(body)
        for _ in range(PATHS):
            derived = rules and chance.random() < 0.5
            rule = chance.choice(rules) if derived else None
            paths.append(
                inputs.path_from(rule, chance) if rule is not None else inputs.plain_path(chance)
            )
    return files, paths


def bodies_of(files: list[bytes], origins: int) -> Any:
    """Make a file for each origin, no two of them equal."""
    which = pa.array(np.arange(origins) % len(files))
    real = pa.array(files, pa.large_binary()).take(which)
    tail = joined("\n# site ", numbers(np.arange(origins)), "\n").cast(pa.large_binary())
    return pc.binary_join_element_wise(real, tail, pa.scalar(b"", pa.large_binary()))


def places(case: Case, start: int, rows: int) -> Any:
    """Return the origin of each row: row after row of one origin, or in no order."""
    spread = np.arange(start, start + rows)
    if case.order == "sorted":
        total = case.rows if case.kind == "table" else POOL * BATCH
        return spread * case.origins // total
    chance = np.random.default_rng(start)
    if case.kind == "table":
        return chance.permutation(spread % case.origins)
    return chance.integers(0, case.origins, rows)


def urls_of(places: Any, paths: list[str], files: int) -> Any:
    """Make the URLs of these origins, as a batch; `files` is how many real files there are."""
    turn = np.arange(len(places)) * 7 % PATHS
    asked = pa.array(paths, pa.large_string()).take(pa.array(places % files * PATHS + turn))
    hosts = joined("https://site", numbers(places), ".example")
    urls = pc.binary_join_element_wise(hosts, asked, pa.scalar("", pa.large_string()))
    return pa.record_batch({"url": urls})


def numbers(values: Any) -> Any:
    """Write numbers as text."""
    return pa.array(values).cast(pa.large_string())


def joined(before: str, middle: Any, behind: str) -> Any:
    """Put text before and behind each of many texts."""
    text = pa.large_string()
    return pc.binary_join_element_wise(
        pa.scalar(before, text), middle, pa.scalar(behind, text), pa.scalar("", text)
    )


if __name__ == "__main__":
    main()
