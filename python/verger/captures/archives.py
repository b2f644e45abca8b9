"""Archives in other packings: WARC compressed with Zstandard, WACZ, and stdin.

In: the bytes of a file. Out: plain files of WARC, or of gzip members, each with its name. They are
unpacked to temporary files without names: records are found by their places. The dictionary of an
archive is its first frame, a skippable one (IIPC, Zstandard Compression for WARC Files 1.0); WACZ
is a zip of archives (Webrecorder, Web Archive Collection Zipped 1.1.1), whose indexes are not read.
What unpacks to absurdly much is refused before it fills a disk.
"""

import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from verger.errors import InvalidTable, MissingExtra, UnusableOutput
from verger.fetching.decode import zstd_module
from verger.files.formats import ZIP, ZSTD
from verger.files.input_errors import damaged
from verger.files.writing import temporary_files
from verger.untrusted_text import quoted

DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
FRAME = re.compile(re.escape(ZSTD) + rb"|[\x50-\x5f]\x2a\x4d\x18")
"""The beginning of a frame; skippable ones have sixteen (RFC 8878 section 3.1.2)."""
STEP = 1 << 16
LARGEST_DICTIONARY = 64 << 20
TIMES = 256
"""How many times its size an archive may hold, where it is more than `ALWAYS`; records have names
and digests of their own, which hardly compress."""
CUT_OFF = "the file ends within a Zstandard frame"
ALWAYS = 1 << 30
"""Bytes that an archive of any size may hold."""

OnSkip = Callable[[str, int, str], None]


def archives_in(
    name: str, file: BinaryIO, at_end: ExitStack, skip: OnSkip
) -> Iterator[tuple[str, BinaryIO]]:
    """Yield the archives in a file: usually itself.

    at_end:  closes the files.
    skip:    receives the name, the place of a frame that cannot be unpacked, and why.
    Raises InvalidTable.
    """
    if _begin(file, 0).startswith(ZIP):
        yield from _members(name, file, at_end, skip)
    else:
        yield name, _plain(name, file, at_end, skip)


def _plain(name: str, file: BinaryIO, at_end: ExitStack, skip: OnSkip) -> BinaryIO:
    if not FRAME.match(_begin(file, 0)):
        return file
    with MissingExtra.unless_installed("warc", "reading Zstandard"):
        zstd = zstd_module()
    return _unpacked(zstd, name, file, at_end, skip)


def spooled(source: Any, at_end: ExitStack) -> BinaryIO:
    """Return what a stream holds, as a file that can be read at any place."""
    file = _temporary(at_end)
    while data := source.read(STEP):
        with temporary_files():
            file.write(data)
    with temporary_files():
        file.flush()
    return file


def _temporary(at_end: ExitStack) -> BinaryIO:
    with temporary_files():
        file = TemporaryFile(prefix="verger-")  # noqa: SIM115
    return at_end.enter_context(file)


def _members(
    name: str, file: BinaryIO, at_end: ExitStack, skip: OnSkip
) -> Iterator[tuple[str, BinaryIO]]:
    try:
        whole = at_end.enter_context(zipfile.ZipFile(file))
        if min((each.header_offset for each in whole.infolist()), default=0):
            why = f"{quoted(name)} begins with something else than its first member"
            raise InvalidTable(why, "are these two files in one? pass each by itself")
        found = [
            each
            for each in whole.infolist()
            if each.filename.lower().startswith("archive/")
            and each.filename.lower().endswith((".warc", ".warc.gz", ".warc.zst"))
        ]
        if not found:
            why = f"{quoted(name)} is not a WACZ file: it holds no `archive/*.warc.gz`"
            raise InvalidTable(why, "unpack it, and pass the archives in it")
        for each in found:
            inner = f"{name}/{each.filename}"
            _expect_readable(inner, each)
            with ExitStack() as at_end_of_one, whole.open(each) as member:
                # not a zip in it: that may hold itself
                yield inner, _plain(inner, spooled(member, at_end_of_one), at_end_of_one, skip)
    except (InvalidTable, UnusableOutput):  # with hints of their own
        raise
    except (zipfile.BadZipFile, RuntimeError, EOFError, OSError, ValueError, zlib.error) as error:
        raise damaged(name, error) from None


