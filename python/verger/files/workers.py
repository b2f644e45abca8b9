"""Workers: a thread that produces items ahead, and processes that share the work on many files.

In: items that take time to produce, or a function and its inputs. Out: the items, or the results,
in order. Only a few items wait in a queue, so that memory is bounded. An error in the thread is
raised in place of the item that failed.
"""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from queue import Full, Queue
from threading import Event, Thread
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Each = TypeVar("Each")

LOOK = 0.1
"""Seconds after which a waiting thread checks whether its items are still wanted."""


MANY = 400
"""Files that one process handles in the time that another takes to start."""

CHUNK = 100


def each_of(work: Callable[[Each], T], inputs: Sequence[Each]) -> Iterator[T]:
    """Yield the result for each input, in order; by several processes if there are hundreds."""
    processes = min(os.cpu_count() or 1, 1 + len(inputs) // MANY)
    if processes == 1:
        yield from map(work, inputs)
        return
    executor = ProcessPoolExecutor(processes)
    try:
        yield from executor.map(work, inputs, chunksize=CHUNK)
    finally:
        executor.shutdown(cancel_futures=True)


class _End(NamedTuple):
    """The mark after the last item."""

    problem: BaseException | None


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
    queue: Queue[T | _End] = Queue(waiting)
    is_left = Event()
    # A daemon: Python would wait at exit for any other thread, which may wait for a terminal.
    thread = Thread(target=_produce, args=(items, queue, is_left), name=name, daemon=True)
    thread.start()
    try:
        while True:
            if queue.empty():
                when_idle()
            item = queue.get()
            if isinstance(item, _End):
                break
            yield item
        if item.problem is not None:
            raise item.problem
    finally:
        is_left.set()
        if joins:
            thread.join()


def _produce(items: Iterable[T], queue: "Queue[T | _End]", is_left: Event) -> None:
    """Produce items until there are no more, or nobody wants them."""
    problem: BaseException | None = None
    try:
        for item in items:
            if not put(queue, item, is_left):
                return
    except BaseException as error:  # any error: the consumer raises it again
        problem = error
    put(queue, _End(problem), is_left)


def put(queue: "Queue[T]", item: T, is_left: Event) -> bool:
    """Put an item as soon as there is room; return whether it is still wanted."""
    while not is_left.is_set():
        try:
            queue.put(item, timeout=LOOK)
        except Full:
            continue
        return True
    return False
