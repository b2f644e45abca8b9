"""News as JSON Lines, appended to a file: each line once, whatever ends the process.

In: a path, and lines that it may have already at its end, in part. Out: the file with all of them.
"""

import os
from collections.abc import Sequence
from errno import ESPIPE
from time import sleep

from verger.files.locking import lock
from verger.files.writing import unwritable

WAITS = 0.05


def append(path: str, lines: Sequence[str]) -> None:
    """Append lines, but for those, or the part of one, with which the file ends.

    What is there stays; an unfinished line of others is ended first. Raises UnusableOutput.
    """
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
    try:
        with open(path, "ab+", 0) as file:  # noqa: PTH123
            _lock(file.fileno())
            tail = _tail(file.fileno(), len(data))
            rest = memoryview(_missing(data, tail))
            while rest:
                rest = rest[file.write(rest) :]
            if tail is not None:
                os.fsync(file.fileno())
    except OSError as error:
        raise unwritable(path, error) from error


def _lock(descriptor: int) -> None:
    """Wait for the lock of the file."""
    while True:
        try:
            return lock(descriptor)
        except BlockingIOError:
            sleep(WAITS)


def _tail(descriptor: int, most: int) -> bytes | None:
    """Return the end of a file, with the byte before it; None for a pipe or a terminal."""
    try:
        size = os.lseek(descriptor, 0, os.SEEK_END)
    except OSError as error:
        if error.errno != ESPIPE:
            raise
        return None
    return os.pread(descriptor, most + 1, max(0, size - most - 1))


def _missing(data: bytes, tail: bytes | None) -> bytes:
    """Return what is missing of some lines behind the end of a file."""
    tail = tail or b""
    starts = [0, *(at + 1 for at, byte in enumerate(tail) if byte == ord("\n"))]
    for start in starts:
        if start < len(tail) and data.startswith(tail[start:]):
            return data[len(tail) - start :]
    return data if not tail or tail.endswith(b"\n") else b"\n" + data
