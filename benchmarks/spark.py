"""Decide about ten million URLs on Spark, and compare every answer with those of one machine.

In: nothing; the tables are made anew below `build/bench/spark`, the same in every run. Out: times
on stdout and in `spark.json` there. Exit code 0 when all answers are equal, 1 when one is not, 2
when there is no Spark to measure.

Every row has a number. What Spark wrote is put in order by it, seven bytes a row, and then one
machine goes through the URLs and compares answer by answer, so that nothing is sampled.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verger.errors import MissingExtra

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "bench" / "spark"
TOKEN = "examplebot"
PIECE = 500_000
"""Rows of one file of URLs."""
FILE_ROWS = 10_000
UNSEEN = -1
REASONS: dict[str, int] = {}
"""Numbers of the reasons that were met."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is to do."""

    rows: int
    origins: int
    skewed: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the tables, decide on Spark, compare, and report."""
    options = options_from(arguments)
    try:
        import numpy  # noqa: F401
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
        import pyspark  # noqa: F401
    except ImportError as error:
        print(f"error: {error.name} is not installed", file=sys.stderr)
        print(f"hint: {MissingExtra.remedy('spark')}", file=sys.stderr)
        return 2
    size = Size(options.rows, options.origins, options.skewed)
    make_tables(size)
    report: dict[str, Any] = {"rows": size.rows, "origins": size.origins, "skewed": size.skewed}
    report |= {"machine": platform.platform(), "cores": os.cpu_count(), "load": os.getloadavg()[0]}
    differences = 0
    with_spark = decide_on_spark(size, options.plans, options.cores)
    for plan, seconds, cpu in with_spark:
        told(report, f"spark, {plan}, {options.cores} cores", seconds, cpu, size)
        differences += report_differences(plan, size)
    for threads in (1, os.cpu_count() or 1):
        before = cpu_seconds()
        seconds = timed(lambda threads=threads: sum(1 for _ in answers(threads)))
        told(report, f"one machine, {threads} threads", seconds, cpu_seconds() - before, size)
    (WORK / "spark.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    return 1 if differences else 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--origins", type=int, default=100_000)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--skewed", action="store_true", help="a third of the URLs at one host")
    parser.add_argument(
        "--plans", nargs="+", default=["broadcast", "shuffle"], choices=["broadcast", "shuffle"]
    )
    parser.add_argument("--quick", action="store_true", help="a fiftieth of it: under a minute")
    options = parser.parse_args(arguments)
    if options.quick:
        options.rows, options.origins = 200_000, 2_000
    return options


def told(report: dict[str, Any], what: str, seconds: float, cpu: float, size: Size) -> None:
    """Print a time, and keep it."""
    report[what] = {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2)}
    rates = f"{size.rows / seconds:12,.0f} URLs/s {cpu:8.1f} s of cores"
    each = f"{1e6 * cpu / size.rows:6.2f} µs of a core each"
    print(f"{what:28} {seconds:8.1f} s {rates} {each}", flush=True)


def timed(work: Callable[[], object]) -> float:
    """Return how long it takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def cpu_seconds() -> float:
    """Return what this process and all below it took of the cores so far; 0 outside Linux."""
    times: dict[int, tuple[int, float]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            values = path.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        times[int(path.parent.name)] = (int(values[1]), sum(map(int, values[11:15])))
    ours = {os.getpid()}
    while more := {pid for pid, (parent, _) in times.items() if parent in ours} - ours:
        ours |= more
    return sum(times[pid][1] for pid in ours & times.keys()) / os.sysconf("SC_CLK_TCK")


# Tables


def make_tables(size: Size, hosts_from: Callable[[int, int, Size], Any] | None = None) -> None:
    """Write the URLs, in files of half a million, and the robots.txt files."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "urls").mkdir(parents=True)
    (WORK / "robots").mkdir()
    for start in range(0, size.rows, PIECE):
        end = min(start + PIECE, size.rows)
        table = urls_of(start, (hosts_from or even_hosts)(start, end, size))
        pq.write_table(table, WORK / "urls" / f"{start:012}.parquet", compression="zstd")
    for start in range(0, size.origins, FILE_ROWS):
        hosts = range(start, min(start + FILE_ROWS, size.origins))
        robots = {
            "origin": [f"https://www.site-{host}.example" for host in hosts],
            "body": pa.array([body_of(host) for host in hosts], pa.binary()),
            "status": pa.array([404 if host % 5 == 4 else 200 for host in hosts], pa.int32()),
        }
        pq.write_table(pa.table(robots), WORK / "robots" / f"{start:012}.parquet")
    data = sum(len(body_of(host)) for host in range(size.origins))
    print(f"{size.rows:,} URLs, {size.origins:,} files of {data:,} bytes", flush=True)


def even_hosts(start: int, end: int, size: Size) -> Any:
    """Return the numbers of the hosts of some URLs: one in a hundred has no file."""
    import numpy as np

    ids = np.arange(start, end, dtype=np.uint64)
    host = mixed(ids) % np.uint64(size.origins + size.origins // 100)
    return np.where(ids % np.uint64(3) == 0, np.uint64(7), host) if size.skewed else host


def mixed(ids: Any) -> Any:
    """Return numbers of 44 bits that look like chance, the same in every run."""
    import numpy as np

    return (ids * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)


def urls_of(start: int, host: Any) -> Any:
    """Return numbered URLs of hosts: two of three depend on rules."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    ids = np.arange(start, start + len(host), dtype=np.uint64)
    section = (mixed(ids) >> np.uint64(17)) % np.uint64(60)
    text = [pa.array(numbers).cast(pa.string()) for numbers in (host, section, ids)]
    url = pc.binary_join_element_wise(
        "https://www.site-", text[0], ".example/section-", text[1], "/page-", text[2], ".html", ""
    )
    return pa.table({"id": pa.array(ids.astype(np.int64)), "url": url})


def body_of(host: int) -> bytes:
    """Return a file of up to 50 rules, half a kilobyte or more."""
    rules = [
        f"{'Disallow' if (host + n) % 3 else 'Allow'}: /section-{(host * 7 + n * 11) % 60}/"
        f"{'' if n % 4 else '*'}page-{n if n % 4 else ''}"
        for n in range(host % 50)
    ]
    lines = ["# A file made for measuring.", "User-agent: *", "Disallow: /search", *rules]
    lines += ["", "User-agent: examplebot", "Disallow: /section-1", *rules[::2]]
    lines += [f"Sitemap: https://www.site-{host}.example/sitemap-{n}.xml" for n in range(4)]
    return "\n".join(lines).encode()


# Spark


def decide_on_spark(
    size: Size, plans: Sequence[str], cores: int
) -> Iterator[tuple[str, float, float]]:
    """Yield each plan, its time, and what all its processes took; writing is included."""
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    spark = (
        SparkSession.builder.master(f"local[{cores},4]")
        .config("spark.driver.memory", "4g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(WORK / "scratch"))
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    try:
        run(spark, plans[0], Size(min(size.rows, PIECE), size.origins, size.skewed))
        for plan in plans:
            before = cpu_seconds()
            seconds = timed(lambda plan=plan: run(spark, plan, size))
            yield plan, seconds, cpu_seconds() - before
    finally:
        spark.stop()


def run(spark: Any, plan: Any, size: Size) -> None:
    """Decide, and write the answers."""
    from verger.bulk.spark import decide

    urls = spark.read.parquet(str(WORK / "urls")).limit(size.rows) if size.rows <= PIECE else None
    urls = spark.read.parquet(str(WORK / "urls")) if urls is None else urls
    snapshot = spark.read.parquet(str(WORK / "robots"))
    partitions = max(size.rows // 1_000_000, 4)
    result = decide(urls, snapshot, TOKEN, plan=plan, partitions=partitions)
    result.write.mode("overwrite").parquet(str(WORK / plan))


# One machine, and the comparison


def answers(threads: int) -> Iterator[Any]:
    """Yield the answers of one machine, file by file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from verger.bulk import Snapshot, decide_table

    snapshot = Snapshot.from_table(pq.read_table(WORK / "robots"))
    for path in sorted((WORK / "urls").iterdir()):
        urls = pq.read_table(path)
        yield urls["id"], pa.table(decide_table(urls, snapshot, TOKEN, threads=threads))


def report_differences(plan: str, size: Size) -> int:
    """Compare all answers, and return how many differ."""
    import numpy as np

    theirs = Answers(size.rows)
    theirs.read(WORK / plan)
    mine = Answers(size.rows)
    for ids, table in answers(os.cpu_count() or 1):
        mine.put(ids, table)
    missing = int((theirs.reason == UNSEEN).sum())
    different = int(np.count_nonzero(mine.rows() != theirs.rows()))
    print(
        f"  compared {size.rows:,} answers: {different:,} differ, {missing:,} are missing,"
        f" {theirs.repeated:,} are there twice",
        flush=True,
    )
    return different + missing + theirs.repeated


class Answers:
    """Answers by the number of their row."""

    def __init__(self, rows: int) -> None:
        import numpy as np

        self.allowed = np.full(rows, UNSEEN, np.int8)
        self.reason = np.full(rows, UNSEEN, np.int8)
        self.line = np.full(rows, UNSEEN, np.int32)
        self.repeated = 0

    def read(self, folder: Path) -> None:
        """Take what Spark wrote."""
        import pyarrow.parquet as pq

        for path in sorted(folder.glob("*.parquet")):
            for batch in pq.ParquetFile(path).iter_batches(PIECE):
                self.put(batch["id"], batch)

    def put(self, ids: Any, table: Any) -> None:
        """Take some answers."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        places = ids.to_numpy()
        names = table["reason"].cast(pa.string())
        for name in names.unique().to_pylist():
            REASONS.setdefault(name, len(REASONS))
        codes = pc.index_in(names, pa.array(REASONS.keys()))
        self.repeated += int(np.count_nonzero(self.reason[places] != UNSEEN))
        self.allowed[places] = table["allowed"].cast(pa.int8()).fill_null(2).to_numpy()
        self.reason[places] = codes.cast(pa.int8()).to_numpy()
        self.line[places] = table["line"].fill_null(0).to_numpy()

    def rows(self) -> Any:
        """Return one number for each row."""
        import numpy as np

        return (
            self.line.astype(np.int64) * 65_536
            + self.reason.astype(np.int64) * 256
            + self.allowed.astype(np.int64)
        )


if __name__ == "__main__":
    sys.exit(main())
