"""Text files and stdin in lines: opened, decompressed and split in bounded memory.

In: a path, or `-` for stdin. Out: lines, decoded like all URLs (UTF-8 with surrogateescape),
without a byte order mark; a line that is too long is marked as such, and comes without its rest or
in pieces. Nothing here interprets a line.
"""

# ruff: noqa: PTH123

import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping
from io import FileIO, StringIO

from verger._core import parse
from verger.errors import InvalidTable
from verger.files.formats import expect_unpacked, is_packed
from verger.files.reading import damaged
from verger.files.stdio import STDIN, stdin_bytes
from verger.plain import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gzip import GzipFile
    from typing import BinaryIO

CHUNK = 1 << 18
"""Bytes to read at once."""

ENDS = ("\n", "\r")

LOOKED_AT = 4_096
"""Bytes that show whether a file is text."""

MAGIC = {b"PAR1": "Parquet", b"SQLite format 3\0": "SQLite", b"\x1f\x8b": "gzip"}
"""How files begin that may have been named by mistake."""

MARK = BOM_UTF8.decode()
"""A byte order mark."""


def read_bytes(
    path: str,
    *,
    what: str,
    format: str = "text",
    on_read: Callable[[int], None] | None = None,
) -> Iterator[bytes]:
    """Yield the bytes of a text file, decompressed if its name ends in `.gz`, or of stdin.

    what:     what is expected on stdin, for messages.
    format:   `text`, `csv` or `jsonl`: where the file begins as text.
    on_read:  called with the number of bytes of the file read so far.
    Raises:   InvalidTable, which names the file; also for one that does not begin as text.
    """
    name, is_first = STDIN if path == "-" else path, True
    raw: BinaryIO | FileIO | None = None
    try:
        raw = _unbuffered_stdin(what) if path == "-" else open(path, "rb", buffering=0)  # noqa: SIM115
        stream = _unpacked(raw) if is_packed(path) else raw
        while chunk := stream.read(CHUNK):
            if on_read is not None:
                on_read(raw.tell())
            if is_first:
                expect_text(name, chunk, format)
                is_first = False
            yield chunk
    except (OSError, EOFError, zlib.error) as error:
        raise damaged(name, error) from None
    finally:
        if raw is not None and path != "-":
            raw.close()


def expect_text(name: str, beginning: bytes, format: str = "text") -> None:
    """Refuse a file that is not text by its first bytes. Raises InvalidTable.

    format:  `text`, `csv` or `jsonl`: of a table only what comes before the first cell counts,
             because cells hold what strangers wrote.
    """
    expect_no_other_format(name, beginning, _hints(name))
    if "not-text" in _findings(_before_cells(beginning, format)):
        raise InvalidTable(f"{quoted(name)} is not text", "is it the right file?")


def expect_no_other_format(name: str, beginning: bytes, hints: Mapping[str, str]) -> None:
    """Refuse a file that is in a known format which is not text, or in UTF-16.

    hints:  what to do, by the names in `MAGIC`.
    Raises InvalidTable.
    """
    expect_unpacked(name, beginning)
    for magic, format in MAGIC.items():
        if beginning.startswith(magic):
            raise InvalidTable(f"{quoted(name)} is not text", hints[format])
    if "utf-16" in _findings(beginning):
        raise InvalidTable(f"{quoted(name)} is encoded in UTF-16", "save it as UTF-8")


def _hints(name: str) -> dict[str, str]:
    parquet = "it is a Parquet file: give it a name that ends in `.parquet`"
    packed = "it is compressed: give it a name that ends in `.gz`, or unpack it: `gzip -dc`"
    if name == STDIN:
        parquet = "it is a Parquet file: pass the path of the file"
        packed = "it is compressed: pipe it through `gzip -dc`"
    elif is_packed(name):
        packed = "it is compressed twice: unpack it: `gzip -dc`"
    return {"Parquet": parquet, "SQLite": "it is a database, such as a cache", "gzip": packed}


def _before_cells(beginning: bytes, format: str) -> bytes:
    """Return what a table has before the first cell: a header, or the beginning of an object."""
    head = beginning[:LOOKED_AT]
    if format == "csv":
        return head.lstrip(b"\r\n").replace(b"\r", b"\n").partition(b"\n")[0]
    return head.partition(b'"')[0] if format == "jsonl" else head


def _findings(beginning: bytes) -> set[str]:
    return {finding.code for finding in parse(beginning[:LOOKED_AT]).findings}


def _unpacked(raw: "BinaryIO | FileIO") -> "GzipFile":
    from gzip import GzipFile  # seldom needed, and `verger check` starts sooner without

    return GzipFile(fileobj=raw, mode="rb")


def _unbuffered_stdin(what: str) -> "BinaryIO | FileIO":
    """Return stdin unbuffered: a read returns what is available, and holds no lock.

    A thread that waits in a buffered stdin would keep the interpreter from exiting.
    """
    stdin = stdin_bytes(what)
    try:
        return open(stdin.fileno(), "rb", buffering=0, closefd=False)
    except (OSError, ValueError):  # a test's stdin, without a descriptor
        return stdin


