"""Stdin and terminals, read and written as bytes.

In: the streams of the process. Out: stdin as bytes; streams for lines of data, escaped for
terminals.
"""

import os
import sys

from verger.errors import UnusableInput
from verger.files.paths import STDIN, descriptor_of
from verger.untrusted_text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import FileIO
    from typing import IO, BinaryIO, TypeAlias

    from verger.files.writing import Output

    Stream: TypeAlias = "BinaryIO | Output | Plain"

NAME_A_FILE = "leave it open, or name a file"

LONGEST = 1 << 20
"""The most bytes in a line; a longer one is not a URL, and must not fill the memory."""


def stdin_bytes(what: str, hint: str = NAME_A_FILE) -> "BinaryIO":
    """Return stdin as bytes; `what` is expected there.

    Raises UnusableInput, with this hint, if stdin is closed or cannot be read.
    """
    if sys.stdin is None:
        raise UnusableInput(f"cannot read {what} from stdin: it is closed", hint)
    if _is_for_writing(sys.stdin):
        raise UnusableInput(f"cannot read {what} from stdin: it is open only for writing", hint)
    descriptor = descriptor_of(sys.stdin)
    if descriptor is not None:
        os.set_blocking(descriptor, True)  # else what comes late would be taken for the end
    return sys.stdin.buffer


def _is_for_writing(stream: "IO[str]") -> bool:
    """Whether a stream is open only for writing, as `0> FILE` of a shell opens it."""
    descriptor = descriptor_of(stream)
    try:
        from fcntl import F_GETFL, fcntl
    except ImportError:  # Windows
        return False
    return descriptor is not None and fcntl(descriptor, F_GETFL) & os.O_ACCMODE == os.O_WRONLY


def unbuffered_stdin(what: str, hint: str = NAME_A_FILE) -> "BinaryIO | FileIO":
    """Return stdin unbuffered: a read returns what is available, and holds no lock.

    A thread that waits in a buffered stdin would keep the interpreter from exiting. Raises
    UnusableInput as `stdin_bytes` does.
    """
    stdin = stdin_bytes(what, hint)
    try:
        raw = open(stdin.fileno(), "rb", buffering=0, closefd=False)  # noqa: SIM115
    except (OSError, ValueError):  # a test's stdin, without a descriptor
        return stdin
    raw.name = STDIN  # instead of the number of a descriptor
    return raw


def plain_on(stream: "BinaryIO | Output") -> "Stream":
    """Return a stream for data, which escapes control characters if it is a terminal."""
    return Plain(stream) if stream.isatty() else stream


class Plain:
    """A terminal for lines of data, in which control characters are escaped."""

    def __init__(self, stream: "BinaryIO | Output") -> None:
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

    def close(self) -> None:
        """Do nothing: the terminal stays open."""
