"""Snapshots: what stands for origins in a folder of files, a table, an archive or a cache.

In: a path, a dialect, and origins. Out: for each the ruling, and the file where its rules decide;
that a snapshot does not have one is a ruling, too. What a snapshot is, `verger.bulk.on_disk` knows.
"""

from collections.abc import Collection, Iterator, Sequence

from verger import Dialect
from verger.bulk import on_disk
from verger.bulk.filter.rulings import NOT_IN_SNAPSHOT, UNREADABLE_FILE, Ruling
from verger.files.folder import Folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from verger.bulk.filter.judges import Rulings

    class Snapshot(Rulings, Protocol):
        """Rulings that lie somewhere."""

        @property
        def notes(self) -> Sequence[str]:
            """What is there and not used, in words for people."""
            ...

        def close(self) -> None:
            """Let go of files."""
            ...


def snapshot_at(path: str, dialect: Dialect) -> "Snapshot":
    """Return the rulings of the snapshot that lies there."""
    found = on_disk.open_snapshot(path)
    return Files(found, dialect) if isinstance(found, Folder) else Entries(found, dialect)


class Files:
    """Rulings from a folder of robots.txt files named by host."""

    def __init__(self, folder: Folder, dialect: Dialect) -> None:
        self._folder = folder
        self._dialect = dialect
        self.notes: Sequence[str] = folder.notes

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield what stands for each origin."""
        for name in origins:
            path = self._folder.find(name)
            if path is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            try:
                data = self._folder.read(path, [self._dialect])
            except OSError:
                yield Ruling.without_file(name, UNREADABLE_FILE), None
            else:
                yield Ruling.of_file(name), data

    def close(self) -> None:
        """Do nothing: no file stays open."""


class Entries:
    """Rulings from what was written down of fetching files."""

    def __init__(self, entries: "on_disk.Entries", dialect: Dialect) -> None:
        self._entries = entries
        self._dialect = dialect

    @property
    def notes(self) -> Sequence[str]:
        """What is there and not used, in words for people; an entry may add to it."""
        return self._entries.notes

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield what stands for each origin."""
        entries = self._entries.load(origins)
        for name in origins:
            entry = entries.get(name)
            if entry is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            ruling = Ruling.of_entry(entry, self._dialect)
            yield ruling, entry.good.body if entry.good and ruling.has_rules else None

    def close(self) -> None:
        """Let go of the file."""
        self._entries.close()
