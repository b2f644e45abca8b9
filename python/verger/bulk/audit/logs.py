"""Access logs as bytes: files, streams, gzip.

In: paths and binary streams. Out: pieces of decoded bytes with how far the input has been read, in
bounded memory. A log that ends too early or is damaged gives what can be read, then raises
`DamagedLog`. Knows nothing of lines.
"""

# ruff: noqa: PTH116

import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from io import BufferedReader
from typing import Protocol, TypeAlias, cast

from verger.errors import UnusableInput
from verger.files.addresses import open_input, state_of
from verger.files.formats import GZIP
from verger.files.input_errors import unreadable
from verger.files.lines import expect_no_other_format, expect_text
from verger.files.paths import is_address
from verger.options import Paths, paths_of
from verger.untrusted_text import printable, reason_of, uncapitalized

CHUNK = 1 << 20
"""The most bytes of a piece."""

LONGEST_BEGINNING = 6
"""Bytes that show how a log is compressed."""

HINTS = {
    "Parquet": "it is a Parquet file, and access logs are lines of text",
    "SQLite": "it is a database, and access logs are lines of text",
    "gzip": "it is compressed twice: unpack it once: `gzip -dc`",
}
"""What to do with files that are not logs, by their formats."""


class Stream(Protocol):
    """A stream of bytes that returns what is available, even if it is less than requested."""

    def read1(self, size: int = ..., /) -> bytes:
        """Return up to `size` bytes, none at the end."""
        ...


Log: TypeAlias = str | os.PathLike[str] | Stream
"""The path of a log, or its stream."""


class DamagedLog(UnusableInput):
    """A log ends too early or is damaged; what came before was read."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a log.

    data:      the bytes, decoded.
    position:  bytes of the input that were read so far, before decoding.
    """

    data: bytes
    position: int


def name_of(log: Log) -> str:
    """Return the name of a log for messages."""
    if isinstance(log, str | os.PathLike):
        return os.fsdecode(log)
    name = getattr(log, "name", None)
    return name if isinstance(name, str) else "a stream"  # else a number, of a descriptor


def size_of(paths: Paths) -> int | None:
    """Return the size of all logs in bytes; None if one is not a regular file.

    Raises UnusableInput for a missing file or a folder.
    """
    sizes = [_size(path) for path in paths_of("paths", paths)]
    return None if None in sizes else sum(filter(None, sizes))


def _size(path: str) -> int | None:
    if path == "-":
        return None
    try:
        if is_address(path):
            return state_of(path)[0]
        status = os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from None
    if stat.S_ISDIR(status.st_mode):
        shown = printable(path)
        why = f"`{shown}` is a folder, not an access log"
        raise UnusableInput(why, f"pass its files: `{shown}/*`")
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def pieces_of(log: Log) -> Iterator[Piece]:
    """Yield the bytes of a log, unpacked if it is gzip; `-` is the name of a file here."""
    opened = _open(os.fspath(log)) if isinstance(log, str | os.PathLike) else nullcontext(log)
    with opened as stream:
        pieces = _decode(stream, name_of(log))
        yield from _text(pieces, name_of(log), is_device=_is_device(stream))


LONGEST_HOLE = 1 << 32
"""Bytes of a file or stream that may be NULs, before it is taken for one without an end."""


def _text(pieces: Iterator[Piece], name: str, *, is_device: bool) -> Iterator[Piece]:
    """Yield the pieces of what may be a log, without the NULs that it begins with.

    A log that was truncated while it was written begins with a hole, and its first lines may be
    the handshakes of clients that speak TLS to a port without it. A device need not end, so what
    it gives must be text.
    """
    beginning = Piece(b"", 0)
    for beginning in pieces:
        if is_device:
            expect_text(name, beginning.data)
        if data := beginning.data.lstrip(b"\0"):
            expect_no_other_format(name, data, HINTS)
            yield Piece(data, beginning.position)
            yield from pieces
            return
        if beginning.position > LONGEST_HOLE:
            break
        yield Piece(b"", beginning.position)
    expect_text(name, beginning.data)


def _is_device(stream: Stream) -> bool:
    """Whether a stream comes from a device of characters, such as `/dev/zero`."""
    try:
        return stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)  # type: ignore[attr-defined]
    except (AttributeError, OSError, ValueError):  # a stream without a descriptor
        return False


def _open(path: str) -> BufferedReader:
    try:
        return cast(BufferedReader, open_input(path))
    except OSError as error:
        raise unreadable(path, error) from None


class _Input:
    """The bytes of a stream, and how many of them were read."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._begun = b""
        self.position = 0
        self.error: OSError | None = None
        """Why it cannot be read to its end."""

    def begins_with(self, magic: bytes) -> bool:
        """Whether these are the first bytes, which are read all the same."""
        while len(self._begun) < LONGEST_BEGINNING and (data := self._more(CHUNK)):
            self._begun += data
        return self._begun.startswith(magic)

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, none at the end, or where the stream fails.

        `GzipFile` forgets bytes that it has not unpacked yet if an error is raised here.
        """
        data = self._begun[:size] or self._more(size)
        self._begun = self._begun[len(data) :]
        self.position += len(data)
        return data

    def _more(self, size: int) -> bytes:
        try:
            return b"" if self.error else self._stream.read1(size)
        except OSError as error:
            self.error = error
            return b""


def _unpacked(log: _Input) -> GzipFile:
    return GzipFile(fileobj=log, mode="rb")  # type: ignore[call-overload, no-any-return]


def _decode(stream: Stream, name: str) -> Iterator[Piece]:
    """Yield the bytes of a log; of gzip the content of all members (RFC 1952 section 2.2).

    Zeros after the last member, as on tapes, are skipped.
    """
    log, decoded = _Input(stream), 0
    try:
        is_packed = log.begins_with(GZIP)
        read = _unpacked(log).read1 if is_packed else log.read
        while data := read(CHUNK):
            decoded += len(data)
            yield Piece(data, log.position)
    except (zlib.error, BadGzipFile) as error:
        why = uncapitalized(str(error).rpartition(": ")[2])
        raise _damaged(name, f"damaged before byte {log.position:,}: {why}", decoded) from None
    except EOFError:
        if log.error is None:
            raise _damaged(name, f"cut off at byte {log.position:,}", decoded) from None
    if log.error is not None:
        why = f"cannot read `{name}` to its end: {reason_of(log.error)}"
        raise DamagedLog(why, "what came before is judged")


def _damaged(name: str, what: str, decoded: int) -> DamagedLog:
    return DamagedLog(f"`{name}` is {what}; the {decoded:,} bytes unpacked before are counted")
