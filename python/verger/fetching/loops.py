"""State that belongs to one event loop, and blocking calls outside of it.

Connections can be used only by the loop that opened them, and not at all after a fork.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeAlias, TypeVar

from verger.loop_thread import INHERITED

T = TypeVar("T")
Calls: TypeAlias = "SimpleQueue[Callable[[], None] | None]"
"""What one thread has to do; None ends it."""


class PerLoop(Generic[T]):
    """One `T` for each event loop that uses it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._process = os.getpid()
        self._states: dict[asyncio.AbstractEventLoop, T] = {}

    def get(self) -> T:
        """Return the state of the running loop."""
        self._leave_parent()
        loop = asyncio.get_running_loop()
        state = self._states.get(loop)
        if state is None:
            self._forget_dead_loops()
            state = self._states[loop] = self._make()
        return state

    def pop(self) -> T | None:
        """Return the state of the running loop, if there is any, and forget it."""
        self._leave_parent()
        return self._states.pop(asyncio.get_running_loop(), None)

    def _leave_parent(self) -> None:
        if self._process != os.getpid():
            INHERITED.append(self._states)
            self._states = {}
            self._process = os.getpid()

    def _forget_dead_loops(self) -> None:
        self._states = {loop: state for loop, state in self._states.items() if not loop.is_closed()}


class Threads:
    """Daemon threads for the blocking calls of one loop.

    A lookup that hangs never delays the end of the program, which would wait for the loop's default
    executor. At most `size` calls are waited for at a time, first come, first served.
    """

    def __init__(self, size: int, name: str) -> None:
        self._turns = asyncio.Semaphore(size)
        self._name = name
        self._idle: list[Calls] = []
        self._is_closed = False

    async def run(self, call: Callable[[], T]) -> T:
        """Return what `call` returns, or raise what it raises.

        If the caller stops waiting, the call continues, and its result is ignored. Raises OSError
        if the system allows no more threads.
        """
        async with self._turns:
            calls = self._idle.pop() if self._idle else self._start()
            result: Future[T] = Future()
            result.add_done_callback(lambda _: self._take_back(calls))
            calls.put(partial(settle, result, call))
            return await asyncio.wrap_future(result)

    def close(self) -> None:
        """End each thread when it is idle."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().put(None)

    __del__ = close
    """For a loop that ended before."""

    def _take_back(self, calls: Calls) -> None:
        if self._is_closed:
            calls.put(None)
        else:
            self._idle.append(calls)

    def _start(self) -> Calls:
        calls: Calls = SimpleQueue()
        try:
            Thread(target=work, args=(calls,), name=self._name, daemon=True).start()
        except RuntimeError as error:
            raise BlockingIOError(errno.EAGAIN, "no thread can be started") from error
        return calls


def work(calls: Calls) -> None:
    """Make calls until there is None."""
    while call := calls.get():
        call()
        del call  # which refers to the threads, and would keep them while this one waits


def settle(result: "Future[T]", call: Callable[[], T]) -> None:
    """Run a call into a future, unless it has been cancelled."""
    if not result.set_running_or_notify_cancel():
        return
    try:
        value = call()
    except BaseException as error:  # reported to the caller that waits for the result
        result.set_exception(error)
    else:
        result.set_result(value)