def lines_of(
    chunks: Iterator[bytes], longest: int, *, with_ends: bool = False
) -> Iterator[list[str]]:
    """Yield lines as they arrive, several at a time.

    longest:    how many bytes a line may have; a longer line is cut one byte after that, and the
                rest of it is skipped.
    with_ends:  whether lines keep their ends, and also end at a lone CR, as in CSV; otherwise they
                end only at LF, which is removed. A line that is too long then comes whole, in
                pieces of which only the last has an end.
    """
    is_first = True
    for data in _whole_lines(chunks, longest, with_ends=with_ends):
        lines = _decode(data, longest, with_ends=with_ends)
        if is_first:
            lines[0] = lines[0].removeprefix(MARK)
            is_first = False
        yield lines


class LongLine(Exception):
    """A line that is too long; `beginning` is all of it, or what comes before `LineReader.rest`."""

    def __init__(self, message: str, beginning: str) -> None:
        super().__init__(message)
        self.beginning = beginning


class LineReader:
    """Lines with their ends, one by one; knows whether the next one has been read.

    Raises `LongLine` in place of a line that is too long; iteration can go on with its rest, or
    with the next line.
    """

    def __init__(self, chunks: Iterator[bytes], longest: int) -> None:
        """Take the bytes of a file; `longest` is how many of them a line may have."""
        self._pieces = lines_of(chunks, longest, with_ends=True)
        self._piece: Iterator[str] = iter(())
        self._left = 0
        self._longest = longest
        self._surely_fits = longest // 4  # no character has more bytes
        self._has_rest = False
        self.number = 0
        """The number of the last line, from 1."""

    def __iter__(self) -> "LineReader":
        return self

    def __next__(self) -> str:
        if self._has_rest:
            for _ in self.rest():
                pass
        line = self._take()
        self.number += 1
        if len(line) > self._surely_fits and is_longer(line, self._longest):
            self._has_rest = not line.endswith(ENDS)
            raise LongLine(f"the line has more than {self._longest:,} bytes", line)
        return line

    def rest(self) -> Iterator[str]:
        """Yield what is left of a line that is too long, piece by piece."""
        while self._has_rest:
            try:
                piece = self._take()
            except StopIteration:
                self._has_rest = False
                return
            self._has_rest = not piece.endswith(ENDS)
            yield piece

    def _take(self) -> str:
        while not self._left:
            lines = next(self._pieces)
            self._piece, self._left = iter(lines), len(lines)
        self._left -= 1
        return next(self._piece)

    @property
    def is_drained(self) -> bool:
        """Whether the next line has yet to be read."""
        return not self._left


def is_longer(line: str, longest: int) -> bool:
    """Whether a line, without its end, has more bytes than `longest`."""
    if len(line) <= longest // 4:
        return False
    return len(line.rstrip("\r\n").encode("utf-8", "surrogateescape")) > longest


def _whole_lines(chunks: Iterator[bytes], longest: int, *, with_ends: bool) -> Iterator[bytes]:
    """Yield the bytes split at line ends.

    A line that is too long is cut to its beginning; with ends, it comes in pieces, each of which is
    too long even without a byte order mark.
    """
    most = longest + len(BOM_UTF8) if with_ends else longest
    tail, is_cut = b"", False
    for chunk in chunks:
        if is_cut and not with_ends:
            end = chunk.find(b"\n")
            if end < 0:
                continue
            chunk, is_cut = chunk[end:], False
        data = tail + chunk
        at = _last_end(data, with_ends=with_ends)
        if at >= 0:
            yield data[: at + 1] if with_ends else data[:at]
            is_cut = False
        tail = data[at + 1 :]
        is_cut = is_cut or len(tail) > most
        if is_cut and not with_ends:
            tail = tail[: longest + 1]
        elif is_cut and tail and not tail.endswith(b"\r"):
            yield tail
            tail = b""
    if tail:
        yield tail


def _last_end(data: bytes, *, with_ends: bool) -> int:
    """Return the position of the last line end; a final CR may be half of a CR LF."""
    newline = data.rfind(b"\n")
    return max(newline, data.rfind(b"\r", newline + 1, len(data) - 1)) if with_ends else newline


def _decode(data: bytes, longest: int, *, with_ends: bool) -> list[str]:
    if len(data) > longest and not with_ends:
        lines = data.split(b"\n")
        return [line[: longest + 1].decode("utf-8", "surrogateescape") for line in lines]
    text = data.decode("utf-8", "surrogateescape")
    return _ended(text) if with_ends else text.split("\n")


def _ended(text: str) -> list[str]:
    """Return lines with their ends; `StringIO`, which is slower, is used only for a lone CR."""
    if text.count("\r") != text.count("\r\n"):
        return list(StringIO(text, newline=""))
    *whole, last = text.split("\n")
    lines = [f"{line}\n" for line in whole]
    return [*lines, last] if last else lines
