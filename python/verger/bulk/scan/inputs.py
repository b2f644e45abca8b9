"""The inputs of a scan: archives, tables, and folders of robots.txt files named by host.

In: paths. Out: the kind of each, and batches of captures. Of a table, a row of text that cannot be
read is skipped and reported with its line; a text that is not a time is an unknown time, because
archives have many of them; a row that names no site is a capture without an origin, and reported.
Of a folder, each file is a capture without time and status; everything else except hidden files is
skipped and reported.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import pyarrow as pa

from verger._core import Origin, _origins
from verger.captures import tables
from verger.captures.batches import MOST_BYTES, SCHEMA, ScanReport, batches_of
from verger.captures.warc import expect_bytes, read_warc
from verger.errors import InvalidOption, UnknownName, UnusableInput
from verger.files.addresses import open_object
from verger.files.formats import BEGINNINGS, CAPTURED, format_begun, format_by_name, input_format
from verger.files.input_errors import unreadable
from verger.files.paths import STANDARD, is_address, is_special
from verger.options import AnyPath
from verger.snapshots.stored import expect_folder, file_of, origin_of_name, origins_in
from verger.untrusted_text import counted, printable, quoted, reason_of

FOLDER = "folder"
"""The kind of an input that is a folder of files; other kinds are formats."""


def kinds_of(
    paths: Iterable[AnyPath], format: str | None = None, *, option: str = "format"
) -> list[str]:
    """Return what each input is: `folder`, or its format.

    format:  the format of all files; None if their beginnings and names tell it.
    option:  the name of the option for the format, for messages.
    Raises UnusableInput, UnknownName; InvalidOption if a name implies another format, or if there
    are only folders, which have none.
    """
    hint = f"pass `{option}` with one of: {', '.join(f'`{each}`' for each in CAPTURED)}"
    if format not in (None, *CAPTURED):
        raise UnknownName(f"{quoted(str(format))} is not a format of captures", hint)
    names = [os.fspath(path) for path in paths]
    if names.count(STANDARD) > 1:
        raise InvalidOption("stdin can be read once: `-` is given twice")
    for name in names:
        input_format(name, format, CAPTURED, option=option)
    if format is not None and names and all(map(os.path.isdir, names)):
        why = f"`{option}` is for files, and {quoted(names[0])} is a folder"
        raise InvalidOption(why, "leave it out")
    return [_kind_of(name, format, hint) for name in names]


def _kind_of(path: str, format: str | None, hint: str) -> str:
    if path == STANDARD:
        if format in (None, "warc"):
            return "warc"
        why = f"of captures, stdin may hold a WARC archive, not {format}"
        raise UnusableInput(why, "pass the path of the file")
    if is_address(path):
        with open_object(path) as file:
            size, begun = file.size, BEGINNINGS.get(file.read(4))
        return _expected(path, format, begun, size, hint)
    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            _files_by_origin(path)
            return FOLDER
        begun = None if format or is_special(path) else format_begun(path)
    except OSError as error:
        raise unreadable(path, error) from None
    return _expected(path, format, begun, status.st_size, hint)


def _expected(path: str, format: str | None, begun: str | None, size: int, hint: str) -> str:
    """Return the kind of a file by what was said, how it begins, or its name."""
    found = format or (begun if begun == "parquet" else format_by_name(path))
    if found not in CAPTURED:
        raise UnknownName(f"the name of {quoted(path)} does not say its format", hint)
    if found == "warc":
        expect_bytes(path, size)  # now, not after hours of other archives
    return found


def captures_of(
    inputs: Sequence[tuple[AnyPath, str]], report: ScanReport, columns: Mapping[str, str]
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of file after file; each path has its kind."""
    for path, kind in inputs:
        match kind:
            case "folder":
                yield from read_folder(path, report)
            case "warc":
                yield from read_warc(path, report)
            case _:
                yield from read_table(path, kind, columns, report)


def read_table(
    path: AnyPath, format: str, columns: Mapping[str, str], report: ScanReport
) -> Iterator[pa.RecordBatch]:
    """Yield the captures of a table: Parquet, CSV or JSON Lines. Raises InvalidTable."""
    skip = partial(report.skip, os.fspath(path))
    nameless = 0
    for batch in tables.read_table(path, format, tables.CAPTURES, columns=columns, on_skip=skip):
        sites = pa.table(_origins(batch, "url", with_hosts=True))
        nameless += sites.column("origin").null_count
        yield batch
    if nameless:
        verb, whose = ("names", "its") if nameless == 1 else ("name", "their")
        why = f"{counted(nameless, 'row')} {verb} no site: {whose} `origin` is null"
        skip(None, why, nameless)


# Folders


def _files_by_origin(folder: str) -> dict[str, str]:
    """Return the origin of each robots.txt file in a folder, by the path of the file.

    Raises UnusableInput if there are none; OSError.
    """
    expect_folder(folder)
    found = ((file_of(folder, Origin(origin)), origin) for origin in origins_in(folder))
    files = {file: origin for file, origin in found if file is not None}
    if not files:
        shown = printable(folder)
        hint = f"pass the archives or tables in it: `{shown}/*.warc.gz`"
        raise UnusableInput(f"`{shown}` holds no robots.txt files named by host", hint)
    return files


def read_folder(path: AnyPath, report: ScanReport) -> Iterator[pa.RecordBatch]:
    """Yield the files of a folder, by origin. Raises UnusableInput, OSError."""
    return batches_of(_files_of(os.fspath(path), report), SCHEMA)


def _files_of(folder: str, report: ScanReport) -> Iterator[tuple[object, ...]]:
    files = _files_by_origin(folder)
    for name in sorted(os.listdir(folder)):  # noqa: PTH208
        file = os.path.join(folder, name)  # noqa: PTH118
        if file not in files and not name.startswith("."):
            report.skip(file, None, _why_not(file, name))
    for file, origin in files.items():
        try:
            with open(file, "rb") as opened:  # noqa: PTH123
                body = opened.read(MOST_BYTES + 1)
        except OSError as error:
            report.skip(file, None, reason_of(error))
            continue
        report.cut += len(body) > MOST_BYTES
        is_cut = len(body) > MOST_BYTES or None
        yield f"{origin}/robots.txt", None, None, None, is_cut, body[:MOST_BYTES]


def _why_not(file: str, name: str) -> str:
    if format_by_name(name) in CAPTURED:
        return "it is named as an archive or a table: pass it by itself"
    if not os.path.isfile(file):  # noqa: PTH113
        return "it is not a file that can be read"
    if origin_of_name(name) is None:
        return "it is not named by a host"
    return "another file of the same host comes first"
