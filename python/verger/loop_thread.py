"""Event loops: a thread with one for synchronous callers, and state that belongs to one.

The thread starts at the first use, and again after a fork; it is a daemon, so it never keeps a
process alive. Connections can be used only by the loop that opened them, and not at all after a
fork. Blocking calls run outside of loops, in threads of their own.
"""

import asyncio
import concurrent.futures
import errno
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Generic, TypeVar

from verger.errors import RobotsError

T = TypeVar("T")

INHERITED: list[object] = []
"""State of a parent process, kept forever: if a child released its sockets, even by garbage
collection, they would be removed from the parent's selector."""

Work = Callable[[], Coroutine[object, object, None]]


class LoopThread:
    """Runs coroutines for other threads, which wait."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._last: list[Work] = []

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Return what a coroutine returns, or raise what it raises.

        An interrupted wait cancels it.
        """
        return _result_of(self._begin(work))

    def run_last(self, work: Coroutine[object, object, T]) -> T:
        """Run a coroutine as `run` does, then end the thread, whatever the coroutine raises."""
        future = self._begin(work)
        try:
            return _result_of(future)
        finally:
            if thread := self.abandon():
                thread.join()

    def abandon(self, *last: Work) -> threading.Thread | None:
        """Do one last piece of work, cancel all other, and end the thread, without waiting for it.

        Returns the thread that ends, if there is one.
        """
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
            if loop is not None:
                self._last += last
                loop.call_soon_threadsafe(loop.stop)
        return thread

    def after_fork(self) -> None:
        """Forget the parent's thread, which does not exist in the child."""
        INHERITED.append((self._loop, self._thread))
        self._lock = threading.Lock()
        self._loop = self._thread = None

    @property
    def is_running(self) -> bool:
        """Whether there is a thread."""
        return self._loop is not None

    def _begin(self, work: Coroutine[object, object, T]) -> concurrent.futures.Future[T]:
        """Begin a piece of work, under the lock so that a stopping loop gets none."""
        try:
            if threading.current_thread() is self._thread:
                raise RobotsError(
                    "a synchronous client was called from its own event hook",
                    "let the hook hand the event to another thread, or use `AsyncClient`",
                )
            with self._lock:
                return asyncio.run_coroutine_threadsafe(work, self._loop or self._start())
        except BaseException:
            work.close()
            raise

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        last = self._last = []
        thread = threading.Thread(target=_run, args=(loop, last), name=self._name, daemon=True)
        try:
            thread.start()
        except BaseException:
            loop.close()
            raise
        self._loop, self._thread = loop, thread
        return loop


def _result_of(future: concurrent.futures.Future[T]) -> T:
    try:
        return future.result()
    except concurrent.futures.CancelledError:
        raise RobotsError(
            "the client was closed during a call", "close it after the last call"
        ) from None
    except BaseException:
        future.cancel()
        raise


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """Return what a coroutine returns, also if this thread already runs an event loop.

    An interrupt cancels it, and waits for its end.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return LoopThread("verger-loop").run_last(work)


def _run(loop: asyncio.AbstractEventLoop, last: list[Work]) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        loop.run_until_complete(_end(last))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()


async def _end(last: list[Work]) -> None:
    """Do the last work and cancel all other tasks, so that their callers stop waiting.

    A task that was cancelled before is cleaning up, which another cancellation would end.
    """
    await asyncio.gather(*(work() for work in last), return_exceptions=True)
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        if not task.cancelling():
            task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


# State and calls of others


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
        for loop in [each for each in list(self._states) if each.is_closed()]:
            self._states.pop(loop, None)


async def in_thread(call: Callable[[], T], name: str) -> T:
    """Return what a blocking call returns, or raise what it raises, in a daemon thread of its own.

    A lookup that hangs never delays the end of the program, which would wait for the loop's default
    executor. If the caller stops waiting, the call continues, and its result is ignored. Raises
    OSError if the system allows no more threads.
    """
    result: concurrent.futures.Future[T] = concurrent.futures.Future()
    result.set_running_or_notify_cancel()
    try:
        threading.Thread(target=_settle, args=(result, call), name=name, daemon=True).start()
    except RuntimeError as error:
        raise BlockingIOError(errno.EAGAIN, "no thread can be started") from error
    return await asyncio.wrap_future(result)


def _settle(result: "concurrent.futures.Future[T]", call: Callable[[], T]) -> None:
    try:
        result.set_result(call())
    except BaseException as error:  # reported to the caller that waits for the result
        result.set_exception(error)
