"""A store whose calls wait in a queue: the common part of all such stores.

In: calls of a `Store`. Out: jobs, put into the queue of the store, and their answers.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from verger.access.entry import Entry
from verger.cache.jobs import AnyJob, Claim, Load, Release, Remove, Save
from verger.cache.problems import Problems

J = TypeVar("J", bound=AnyJob)


class QueuedStore(ABC):
    """The calls of a `Store` that are one job each; a call without origins needs no job."""

    answers_in_time = True

    def __init__(self) -> None:
        self._problems = Problems()

    @property
    def problems(self) -> int:
        """How many damaged entries were found, and treated as absent."""
        return self._problems.count

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        return await self._put(Load(origins)).future if origins else {}

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins."""
        if entries:
            await self._put(Save(entries)).future

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed."""
        return await self._put(Claim(origins, holder, seconds)).future if origins else frozenset()

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        if origins:
            await self._put(Release(origins, holder)).future

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        return await self._put(Remove(origins)).future if origins is None or origins else 0

    @abstractmethod
    def _put(self, job: J) -> J:
        """Put a job into the queue."""
