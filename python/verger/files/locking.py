"""Locks of open files, which last until the file is closed or the process ends."""

import os
import sys

from verger.options import AnyPath

if sys.platform == "win32":
    from msvcrt import LK_NBLCK, locking
else:
    from fcntl import LOCK_EX, LOCK_NB, flock


def lock(descriptor: int) -> None:
    """Take the lock of an open file.

    Raises BlockingIOError if another process has it, OSError if the file system has no locks.
    """
    if sys.platform == "win32":
        try:
            locking(descriptor, LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, error.strerror) from None
    else:
        flock(descriptor, LOCK_EX | LOCK_NB)


def is_at(path: AnyPath, descriptor: int) -> bool:
    """Whether a path still leads to an open file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))  # noqa: PTH116
    except FileNotFoundError:
        return False
