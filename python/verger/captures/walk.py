"""A walk through an archive, record by record, that continues after damage.

In: a WARC file (WARC 1.1, ISO 28500:2017), of gzip members or plain. Out: its records, and for
each damaged place its offset, why it cannot be read, and where the next good record begins: the
next gzip member whose content begins like a record, or the next line that does. Slower than the
other readers, but exact: a record counts only if its length and the checksum of its member are
correct.
"""

import re
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import BinaryIO

from verger.files.writing import temporary_files

STEP = 1 << 14
PART = 1 << 16
"""The most bytes that are unpacked at once: a member may hold a thousand times its size."""
SEARCHED = 1 << 20
"""The most bytes that are searched at once for the next record."""
KEPT = 2 << 20
"""Bytes of a member that are kept; the rest of a longer one is only checked."""
READ_AHEAD = 1 << 12
"""Bytes that are read at first of a plain record, and in search of the next one: few are needed."""
LONGEST_HEADER = 1 << 16
LONGEST_TRAILER = 16
"""The most bytes of line ends after a record: more bytes are another record."""

GZIP = zlib.MAX_WBITS | 16
MEMBER = b"\x1f\x8b\x08"
VERSION = re.compile(rb"WARC/[01]\.\d+[ \t]*\r?\n")
BEGIN = re.compile(rb"(?<=\n)WARC/[01]\.\d+[ \t]*\r?\n")
END = re.compile(rb"\n(?:\r?\n|(?=WARC/[01]\.\d+[ \t]*\r?\n))")
"""The end of a header, or the line after it that begins a record: there, the end is missing.

Behind damage, each line like that is tried in turn. None looks at the bytes of the next.
"""
TRAILER = re.compile(rb"\r?\n\r?\n")
LINE_ENDS = re.compile(rb"[\r\n]*")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record without damage."""

    offset: int
    end: int
    """Where the next one begins; for one of several in a member, the end of the member."""
    fields: dict[bytes, bytes]
    """The header, with names in lower case."""
    block: bytes
    """The content, as far as it is kept."""
    length: int


@dataclass(frozen=True, slots=True)
class Damage:
    """A place that cannot be read."""

    offset: int
    end: int
    """Where reading continues."""
    why: str


class _BadRecord(Exception):
    """Why a record cannot be read."""


def records_at(
    file: BinaryIO, at: int, size: int, *, packed: bool
) -> Iterator[WarcRecord | Damage]:
    """Yield the record that begins at an offset, or all records of the member that does.

    All of them have the same end: the next offset to read from.
    """
    return members(file, at, size) if packed else iter([plain_record(file, at, size)])


# Members


def members(file: BinaryIO, at: int, size: int) -> Iterator[WarcRecord | Damage]:
    """Yield the records of the member that begins here; more than one, in some archives."""
    try:
        data, length, end = inflated(file, at)
    except _BadRecord as why:
        yield Damage(at, next_member(file, at + 1, size), str(why))
        return
    start = _behind_line_ends(data, 0)
    if start == len(data):
        yield (
            Damage(at, end, "the member is empty") if at == 0 and end == size else _nothing(at, end)
        )
        return
    is_whole = len(data) == length
    while start < len(data):
        try:
            record, behind = _record(data, start, length, at, end)
        except _BadRecord as why:
            yield Damage(at, end, str(why))
            if not is_whole:
                yield from _long_member(file, at, end, start + 1)
                return
            found = BEGIN.search(data, start + 1)
            start = found.start() if found else len(data)
            continue
        if not is_whole and behind + LONGEST_TRAILER < length:
            yield from _long_member(file, at, end)
            return
        yield record
        start = _behind_line_ends(data, behind)


def _behind_line_ends(data: bytes, at: int, most: int = sys.maxsize) -> int:
    """Return the offset of the next byte other than CR and LF; else the end of the data.

    most:  how many bytes to look at.
    """
    found = LINE_ENDS.match(data, at, min(at + most, len(data)))
    return found.end() if found else at


def _long_member(
    file: BinaryIO, at: int, end: int, behind: int = 0
) -> Iterator[WarcRecord | Damage]:
    """Yield the records of a member with several that is too long for memory: from a file.

    behind:  where to look for the first of them, after damage.
    """
    with temporary_files():
        plain = TemporaryFile()  # noqa: SIM115 -- closed below
    with plain:
        file.seek(at)
        for data in unpacked(file, zlib.decompressobj(GZIP)):
            with temporary_files():
                plain.write(data)
        with temporary_files():
            plain.flush()
        size = plain.tell()
        place = _next_line(plain, behind, size) if behind else 0
        while place < size:
            found = plain_record(plain, place, size)
            place = found.end
            yield replace(found, offset=at, end=end)


def _nothing(at: int, end: int) -> WarcRecord:
    """Return a record of no type, for a member without content."""
    return WarcRecord(at, end, {}, b"", 0)


def inflated(file: BinaryIO, at: int) -> tuple[bytes, int, int]:
    """Return the content of a member as far as it is kept, its length, and the member's end."""
    file.seek(at)
    decoder = zlib.decompressobj(GZIP)
    parts: list[bytes] = []
    length = 0
    try:
        for part in unpacked(file, decoder):
            if length < KEPT:
                parts.append(part)
            length += len(part)
    except zlib.error as error:
        why = str(error).rpartition(": ")[2]
        raise _BadRecord(f"broken gzip member: {why}") from None
    if not decoder.eof:
        raise _BadRecord("the file ends within a gzip member")
    return b"".join(parts), length, file.tell() - len(decoder.unused_data)


