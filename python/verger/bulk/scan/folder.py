"""Folders of robots.txt files named by host, as captures.

In: the path of a folder. Out: batches of captures without times and statuses: each is a file, as
for every command that reads such a folder. Everything else except hidden files is skipped and
reported.
"""

import os
from collections.abc import Iterator

import pyarrow as pa

from verger.captures.batches import MOST_BYTES, Batch
from verger.captures.report import ScanReport
from verger.errors import UnusableInput
from verger.files.folder import Folder, open_folder, origin_of_name
from verger.files.formats import CAPTURED, format_by_name
from verger.options import AnyPath
from verger.plain import printable, reason_of


def expect_files(folder: Folder) -> None:
    """Raise UnusableInput if a folder has no robots.txt file named by host. Raises OSError."""
    if not any(folder.find(origin) for origin in folder.origins()):
        shown = printable(folder.path)
        hint = f"pass the archives or tables in it: `{shown}/*.warc.gz`"
        raise UnusableInput(f"`{shown}` holds no robots.txt files named by host", hint)


def read_folder(path: AnyPath, report: ScanReport) -> Iterator[pa.RecordBatch]:
    """Yield the files of a folder, by origin. Raises UnusableInput, OSError."""
    folder, batch = open_folder(os.fspath(path)), Batch()
    expect_files(folder)
    found = ((folder.find(origin), origin) for origin in folder.origins())
    files = {file: origin for file, origin in found if file is not None}
    for name in folder.names():
        file = os.path.join(folder.path, name)  # noqa: PTH118
        if file not in files:
            report.skip(file, None, _why_not(file, name))
    for file, origin in files.items():
        try:
            body = folder.read_first(file, MOST_BYTES + 1)
        except OSError as error:
            report.skip(file, None, reason_of(error))
            continue
        report.cut += len(body) > MOST_BYTES
        if batch.add(f"{origin}/robots.txt", None, None, None, body[:MOST_BYTES]):
            yield batch.take()
    if batch:
        yield batch.take()


def _why_not(file: str, name: str) -> str:
    if format_by_name(name) in CAPTURED:
        return "it is named as an archive or a table: pass it by itself"
    if not os.path.isfile(file):  # noqa: PTH113
        return "it is not a file that can be read"
    if origin_of_name(name) is None:
        return "it is not named by a host"
    return "another file of the same host comes first"
