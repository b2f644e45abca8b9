"""Stored files: the robots.txt files of many origins on disk, whatever holds them.

In: the path of a folder, a table, an archive or a cache, and origins. Out: for each origin its
file, or the record of its fetches, or why nobody knows. Memory does not grow with the snapshot.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence

from verger._core import Dialect, Origin
from verger.access.answer import Unanswered
from verger.errors import UnusableInput
from verger.files.folder import Folder, FolderSite, open_folder
from verger.files.formats import CAPTURED, format_begun, format_by_name
from verger.files.parquet import require_pyarrow
from verger.files.paths import is_special
from verger.files.reading import unreadable
from verger.options import AnyPath, path_of
from verger.plain import quoted, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from verger.access.entry import Entry
    from verger.snapshots.cached import StoredEntries
    from verger.snapshots.rows import TableOfEntries

    Found: TypeAlias = tuple[str, bytes] | Entry | Unanswered
    """The path and the bytes of a file, the record of its fetches, or why there is none."""


__all__ = ["Stored"]

WHAT = (
    "a folder of robots.txt files named by host, a table (Parquet, CSV, JSON Lines), "
    "a WARC archive, or a cache of verger's"
)
"""What a snapshot may be, in words."""

HINT = "write its content to a file, and pass that"


class Stored:
    """A snapshot on disk, open until `close`.

    Raises UnusableInput for what is not a snapshot, or cannot be read; CacheError, MissingExtra.
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = path_of("path", path)
        is_folder = os.path.isdir(self.path)  # noqa: PTH112 -- pathlib costs a tenth of the start
        self._found = open_folder(self.path) if is_folder else _entries_at(self.path)
        self.records_fetches = not is_folder

    def __repr__(self) -> str:
        return f"Stored({self.path!r})"

    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        """Yield each origin with what is known about it; of files what these dialects read."""
        found = self._found
        if isinstance(found, Folder):
            dialects = list(dialects)
            yield from ((name, self._file(found, name, dialects)) for name in origins)
            return
        entries = found.load(origins)
        for name in origins:
            yield name, entries.get(name) or self._nothing(name)

    def origins(self) -> Collection[str]:
        """Return all origins; the files of a folder are taken for those of https."""
        return self._found.origins()

    @property
    def notes(self) -> Sequence[str]:
        """What is there and not used, in words for people; finding may add to it."""
        return self._found.notes

    def close(self) -> None:
        """Close files."""
        self._found.close()

    def _file(
        self, folder: Folder, origin: str, dialects: Sequence[Dialect]
    ) -> tuple[str, bytes] | Unanswered:
        path = folder.find(origin)
        if path is None:
            site = FolderSite(Origin(origin))
            why = f"no file for `{site.name}` in `{self.path}`"
            return Unanswered("no-file", why, site.looked_for(), site=site.name)
        try:
            return path, folder.read(path, dialects)
        except OSError as error:
            why = reason_of(error)
            if not folder.notes:
                folder.notes.append(f"the first file that cannot be read is {quoted(path)}: {why}")
            name = FolderSite(Origin(origin)).name
            return Unanswered("unreadable-file", f"cannot read `{path}`: {why}", site=name)

    def _nothing(self, origin: str) -> Unanswered:
        why = f"nothing is known about `{origin}` in `{self.path}`"
        hint = "ask about a site that it has, or pass another snapshot"
        return Unanswered("no-file", why, hint, site=origin)


def _entries_at(path: str) -> "StoredEntries | TableOfEntries":
    """Open what is no folder; the imports of a cache or a table cost more than all else."""
    if is_special(path):
        # A pipe gives its bytes once, and they are read to learn the format.
        raise UnusableInput(f"{quoted(path)} is not a regular file or folder", HINT)
    try:
        format = format_begun(path) or format_by_name(path)
    except OSError as error:
        raise unreadable(path, error, what="file or folder") from None
    if format == "cache":
        from verger.snapshots.cached import StoredEntries

        return StoredEntries(path)
    if format not in CAPTURED:
        raise UnusableInput(f"{quoted(path)} is not a snapshot", f"pass {WHAT}")
    require_pyarrow("reading a table")
    from verger.snapshots.rows import TableOfEntries

    return TableOfEntries(path, format)
