"""Opening a snapshot on disk, from which files are read as they are needed.

In: the path of a folder, a table, an archive or a cache. Out: what it stores.
"""

import os

from verger.errors import MissingExtra, UnusableInput
from verger.files.formats import CAPTURED, format_begun, format_by_name
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


def open_stored(path: AnyPath) -> Stored:
    """Open a snapshot on disk; what a cache or a table needs is imported for these alone.

    Raises UnusableInput for what is not a snapshot, or cannot be read; CacheError, MissingExtra.
    """
    path = path_of("path", path)
    if os.path.isdir(path):  # noqa: PTH112 -- pathlib costs a tenth of the start
        expect_folder(path)
        return Folder(path)
    if is_special(path):
        # A pipe gives its bytes once, and they are read to learn the format.
        raise UnusableInput(f"{quoted(path)} is not a regular file or folder", HINT)
    try:
        format = format_begun(path) or format_by_name(path)
    except OSError as error:
        raise unreadable(path, error, what="file or folder") from None
    if format == "cache":
        from verger.snapshots.cached import CachedEntries

        return CachedEntries(path)
    if format not in CAPTURED:
        raise UnusableInput(f"{quoted(path)} is not a snapshot", f"pass {WHAT}")
    extra, what = ("warc", "an archive") if format == "warc" else ("parquet", "a table")
    with MissingExtra.unless_installed(extra, f"reading {what}"):
        from verger.snapshots.table import TableOfEntries

    return TableOfEntries(path, format)
