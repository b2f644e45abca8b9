"""The signal that ends a command: what the command has laid down is removed before it ends.

In: a block. Out: nothing, or the end of the process by SIGTERM, as whoever sent it expects.
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
    """Within it, SIGTERM leaves all blocks before it ends the process; on the main thread alone."""
    try:
        before = signal.signal(signal.SIGTERM, _raise)
    except ValueError:  # another thread, which hears no signals
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
