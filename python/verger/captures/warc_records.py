"""The records of an archive, and its damaged places.

In: a WARC file (WARC 1.1, ISO 28500:2017), of gzip members or plain. Out: one `Record` after the
other: what an undamaged record holds, or why the place cannot be read. A record counts only if it
begins with a version, has each field that must be there once, ends where its length says, with two
line ends, and the checksum of its member is correct. Behind damage, reading continues at the next
gzip member whose content begins like a record, or at the next version, which may stand in the
middle of a line: a program that was killed leaves half a record, and the next one goes on behind
it. A member may hold many records; one that the file cuts off counts up to its last whole record.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
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
LONGEST_MARK = 64
"""The most bytes of a line that begins a record, so far as it tells one from others."""
LONGEST_TRAILER = 16
"""The most bytes of line ends after a record: more bytes are another record."""

GZIP = zlib.MAX_WBITS | 16
MEMBER = re.compile(rb"\x1f\x8b\x08")
VERSION = re.compile(rb"WARC/[01]\.\d+[ \t]*\r?\n")
"""How a record begins. Behind damage, each of these is tried in turn, wherever it stands."""
END = re.compile(rb"\n\r?\n")
"""The end of a header. It is looked for up to the next version: nothing looks at the bytes behind
that, so that time is linear however dense the damage is."""
FIELDS = re.compile(rb"(?:\n[!#$%&'*+.^_`|~0-9A-Za-z-]+[ \t]*:[^\0\n]*)+\Z")
"""The lines of a header below the version (ISO 28500:2017 section 4)."""
TRAILER = re.compile(rb"\r?\n\r?\n")

MANDATORY = {
    b"warc-type": "WARC-Type",
    b"warc-record-id": "WARC-Record-ID",
    b"warc-date": "WARC-Date",
    b"content-length": "Content-Length",
}
"""What every record has (ISO 28500:2017 section 5.1), in lower case and as it is written."""
ONCE = frozenset((*MANDATORY, b"warc-target-uri", b"warc-truncated", b"warc-block-digest"))
"""Fields that are read, and stand once (section 5.1); some programs repeat others."""


CUT_OFF = "the file ends within a gzip member"


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
    if not packed:
        yield from _records_in(file, size, "file")
        return
    at = 0
    while at < size:
        for record in _records_of_member(file, at, size):
            at = record.end
            yield record


def _records_in(file: BinaryIO, size: int, holder: str) -> Iterator[Record]:
    """Yield the records of a plain file, or of the content of a member."""
    at = 0
    while at < size:
        record = _record(file, at, size, holder)
        at = record.end
        yield record


def _record(file: BinaryIO, at: int, size: int, holder: str) -> Record:
    """Return the record that begins here, perhaps after empty lines."""
    file.seek(at)
    data = file.read(READ_AHEAD)
    blanks = len(data) - len(data.lstrip(b"\r\n"))
    has_end = VERSION.search(data, blanks + 1) or END.search(data, blanks)
    if len(data) == READ_AHEAD and not has_end:
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
        # the checksum of a member tells its end as well
        if not TRAILER.match(tail) and (rest or holder == "file"):
            raise _BadRecord(TOO_SHORT[holder])
        file.seek(at + start)
        block = file.read(min(length, MOST_READ))
    except _BadRecord as why:
        behind = next(_found(VERSION, file, at + blanks + 1, size), size)
        return Record(at + blanks, behind, {}, problem=str(why))
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


def _header(data: bytes, start: int) -> tuple[dict[bytes, bytes], int]:
    """Return the fields of a record's header, and where its content begins."""
    if not VERSION.match(data, start):
        raise _BadRecord("no WARC record begins here")
    other = VERSION.search(data, start + 1, start + LONGEST_HEADER)
    found = END.search(data, start, other.start() if other else start + LONGEST_HEADER)
    if found is None:
        raise _BadRecord("the header of the record has no end")
    text = data[start : found.start()].replace(b"\r", b"")
    text = text.replace(b"\n ", b" ").replace(b"\n\t", b" ")  # lines may be folded
    version, *lines = text.split(b"\n")
    if not FIELDS.match(text, len(version)):
        raise _BadRecord("a line of the record's header is no field")
    pairs = [line.partition(b":") for line in lines]
    fields = {name.rstrip().lower(): value.strip() for name, _, value in pairs}
    if len(fields) < len(pairs):
        _expect_once([name.rstrip().lower() for name, _, _ in pairs])
    if lacking := [shown for name, shown in MANDATORY.items() if not fields.get(name)]:
        raise _BadRecord(f"the record has no {lacking[0]}")
    return fields, found.end()


