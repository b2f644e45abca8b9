"""Decide on a standalone Spark cluster between tables in a bucket, and kill a worker in the middle.

In: nothing; the tables are made anew below `build/bench/spark`, the same in every run, and laid
into a bucket: a tenth of the URLs at one host, the rest as 1, 1/2, 1/3 and so on. Out: the times
and rows of the tasks that decide, the peaks of memory, and whether every answer is that of
one machine. Exit code 0 when it is, 1 when not.

The master, both workers of one core each, and the S3 server are processes of their own on this
machine: moto, or versitygw (`go install github.com/versity/versitygw/cmd/versitygw@v1.8.0`).
`tools/s3a.sh` brings what Spark needs to reach a bucket.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from statistics import median
from threading import Event, Thread
from typing import Any, NamedTuple

import numpy as np

from benchmarks.spark import (
    ROOT,
    TOKEN,
    WORK,
    Size,
    make_tables,
    mixed,
    report_differences,
    timed,
)

KEY, SECRET, BUCKET, REGION = "verger-key", "verger-secret", "verger-month", "us-east-1"
BUSY = 49
"""The host with a tenth of the URLs; its file has as many rules as any."""
RESULT = "answers"
WORKERS = 2
KINDS = {"an executor": b"CoarseGrainedExecutorBackend", "a Python worker": b"pyspark.daemon"}
"""Processes, and what is in their command lines."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Start everything, decide, kill, compare."""
    options = options_from(arguments)
    size = Size(options.rows, options.origins, skewed=True)
    make_tables(size, web_like)
    partitions = options.partitions or max(size.rows // 1_000_000, 8)
    with ExitStack() as running:
        place = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="verger-spark-")))
        endpoint = running.enter_context(serving(options.server, place))
        bucket = bucket_of(endpoint)
        for name in ("urls", "robots"):
            copy(str(WORK / name), f"{BUCKET}/{name}", to=bucket)
        cluster = running.enter_context(Cluster.started(place))
        spark = running.enter_context(session(cluster, endpoint, place))
        with cluster.watched(None if options.spare else spark, partitions):
            seconds = timed(lambda: decided(spark, partitions))
        rmtree(WORK / RESULT, ignore_errors=True)
        copy(f"{BUCKET}/{RESULT}", str(WORK / RESULT), of=bucket)
        spark.stop()  # ends the log of events
        print(f"{size.rows:,} URLs in {seconds:.0f} s, killed: {cluster.killed or 'nothing'}")
        tell_tasks(events_of(place), partitions)
        for kind, peak in cluster.peaks.items():
            print(f"  peak of {kind}: {peak / 1024:.0f} MiB")
    return 1 if report_differences(RESULT, size) else 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark_on_s3", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--origins", type=int, default=100_000)
    parser.add_argument("--partitions", type=int, help="by default one for a million URLs")
    parser.add_argument("--server", choices=("moto", "versitygw"), default="moto")
    parser.add_argument("--spare", action="store_true", help="kill no worker")
    return parser.parse_args(arguments)


def web_like(start: int, end: int, size: Size) -> Any:
    """Return the numbers of the hosts of some URLs."""
    ids = np.arange(start, end, dtype=np.uint64)
    host = ((size.origins * 1.01) ** (mixed(ids) / float(1 << 44))).astype(np.uint64)
    return np.where(ids % np.uint64(10) == 0, np.uint64(BUSY), host)


# The bucket


