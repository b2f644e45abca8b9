"""Deadlines: `asyncio.timeout` for thousands of tasks at once.

In: a number of seconds. Out: TimeoutError in the task that takes longer. One timer for each event
loop checks all deadlines at intervals, because a timer for each would cost a twentieth of a fetch.
So a deadline is exact to a twentieth of its length, or ten milliseconds if that is more.
"""

import asyncio
from weakref import WeakKeyDictionary

LOOKS = 20
SHORTEST_LOOK = 0.01


class within:  # noqa: N801 -- reads like a word in a sentence: `with within(30.0):`
    """A block that ends with TimeoutError when its seconds are over."""

    __slots__ = ("_watch", "cancelled_before", "ends", "is_over", "seconds", "task")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.ends = 0.0
        self.is_over = False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a deadline needs a running task")
        self.task = task
        self.cancelled_before = task.cancelling()
        self._watch = _watch_of(asyncio.get_running_loop())
        self._watch.add(self)

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        self._watch.discard(self)
        if not self.is_over:
            return
        # If the task was also cancelled by someone else, that wins over the timeout.
        if self.task.uncancel() <= self.cancelled_before and kind is asyncio.CancelledError:
            raise TimeoutError from error


class _Watch:
    """The deadlines of one event loop, which a timer keeps alive only while there are any."""

    def __init__(self) -> None:
        self._open: set[within] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._next_look = 0.0

    def add(self, deadline: within) -> None:
        now = asyncio.get_running_loop().time()
        deadline.ends = now + deadline.seconds
        self._open.add(deadline)
        pause = max(SHORTEST_LOOK, deadline.seconds / LOOKS)
        if self._timer is None or self._next_look > now + pause:
            self._look_in(pause, now)

    def discard(self, deadline: within) -> None:
        self._open.discard(deadline)
        if not self._open:
            self._stop_timer()

    def _look_in(self, pause: float, now: float) -> None:
        self._stop_timer()
        self._next_look = now + pause
        self._timer = asyncio.get_running_loop().call_at(self._next_look, self._look)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for deadline in [deadline for deadline in self._open if deadline.ends <= now]:
            self._open.discard(deadline)
            deadline.is_over = True
            deadline.task.cancel()
        if self._open:
            shortest = min(deadline.seconds for deadline in self._open)
            self._look_in(max(SHORTEST_LOOK, shortest / LOOKS), now)


_WATCHES: "WeakKeyDictionary[asyncio.AbstractEventLoop, _Watch]" = WeakKeyDictionary()


def _watch_of(loop: asyncio.AbstractEventLoop) -> _Watch:
    watch = _WATCHES.get(loop)
    if watch is None:
        _forget_closed_loops()
        watch = _WATCHES[loop] = _Watch()
    return watch


def _forget_closed_loops() -> None:
    """Forget loops that were closed with a deadline open; its task keeps the loop alive."""
    for reference in _WATCHES.keyrefs():  # a list: other threads have loops of their own
        loop = reference()
        if loop is not None and loop.is_closed():
            _WATCHES.pop(loop, None)
