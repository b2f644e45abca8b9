"""The entries of a cache, for callers without an event loop."""

from collections.abc import Collection, Mapping

from verger.access.entry import Entry
from verger.cache.sqlite import SqliteStore
from verger.loop_thread import LoopThread
from verger.snapshots.stored import StoredEntries


class CachedEntries(StoredEntries):
    """The entries of a cache, whatever their age."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._thread = LoopThread("verger-snapshot")  # the caller may run a loop of its own
        self._store = SqliteStore(path, read_only=True)

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        return self._thread.run(self._store.load(origins)) if origins else {}

    def origins(self) -> Collection[str]:
        async def all_origins() -> list[str]:
            return [entry.origin async for entry in self._store.entries()]

        return self._thread.run(all_origins())

    def close(self) -> None:
        self._thread.run_last(self._store.close())
