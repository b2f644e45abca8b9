"""Workers: a thread that produces items ahead, and processes that share the work on many files.

In: items that take time to produce, or a function and its inputs. Out: the items, or the results,
in order. Only a few items wait in a queue, so that memory is bounded. An error in the thread is
raised in place of the item that failed.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import parent_process
from multiprocessing.connection import wait
from queue import SimpleQueue
from signal import SIG_IGN, SIGINT, signal
from threading import Event, Semaphore, Thread
from typing import TypeAlias, TypeVar

from verger.errors import RobotsError

T = TypeVar("T")
Each = TypeVar("Each")

Result: TypeAlias = tuple[T] | BaseException | None
"""An item; after the last one the error that ended them, if any."""

MANY = 100
"""Files that one process handles in the time that another takes to start."""

CHUNK, PARTS = 100, 16
"""The most files that are handed over at once, and the fewest times that a process gets some: of a
thousand files, one may take as long as half of the others."""


def each_of(work: Callable[[Each], T], inputs: Sequence[Each]) -> Iterator[T]:
    """Yield the result for each input, in order; by several processes if there are hundreds.

    Raises RobotsError if a process is killed.
    """
    processes = min(os.cpu_count() or 1, 1 + len(inputs) // MANY)
    if processes == 1:
        yield from map(work, inputs)
        return
    executor = ProcessPoolExecutor(processes, initializer=_follow_parent)
    try:
        size = min(CHUNK, 1 + len(inputs) // (PARTS * processes))
        yield from executor.map(work, inputs, chunksize=size)
    except BrokenProcessPool:
        raise RobotsError(
            "a process that had a part of the files was ended from outside",
            "is there too little memory? try again with fewer files",
        ) from None
    finally:
        executor.shutdown(cancel_futures=True)


def _follow_parent() -> None:
    """Let a process end with the one that began it, however that ends, and not before: what
    interrupts a command is sent to all of its processes."""
    signal(SIGINT, SIG_IGN)
    Thread(target=_end_with_parent, name="verger-parent", daemon=True).start()


def _end_with_parent() -> None:
    if (parent := parent_process()) is not None:
        wait([parent.sentinel])
        os._exit(1)


def read_ahead(
    items: Iterable[T],
    *,
    waiting: int,
    name: str,
    joins: bool = False,
    when_idle: Callable[[], object] = lambda: None,
) -> Generator[T, None, None]:
    """Yield items that a thread produces ahead of the consumer.

    waiting:    how many items may wait.
    name:       the name of the thread.
    joins:      whether closing the generator waits for the item in progress; an item from a
                terminal or a pipe may never come.
    when_idle:  called before waiting for an item.
    """
    results: SimpleQueue[Result[T]] = SimpleQueue()
    room, is_left = Semaphore(waiting), Event()
    # A daemon: Python would wait at exit for any other thread, which may wait for a terminal.
    thread = Thread(target=_produce, args=(items, results, room, is_left), name=name, daemon=True)
    thread.start()
    try:
        while True:
            if results.empty():
                when_idle()
            result = results.get()
            if not isinstance(result, tuple):
                break
            room.release()
            yield result[0]
        if result is not None:
            raise result
    finally:
        is_left.set()
        room.release()
        if joins:
            thread.join()


def _produce(
    items: Iterable[T], results: "SimpleQueue[Result[T]]", room: Semaphore, is_left: Event
) -> None:
    """Produce items until there are no more, or nobody wants them."""
    problem: BaseException | None = None
    try:
        for item in items:
            room.acquire()
            if is_left.is_set():
                return
            results.put((item,))
    except BaseException as error:  # any error: the consumer raises it again
        problem = error
    results.put(problem)
