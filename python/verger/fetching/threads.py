"""A blocking call in a thread of its own.

In: a call. Out: an awaitable of its result. The thread is a daemon, so a lookup that hangs never
delays the end of the program; the loop's default executor would: the program waits for it at exit.
"""

import asyncio
import errno
from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

T = TypeVar("T")


async def in_thread(call: Callable[[], T], *, name: str) -> T:
    """Return what `call` returns, or raise what it raises.

    If the caller stops waiting, the call continues, and its result is ignored. Raises OSError if
    the system allows no more threads.
    """
    result: Future[T] = Future()
    try:
        Thread(target=settle, args=(result, call), name=name, daemon=True).start()
    except RuntimeError as error:
        raise BlockingIOError(errno.EAGAIN, "no thread can be started") from error
    return await asyncio.wrap_future(result)


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
