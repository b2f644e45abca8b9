"""Limits: how much one request and one caller may ask for, and how much is done at once.

In: callers, and the work that each has done. Out: leave to go on, or a `Problem` that says when.
"""

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic, thread_time
from typing import TypeVar
from weakref import WeakValueDictionary

from verger.loop_thread import in_thread
from verger.lru_cache import LruCache
from verger.serve.problems import busy

T = TypeVar("T")

CALLERS = 100_000
"""The most callers whose work is remembered."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a service.

    body_bytes:      the largest body that is read as a whole: files, and parameters as JSON.
    line_bytes:      the longest line of a stream of questions.
    questions:       how many questions one request may ask, but for streams.
    rows:            how many questions one stream may ask.
    at_once:         requests in work, in this process.
    of_a_caller:     those of one caller.
    fetches:         sites that one caller may have fetched at once, in this process.
    streams:         streams of questions in work; one caller may have half of them.
    analyses:        files that are compared, checked or described at once.
    seconds:         for one request; of a stream, for each wait for the caller.
    work_seconds:    processor time of analyses that a caller may use at once; each second it gets
                     `work_share` of a second back.
    drain_seconds:   after SIGTERM, for what was accepted.
    """

    body_bytes: int = 4 << 20
    line_bytes: int = 1 << 20
    questions: int = 1_000
    rows: int = 100_000_000
    at_once: int = 1_024
    of_a_caller: int = 256
    fetches: int = 256
    streams: int = 16
    analyses: int = os.cpu_count() or 1
    seconds: float = 60.0
    work_seconds: float = 60.0
    work_share: float = 0.5
    drain_seconds: float = 30.0


class Gate:
    """Counts who is at work, and lets others in as long as there is room."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = monotonic) -> None:
        self.limits = limits
        self.active = 0
        self._streams_of = Counter[str]()
        self._clock = clock
        self._active_of = Counter[str]()
        self._paid_at: LruCache[float] = LruCache(CALLERS)
        self._analyses = asyncio.Semaphore(limits.analyses)
        self._fetches = WeakValueDictionary[str, asyncio.Semaphore]()

    def fetches_of(self, caller: str) -> asyncio.Semaphore:
        """Return what a caller holds while a site is fetched for it: those that hang hold up
        nobody else."""
        found = self._fetches.get(caller)
        if found is None:
            found = self._fetches[caller] = asyncio.Semaphore(self.limits.fetches)
        return found

    @contextmanager
    def admitted(self, caller: str) -> Iterator[None]:
        """Count a request while it is in work. Raises `Problem` 429 or 503."""
        if self._active_of[caller] >= self.limits.of_a_caller:
            most = self.limits.of_a_caller
            raise busy(429, f"{most:,} requests of this caller are in work")
        if self.active >= self.limits.at_once:
            raise busy(503, f"{self.limits.at_once:,} requests are in work")
        self.active += 1
        self._active_of[caller] += 1
        try:
            yield
        finally:
            self.active -= 1
            self._active_of[caller] -= 1
            if not self._active_of[caller]:
                del self._active_of[caller]

    @contextmanager
    def streaming(self, caller: str) -> Iterator[None]:
        """Count a stream of questions while it is in work. Raises `Problem` 429 or 503."""
        if self._streams_of[caller] >= max(1, self.limits.streams // 2):
            raise busy(429, "this caller has too many streams of questions in work")
        if self._streams_of.total() >= self.limits.streams:
            raise busy(503, f"{self.limits.streams:,} streams of questions are in work")
        self._streams_of[caller] += 1
        try:
            yield
        finally:
            self._streams_of -= Counter({caller: 1})  # which drops those without any

    async def analysed(self, caller: str, work: Callable[[], T]) -> T:
        """Return the result of work that takes long, done in a thread and charged to the caller.

        Raises `Problem` 429 if the caller has used up its time.
        """
        async with self._analyses:
            # now, since those that this caller asked for at once have been charged meanwhile
            ahead = (self._paid_at.get(caller) or 0.0) - self._clock()
            if ahead > self.limits.work_seconds / self.limits.work_share:
                raise busy(429, "this caller has used up its time for analyses", ahead)
            result, seconds = await in_thread(partial(_timed, work), "verger-analysis")
        paid = max(self._clock(), self._paid_at.get(caller) or 0.0)
        self._paid_at.put(caller, paid + seconds / self.limits.work_share, 1)
        return result


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = thread_time()
    return work(), thread_time() - began
