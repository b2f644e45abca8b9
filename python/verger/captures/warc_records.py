"""The records of an archive, and its damaged places.

In: a WARC file (WARC 1.1, ISO 28500:2017), of gzip members or plain. Out: one `Record` after the
other: what an undamaged record holds, or why the place cannot be read. A record counts only if its
length and the checksum of its member are correct. Behind damage, reading continues at the next gzip
member whose content begins like a record, or at the next line that does. A member may hold many
records; one that is damaged then counts up to the damage.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from tempfile import TemporaryFile
from typing import BinaryIO

from verger.files.writing import temporary_files

STEP = 1 << 14
PART = 1 << 16
"""The most bytes that are unpacked at once: a member may hold a thousand times its size."""
SEARCHED = 1 << 20
"""The most bytes that are searched at once for the next record."""
MOST_READ = 2 << 20
"""The most bytes of a record, and of a member, that are in memory."""
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
class Record:
    """A record, or a damaged place.

    offset:   where it begins in the file; for one of several in a member, where the member does.
    end:      where reading continues.
    fields:   the header, with names in lower case; empty where there is nothing but line ends.
    block:    the content, up to `MOST_READ` bytes.
    length:   how many bytes the content has.
    problem:  why it cannot be read; empty for a record without damage.
    """

    offset: int
    end: int
    fields: dict[bytes, bytes]
    block: bytes = b""
    length: int = 0
    problem: str = ""


class _BadRecord(Exception):
    """Why a record cannot be read."""


def records_of(file: BinaryIO, size: int, *, packed: bool) -> Iterator[Record]:
    """Yield all records and damaged places of a file.

    packed:  whether it consists of gzip members.
    """
    at = 0
    while at < size:
        read = _records_of_member(file, at, size) if packed else [_record(file, at, size)]
        for record in read:
            at = record.end
            yield record


def _record(file: BinaryIO, at: int, size: int, holder: str = "file") -> Record:
    """Return the record that begins here, perhaps after empty lines."""
    file.seek(at)
    data = file.read(READ_AHEAD)
    blanks = _line_ends(data)
    if len(data) == READ_AHEAD and not END.search(data, blanks):
        data += file.read(LONGEST_HEADER - READ_AHEAD)
    if blanks == len(data):  # nothing at all behind what is in memory of a long member
        return Record(at, at + blanks if data else size, {})
    try:
        fields, start = _header(data, blanks)
        length = _length(fields)
        if at + start + length > size:
            raise _BadRecord(TOO_LONG[holder])
        file.seek(at + start + length)
        tail = file.read(LONGEST_TRAILER)
        rest = tail.lstrip(b"\r\n")
        if rest and not TRAILER.match(tail) and not rest.startswith(b"WARC/"[: len(rest)]):
            raise _BadRecord(TOO_SHORT[holder])
        file.seek(at + start)
        block = file.read(min(length, MOST_READ))
    except _BadRecord as why:
        return Record(at + blanks, _next_line(file, at + blanks + 1, size), {}, problem=str(why))
    end = at + start + length + len(tail) - len(rest)
    return Record(at + blanks, end, fields, block, length)


TOO_LONG = {
    "file": "the file ends within the record",
    "gzip member": "Content-Length says more than the gzip member holds",
}
TOO_SHORT = {
    "file": "Content-Length does not say where the record ends",
    "gzip member": "Content-Length says less than the gzip member holds",
}


def _line_ends(data: bytes) -> int:
    """Return how many CR and LF the data begins with."""
    found = LINE_ENDS.match(data)
    return found.end() if found else 0


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


# Members


def _records_of_member(file: BinaryIO, at: int, size: int) -> Iterator[Record]:
    """Yield the records of the member that begins here, usually one; all have the same end.

    Of a damaged member the last record does not count: nothing shows that it is complete.
    """
    data, length, end, problem = _unpacked(file, at, size)
    content: BinaryIO = BytesIO(data)
    if len(data) < length and not _is_one(content, length):
        content = _on_disk(file, at)
    with content:
        for found in _records_in(content, length):
            if problem and found.end >= length:
                break
            yield replace(found, offset=at, end=end)
    if problem or not length:
        yield Record(at, end, {}, problem=problem)


def _is_one(content: BinaryIO, length: int) -> bool:
    """Whether a member of this length holds no more than one record."""
    first = _record(content, 0, length, "gzip member")
    return not first.problem and first.end + LONGEST_TRAILER >= length


def _records_in(content: BinaryIO, length: int) -> Iterator[Record]:
    place = 0
    while place < length:
        found = _record(content, place, length, "gzip member")
        place = found.end
        yield found


def _unpacked(file: BinaryIO, at: int, size: int) -> tuple[bytes, int, int, str]:
    """Return the beginning of a member's content, its length, where reading continues, and what
    is wrong with the member.
    """
    file.seek(at)
    decoder = zlib.decompressobj(GZIP)
    parts: list[bytes] = []
    length = 0
    problem = "the file ends within a gzip member"
    try:
        for part in _parts(file, decoder):
            if length < MOST_READ:
                parts.append(part)
            length += len(part)
    except zlib.error as error:
        problem = f"broken gzip member: {str(error).rpartition(': ')[2]}"
    data = b"".join(parts)
    if decoder.eof:
        return data, length, file.tell() - len(decoder.unused_data), ""
    return data, length, _next_member(file, at + 1, size), problem


def _parts(file: BinaryIO, decoder: "zlib._Decompress") -> Iterator[bytes]:
    """Yield the content of a member in small parts, however well it is compressed.

    The file may end before the member does, which the decoder tells. Raises zlib.error.
    """
    while not decoder.eof and (raw := decoder.unconsumed_tail or file.read(STEP)):
        yield decoder.decompress(raw, PART)


def _on_disk(file: BinaryIO, at: int) -> BinaryIO:
    """Return the content of a member that is too long for memory, as far as it can be unpacked."""
    with temporary_files():
        content = TemporaryFile()  # noqa: SIM115 -- the caller closes it
    file.seek(at)
    try:
        for data in _parts(file, zlib.decompressobj(GZIP)):
            with temporary_files():
                content.write(data)
    except zlib.error:  # the caller knows
        pass
    with temporary_files():
        content.flush()
    return content


def _next_member(file: BinaryIO, at: int, size: int) -> int:
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
