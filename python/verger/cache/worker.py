"""A thread that processes jobs in groups: all that arrived since the previous group.

In: jobs, from any thread. Out: their answers, by a `Desk` that does the work. One group is one
transaction, so that many callers share its cost.

While the process forks, every desk is closed: SQLite keeps its locks in memory, so a child would
assume locks that only its parent has (sqlite.org, "How To Corrupt An SQLite Database File", section
2.6). Parent and child open their files again when they need them.
"""

import atexit
import os
import threading
import time
import weakref
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import Protocol

from verger.cache.jobs import AnyJob, Close, deliver

JOBS_AT_ONCE = 1_000

BUSY = 8
GATHERED = 0.02
"""After a group of `BUSY` jobs, the next is gathered for `GATHERED` seconds: in a transaction of a
hundred, each job costs half as much as in one of ten, and such busy callers can wait that long."""

FORK_SECONDS = 10.0
"""How long a fork waits for a transaction to end."""

EXIT_SECONDS = 10.0
"""How long the interpreter waits at exit for pending jobs."""


class Desk(Protocol):
    """Does the work of jobs."""

    def work(self, jobs: Sequence[AnyJob]) -> None:
        """Answer every job, and deliver it. Raises nothing."""
        ...

    def close(self) -> None:
        """Close files; the next job opens them again. Raises nothing."""
        ...


class Worker:
    """One thread, started at once; it ends after `leave` or `Close`."""

    def __init__(self, desk: Desk) -> None:
        """Start the thread; called with `hiring` held."""
        self._pid = os.getpid()
        self._has_left = False
        self._was_busy = False
        self._desk = desk
        self._queue: SimpleQueue[AnyJob | None] = SimpleQueue()
        self._busy = threading.Lock()
        # A thread that is not a daemon would keep a process with an open store from ending.
        self._thread = threading.Thread(target=self._run, name="verger-store", daemon=True)
        self._thread.start()
        _workers.add(self)

    @property
    def is_of_this_process(self) -> bool:
        """Whether the thread runs in this process, not in the one that it was forked from."""
        return self._pid == os.getpid()

    @property
    def takes_jobs(self) -> bool:
        """Whether new jobs will be done: the thread is in this process, and not told to end."""
        return self.is_of_this_process and not self._has_left

    def put(self, job: AnyJob) -> None:
        """Queue a job; `Close` ends the thread after the jobs before it."""
        self._has_left = isinstance(job, Close)
        self._queue.put(job)

    def leave(self) -> None:
        """Tell the thread to end after the jobs queued before, without waiting for it."""
        if self.is_of_this_process:
            self._has_left = True
            self._queue.put(None)
        else:
            _inherited.append(self)

    def join(self, seconds: float) -> None:
        """Wait for the end of the thread."""
        self._thread.join(seconds)

    def rest(self, seconds: float) -> bool:
        """Close the desk until `resume`; return whether its current work ended in time."""
        if not self._busy.acquire(timeout=seconds):
            return False
        self._desk.close()
        return True

    def resume(self) -> None:
        """Continue after `rest`."""
        self._busy.release()

    def _run(self) -> None:
        while self._work_group():
            pass

    def _work_group(self) -> bool:
        """Process one group; return whether there may be another."""
        group = self._next_group()
        jobs = [job for job in group if job is not None and not isinstance(job, Close)]
        closing = [job for job in group if isinstance(job, Close)]
        ends = len(jobs) < len(group)
        with self._busy:
            if jobs:
                self._desk.work(jobs)
            if ends:
                self._desk.close()
        for job in closing:
            job.answer = None
        deliver(closing)
        return not ends

    def _next_group(self) -> list[AnyJob | None]:
        group = [self._queue.get()]
        if self._was_busy:
            time.sleep(GATHERED)
        try:
            while len(group) < JOBS_AT_ONCE:
                group.append(self._queue.get_nowait())
        except Empty:
            pass
        self._was_busy = len(group) >= BUSY
        return group


hiring = threading.Lock()
"""Held while a store checks whether it has a worker, and while the process forks."""

_workers: "weakref.WeakSet[Worker]" = weakref.WeakSet()
_inherited: list[Worker] = []
"""Workers of the parent. Never released: that would close the parent's files in its child."""

_resting: list[Worker] = []


def _before_fork() -> None:
    hiring.acquire()
    _resting.extend(worker for worker in _workers if worker.rest(FORK_SECONDS))


def _after_fork_in_parent() -> None:
    for worker in _resting:
        worker.resume()
    _resting.clear()
    hiring.release()


def _after_fork_in_child() -> None:
    _inherited.extend(_workers)
    _workers.clear()
    _resting.clear()
    hiring.release()


def _finish() -> None:
    """Let every thread finish before the interpreter tears down its modules.

    One after the other, those that end anyway first: only the last connection to a file removes
    what SQLite keeps next to it, and of two that close at once neither is the last.
    """
    until = time.monotonic() + EXIT_SECONDS
    with hiring:
        workers = sorted(_workers, key=lambda worker: worker.takes_jobs)
    for worker in workers:
        with hiring:  # later calls start their own thread
            worker.leave()
        worker.join(max(0.0, until - time.monotonic()))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
atexit.register(_finish)
