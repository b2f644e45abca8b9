"""WARC archives: captures of robots.txt files from the responses in an archive.

In: a WARC file, of gzip members or plain (WARC 1.1, ISO 28500:2017), such as the `robotstxt`
archives of Common Crawl. Out: batches of captures; in the report what was skipped, and where.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, TypeAlias
from urllib.parse import urljoin

import pyarrow as pa

from verger._core import _is_robots_txt
from verger.captures.archives import archives_in, spooled
from verger.captures.batches import MOST_BYTES, SCHEMA, ScanReport, batches_of, moment_of
from verger.captures.http import response_of
from verger.captures.warc_records import Record, records_of
from verger.errors import InvalidTable
from verger.fetching.decode import GZIP_MAGIC
from verger.files.formats import expect_unpacked
from verger.files.paths import STANDARD, input_name
from verger.files.stdio import unbuffered_stdin
from verger.plain import quoted

MOST_BLOCK = MOST_BYTES + (1 << 16)
"""The most bytes of a response that are read: a body and a header."""

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
            records = records_of(archive, _size_of(part, archive), packed=_is_packed(part, archive))
            captures = _captures(records, part, report, with_broken=with_broken)
            yield from batches_of(captures, SCHEMA)


def _opened(path: str, at_end: ExitStack) -> BinaryIO:
    if path == STANDARD:
        return spooled(unbuffered_stdin("an archive"), at_end)
    return at_end.enter_context(Path(path).open("rb", buffering=0))


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
    records: Iterable[Record], name: str, report: ScanReport, *, with_broken: bool
) -> Iterator[Capture]:
    """Yield the responses among the records of one archive.

    Raises InvalidTable if there is no record at all.
    """
    has_record = False
    for record in records:
        has_record = has_record or (not record.problem and bool(record.fields))
        if record.problem:
            report.skip(name, record.offset, record.problem)
        match record.fields.get(b"warc-type", b"").lower():
            case b"response":
                yield from _response(record, name, report, with_broken=with_broken)
            case b"revisit":
                report.revisits += 1
    if not has_record:
        raise InvalidTable(
            f"{quoted(name)} is not a WARC file: it has no record",
            "WARC files are read plain, as gzip, Zstandard or WACZ; tables as Parquet, CSV or JSON "
            "Lines",
        )


def _response(
    record: Record, name: str, report: ScanReport, *, with_broken: bool
) -> Iterator[Capture]:
    """Yield the response in a record, if it is one of a robots.txt file and can be read."""
    url = record.fields.get(b"warc-target-uri", b"").decode("utf-8", "replace")
    if not _is_robots_txt(url):
        url = url.strip("<> ")  # some archives have them
        if not _is_robots_txt(url):
            report.others += 1
            return
    time = record.fields.get(b"warc-date", b"").decode("ascii", "replace")
    is_whole = b"warc-truncated" not in record.fields and record.length <= MOST_BLOCK
    response = response_of(record.block[:MOST_BLOCK], is_whole=is_whole)
    if response.problem and not with_broken:
        report.skip(name, record.offset, response.problem)
        return
    location = None if response.location is None else _against(url, response.location)
    body = None if response.problem else response.body
    report.cut += body is not None and response.is_cut
    yield url, moment_of(time), response.status, location, body


def _against(url: str, location: str) -> str:
    """Return where a redirect leads."""
    if location.startswith(("https://", "http://")):
        return location
    try:
        return urljoin(url, location)
    except ValueError:  # brackets without an address
        return location
