"""WARC archives: captures of robots.txt files from the responses in an archive.

In: a WARC file, of gzip members or plain (WARC 1.1, ISO 28500:2017), such as the `robotstxt`
archives of Common Crawl. Out: batches of captures; in the report what was skipped, and where.

Members with one ordinary record each are read natively, plain archives by FastWARC. Where one of
them stops, and for the last record from FastWARC, which it may not have read to the end, the exact
walk of `walk.py` takes over until it is past the damage.
"""

import os
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO, TypeAlias
from urllib.parse import urljoin

import pyarrow as pa

from verger._core import _is_robots_txt
from verger.captures.batches import MOST_BYTES, ResponseBatch
from verger.captures.http import Response, response_of
from verger.captures.report import ScanReport
from verger.captures.walk import (
    MEMBER,
    Damage,
    WarcRecord,
    holds_many,
    next_member,
    records_at,
    unpacked,
)
from verger.errors import InvalidTable, MissingExtra
from verger.files.formats import expect_unpacked
from verger.files.writing import temporary_files
from verger.plain import quoted

Reading: TypeAlias = Generator[pa.RecordBatch, None, int]
"""Batches, and at the end the offset where reading continues."""

MOST_BLOCK = MOST_BYTES + (1 << 16)
"""The most bytes of a response that are read: a body and a header."""

AHEAD = 2 << 20
"""Bytes that are read at once; a longer member is left to the exact walk."""

PATIENCE = 64
"""Records that the exact walk reads without damage before a faster reader tries again."""

LOOKED_AT = 8
"""Bytes that show how an archive is compressed."""

NO_RESPONSE = Response(None)

BEGINNINGS = 2
"""Members that are checked for more than one record."""


