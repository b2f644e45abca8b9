"""WARC archives: captures of robots.txt files from the responses in an archive.

In: a WARC file, of gzip members or plain (WARC 1.1, ISO 28500:2017), such as the `robotstxt`
archives of Common Crawl. Out: batches of captures; in the report what was skipped, and where.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import BinaryIO

import pyarrow as pa

from verger._core import _ArchiveReader
from verger.captures.archives import archives_in, spooled
from verger.captures.batches import MOST_BYTES, ScanReport, batches_from, moment_of
from verger.errors import InvalidTable
from verger.fetching.decode import Decoded, Ended, file_in, without_codings
from verger.fetching.limits import LEAST_BODY
from verger.fetching.plan import target_of
from verger.files.addresses import open_input
from verger.files.formats import GZIP, expect_unpacked
from verger.files.paths import STANDARD, input_name
from verger.files.stdio import unbuffered_stdin
from verger.files.writing import unusable_temporary_files
from verger.untrusted_text import quoted, unicode_text

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
        report.bytes += _size_of(name, file)
        for part, archive in archives_in(name, file, at_end, report.skip):
            yield from _captures(part, archive, report, with_broken=with_broken)


def _opened(path: str, at_end: ExitStack) -> BinaryIO:
    if path == STANDARD:
        return spooled(unbuffered_stdin("an archive"), at_end)
    return at_end.enter_context(open_input(path))


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
    return begin.startswith(GZIP) or is_named


def _captures(
    name: str, archive: BinaryIO, report: ScanReport, *, with_broken: bool
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of one archive. Raises InvalidTable if there is no record at all."""
    packed, size = _is_packed(name, archive), _size_of(name, archive)
    asked: dict[str, Callable[..., object]] = {**ASKED, "skip": partial(report.skip, name)}
    reader = _ArchiveReader(archive, size, asked, packed=packed, with_broken=with_broken)
    for captures, revisits, others, cut in reader:
        report.revisits += revisits
        report.others += others
        report.cut += cut
        yield from batches_from(captures)
    if not reader.has_record:
        raise InvalidTable(
            f"{quoted(name)} is not a WARC file: it has no record",
            "WARC files are read plain, as gzip, Zstandard or WACZ; tables as Parquet, CSV or JSON "
            "Lines",
        )


# What the reader asks of Python, each rarely


def _moment(written: bytes) -> int | None:
    """Return the microseconds since the epoch of a time that is not written as in most archives."""
    time = moment_of(written.decode("ascii", "replace"))
    return None if time is None else (time - EPOCH) // timedelta(microseconds=1)


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _target(url: str, written: bytes) -> str:
    """Return where a redirect leads, as written if that is not a URL."""
    location = written.decode("utf-8", "surrogateescape")
    return target_of(url, location) or unicode_text(location)


def _file(status: int, written: list[tuple[str, bytes]], body: bytes, ended: Ended) -> Decoded:
    """Return the file in the body of a success, which may be coded, cut off, or too short."""
    fields = [(name, value.decode("utf-8", "surrogateescape")) for name, value in written]
    told = without_codings(fields, body)  # some archives keep them but decode the body
    return file_in(status, told, body, ended, limit=MOST_BYTES, enough=LEAST_BODY)


ASKED: dict[str, Callable[..., object]] = {
    "moment": _moment,
    "target": _target,
    "file": _file,
    "no_room": unusable_temporary_files,
}
