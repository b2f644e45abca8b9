"""Reading ahead: a thread produces items while earlier ones are processed.

In: items that take time to produce. Out: the same items in order; only a few wait in a queue, so
that memory is bounded. An error in the thread is raised in place of the item that failed.
"""

from collections.abc import Callable, Generator, Iterable
from queue import Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

LOOK = 0.1
"""Seconds after which a waiting thread checks whether its items are still wanted."""


class _End:
    """The mark after the last item."""

    def __init__(self, problem: BaseException | None) -> None:
        self.problem = problem


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
    producer = _Producer(items, waiting)
    # A daemon: Python would wait at exit for any other thread, which may wait for a terminal.
    thread = Thread(target=producer.run, name=name, daemon=True)
    thread.start()
    try:
        while True:
            if producer.queue.empty():
                when_idle()
            item = producer.queue.get()
            if isinstance(item, _End):
                break
            yield item
        if item.problem is not None:
            raise item.problem
    finally:
        producer.is_left.set()
        if joins:
            thread.join()


class _Producer(Generic[T]):
    """The work of the thread."""

    def __init__(self, items: Iterable[T], waiting: int) -> None:
        self.queue: Queue[T | _End] = Queue(waiting)
        self.is_left = Event()
        self._items = items

    def run(self) -> None:
        """Produce items until there are no more, or nobody wants them."""
        problem: BaseException | None = None
        try:
            for item in self._items:
                if not put(self.queue, item, self.is_left):
                    return
        except BaseException as error:  # any error: the consumer raises it again
            problem = error
        put(self.queue, _End(problem), self.is_left)


def put(queue: "Queue[T]", item: T, is_left: Event) -> bool:
    """Put an item as soon as there is room; return whether it is still wanted."""
    while not is_left.is_set():
        try:
            queue.put(item, timeout=LOOK)
        except Full:
            continue
        return True
    return False
