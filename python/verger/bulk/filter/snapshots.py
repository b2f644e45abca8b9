"""Snapshots: the rulings of origins, from a folder of files, a table, an archive or a cache.

In: a path, a dialect, and origins. Out: the ruling of each, and the file if its rules decide; that
a snapshot has no file is a ruling as well. `verger.snapshots.stored` opens snapshots.
"""

from collections.abc import Collection, Iterator, Sequence

from verger import Dialect
from verger.bulk.filter.rulings import NOT_IN_SNAPSHOT, UNREADABLE_FILE, Ruling
from verger.files.folder import Folder
from verger.snapshots import stored as on_disk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.bulk.filter.judges import Rulings

    class SnapshotRulings(Rulings, Protocol):
        """Rulings from a file or folder."""

        @property
        def notes(self) -> Sequence[str]:
            """What is in the snapshot and not used, in words for people."""
            ...

        def close(self) -> None:
            """Close files."""
            ...


def snapshot_at(path: str, dialect: Dialect) -> "SnapshotRulings":
    """Return the rulings of the snapshot at a path."""
    found = on_disk.open_snapshot(path)
    return (
        FolderRulings(found, dialect) if isinstance(found, Folder) else EntryRulings(found, dialect)
    )


class FolderRulings:
    """Rulings from a folder of robots.txt files named by host."""

    def __init__(self, folder: Folder, dialect: Dialect) -> None:
        self._folder = folder
        self._dialect = dialect
        self.notes = folder.notes

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield the ruling of each origin."""
        for name in origins:
            path = self._folder.find(name)
            if path is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            data = self._folder.read_or_note(path, [self._dialect])
            if data is None:
                yield Ruling.without_file(name, UNREADABLE_FILE), None
            else:
                yield Ruling.of_file(name), data

    def close(self) -> None:
        """Do nothing: no file stays open."""


class EntryRulings:
    """Rulings from entries: the results of fetching files."""

    def __init__(self, entries: "on_disk.Entries", dialect: Dialect) -> None:
        self._entries = entries
        self._dialect = dialect

    @property
    def notes(self) -> Sequence[str]:
        """What is in the snapshot and not used, in words for people; loading may add to it."""
        return self._entries.notes

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield the ruling of each origin."""
        entries = self._entries.load(origins)
        for name in origins:
            entry = entries.get(name)
            if entry is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            ruling = Ruling.of_entry(entry, self._dialect)
            yield ruling, entry.good.body if entry.good and ruling.has_rules else None

    def close(self) -> None:
        """Close the file."""
        self._entries.close()