@contextmanager
def serving(name: str, place: Path) -> Iterator[str]:
    """Serve S3 by moto, or by versitygw, which keeps objects as files; yield the address."""
    port, store = free_port(), place / "store"
    store.mkdir()
    words = {
        "moto": [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", f"{port}"],
        "versitygw": ["versitygw", "-p", f"127.0.0.1:{port}", "-r", REGION, "posix", str(store)],
    }
    os.environ |= {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET}
    with process(words[name], place / "server.log"):
        wait_for(port)
        yield f"http://127.0.0.1:{port}"


def bucket_of(endpoint: str) -> Any:
    """Return the file system of a server, which has the bucket."""
    from pyarrow.fs import S3FileSystem

    files = S3FileSystem(
        access_key=KEY,
        secret_key=SECRET,
        endpoint_override=endpoint,
        region=REGION,
        allow_bucket_creation=True,
    )
    files.create_dir(BUCKET)
    return files


def copy(source: str, target: str, *, of: Any = None, to: Any = None) -> None:
    """Copy all objects of a folder between this machine and the bucket."""
    from pyarrow.fs import FileSelector, LocalFileSystem

    of, to = of or LocalFileSystem(), to or LocalFileSystem()
    for info in of.get_file_info(FileSelector(source, recursive=True)):
        if info.is_file:
            path = f"{target}/{info.base_name}"
            if isinstance(to, LocalFileSystem):
                to.create_dir(target)
            with of.open_input_stream(info.path) as data, to.open_output_stream(path) as file:
                file.write(data.read())


# The cluster


class Cluster:
    """A master and its workers, as processes; who was killed, and the peaks of memory.

    address:  what Spark calls the master.
    workers:  processes, each of which starts an executor.
    peaks:    the most resident memory of one process, in KiB, by its kind.
    """

    def __init__(self, address: str, workers: Sequence[subprocess.Popen[bytes]]) -> None:
        self.address, self.workers = address, workers
        self.peaks: dict[str, int] = {}
        self.killed: list[int] = []

    @classmethod
    @contextmanager
    def started(cls, place: Path) -> Iterator[Cluster]:
        """Start a master and the workers; end them."""
        port, deploy = free_port(), "org.apache.spark.deploy"
        here = ["--host", "127.0.0.1", "--webui-port", "0"]
        address = f"spark://127.0.0.1:{port}"
        with ExitStack() as running:
            master = spark_class(f"{deploy}.master.Master", *here, "--port", str(port))
            running.enter_context(process(master, place / "master.log"))
            wait_for(port)
            worker = spark_class(f"{deploy}.worker.Worker", *here, "--cores", "1")
            worker += ["--memory", "2g", "--work-dir"]
            yield cls(
                address,
                [
                    running.enter_context(
                        process([*worker, str(place / f"work-{n}"), address], place / f"{n}.log")
                    )
                    for n in range(WORKERS)
                ],
            )

    @contextmanager
    def watched(self, spark: Any, partitions: int) -> Iterator[None]:
        """Read peaks, and kill a worker when a third of the tasks that decide has ended."""
        over = Event()

        def watch() -> None:
            while not over.wait(0.2):
                self._read_peaks()
                if spark and not self.killed and ended_tasks(spark, partitions) > partitions // 3:
                    self._kill(self.workers[0].pid)

        thread = Thread(target=watch)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _read_peaks(self) -> None:
        for worker in self.workers:
            for pid in descendants(worker.pid):
                try:
                    words = Path(f"/proc/{pid}/cmdline").read_bytes()
                    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
                except OSError:  # it ended meanwhile
                    continue
                peak = int(status.partition("VmHWM:")[2].split()[0]) if "VmHWM:" in status else 0
                for kind, word in KINDS.items():
                    if word in words:
                        self.peaks[kind] = max(peak, self.peaks.get(kind, 0))

    def _kill(self, worker: int) -> None:
        """Kill a worker, its executor, and the Python below it."""
        self.killed = [worker, *descendants(worker)]
        for pid in self.killed:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def spark_class(name: str, *words: str) -> list[str]:
    """Return the command of one of Spark's programs."""
    import pyspark

    return [str(Path(pyspark.__file__).parent / "bin" / "spark-class"), name, *words]


def descendants(pid: int) -> list[int]:
    """Return the numbers of all processes below one."""
    below: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(path.parent.name))
    found = [pid]
    for each in found:  # which grows
        found += below.get(each, ())
    return found[1:]