def unpacked(file: BinaryIO, decoder: "zlib._Decompress") -> Iterator[bytes]:
    """Yield the content of a member in small parts, however well it is compressed.

    The file may end before the member does, which the decoder tells. Raises zlib.error.
    """
    while not decoder.eof and (raw := decoder.unconsumed_tail or file.read(STEP)):
        yield decoder.decompress(raw, PART)


def next_member(file: BinaryIO, at: int, size: int) -> int:
    """Return where the next member with a record begins; else the end of the file."""
    while at < size:
        file.seek(at)
        raw = file.read(SEARCHED)
        found = raw.find(MEMBER)
        while found >= 0:
            if _holds_record(file, at + found):
                return at + found
            found = raw.find(MEMBER, found + 1)
        if len(raw) < SEARCHED:
            break
        at += len(raw) - len(MEMBER) + 1
    return size


def _holds_record(file: BinaryIO, at: int) -> bool:
    file.seek(at)
    try:
        begin = zlib.decompressobj(GZIP).decompress(file.read(4_096), 64)
    except zlib.error:
        return False
    return VERSION.match(begin.lstrip(b"\r\n")) is not None


def holds_many(file: BinaryIO, at: int, size: int) -> tuple[bool, int]:
    """Return whether a member with two or more records begins here, and its end."""
    file.seek(at)
    decoder, data = zlib.decompressobj(GZIP), b""
    try:
        for part in unpacked(file, decoder):
            data += part
            if len(data) >= KEPT:
                break
    except zlib.error:
        return False, next_member(file, at + 1, size)
    end = file.tell() - len(decoder.unused_data) if decoder.eof else size
    try:
        fields, begin = _header(data, 0)
        behind = _behind_line_ends(data, begin + _length(fields))
    except _BadRecord:
        return False, end
    return VERSION.match(data, behind) is not None, end


# Plain archives


def plain_record(file: BinaryIO, at: int, size: int) -> WarcRecord | Damage:
    """Return the record that begins here, perhaps after empty lines."""
    file.seek(at)
    data = file.read(READ_AHEAD)
    blanks = _behind_line_ends(data, 0)
    if len(data) == READ_AHEAD and not END.search(data, blanks):
        data += file.read(LONGEST_HEADER - READ_AHEAD)
    if blanks == len(data):
        return _nothing(at, at + blanks)
    try:
        fields, start = _header(data, blanks)
        length = _length(fields)
        if at + start + length > size:
            raise _BadRecord("the file ends within the record")
        file.seek(at + start + length)
        tail = file.read(LONGEST_TRAILER)
        rest = tail.lstrip(b"\r\n")
        if rest and not TRAILER.match(tail) and not rest.startswith(b"WARC/"[: len(rest)]):
            raise _BadRecord("Content-Length does not say where the record ends")
        file.seek(at + start)
        block = file.read(min(length, KEPT))
    except _BadRecord as why:
        return Damage(at + blanks, _next_line(file, at + blanks + 1, size), str(why))
    end = at + start + length + len(tail) - len(rest)
    return WarcRecord(at + blanks, end, fields, block, length)


def _next_line(file: BinaryIO, at: int, size: int) -> int:
    """Return where the next line that begins a record is; else the end of the file."""
    searched = READ_AHEAD
    while at < size:
        file.seek(at - 1)
        raw = file.read(searched)
        found = BEGIN.search(raw)
        if found:
            return at - 1 + found.start()
        if len(raw) < searched:
            break
        at += len(raw) - 64
        searched = min(2 * searched, SEARCHED)
    return size


# Records


def _record(data: bytes, start: int, length: int, at: int, end: int) -> tuple[WarcRecord, int]:
    """Return the record at `start` of a member's content, and where it ends there."""
    fields, begin = _header(data, start)
    own = _length(fields)
    if begin + own > length:
        raise _BadRecord("Content-Length says more than the gzip member holds")
    behind = _behind_line_ends(data, begin + own, LONGEST_TRAILER)
    is_next = VERSION.match(data, behind) or data[behind : behind + 1] in (b"\r", b"\n")
    if behind < len(data) == length and not is_next:
        raise _BadRecord("Content-Length says less than the gzip member holds")
    return WarcRecord(at, end, fields, data[begin : begin + own], own), begin + own


def _header(data: bytes, start: int) -> tuple[dict[bytes, bytes], int]:
    """Return the fields of a record's header, and where its content begins."""
    if not VERSION.match(data, start):
        raise _BadRecord("no WARC record begins here")
    found = END.search(data, start, start + LONGEST_HEADER)
    if found is None or found[0] == b"\n":
        raise _BadRecord("the header of the record has no end")
    lines = data[start : found.start()].replace(b"\r", b"").split(b"\n")[1:]
    fields: dict[bytes, bytes] = {}
    for line in lines:
        name, _, value = line.partition(b":")
        fields.setdefault(name.strip().lower(), value.strip())
    if not fields.get(b"warc-type"):
        raise _BadRecord("the record has no WARC-Type")
    return fields, found.end()


def _length(fields: dict[bytes, bytes]) -> int:
    written = fields.get(b"content-length", b"")
    if not written.isdigit() or len(written) > 18:
        raise _BadRecord("the record has no Content-Length that is a number")
    return int(written)
