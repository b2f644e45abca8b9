"""Python workers that die: a stage that kills its neighbours once, and what Spark noticed.

Workers of a task are children of one daemon. The stage lets some batches pass and then kills all
of its siblings, by number, in the middle of their partitions; a marker says that it happened, so
that it does not happen again when Spark repeats the task.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

Stage = Callable[[Iterator[Any]], Iterator[Any]]


def killer(marker: Path, after: int = 2) -> Stage:
    """Return a function for `mapInArrow` that changes nothing in the rows."""
    path = str(marker)

    # A closure travels by value: workers cannot import the tests.
    def passes(batches: Iterator[Any]) -> Iterator[Any]:
        import os
        import signal
        from pathlib import Path

        def parent(pid: int) -> int:
            try:
                return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                return 0

        def kill_siblings() -> None:
            try:
                file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
            except FileExistsError:
                return
            pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
            siblings = [n for n in pids if n != os.getpid() and parent(n) == os.getppid()]
            for pid in siblings:
                os.kill(pid, signal.SIGKILL)
            os.write(file, " ".join(map(str, siblings)).encode())
            os.close(file)

        for number, batch in enumerate(batches):
            if number == after:
                kill_siblings()
            yield batch

    return passes


def failed_tasks(spark: SparkSession, group: str) -> int:
    """Return how many attempts failed in the jobs of a group."""
    tracker = spark.sparkContext.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = {stage for job in jobs if job for stage in job.stageIds}
    infos = [tracker.getStageInfo(stage) for stage in stages]
    return sum(info.numFailedTasks for info in infos if info)
