"""The URLs of a command: from the command line, and from stdin for `-`.

In: the words of the command line. Out: one URL after another, in bounded memory, however
many there are. Bytes that are not UTF-8 are kept as surrogates, as in file names.
"""

import os
from collections.abc import Iterator, Sequence

from verger.answers.answer import Unanswered
from verger.cli.exit import Failure
from verger.files.packed import expect_unpacked
from verger.files.standard import LONGEST, stdin_bytes, with_own_buffer
from verger.plain import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Urls:
    """URLs in the order of the command line, and the share that has been taken.

    in_thread:  whether a thread takes them, which may still be waiting when the process ends.
    """

    def __init__(self, words: Sequence[str], *, in_thread: bool = False) -> None:
        self._words = words
        self._taken = 0
        self._lines = _Lines(in_thread=in_thread) if "-" in words else None

    def __iter__(self) -> Iterator[str | Unanswered]:
        for word in self._words:
            self._taken += 1
            if word == "-" and self._lines:
                yield from self._lines
            else:
                yield word

    @property
    def is_stdin_empty(self) -> bool:
        """Whether stdin, now read to its end, held no URL."""
        return self._lines is not None and self._lines.is_empty

    @property
    def share_taken(self) -> float | None:
        """The share that has been taken, from 0 to 1; None if the total is unknown."""
        if self._lines is None:
            return self._taken / len(self._words)
        return self._lines.share_read if len(self._words) == 1 else None


class _Lines:
    """The lines of stdin, without those that are blank."""

    def __init__(self, *, in_thread: bool) -> None:
        stdin = stdin_bytes("URLs")
        self._stdin = with_own_buffer(stdin) if in_thread else stdin
        self._size = _size_of(self._stdin)
        self.is_empty = True

    def __iter__(self) -> Iterator[str | Unanswered]:
        for number, line in enumerate(self._bytes(), start=1):
            text = line.strip(b" \t\r\n\v\f")
            self.is_empty = self.is_empty and not text
            if len(line) > LONGEST:
                yield _too_long(number, line)
            elif text:
                yield text.decode("utf-8", "surrogateescape")

    def _bytes(self) -> Iterator[bytes]:
        """Yield lines; only the beginning of a line that is too long."""
        try:
            line = self._stdin.readline(LONGEST + 1).removeprefix(BYTE_ORDER_MARK)
            expect_unpacked("stdin", line)
            while line:
                yield line
                while len(line) > LONGEST and not line.endswith(b"\n"):
                    line = self._stdin.readline(LONGEST + 1)
                line = self._stdin.readline(LONGEST + 1)
        except OSError as error:
            why = f"cannot read URLs from stdin: {reason_of(error)}"
            raise Failure(why, "pass URLs as arguments, or from a file") from None

    @property
    def share_read(self) -> float | None:
        return self._stdin.tell() / self._size if self._size else None


def _size_of(stream: "BinaryIO") -> int | None:
    """Return the size of a regular file; None for pipes and terminals."""
    from stat import S_ISREG

    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return status.st_size if S_ISREG(status.st_mode) else None


def _too_long(number: int, line: bytes) -> Unanswered:
    shown = line[:80].decode("utf-8", "surrogateescape")
    message = f"line {number} of stdin has more than {LONGEST:,} bytes: `{shown}...`"
    return Unanswered("url-too-long", message, url=shown)
