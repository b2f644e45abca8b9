"""Stores: where access results outlive the process that fetched them.

A store keeps one `Entry` for each origin and knows neither dialects nor what is fresh. Its
methods may raise `CacheError`; the client then works without it and says so. Times are seconds
since the epoch, given by the caller.
"""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from typing import Protocol

from verger.access.entry import Entry


class Store(Protocol):
    """A place for entries that may be shared between processes or machines.

    A store whose methods end in bounded time by themselves says so by an attribute
    `answers_in_time` that is true; on others a client keeps a timer.
    """

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the entries that there are, by origin."""
        ...

    async def look(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Mapping[str, Entry], frozenset[str]]:
        """Return the entries that there are, and claim the origins of those that are not.

        The origins claimed are the second value. In one step: an entry that another process saves
        meanwhile is either returned or leaves its origin unclaimed.
        """
        ...

    async def save(self, entries: Sequence[Entry]) -> None:
        """Put entries in, replacing older ones, and give up the claims on their origins.

        All or nothing for each entry; a crash afterwards loses none that was acknowledged by an
        operating system that goes on.
        """
        ...

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that nobody else holds now.

        A claim ends with `save`, `release`, or after `seconds`, so that a killed process blocks
        nobody for long.
        """
        ...

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Give up claims without having fetched."""
        ...

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or with None all; return how many there were."""
        ...

    def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin, without holding them all in memory."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of files and connections."""
        ...
