"""Stdin and terminals as they are read and written in bytes.

In: the streams of the process. Out: stdin as bytes; and where lines of data go such that nothing of
them acts on a terminal.
"""

import os
import sys

from verger.errors import UnusableInput
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO, Protocol

    class Stream(Protocol):
        """Where bytes go."""

        def write(self, data: bytes | memoryview, /) -> int | None:
            """Write bytes; return how many were."""
            ...

    class Terminal(Stream, Protocol):
        """Where bytes go, which may be a terminal."""

        def isatty(self) -> bool:
            """Whether it is one."""
            ...


LONGEST = 1 << 20
"""Bytes of a line; a longer one is not a URL, and must not fill the memory."""


def stdin_bytes(what: str) -> "BinaryIO":
    """Return stdin as bytes; `what` is expected there. Raises UnusableInput where it is closed."""
    if sys.stdin is None:
        raise UnusableInput(f"cannot read {what} from stdin: it is closed")
    return sys.stdin.buffer


def with_own_buffer(stream: "BinaryIO") -> "BinaryIO":
    """Return a buffer of its own on a stream: Python aborts where a thread waits in stdin's."""
    try:
        return open(os.dup(stream.fileno()), "rb")  # noqa: PTH123 -- until the end
    except (OSError, ValueError):  # a test's, without a descriptor
        return stream


def plain_on(stream: "Terminal") -> "Stream":
    """Return where to write what is data to a pipe or file, and shown to a person on a terminal."""
    return Plain(stream) if stream.isatty() else stream


class Plain:
    """A terminal to which lines of data go: all that would act there is seen instead."""

    def __init__(self, stream: "Stream") -> None:
        self._stream = stream
        self._encoding = getattr(sys.stdout, "encoding", None) or "utf-8"

    def write(self, data: bytes | memoryview, /) -> int:
        """Write whole lines."""
        lines = bytes(data).decode("utf-8", "surrogateescape").split("\n")
        shown = "\n".join(map(printable, lines))
        rest = memoryview(shown.encode(self._encoding, "backslashreplace"))
        while rest:
            rest = rest[self._stream.write(rest) or 0 :]
        return len(data)
