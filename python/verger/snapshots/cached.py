"""The entries of a cache, for callers without an event loop."""

from collections.abc import Collection, Mapping
from functools import partial

from verger.access.entry import Entry
from verger.cache.sqlite import SqliteStore
from verger.client.site import is_enough, usable_part
from verger.fetching.limits import LEAST_BODY
from verger.loop_thread import LoopThread
from verger.snapshots.stored import StoredEntries


class CachedEntries(StoredEntries):
    """The entries of a cache, whatever their age."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._thread = LoopThread("verger-snapshot")  # the caller may run a loop of its own
        self._store = SqliteStore(path, read_only=True)

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        found = self._thread.run(self._store.load(origins)) if origins else {}
        # what a client with a lower limit has kept is the beginning of a file
        enough = partial(is_enough, body_bytes=LEAST_BODY)
        whole = {name: usable_part(entry, enough) for name, entry in found.items()}
        return {name: entry for name, entry in whole.items() if entry is not None}

    def origins(self) -> Collection[str]:
        async def all_origins() -> list[str]:
            return [entry.origin async for entry in self._store.entries()]

        return self._thread.run(all_origins())

    def close(self) -> None:
        self._thread.run_last(self._store.close())
