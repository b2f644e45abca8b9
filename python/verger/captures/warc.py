"""WARC archives: captures of robots.txt files from the responses in an archive.

In: a WARC file, of gzip members or plain (WARC 1.1, ISO 28500:2017), such as the `robotstxt`
archives of Common Crawl. Out: batches of captures; in the report what was skipped, and where.
"""

import hashlib
import os
from base64 import b32encode
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeAlias

import pyarrow as pa

from verger._core import _is_robots_txt
from verger.captures.archives import archives_in, spooled
from verger.captures.batches import MOST_BYTES, SCHEMA, ScanReport, batches_of, moment_of
from verger.captures.http import response_of
from verger.captures.warc_records import VERSION, Record, records_of
from verger.errors import InvalidTable
from verger.fetching.decode import GZIP_MAGIC
from verger.fetching.plan import target_of
from verger.files.formats import expect_unpacked
from verger.files.paths import STANDARD, input_name
from verger.files.stdio import unbuffered_stdin
from verger.untrusted_text import quoted, unicode_text

MOST_BLOCK = MOST_BYTES + (1 << 16)
"""The most bytes of a response that are read: a body and a header."""

BUFFER = 1 << 18
"""Bytes that are read at once: hundreds of records."""

LOOKED_AT = 8
"""Bytes that show how an archive is compressed."""


def read_warc(
    source: str | os.PathLike[str] | BinaryIO,
    report: ScanReport | None = None,
    *,
    name: str | None = None,
    with_broken: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of an archive, in batches of `captures.SCHEMA`.

    source:       a path, `-` for stdin, or a seekable file; a WACZ file holds several archives.
    name:         what messages call the archive; by default its path, or its own name.
    report:       receives what was skipped, and how much was read.
    with_broken:  whether a successful response whose body cannot be decoded is a row without a
                  body, which no rules can be read from, instead of being skipped.
    Raises InvalidTable for a file that is not an archive, OSError.
    """
    with ExitStack() as at_end:
        if isinstance(source, str | os.PathLike):
            name = name or input_name(os.fspath(source))
            file: BinaryIO = _opened(os.fspath(source), at_end)
        else:
            name, file = name or str(getattr(source, "name", "archive")), source
        report = report or ScanReport()
        _size_of(name, file)
        for part, archive in archives_in(name, file, at_end, report.skip):
            packed = _is_packed(part, archive)
            records = records_of(archive, _size_of(part, archive), packed=packed)
            captures = _captures(records, part, report, with_broken=with_broken, packed=packed)
            yield from batches_of(captures, SCHEMA)


def _opened(path: str, at_end: ExitStack) -> BinaryIO:
    if path == STANDARD:
        return spooled(unbuffered_stdin("an archive"), at_end)
    return at_end.enter_context(Path(path).open("rb", buffering=BUFFER))


def expect_bytes(name: str, size: int) -> None:
    """Raise InvalidTable for an archive without any bytes, such as a failed download leaves."""
    if not size:
        why = f"{quoted(name)} is not a WARC file: it is empty, or not a plain file"
        raise InvalidTable(why, "fetch it again, or leave it out")


def _size_of(name: str, file: BinaryIO) -> int:
    try:
        size = file.seek(0, os.SEEK_END)
    except OSError as error:  # which names no file
        raise OSError(error.errno, error.strerror, name) from None
    expect_bytes(name, size)
    return size


def _is_packed(name: str, file: BinaryIO) -> bool:
    """Whether an archive consists of gzip members."""
    file.seek(0)
    begin = file.read(LOOKED_AT)
    expect_unpacked(name, begin)
    is_named = name.endswith(".gz") and not begin.startswith(b"WARC")
    return begin.startswith(GZIP_MAGIC) or is_named


Capture: TypeAlias = tuple[str, datetime | None, int | None, str | None, bytes | None]


def _captures(
    records: Iterable[Record], name: str, report: ScanReport, *, with_broken: bool, packed: bool
) -> Iterator[Capture]:
    """Yield the responses among the records of one archive.

    packed:  whether it consists of gzip members, whose checksums were compared.
    Raises InvalidTable if there is no record at all.
    """
    has_record = False
    for record in records:
        has_record = has_record or (not record.problem and bool(record.fields))
        if record.problem:
            report.skip(name, record.offset, record.problem)
        match record.fields.get(b"warc-type", b"").lower():
            case b"response":
                yield from _response(record, name, report, with_broken=with_broken, packed=packed)
            case b"revisit":
                report.revisits += 1
    if not has_record:
        raise InvalidTable(
            f"{quoted(name)} is not a WARC file: it has no record",
            "WARC files are read plain, as gzip, Zstandard or WACZ; tables as Parquet, CSV or JSON "
            "Lines",
        )


def _response(
    record: Record, name: str, report: ScanReport, *, with_broken: bool, packed: bool
) -> Iterator[Capture]:
    """Yield the response in a record, if it is one of a robots.txt file and can be read."""
    url = record.fields.get(b"warc-target-uri", b"").decode("utf-8", "replace")
    if not _is_robots_txt(url):
        url = url.strip("<> ")  # some archives have them
        if not _is_robots_txt(url):
            report.others += 1
            return
    # what begins in a record is not read: a site's file may hold one that was made up
    is_torn = b"WARC/" in record.block and VERSION.search(record.block)
    if is_torn or not (packed or _is_sealed(record)):
        report.skip(name, record.offset, TORN)
        return
    kind = record.fields.get(b"content-type", HTTP).lower()
    time = moment_of(record.fields.get(b"warc-date", b"").decode("ascii", "replace"))
    if time is None or not kind.startswith(HTTP):
        report.skip(name, record.offset, NO_TIME if time is None else NO_HTTP)
        return
    is_cut = not record.fields.keys().isdisjoint(PARTIAL) or record.length > MOST_BLOCK
    response = response_of(record.block[:MOST_BLOCK], "limit" if is_cut else "complete")
    if response.problem and not with_broken:
        report.skip(name, record.offset, response.problem)
        return
    written = response.location
    location = written and (target_of(url, written) or unicode_text(written))
    body = None if response.problem else response.body
    report.cut += body is not None and response.is_cut
    yield url, time, response.status, location, body


HTTP = b"application/http"
PARTIAL = (b"warc-truncated", b"warc-segment-number")
"""Fields of records that hold a part of a response; segments are not joined (ISO 28500:2017 section
6.8)."""
NO_TIME = "its WARC-Date is no time"
NO_HTTP = "its Content-Type is not `application/http`"
DIGESTS = {
    b"md5": hashlib.md5,
    b"sha1": hashlib.sha1,
    b"sha256": hashlib.sha256,
    b"sha512": hashlib.sha512,
}
TORN = "another record begins within the record, or it is not that of its WARC-Block-Digest"


def _is_sealed(record: Record) -> bool:
    """Whether a record is the one that its digest was made of, and not two halves that fit.

    True if it has no digest, or one that is written neither in hexadecimal nor in base 32.
    """
    name, _, written = record.fields.get(b"warc-block-digest", b"").partition(b":")
    name, written = name.lower().replace(b"-", b""), written.rstrip(b"=")
    if name not in DIGESTS or record.length > len(record.block):
        return True
    digest = DIGESTS[name](record.block, usedforsecurity=False).digest()
    made = digest.hex().encode(), b32encode(digest).rstrip(b"=").lower()
    return len(written) not in map(len, made) or written.lower() in made
