"""News as JSON Lines, appended to a file: each line once, whatever ends the process.

In: a path, and lines that it may have already at its end, in part. Out: the file with all of them.
"""

import os
from collections.abc import Sequence

from verger.files.paths import is_special
from verger.files.writing import told_of


def append(path: str, lines: Sequence[str]) -> None:
    """Append lines, but for those, or the part of one, with which the file ends.

    What is there stays; an unfinished line of others is ended first. Raises UnusableOutput.
    """
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
    with told_of(path), open(path, "ab" if is_special(path) else "ab+", 0) as file:  # noqa: PTH123
        tail = b""
        if file.readable():
            file.seek(max(0, file.seek(0, os.SEEK_END) - len(data) - 1))
            tail = file.read()
        rest = memoryview(_missing(data, tail))
        while rest:
            rest = rest[file.write(rest) :]
        if file.readable():
            os.fsync(file.fileno())


def _missing(data: bytes, tail: bytes) -> bytes:
    """Return what is missing of some lines behind the end of a file, and the byte before it."""
    starts = [0, *(at + 1 for at, byte in enumerate(tail) if byte == ord("\n"))]
    begun = (at for at in starts if at < len(tail) and data.startswith(tail[at:]))
    if (start := next(begun, None)) is not None:
        return data[len(tail) - start :]
    return data if not tail or tail.endswith(b"\n") else b"\n" + data