def _expect_once(names: list[bytes]) -> None:
    if twice := [name for name, number in Counter(names).items() if number > 1 and name in ONCE]:
        raise _BadRecord(f"the record has a second `{twice[0].decode()}`")


def _length(fields: dict[bytes, bytes]) -> int:
    written = fields.get(b"content-length", b"")
    if not written.isdigit() or len(written) > 18:
        raise _BadRecord("the record has no Content-Length that is a number")
    return int(written)


def _found(mark: re.Pattern[bytes], file: BinaryIO, at: int, size: int) -> Iterator[int]:
    """Yield where a mark of up to `LONGEST_MARK` bytes stands in the rest of a file; a place at the
    end of what is searched at once may be yielded twice."""
    searched = READ_AHEAD
    while at < size:
        file.seek(at)
        raw = file.read(searched)
        yield from (at + found.start() for found in mark.finditer(raw))
        if len(raw) < searched:
            break
        at += len(raw) - LONGEST_MARK
        searched = min(2 * searched, SEARCHED)


# Members


def _records_of_member(file: BinaryIO, at: int, size: int) -> Iterator[Record]:
    """Yield the records of the member that begins here, usually one; all have the same end.

    Of a damaged member no record counts: nothing shows which are sound. If the file ends within the
    member, only its last one does not, which may be incomplete.
    """
    content: BinaryIO = BytesIO()
    length, end, problem = _unpack(file, at, content, MOST_READ)
    if problem:
        end = next(filter(partial(_holds_record, file), _found(MEMBER, file, at + 1, size)), size)
    if content.tell() < length and not _is_one(content, length):
        content = _on_disk(file, at, length)
    with content:
        for found in _records_in(content, length, "gzip member"):
            is_unsure = found.end >= length or problem != CUT_OFF or end < size
            if problem and is_unsure:
                break
            yield Record(at, end, found.fields, found.block, found.length, found.problem)
    if problem or not length:
        yield Record(at, end, {}, problem=problem)


def _is_one(content: BinaryIO, length: int) -> bool:
    """Whether a member of this length holds no more than one record."""
    first = _record(content, 0, length, "gzip member")
    return not first.problem and first.end + LONGEST_TRAILER >= length


def _unpack(file: BinaryIO, at: int, content: BinaryIO, most: int) -> tuple[int, int, str]:
    """Write the content of a member; return its length, where it ends, and what is wrong with it.

    most:  after so many bytes, nothing more is written.
    It is unpacked in small parts, however well it is compressed.
    """
    file.seek(at)
    decoder = zlib.decompressobj(GZIP)
    length = 0
    problem = CUT_OFF
    try:
        while not decoder.eof and (raw := decoder.unconsumed_tail or file.read(STEP)):
            part = decoder.decompress(raw, PART)
            if length < most:
                with temporary_files():
                    content.write(part)
            length += len(part)
    except zlib.error as error:
        problem = f"broken gzip member: {str(error).rpartition(': ')[2]}"
    if decoder.eof:
        problem = ""
    return length, file.tell() - len(decoder.unused_data), problem


def _on_disk(file: BinaryIO, at: int, length: int) -> BinaryIO:
    """Return the content of a member that is too long for memory, as far as it can be unpacked."""
    with temporary_files():
        content = TemporaryFile()  # noqa: SIM115 -- the caller closes it
    _unpack(file, at, content, length)
    with temporary_files():
        content.flush()
    return content


def _holds_record(file: BinaryIO, at: int) -> bool:
    """Whether a member begins here whose content begins like a record."""
    file.seek(at)
    try:
        begin = zlib.decompressobj(GZIP).decompress(file.read(4_096), 64)
    except zlib.error:
        return False
    return VERSION.match(begin.lstrip(b"\r\n")) is not None