def _expect_readable(name: str, member: zipfile.ZipInfo) -> None:
    """Refuse what is encrypted, compressed in another way, or absurdly large. Raises InvalidTable.

    No more than the size that it names is unpacked.
    """
    is_known = member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    if not is_known or member.flag_bits & 1:
        why = f"{quoted(name)} is encrypted, or compressed in a way that is not read"
        raise InvalidTable(why, "unpack the file, and pass the archives in it")
    _expect_size(name, member.file_size, member.compress_size)


def _expect_size(name: str, size: int, packed: int) -> None:
    if size > max(ALWAYS, TIMES * packed):
        why = f"{quoted(name)} unpacks to more than {TIMES} times its size"
        raise InvalidTable(why, "if that is right, unpack it, and pass what is in it")


def _unpacked(zstd: Any, name: str, file: BinaryIO, at_end: ExitStack, skip: OnSkip) -> BinaryIO:
    dictionary, at = _dictionary(zstd, name, file)
    plain, problem = _temporary(at_end), ""
    while begin := _begin(file, at):
        if begin.startswith(ZSTD):
            _expect_dictionary(zstd, name, begin, dictionary)
        whole = plain.tell()
        end, problem = _unpack(zstd, name, file, at, plain, dictionary)
        if problem:
            skip(name, at, problem)
            end = _next_frame(file, at + 1)
        if problem and (problem != CUT_OFF or _begin(file, end)):  # no byte of it is sure
            plain.seek(whole)
            plain.truncate()
        at = end
    if problem and not plain.tell():
        raise damaged(name, ValueError(problem))
    with temporary_files():
        plain.flush()
    return plain


def _begin(file: BinaryIO, at: int) -> bytes:
    file.seek(at)
    return file.read(18)  # the longest header of a frame (RFC 8878 section 3.1.1.1)


def _dictionary(zstd: Any, name: str, file: BinaryIO) -> tuple[Any, int]:
    """Return the dictionary of an archive, if it has one, and where its frames begin."""
    head = _begin(file, 0)
    if not head.startswith(DICTIONARY_MAGIC):
        return None, 0
    size = int.from_bytes(head[4:8], "little")
    file.seek(8)
    data = file.read(min(size, LARGEST_DICTIONARY + 1))
    try:
        if len(data) < size or size > LARGEST_DICTIONARY:
            raise ValueError("its dictionary is cut off, or too large")
        if data.startswith(ZSTD):
            data = zstd.ZstdDecompressor().decompress(data, LARGEST_DICTIONARY)
        return zstd.ZstdDict(data), 8 + size
    except (zstd.ZstdError, ValueError) as error:
        raise damaged(name, error) from None


def _expect_dictionary(zstd: Any, name: str, begin: bytes, dictionary: Any) -> None:
    """Refuse a frame that needs a dictionary which the archive has not. Raises InvalidTable."""
    try:
        number = zstd.get_frame_info(begin).dictionary_id
    except zstd.ZstdError:
        return  # a damaged frame
    if number and (dictionary is None or dictionary.dict_id != number):
        why = f"{quoted(name)} needs the dictionary {number}, which it does not hold"
        hint = "unpack it first: `zstd -dc -D DICTIONARY`"
        raise InvalidTable(why, hint)


def _unpack(
    zstd: Any, name: str, file: BinaryIO, at: int, plain: BinaryIO, dictionary: Any
) -> tuple[int, str]:
    """Write the content of a frame; return where it ends, and what is wrong with it."""
    file.seek(at)
    decoder = zstd.ZstdDecompressor(dictionary)
    try:
        while not decoder.eof:
            raw = file.read(STEP) if decoder.needs_input else b""
            if decoder.needs_input and not raw:
                return file.tell(), CUT_OFF
            part = decoder.decompress(raw, STEP)
            with temporary_files():
                plain.write(part)
            _expect_size(name, plain.tell(), file.tell())
    except zstd.ZstdError as error:
        return file.tell(), f"broken Zstandard frame: {error}"
    return file.tell() - len(decoder.unused_data), ""


def _next_frame(file: BinaryIO, at: int) -> int:
    """Return where the next frame may begin; the end of the file if there is none."""
    file.seek(at)
    kept = b""
    while raw := file.read(STEP):
        data = kept + raw
        if (found := data.find(ZSTD)) >= 0:
            return file.tell() - len(data) + found
        kept = data[-3:]
    return file.tell()