def read_warc(
    source: str | os.PathLike[str] | BinaryIO,
    report: ScanReport | None = None,
    *,
    with_broken: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of an archive, in batches of `captures.SCHEMA`.

    source:       a path, or a seekable file.
    report:       receives what was skipped, and how much was read.
    with_broken:  whether a successful response whose body cannot be decoded is a row without a
                  body, which no rules can be read from, instead of being skipped.
    Raises InvalidTable for a file that is not an archive, MissingExtra for a plain archive without
    FastWARC, OSError.
    """
    report = ScanReport() if report is None else report
    with ExitStack() as at_end:
        if isinstance(source, str | os.PathLike):
            name = os.fspath(source)
            file: BinaryIO = at_end.enter_context(Path(name).open("rb", buffering=0))
        else:
            name, file = str(getattr(source, "name", "archive")), source
        yield from _Archive(name, file, report, with_broken=with_broken).batches(at_end)


def expect_bytes(name: str, size: int) -> None:
    """Raise InvalidTable for an archive without any bytes, such as a failed download leaves."""
    if not size:
        why = f"{quoted(name)} is not a WARC file: it is empty, or not a plain file"
        raise InvalidTable(why, "fetch it again, or leave it out")


class _Archive:
    """One archive that is being read."""

    def __init__(self, name: str, file: BinaryIO, report: ScanReport, *, with_broken: bool) -> None:
        self._name = name
        self._with_broken = with_broken
        self._file = file
        self._report = report
        self._batch = ResponseBatch()
        try:
            self._size = file.seek(0, os.SEEK_END)
        except OSError as error:  # which names no file
            raise OSError(error.errno, error.strerror, name) from None
        self._packed = False
        self._good = False
        """Whether there was a record without damage."""

    def batches(self, at_end: ExitStack) -> Iterator[pa.RecordBatch]:
        """Yield all captures."""
        self._look(at_end)
        at, most = 0, 1
        while at < self._size:
            begin = at
            at = yield from (self._packed_fast(at) if self._packed else self._plain_fast(at))
            # Where a fast reader reads nothing, it is tried less and less often.
            most = 1 if at > begin else 2 * most
            at = yield from self._exact(at, most)
        if self._batch:
            yield self._batch.take()
        if not self._good:
            raise InvalidTable(
                f"{quoted(self._name)} is not a WARC file: it has no record",
                "WARC files are read plain or as gzip; tables as Parquet, CSV or JSON Lines",
            )

    def _look(self, at_end: ExitStack) -> None:
        """Detect the kind of archive; unpack one whose members have many records."""
        expect_bytes(self._name, self._size)
        self._file.seek(0)
        begin = self._file.read(LOOKED_AT)
        expect_unpacked(self._name, begin)
        self._packed = begin.startswith(MEMBER[:2]) or (
            self._name.endswith(".gz") and not begin.startswith(b"WARC")
        )
        if self._packed and self._holds_many():
            self._file = _unpack(self._name, self._file, self._size, self._report, at_end)
            self._size = self._file.seek(0, os.SEEK_END)
            self._packed = False

    def _holds_many(self) -> bool:
        """Whether one of the first members has more than one record."""
        at = 0
        for _ in range(BEGINNINGS):
            if at >= self._size:
                return False
            many, at = holds_many(self._file, at, self._size)
            if many:
                return True
        return False

    def _packed_fast(self, at: int) -> Reading:
        """Yield the ordinary records of gzip members; return where the exact walk takes over."""
        native, records = self._batch.native, self._batch.native.records
        data, begin, start = b"", at, 0
        while True:
            revisits = native.revisits
            start, why, odd = native.read(data, start)
            self._report.revisits += native.revisits - revisits
            self._good = self._good or native.records > records
            match why:
                case "full":
                    yield self._batch.take()
                case "response" if odd is not None:
                    if self._take_odd(begin + start - odd[0], *odd[1:]):
                        yield self._batch.take()
                case "more" if begin + len(data) < self._size and len(data) - start < AHEAD:
                    begin += start
                    self._file.seek(begin + len(data) - start)
                    data, start = data[start:] + self._file.read(AHEAD), 0
                case _:
                    return begin + start

    def _take_odd(
        self, offset: int, url: str, time: str | None, is_cut: bool, block: bytes
    ) -> bool:
        is_whole = not is_cut and len(block) <= MOST_BLOCK
        response = response_of(block[:MOST_BLOCK], is_whole=is_whole)
        return self._take(offset, url, time, response)

    def _plain_fast(self, at: int) -> Reading:
        """Yield what FastWARC reads from an offset; return where the exact walk takes over."""
        iterate, wanted, is_response, is_revisit = _fastwarc()
        self._file.seek(at)
        url: str | None = None
        time, response, is_revisited = "", NO_RESPONSE, False
        try:
            for record in iterate(self._file, wanted, parse_http=False):
                # A next record shows that the one before was complete.
                if url is not None:
                    self._good = True
                    if self._take(at, url, time, response):
                        yield self._batch.take()
                    url = None
                self._report.revisits += is_revisited
                is_revisited = False
                headers, at = record.headers, record.stream_pos
                if record.record_type is not is_response:
                    if record.record_type is not is_revisit:
                        return at
                    is_revisited = True
                    continue
                block = record.reader.read(MOST_BLOCK)
                if len(block) != record.content_length:
                    return at
                time = headers.get("WARC-Date")
                response = response_of(block)
                if response.problem and headers.get("WARC-Truncated") is not None:
                    response = response_of(block, is_whole=False)
                url = headers.get("WARC-Target-URI") or ""
        except (OSError, ValueError):  # the exact walk says what is wrong, and where
            pass
        return at

    def _exact(self, at: int, most: int) -> Reading:
        """Yield all records from an offset; return where the fast reader may try again.

        most:  how many damaged places to pass.
        """
        patience = PATIENCE
        while patience > 0 and most > 0 and at < self._size:
            end = at
            for item in records_at(self._file, at, self._size, packed=self._packed):
                end = item.end
                if isinstance(item, Damage):
                    self._report.skip(self._name, item.offset, item.why)
                    most -= 1
                    continue
                self._good = True
                if self._take_record(item):
                    yield self._batch.take()
                patience -= 1
            at = end
        return at

    def _take_record(self, record: WarcRecord) -> bool:
        fields = record.fields
        match fields.get(b"warc-type", b"").lower():
            case b"response":
                url = fields.get(b"warc-target-uri", b"").decode("utf-8", "replace")
                time = fields.get(b"warc-date", b"").decode("ascii", "replace")
                is_whole = b"warc-truncated" not in fields and record.length <= MOST_BLOCK
                response = response_of(record.block[:MOST_BLOCK], is_whole=is_whole)
                return self._take(record.offset, url, time, response)
            case b"revisit":
                self._report.revisits += 1
        return False

    def _take(self, offset: int, url: str, time: str | None, response: Response) -> bool:
        """Add a response to the batch; return whether it is full."""
        if not _is_robots_txt(url):
            url = url.strip("<> ")  # some archives have them
            if not _is_robots_txt(url):
                self._report.others += 1
                return False
        location = response.location
        if location is not None:
            location = _against(url, location)
        elif response.problem and self._with_broken:
            return self._batch.add(url, time, response.status, None, None)
        elif response.problem:
            self._report.skip(self._name, offset, response.problem)
            return False
        elif response.is_cut:
            self._report.cut += 1
        return self._batch.add(url, time, response.status, location, response.body)


def _against(url: str, location: str) -> str:
    if location.startswith(("https://", "http://")):
        return location
    try:
        return urljoin(url, location)
    except ValueError:  # brackets without an address
        return location


def _unpack(
    name: str, packed: BinaryIO, size: int, report: ScanReport, at_end: ExitStack
) -> BinaryIO:
    """Return the content of all members as one file on disk."""
    import zlib

    with temporary_files():
        plain = at_end.enter_context(TemporaryFile())  # noqa: SIM115 -- closed at the end
    at = 0
    while at < size:
        packed.seek(at)
        decoder = zlib.decompressobj(zlib.MAX_WBITS | 16)
        try:
            for data in unpacked(packed, decoder):
                with temporary_files():
                    plain.write(data)
            if not decoder.eof:
                report.skip(name, at, "the file ends within a gzip member")
                return plain
            at = packed.tell() - len(decoder.unused_data)
        except zlib.error as error:
            report.skip(name, at, f"broken gzip member: {str(error).rpartition(': ')[2]}")
            at = next_member(packed, at + 1, size)
    return plain


def _fastwarc() -> tuple[Callable[..., Iterator[Any]], object, object, object]:
    """Return the reader of records, the wanted types, and those of responses and revisits."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        raise MissingExtra.named("warc", "reading WARC files") from None
    response, revisit = WarcRecordType.response, WarcRecordType.revisit
    return ArchiveIterator, response | revisit, response, revisit
