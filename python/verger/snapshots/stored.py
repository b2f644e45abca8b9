"""Stored files: the robots.txt files of many origins on disk, whatever holds them.

In: origins. Out: for each its file, or the record of its fetches, or why nobody knows. Memory does
not grow with the snapshot.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from verger._core import Dialect, Origin
from verger.access.answer import Unanswered
from verger.files.robots_file import read_robots
from verger.plain import quoted, reason_of
from verger.snapshots.folder import file_of, names_of, origins_in, site_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from verger.access.entry import Entry

    Found: TypeAlias = tuple[str, bytes] | Entry | Unanswered
    """The path and the bytes of a file, the record of its fetches, or why there is none."""


class Stored:
    """The entries of a snapshot on disk, open until `close`; see `snapshots.opening`."""

    records_fetches = True

    def __init__(self, path: str) -> None:
        self.path = path
        self.notes: list[str] = []
        """What is there and not used, in words for people; finding may add to it."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.path!r})"

    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        """Yield each origin with what is known about it; of files what these dialects read."""
        del dialects  # entries are whole
        entries = self.load(origins)
        for name in origins:
            yield name, entries.get(name) or self._missing_site(name)

    def _missing_site(self, origin: str) -> Unanswered:
        why = f"nothing is known about `{origin}` in `{self.path}`"
        hint = "ask about a site that it has, or pass another snapshot"
        return Unanswered("no-file", why, hint, site=origin)

    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries of those origins that have one."""
        raise NotImplementedError

    def origins(self) -> Collection[str]:
        """Return all origins; the files of a folder are taken for those of https."""
        raise NotImplementedError

    def close(self) -> None:
        """Close files."""


class Folder(Stored):
    """A folder of robots.txt files named by host."""

    records_fetches = False

    def find(
        self, origins: Collection[str], dialects: Iterable[Dialect]
    ) -> "Iterator[tuple[str, Found]]":
        dialects = list(dialects)
        for name in origins:
            yield name, self._file(Origin(name), dialects)

    def origins(self) -> Collection[str]:
        return origins_in(self.path)

    def _file(
        self, origin: Origin, dialects: Collection[Dialect]
    ) -> tuple[str, bytes] | Unanswered:
        path, name = file_of(self.path, origin), site_of(origin)
        if path is None:
            why = f"no file for `{name}` in `{self.path}`"
            return Unanswered("no-file", why, _looked_for(names_of(origin)), site=name)
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                return path, read_robots(file.read, dialects)
        except OSError as error:
            why = reason_of(error)
            if not self.notes:
                self.notes.append(f"the first file that cannot be read is {quoted(path)}: {why}")
            return Unanswered("unreadable-file", f"cannot read `{path}`: {why}", site=name)


def _looked_for(names: list[str]) -> str | None:
    """Return a hint with the names that a file may have; None if no name is possible."""
    if not names:
        return None
    shown = [f"`{name}`" for name in names]
    return f"looked for {', '.join(shown[:-1])} or {shown[-1]}, with or without `.txt`"
