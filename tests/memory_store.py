"""A store in memory, as somebody else may write one: the stand-in of a store for tests of clients.

In and out: see `verger.cache.store.Store`, whose tests it passes as those of verger do.
"""

import threading
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from math import inf

from verger.access.entry import Entry
from verger.cache.codec import checked_origin


class MemoryStore:
    """A `Store` that ends with the process."""

    answers_in_time = True

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._entries: dict[str, Entry] = {}
        self._claims: dict[str, tuple[str, float]] = {}
        """The holder of each claim, and when it ends."""
        self._turns: dict[str, float] = {}
        """When the last turn of each name is."""
        self._lock = threading.Lock()

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        with self._lock:
            found = {origin: self._entries.get(origin) for origin in origins}
        return {origin: entry for origin, entry in found.items() if entry is not None}

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins."""
        for entry in entries:
            checked_origin(entry.origin)
        with self._lock:
            for entry in entries:
                self._entries[entry.origin] = entry
                self._claims.pop(entry.origin, None)

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed."""
        wanted = [checked_origin(origin) for origin in origins]
        now = self._clock()
        with self._lock:
            valid = {name: claim for name, claim in self._claims.items() if claim[1] > now}
            mine = frozenset(name for name in wanted if valid.get(name, (holder,))[0] == holder)
            self._claims = valid | dict.fromkeys(mine, (holder, now + seconds))
        return mine

    async def lease(
        self, name: str, *, delay: float, wait: float = 0.0, longest: float = inf
    ) -> float:
        """Take the next turn of a name; return the seconds until then."""
        now = self._clock()
        with self._lock:
            at = max(now + wait, self._turns.get(name, -inf) + delay)
            if at - now <= longest:
                self._turns[name] = at
        return at - now

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        with self._lock:
            for origin in origins:
                if origin in self._claims and self._claims[origin][0] == holder:
                    del self._claims[origin]

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        with self._lock:
            gone = set(self._entries).intersection(self._entries if origins is None else origins)
            for origin in gone:
                del self._entries[origin]
        return len(gone)

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; those saved meanwhile may be missing."""
        with self._lock:
            everything = sorted(self._entries.items(), key=lambda each: each[0])
        for _, entry in everything:
            yield entry

    async def close(self) -> None:
        """Do nothing: there is nothing to close, and entries stay."""
