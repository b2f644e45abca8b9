"""Blocking calls on a small pool of dedicated threads.

In: a call. Out: an awaitable of its result. The threads are daemons, so a lookup that hangs never
delays the end of the program, and they end when they have been idle for a while. The loop's default
executor is not used: it is shared, and the program waits for it at exit.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from threading import Condition, Thread
from typing import TypeVar

T = TypeVar("T")

IDLE_SECONDS = 5.0
"""How long a thread waits for its next call before it ends."""


class Threads:
    """At most `size` threads, started as calls come in, that take calls first in, first out."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._begin()

    async def run(self, call: Callable[[], T]) -> T:
        """Return what `call` returns, or raise what it raises.

        Cancellation drops a call that no thread has taken yet; a running call continues, and its
        result is ignored.
        """
        if self._process != os.getpid():  # after a fork: threads and lock holders are the parent's
            self._begin()
        result: Future[T] = Future()
        self._submit(lambda: settle(result, call))
        return await asyncio.wrap_future(result)

    def close(self) -> None:
        """Let the threads end when they are idle; a call starts new ones."""
        with self._wakeup:
            self._closed = True
            self._wakeup.notify_all()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._calls: deque[Callable[[], None]] = deque()
        self._wakeup = Condition()
        self._alive = 0
        self._idle = 0
        self._closed = False

    def _submit(self, call: Callable[[], None]) -> None:
        with self._wakeup:
            self._closed = False
            self._calls.append(call)
            if len(self._calls) <= self._idle:
                self._wakeup.notify()
            elif self._alive < self._size:
                self._start()

    def _start(self) -> None:
        thread = Thread(target=self._work, name=self._name, daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system allows no more threads: the existing ones must do
            if not self._alive:
                self._calls.pop()
                raise
        else:
            self._alive += 1

    def _work(self) -> None:
        while call := self._next():
            call()

    def _next(self) -> Callable[[], None] | None:
        with self._wakeup:
            self._idle += 1
            self._wakeup.wait_for(lambda: self._calls or self._closed, IDLE_SECONDS)
            self._idle -= 1
            if self._calls:
                return self._calls.popleft()
            self._alive -= 1
            return None


def settle(result: "Future[T]", call: Callable[[], T]) -> None:
    """Run a call into a future, unless it was cancelled before its turn."""
    if not result.set_running_or_notify_cancel():
        return
    try:
        value = call()
    except BaseException as error:  # reported to the caller that waits for the result
        result.set_exception(error)
    else:
        result.set_result(value)
