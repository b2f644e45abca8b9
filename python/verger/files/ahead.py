"""Reading ahead: a thread makes items while earlier ones are worked on.

In: items that take time to make. Out: the same in their order, a few of which wait, so that memory
is bounded. An error of the thread is raised where the item is awaited that it stands for.
"""

from collections.abc import Callable, Generator, Iterable
from queue import Full, Queue
from threading import Event, Thread
from typing import Generic, TypeVar

T = TypeVar("T")

LOOK = 0.1
"""Seconds after which a thread that waits looks whether all has ended."""


class _End:
    """What comes behind the last item."""

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
    """Yield items that a thread makes meanwhile, some of them ahead of whoever takes them.

    waiting:    how many may wait.
    name:       of the thread.
    joins:      whether closing this waits for the item that is being made; that of a terminal or
                a pipe may never come.
    when_idle:  called before an item is waited for.
    """
    making = _Making(items, waiting)
    # One that is not a daemon would be waited for, while it waits for a terminal.
    thread = Thread(target=making.run, name=name, daemon=True)
    thread.start()
    try:
        while True:
            if making.queue.empty():
                when_idle()
            item = making.queue.get()
            if isinstance(item, _End):
                break
            yield item
        if item.problem is not None:
            raise item.problem
    finally:
        making.is_left.set()
        if joins:
            thread.join()


class _Making(Generic[T]):
    """What the thread does."""

    def __init__(self, items: Iterable[T], waiting: int) -> None:
        self.queue: Queue[T | _End] = Queue(waiting)
        self.is_left = Event()
        self._items = items

    def run(self) -> None:
        """Make items until there are no more, or nobody wants them any more."""
        problem: BaseException | None = None
        try:
            for item in self._items:
                if not put(self.queue, item, self.is_left):
                    return
        except BaseException as error:  # of any kind: it is raised again where it is awaited
            problem = error
        put(self.queue, _End(problem), self.is_left)


def put(queue: "Queue[T]", item: T, is_left: Event) -> bool:
    """Put an item where there is room in time; return whether anybody still wants it."""
    while not is_left.is_set():
        try:
            queue.put(item, timeout=LOOK)
        except Full:
            continue
        return True
    return False
