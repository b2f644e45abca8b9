"""A store in the memory of one process: for tests, and for crawlers that run once.

In and out: see `verger.cache.store.Store`. Its size in bytes is limited; the least recently used
entries are removed first. Several threads and event loops may use it; other processes do not see
it, and a fork gets a copy.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from verger.access.entry import Entry
from verger.cache.codec import checked_origin
from verger.errors import CacheError
from verger.options import MOST_BYTES, expect_whole
from verger.plain import counted

__all__ = ["MemoryStore"]

ENTRY_OVERHEAD = 1_024
"""Approximate bytes of an entry's objects in addition to its texts."""

CLAIM_OVERHEAD = 320


@dataclass(frozen=True, slots=True)
class _Claim:
    holder: str
    until: float


class MemoryStore:
    """A `Store` that ends with the process."""

    answers_in_time = True

    def __init__(
        self, *, max_bytes: int = 64 << 20, clock: Callable[[], float] = time.time
    ) -> None:
        expect_whole("max_bytes", max_bytes, least=0, most=MOST_BYTES, error=CacheError)
        self._max_bytes = max_bytes
        self._clock = clock
        # Both are ordered by use, the latest last.
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._claims: OrderedDict[str, _Claim] = OrderedDict()
        self._bytes = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        entries = "1 entry" if len(self._entries) == 1 else f"{len(self._entries):,} entries"
        return f"MemoryStore({entries}, {counted(self._bytes, 'byte')})"

    @property
    def size(self) -> int:
        """The approximate number of bytes in use."""
        return self._bytes

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        found: dict[str, Entry] = {}
        with self._lock:
            for origin in origins:
                entry = self._entries.get(origin)
                if entry is not None:
                    self._entries.move_to_end(origin)
                    found[origin] = entry
        return found

    async def look(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Mapping[str, Entry], frozenset[str]]:
        """Return the stored entries, and claim the origins without one."""
        found = await self.load(origins)  # does not yield to other tasks
        missing = [origin for origin in origins if origin not in found]
        return found, await self.claim(missing, holder=holder, seconds=seconds)

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins."""
        for entry in entries:
            checked_origin(entry.origin)
        with self._lock:
            for entry in entries:
                self._drop_entry(entry.origin)
                self._drop_claim(entry.origin)
                self._entries[entry.origin] = entry
                self._bytes += ENTRY_OVERHEAD + entry.size
            self._evict()

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed."""
        now = self._clock()
        claim = _Claim(holder, now + seconds)
        for origin in origins:
            checked_origin(origin)
        with self._lock:
            self._drop_ended_claims(now)
            mine = [origin for origin in origins if self._is_free(origin, holder, now)]
            for origin in mine:
                self._drop_claim(origin)
                self._claims[origin] = claim
                self._bytes += _cost_of_claim(origin)
            self._evict()
        return frozenset(mine)

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        with self._lock:
            for origin in origins:
                claim = self._claims.get(origin)
                if claim is not None and claim.holder == holder:
                    self._drop_claim(origin)

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        with self._lock:
            gone = set(self._entries if origins is None else origins) & self._entries.keys()
            for origin in gone:
                self._drop_entry(origin)
        return len(gone)

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; those saved meanwhile may be missing."""
        with self._lock:
            origins = sorted(self._entries)
        for origin in origins:
            entry = self._entries.get(origin)
            if entry is not None:
                yield entry

    async def close(self) -> None:
        """Do nothing: there is nothing to close, and entries stay."""

    def _is_free(self, origin: str, holder: str, now: float) -> bool:
        claim = self._claims.get(origin)
        return claim is None or claim.holder == holder or claim.until <= now

    def _drop_entry(self, origin: str) -> None:
        entry = self._entries.pop(origin, None)
        if entry is not None:
            self._bytes -= ENTRY_OVERHEAD + entry.size

    def _drop_claim(self, origin: str) -> None:
        if self._claims.pop(origin, None) is not None:
            self._bytes -= _cost_of_claim(origin)

    def _drop_ended_claims(self, now: float) -> None:
        """Remove ended claims that were not released, starting with the oldest."""
        while self._claims and next(iter(self._claims.values())).until <= now:
            self._drop_claim(next(iter(self._claims)))

    def _evict(self) -> None:
        """Remove the least recently used: entries first, which can be fetched again."""
        while self._bytes > self._max_bytes and self._entries:
            self._drop_entry(next(iter(self._entries)))
        while self._bytes > self._max_bytes and self._claims:
            self._drop_claim(next(iter(self._claims)))


def _cost_of_claim(origin: str) -> int:
    return CLAIM_OVERHEAD + len(origin)
