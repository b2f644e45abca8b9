"""Folders of robots.txt files named by host, as captures.

In: the path of a folder. Out: batches of captures, which have no times: each file is a success, as
it is to every command that reads such a folder. What has another name, or cannot be read, is
skipped and reported.
"""

import os
from collections.abc import Iterator

import pyarrow as pa

from verger.bulk.captures import MOST_BYTES, Batch
from verger.bulk.scan.report import Report
from verger.bulk.tables import FORMATS
from verger.errors import UnusableInput
from verger.files.folder import Folder
from verger.files.formats import format_told
from verger.plain import printable

STRANGER = "the name of the file is not a host"
ARCHIVE = "the name is that of an archive or a table: pass the file by itself"


def expect_sites(path: str | os.PathLike[str]) -> None:
    """Raise UnusableInput for a folder without any file named by host; OSError."""
    folder = Folder(os.fspath(path))
    if not any(_is_site(folder.find(origin)) for origin in folder.origins()):
        shown = printable(folder.path)
        hint = f"pass the archives or tables in it: `{shown}/*.warc.gz`"
        raise UnusableInput(f"`{shown}` holds no robots.txt files named by host", hint)


def _is_site(file: str | None) -> bool:
    return file is not None and format_told(file) not in ("warc", *FORMATS)


def read_folder(path: str | os.PathLike[str], report: Report) -> Iterator[pa.RecordBatch]:
    """Yield the files of a folder, by origin. Raises UnusableInput, OSError."""
    expect_sites(path)
    folder, batch = Folder(os.fspath(path)), Batch()
    for name in folder.strangers():
        report.skip(f"{folder.path}/{name}", 0, STRANGER)
    for origin in folder.origins():
        file = folder.find(origin)
        if file is None:  # it is a folder
            continue
        if not _is_site(file):
            report.skip(file, 0, ARCHIVE)
            continue
        try:
            body = folder.read_first(file, MOST_BYTES + 1)
        except OSError as error:
            report.skip(file, 0, (error.strerror or "it cannot be read").lower())
            continue
        report.cut += len(body) > MOST_BYTES
        if batch.add(f"{origin}/robots.txt", None, 200, None, body[:MOST_BYTES]):
            yield batch.take()
    if batch:
        yield batch.take()
