"""The pipeline: reading, scanning and writing at the same time, each in its own thread.

In: scanned batches. Out: calls of a function with each, in order, in a thread of its own. Reading
needs the interpreter most of the time, scanning and writing hardly ever. A few batches wait between
them, so that memory is bounded and no thread waits long. An error in any thread ends all of them
and is raised.
"""

from collections.abc import Callable
from queue import Empty, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

from verger.files.workers import LOOK, put

T = TypeVar("T")

WAITING = 2
"""The most batches that wait between two threads."""


class Behind(Generic[T]):
    """Passes items, in order, to a function that runs in a thread of its own."""

    def __init__(self, take: Callable[[T], None]) -> None:
        self._take = take
        self._queue: Queue[T | None] = Queue(WAITING)
        self._stop = Event()
        self._problem: BaseException | None = None
        self._thread = Thread(target=self._run, name="verger-write", daemon=True)

    def __enter__(self) -> "Behind[T]":
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self._stop.set()
        else:
            self._put(None)
        self._thread.join()
        if kind is None and self._problem is not None:
            raise self._problem

    def put(self, item: T) -> None:
        """Pass an item on; raise what the function raised before."""
        self._put(item)
        if self._problem is not None:
            raise self._problem

    def _put(self, item: T | None) -> None:
        if not put(self._queue, item, self._stop) and self._problem is not None:
            raise self._problem from None

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                item = self._queue.get(timeout=LOOK)
            except Empty:
                continue
            if item is None:
                return
            try:
                self._take(item)
            except BaseException as problem:
                self._problem = problem
                self._stop.set()
