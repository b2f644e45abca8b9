"""A thread with an event loop: how code without one runs code that needs one.

Started when first used, anew after a fork; a daemon, so that it never keeps a process alive.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for other threads, which wait."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Return what a coroutine returns, or raise what it raises.

        An interrupted wait cancels it.
        """
        loop = self._running_loop()
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a synchronous client was called from its own event hook")
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        """Let the loop finish what it is at, and end the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None or self._pid != os.getpid():
            return
        loop.call_soon_threadsafe(loop.stop)
        thread.join()

    def after_fork(self) -> None:
        """Forget the parent's thread, which a child does not have."""
        self._lock = threading.Lock()
        self._pid = os.getpid()
        self._loop = self._thread = None

    @property
    def is_running(self) -> bool:
        """Whether there is a thread."""
        return self._loop is not None

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop,), name=self._name, daemon=True
                )
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
