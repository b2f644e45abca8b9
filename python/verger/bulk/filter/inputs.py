"""Inputs: the files and streams that hold the rows, opened and cut into lines.

In: the words of the command line. Out: lines in bounded memory, decoded as URLs are everywhere
(UTF-8 with surrogateescape), and how far each has been read. Nothing here knows what a line says.
"""

# ruff: noqa: PTH116, PTH123

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from verger.errors import InvalidOption, UnusableInput
from verger.files.formats import format_told, is_packed
from verger.files.standard import LONGEST, stdin_bytes
from verger.plain import printable, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gzip import GzipFile
    from io import FileIO
    from typing import BinaryIO, Protocol

    class Readable(Protocol):
        """A stream of bytes."""

        def read(self, size: int, /) -> bytes | None:
            """Return up to `size` bytes, none at the end."""
            ...


FORMATS = ("text", "jsonl", "csv", "parquet")
STDIN = "stdin"

CHUNK = 1 << 18
"""Bytes that are asked for at once."""


class Input:
    """One file or stream of rows."""

    __slots__ = ("format", "is_plain", "mtime_ns", "name", "path", "position", "size")

    def __init__(self, path: str, format_name: str | None) -> None:
        self.path = path
        self.name = STDIN if path == "-" else path
        self.format = format_name or guessed(path)
        self.size = self.mtime_ns = 0
        self.is_plain = False
        """Whether it is a file that can be read again, of a size that is known."""
        self.position = 0
        """Bytes of such a file that have been read."""
        if path != "-":
            self._look()
        elif self.format == "parquet":
            raise UnusableInput("Parquet cannot be read from stdin", "pass the path of the file")

    def _look(self) -> None:
        try:
            status = os.stat(self.path)
            if stat.S_ISDIR(status.st_mode):
                raise UnusableInput(f"`{printable(self.path)}` is a folder, not a file of URLs")
            if not os.access(self.path, os.R_OK):
                raise PermissionError(13, "permission denied")
        except OSError as error:
            raise self.failure(error) from None
        self.is_plain = stat.S_ISREG(status.st_mode)
        if self.is_plain:
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
        elif self.format == "parquet":
            raise UnusableInput(
                f"`{printable(self.path)}` is a pipe; Parquet is read from files alone"
            )

    @property
    def is_packed(self) -> bool:
        """Whether it is compressed, as its name says."""
        return is_packed(self.path)

    def failure(self, error: Exception) -> UnusableInput:
        """Return what to tell of a file that cannot be read."""
        shown = printable(self.name)
        if isinstance(error, FileNotFoundError):
            return UnusableInput(f"no such file: `{shown}`")
        reason = reason_of(error) if isinstance(error, OSError) else str(error)
        return UnusableInput(f"cannot read `{shown}`: {reason}")

    def lines(self) -> Iterator[list[str]]:
        """Yield the lines, without their ends, as they come: some at a time.

        A line of more than `LONGEST` bytes ends one byte behind that; the rest is skipped.
        """
        from zlib import error as broken_stream

        try:
            yield from _lines(self._bytes())
        except (OSError, EOFError, broken_stream) as error:
            raise self.failure(error) from None

    def _bytes(self) -> Iterator[bytes]:
        with ExitStack() as at_end:
            raw = self._opened(at_end)
            stream: Readable = _unpacked(raw) if self.is_packed else raw
            while chunk := stream.read(CHUNK):
                if self.is_plain:
                    self.position = raw.tell()
                yield chunk

    def _opened(self, at_end: ExitStack) -> "BinaryIO | FileIO":
        if self.path == "-":
            return _unbuffered_stdin()
        return at_end.enter_context(open(self.path, "rb", buffering=0))


def _unpacked(raw: "BinaryIO | FileIO") -> "GzipFile":
    from gzip import GzipFile

    return GzipFile(fileobj=raw, mode="rb")


def guessed(path: str) -> str:
    """Return the format that the name of a file speaks of."""
    told = format_told(path)
    return told if told in FORMATS else "text"


def inputs_of(words: Sequence[str], format_name: str | None) -> list[Input]:
    """Return the inputs that the command line names; stdin, where it names none."""
    paths = list(words) or ["-"]
    if paths.count("-") > 1:
        raise InvalidOption("stdin can be read once: `-` is given twice")
    return [Input(path, format_name) for path in paths]


def _unbuffered_stdin() -> "BinaryIO | FileIO":
    """Return stdin such that a read gives what there is, and a thread in it holds no lock.

    A thread that waits in a buffered stdin would stop the interpreter from ending.
    """
    stdin = stdin_bytes("URLs")
    try:
        return open(stdin.fileno(), "rb", buffering=0, closefd=False)
    except (OSError, ValueError):  # a test's, without a descriptor
        return stdin


def _lines(chunks: Iterator[bytes]) -> Iterator[list[str]]:
    is_first = True
    for data in _whole_lines(chunks):
        lines = _decoded(data)
        if is_first:
            lines[0] = lines[0].removeprefix("\ufeff")
            is_first = False
        yield lines


def _whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the bytes again, cut at ends of lines; of a line that is too long, the beginning."""
    tail, is_skipping = b"", False
    for chunk in chunks:
        if is_skipping:
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk, is_skipping = chunk[end:], False
        whole, newline, tail = (tail + chunk).rpartition(b"\n")
        if newline:
            yield whole
        if len(tail) > LONGEST:
            tail, is_skipping = tail[: LONGEST + 1], True
    if tail:
        yield tail


def _decoded(data: bytes) -> list[str]:
    if len(data) <= LONGEST:
        return data.decode("utf-8", "surrogateescape").split("\n")
    lines = data.split(b"\n")
    return [line[: LONGEST + 1].decode("utf-8", "surrogateescape") for line in lines]
