"""The entries of a cache, for callers without an event loop."""

from collections.abc import Collection, Mapping, Sequence

from verger.access.entry import Entry
from verger.cache.sqlite import SqliteStore
from verger.loop_thread import LoopThread


class StoredEntries:
    """The entries of a cache, whatever their age."""

    notes: Sequence[str] = ()

    def __init__(self, path: str) -> None:
        self._thread = LoopThread("verger-snapshot")  # the caller may run a loop of its own
        self._store = SqliteStore(path, read_only=True)

    def __repr__(self) -> str:
        return f"StoredEntries({str(self._store.path)!r})"

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the entries of those origins that have one."""
        return self._thread.run(self._store.load(origins)) if origins else {}

    def origins(self) -> Collection[str]:
        """Return the origins of all entries."""

        async def all_origins() -> list[str]:
            return [entry.origin async for entry in self._store.entries()]

        return self._thread.run(all_origins())

    def close(self) -> None:
        """Close the cache."""
        self._thread.run_last(self._store.close())