@contextmanager
def session(cluster: Cluster, endpoint: str, place: Path) -> Iterator[Any]:
    """Connect to the cluster, which finds the bucket at `s3a://`."""
    from pyspark.sql import SparkSession

    (place / "events").mkdir()
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    jars = subprocess.run(
        [ROOT / "tools" / "s3a.sh"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    builder = SparkSession.builder.master(cluster.address).appName("verger")
    for name, value in settings(endpoint, jars, place).items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()


def settings(endpoint: str, jars: str, place: Path) -> Mapping[str, str]:
    """Return how Spark is set up."""
    cloud = "org.apache.spark.internal.io.cloud"
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraClassPath": jars,
        "spark.executor.extraClassPath": jars,
        "spark.executor.memory": "1500m",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(place / "scratch"),
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (place / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.hadoop.fs.s3a.endpoint": endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": REGION,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.hadoop.fs.s3a.access.key": KEY,
        "spark.hadoop.fs.s3a.secret.key": SECRET,
        # Tasks upload in parts, and the job completes them: nothing is renamed in a bucket.
        "spark.hadoop.fs.s3a.committer.name": "magic",
        "spark.sql.sources.commitProtocolClass": f"{cloud}.PathOutputCommitProtocol",
        "spark.sql.parquet.output.committer.class": f"{cloud}.BindingParquetOutputCommitter",
    }


def decided(spark: Any, partitions: int) -> None:
    """Decide between tables in the bucket."""
    from verger.bulk.spark import decide

    urls, snapshot = (spark.read.parquet(f"s3a://{BUCKET}/{name}") for name in ("urls", "robots"))
    result = decide(urls, snapshot, TOKEN, plan="shuffle", partitions=partitions)
    result.write.mode("overwrite").parquet(f"s3a://{BUCKET}/{RESULT}")


def ended_tasks(spark: Any, partitions: int) -> int:
    """Return how many tasks of the stage that decides have ended: no other has as many tasks."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    of_it = [each.numCompletedTasks for each in stages if each and each.numTasks == partitions]
    return max(of_it, default=0)


# What Spark noticed


def events_of(place: Path) -> list[dict[str, Any]]:
    """Return all that Spark logged."""
    (log,) = (path for path in (place / "events").iterdir() if path.is_file())
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


class Task(NamedTuple):
    """A task that decided, whatever else waited for the cores."""

    seconds: float
    rows: int
    began: float
    executor: str


def tell_tasks(events: Sequence[dict[str, Any]], partitions: int) -> None:
    """Print times and rows of the tasks that decided, the most beside the median; write them all
    to `tasks.json`.
    """
    ends = [each for each in events if each["Event"] == "SparkListenerTaskEnd"]
    failed = sum(each["Task End Reason"]["Reason"] != "Success" for each in ends)
    of_stage: dict[int, dict[int, Task]] = {}
    for each in ends:
        if each["Task End Reason"]["Reason"] == "Success" and each["Task Type"] == "ResultTask":
            metrics, info = each["Task Metrics"], each["Task Info"]
            rows = metrics["Shuffle Read Metrics"]["Total Records Read"]
            taken = metrics["Executor Run Time"] / 1000
            task = Task(taken, rows, info["Launch Time"] / 1000, info["Executor ID"])
            of_stage.setdefault(each["Stage ID"], {})[info["Index"]] = task
    (tasks,) = (sorted(each.values()) for each in of_stage.values() if len(each) == partitions)
    print(f"  {len(tasks)} tasks decided, {failed} attempts failed")
    for what in ("seconds", "rows"):
        values = [getattr(each, what) for each in tasks]
        middle, most = median(values), max(values)
        print(f"  {what}: median {middle:,.1f}, most {most:,.1f}, {most / middle:.2f} times it")
    (WORK / "tasks.json").write_text(json.dumps([each._asdict() for each in tasks]), "utf-8")


# Processes


@contextmanager
def process(words: Sequence[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program, which ends with the block."""
    import pyspark

    home = {"SPARK_HOME": str(Path(pyspark.__file__).parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    with log.open("wb") as file:
        started = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            env={**os.environ, **home},
        )
        try:
            yield started
        finally:
            started.terminate()
            started.wait()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_for(port: int, seconds: float = 60) -> None:
    """Wait until somebody listens."""
    until = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
