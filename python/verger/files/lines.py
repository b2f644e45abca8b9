"""Text files and stdin in lines: opened, decompressed and split in bounded memory.

In: a path, or `-` for stdin. Out: lines, decoded like all URLs (UTF-8 with surrogateescape),
without a byte order mark; a line that is too long comes cut, or in pieces. Nothing here interprets
a line.
"""

import zlib
from codecs import iterdecode
from collections.abc import Callable, Iterator, Mapping
from io import FileIO, StringIO
from itertools import chain

from verger._core import parse
from verger.errors import InvalidTable
from verger.files.addresses import open_input
from verger.files.formats import DATABASE, GZIP, expect_unpacked, is_packed
from verger.files.input_errors import damaged
from verger.files.paths import STDIN
from verger.files.stdio import unbuffered_stdin
from verger.untrusted_text import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:  # `check` imports this module
    from gzip import GzipFile
    from typing import BinaryIO

CHUNK = 1 << 18
"""Bytes to read at once."""

LOOKED_AT = 4_096
"""Bytes that show whether a file is text."""

MAGIC = {b"PAR1": "Parquet", DATABASE: "SQLite", GZIP: "gzip"}
"""How files begin that may have been named by mistake."""


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
        raw = unbuffered_stdin(what) if path == "-" else open_input(path, 0)
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


def _unpacked(raw: "BinaryIO | FileIO") -> "GzipFile":
    from gzip import GzipFile  # which brings much that `check` does not need

    return GzipFile(fileobj=raw, mode="rb")


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
    elif name.endswith(".parquet"):
        parquet = "it is a Parquet file, and lines of text are read"
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


def numbered_lines(
    path: str,
    longest: int,
    *,
    what: str,
    format: str = "text",
    on_read: Callable[[int], None] | None = None,
) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, as `lines_of` gives it, of what `read_bytes`
    reads."""
    chunks = read_bytes(path, what=what, format=format, on_read=on_read)
    return enumerate(chain.from_iterable(lines_of(chunks, longest)), start=1)


def lines_of(chunks: Iterator[bytes], longest: int) -> Iterator[list[str]]:
    """Yield lines as they arrive, several at a time, without LF, at which alone they end.

    longest:  how many bytes a line may have; a longer one is cut, and `is_longer` still tells it.
    """
    tail = ""
    for text in _decoded(chunks):
        if len(tail) > longest:
            _, end, text = text.partition("\n")
            text = end + text
        *lines, tail = (tail + text).split("\n")
        tail = tail[: longest + 1]
        yield [line[: longest + 1] for line in lines]
    if tail:
        yield [tail]


def ended_lines_of(chunks: Iterator[bytes], longest: int) -> Iterator[list[str]]:
    """Yield lines as they arrive, several at a time, with their ends: LF, CR LF or CR, as in CSV.

    longest:  how many bytes a line may have; a longer one comes whole, but perhaps in pieces that
              are too long themselves, of which only the last has an end.
    """
    tail = ""
    for text in _decoded(chunks):
        lines = list(StringIO(text, newline=""))  # four bytes a character: no tail
        if tail.endswith("\r") and text[0] != "\n":
            lines.insert(0, tail)
        else:
            lines[0] = tail + lines[0]
        tail = "" if lines[-1].endswith("\n") else lines.pop()  # a CR may be half of a CR LF
        if len(tail) > longest and not tail.endswith("\r"):
            lines.append(tail)
            tail = ""
        yield lines
    if tail:
        yield [tail]


def _decoded(chunks: Iterator[bytes]) -> Iterator[str]:
    """Yield texts that are not empty; `utf-8-sig` would drop half of a mark at the end."""
    texts = iterdecode(chunks, "utf-8", "surrogateescape")
    if first := next(texts, "").removeprefix("\ufeff"):
        yield first
    yield from texts


def is_longer(line: str, longest: int) -> bool:
    """Whether a line, without its end, has more bytes than `longest`."""
    if len(line) <= longest // 4:  # no character has more bytes
        return False
    return len(line.rstrip("\r\n").encode("utf-8", "surrogateescape")) > longest
