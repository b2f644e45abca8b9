"""Stores: where access results outlive the process that fetched them.

A store keeps one `Entry` for each origin and knows neither dialects nor freshness. Its methods may
raise `CacheError`; the client then works without the store and reports it. Times are seconds since
the epoch, given by the caller.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from math import inf
from typing import Protocol

from verger.access.entry import Entry

__all__ = ["Store"]


class Store(Protocol):
    """A place for entries that may be shared between processes or machines.

    A store whose methods all return in bounded time has a true attribute `answers_in_time`; for
    other stores, clients use a timer.
    """

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        ...

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins.

        Each entry is saved completely or not at all; once this returns, a crash of the process
        loses none as long as the operating system keeps running.
        """
        ...

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed.

        A claim ends with `save`, `release`, or after `seconds`, so that a killed process does not
        block others for long.
        """
        ...

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        ...

    async def lease(
        self, name: str, *, delay: float, wait: float = 0.0, longest: float = inf
    ) -> float:
        """Take the next turn of a name, for all who use the store; return the seconds until then.

        By the store's own clock, turns of a name are at least `delay` seconds apart, and this one
        is at least `wait` away. If it is more than `longest` away, it is not taken.
        """
        ...

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        ...

    def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin, without holding them all in memory."""
        ...

    async def close(self) -> None:
        """Finish pending calls, and close files and connections."""
        ...
