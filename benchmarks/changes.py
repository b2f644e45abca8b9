"""Measure what two snapshots of many sites cost to compare: `python -m benchmarks.changes`.

In: the time series of `../shared/corpus`: every version of a file, and the next. Out: changed pairs
a second, compared alone and as a whole from two tables to a third; and how much memory that takes
beyond what is imported. The processor's time is told as well: a busy machine stretches the other.
"""

import resource
import subprocess
import sys
import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.analysis import members
from verger.bulk.changes import ORIGINS_AT_ONCE, ChangesReport, Comparison, compared, diff_snapshots

ROUNDS = 5
THREADS = 2


def main(words: Sequence[str]) -> int:
    """Measure both, each in a process of its own, whose memory is that of one run."""
    works = {"compared alone": alone, "tables to table": whole}
    if words:
        name, number, folder = words
        tell(name, int(number), works[name](Path(folder)))
        return 0
    with TemporaryDirectory() as folder:
        number = write_tables(Path(folder))
        for name in works:
            again = [sys.executable, "-m", "benchmarks.changes", name, str(number), folder]
            subprocess.run(again, check=True)
    return 0


def tell(name: str, number: int, rounds: Iterator[None]) -> None:
    """Tell the median of some rounds, the first of which imports."""
    next(rounds)
    before = peak()
    walls, works = [], []
    for _ in range(ROUNDS):
        wall, work = time.perf_counter(), time.process_time()
        next(rounds)
        walls.append(time.perf_counter() - wall)
        works.append(time.process_time() - work)
    wall, work = sorted(walls)[ROUNDS // 2], sorted(works)[ROUNDS // 2]
    print(
        f"{name:<16} {number / wall:>9,.0f} pairs a second, {work / number * 1e6:>6.0f} us of "
        f"processor each, {peak() - before:,} MiB more"
    )


def alone(folder: Path) -> Iterator[None]:
    """Compare pairs that are in memory."""
    columns = [pq.read_table(folder / f"{side}.parquet") for side in ("old", "new")]
    origins, old = (columns[0].column(name).to_pylist() for name in ("origin", "body"))
    pairs = list(zip(origins, old, columns[1].column("body").to_pylist(), strict=True))
    yield None
    while True:
        comparison = Comparison("rfc9309", threads=THREADS)
        starts = range(0, len(pairs), ORIGINS_AT_ONCE)
        batches = (pairs[start : start + ORIGINS_AT_ONCE] for start in starts)
        deque(compared(batches, comparison), maxlen=0)
        yield None


def whole(folder: Path) -> Iterator[None]:
    """Compare two tables, and write a third; at first two of one row, which imports everything."""
    (folder / "few").mkdir()
    for side in ("old", "new"):
        few = pa.table({"origin": ["https://a.example"], "body": [side.encode()]})
        pq.write_table(few, folder / "few" / f"{side}.parquet")
    run(folder / "few")
    yield None
    while True:
        report = run(folder)
        assert report.compared == report.origins
        yield None


def run(folder: Path) -> ChangesReport:
    """Compare the tables of a folder."""
    old, new, out = (folder / f"{name}.parquet" for name in ("old", "new", "changes"))
    return diff_snapshots(old, new, out, threads=THREADS)


def write_tables(folder: Path) -> int:
    """Write every version but the last of each host, and every version but the first."""
    versions = defaultdict(list)
    for name, body in members("robots-timeseries.tar.xz"):
        versions[name.rpartition("/")[0]].append((name, body))
    histories = (sorted(history) for history in versions.values())
    pairs = [(one, other) for each in histories for (_, one), (_, other) in pairwise(each)]
    origins = [f"https://pair-{number:05}.example" for number in range(len(pairs))]
    for side, bodies in zip(("old", "new"), zip(*pairs, strict=True), strict=True):
        table = pa.table({"origin": origins, "body": pa.array(bodies, pa.binary())})
        pq.write_table(table, folder / f"{side}.parquet", row_group_size=1000)
    return len(pairs)


def peak() -> int:
    """Return the most memory that this process had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
