"""Stored files: the robots.txt files of many origins on disk, whatever holds them.

In: origins. Out: for each its file, or the record of its fetches, or why nobody knows. Memory does
not grow with the snapshot.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from verger._core import Dialect
from verger.access.answer import Unanswered

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
