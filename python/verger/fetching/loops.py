"""State that belongs to one event loop, and blocking calls outside of it.

Connections can be used only by the loop that opened them, and not at all after a fork.
"""

import asyncio
import errno
import os
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Generic, TypeVar

from verger.loop_thread import INHERITED

T = TypeVar("T")


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


async def in_thread(call: Callable[[], T], name: str) -> T:
    """Return what a blocking call returns, or raise what it raises, in a daemon thread of its own.

    A lookup that hangs never delays the end of the program, which would wait for the loop's default
    executor. If the caller stops waiting, the call continues, and its result is ignored. Raises
    OSError if the system allows no more threads.
    """
    result: Future[T] = Future()
    result.set_running_or_notify_cancel()
    try:
        Thread(target=_settle, args=(result, call), name=name, daemon=True).start()
    except RuntimeError as error:
        raise BlockingIOError(errno.EAGAIN, "no thread can be started") from error
    return await asyncio.wrap_future(result)


def _settle(result: "Future[T]", call: Callable[[], T]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # reported to the caller that waits for the result
        result.set_exception(error)
