"""Opening a snapshot on disk, from which files are read as they are needed.

In: the path of a folder, a table, an archive or a cache. Out: what it stores.
"""

import os

from verger.errors import MissingExtra, UnusableInput
from verger.files.formats import SNAPSHOTS, format_begun, format_by_name
from verger.files.input_errors import unreadable
from verger.files.paths import is_special
from verger.options import AnyPath, path_of
from verger.snapshots.stored import Folder, Stored, expect_folder
from verger.untrusted_text import quoted

__all__ = ["open_stored"]

WHAT = (
    "a folder of robots.txt files named by host, a table (Parquet, CSV, JSON Lines), "
    "a WARC archive, or a cache of verger's"
)
"""What a snapshot may be, in words."""

HINT = "write its content to a file, and pass that"


def kind_of(path: AnyPath) -> str:
    """Return what holds a snapshot: `folder`, `cache`, or the format of an archive or a table.

    Raises UnusableInput for what is not a snapshot, or cannot be read.
    """
    path = path_of("path", path)
    if os.path.isdir(path):  # noqa: PTH112 -- pathlib costs a tenth of the start
        return "folder"
    if is_special(path):
        # A pipe gives its bytes once, and they are read to learn the format.
        raise UnusableInput(f"{quoted(path)} is not a regular file or folder", HINT)
    try:
        format = format_begun(path) or format_by_name(path)
    except OSError as error:
        raise unreadable(path, error, what="file or folder") from None
    if format not in SNAPSHOTS:
        raise UnusableInput(f"{quoted(path)} is not a snapshot", f"pass {WHAT}")
    return str(format)


def open_stored(path: AnyPath) -> Stored:
    """Open a snapshot on disk; what a cache or a table needs is imported for these alone.

    Raises UnusableInput for what is not a snapshot, or cannot be read; CacheError, MissingExtra.
    """
    path = path_of("path", path)
    format = kind_of(path)
    if format == "folder":
        expect_folder(path)
        return Folder(path)
    if format == "cache":
        from verger.snapshots.cached import CachedEntries

        return CachedEntries(path)
    extra, what = ("warc", "an archive") if format == "warc" else ("parquet", "a table")
    with MissingExtra.unless_installed(extra, f"reading {what}"):
        from verger.snapshots.table import TableOfEntries

    return TableOfEntries(path, format)
