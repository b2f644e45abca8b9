"""The signal that ends a command: unfinished files are removed before the process ends.

In: a block. Out: nothing, or the end of the process by SIGTERM, as the sender expects.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class Terminated(BaseException):
    """SIGTERM has come."""


@contextmanager
def ending_cleanly() -> Iterator[None]:
    """Within the block, SIGTERM unwinds all blocks before the process ends; main thread only."""
    try:
        before = signal.signal(signal.SIGTERM, _raise)
    except ValueError:  # another thread, which receives no signals
        yield
        return
    try:
        yield
    except Terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise(_number: int, _frame: "FrameType | None") -> None:
    raise Terminated
