"""Processes that are measured from start to end: seconds, CPU seconds, peak memory.

In: a command. Out: a `Run`. The clock starts before the process does, so that imports count, for
all alike. Memory is the largest resident set; the system hands the parent's down to a new process,
so that less than this one's cannot be measured.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[2]
MIB = 1 << 20


class RunFailed(Exception):
    """A process did not do its work; the message says why."""


@dataclass(frozen=True, slots=True)
class Run:
    """What one process took."""

    seconds: float
    cpu: float
    """Seconds of processor time, in the program and in the system on its behalf."""
    peak: int
    """Bytes."""
    output: str
    """What it wrote to stdout."""

    @property
    def said(self) -> dict[str, float]:
        """The JSON of its last line."""
        said: dict[str, float] = json.loads(self.output.splitlines()[-1])
        return said


def run(command: Sequence[str], *, processor: int | None = None) -> Run:
    """Run a command to its end, on one CPU if asked. Raises RunFailed where it fails."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            cwd=ROOT,
            preexec_fn=partial(prepare, processor),
        )
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        stdout.seek(0)
        stderr.seek(0)
        if process.returncode != 0:
            raise RunFailed(f"ended with {process.returncode}: {last_words(stderr)}")
        peak = used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss << 10
        output = stdout.read().decode()
    return Run(seconds, used.ru_utime + used.ru_stime, peak, output)


def last_words(stderr: IO[bytes]) -> str:
    """Return the last line that a process complained with."""
    lines = stderr.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def prepare(processor: int | None) -> None:
    """Do in the new process what comes first: files for every connection, and one CPU if asked."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if processor is not None:
        os.sched_setaffinity(0, {processor})


def two_processors() -> tuple[int, int] | None:
    """Return the CPUs for the player and for who is measured; None where there are no two."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    found = sorted(os.sched_getaffinity(0))
    return (found[0], found[1]) if len(found) > 1 else None
