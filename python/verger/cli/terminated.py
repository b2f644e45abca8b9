"""The signal that ends a command: unfinished files are removed before the process ends.

In: a block. Out: nothing, or the end of the process by SIGTERM, as the sender expects.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Terminated(BaseException):
    """SIGTERM has come."""


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Within the block, SIGTERM unwinds all blocks before the process ends; main thread only."""
    has_come = False

    def unwind(_number: int, _frame: FrameType | None) -> None:
        nonlocal has_come
        has_come = True
        raise Terminated

    try:
        before = signal.signal(signal.SIGTERM, unwind)
    except ValueError:  # another thread, which receives no signals
        yield
        return
    try:
        yield
    finally:
        if has_come:  # whatever unwinds the blocks: a library may raise an error of its own
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        signal.signal(signal.SIGTERM, before)
