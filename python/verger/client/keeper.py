"""The keeper: wraps a store so that its failures never reach the client.

In: a `Store`. Out: the same methods, none of which raises. When the store fails, the keeper reports
it and does not use the store for a while; meanwhile it finds nothing stored and grants every claim.
So a broken store costs requests, and never changes an answer.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from verger.access.entry import Entry
from verger.cache.store import Store
from verger.errors import ReadOnlyStore
from verger.fetching.drive import is_being_cancelled

LOG = logging.getLogger("verger.cache")
# Long enough that a locked store does not slow down every origin, short enough to retry soon.
LEFT_ALONE = 30.0
# More than any of verger's own stores takes when it works.
PATIENCE = 20.0

T = TypeVar("T")


class Keeper:
    """A store that is worked around while it fails."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], float],
        on_problem: Callable[[str], None],
    ) -> None:
        self._store = store
        self._name = secrets.token_hex(8)
        self._clock = clock
        self._on_problem = on_problem
        self._back_at = float("-inf")
        self._keeps = True
        # A timer for each call costs more than the call, and verger's own stores need none.
        self._answers_in_time = getattr(store, "answers_in_time", False)

    async def load(self, origin: str) -> Entry | None:
        """Return the entry of an origin, if there is one that can be read."""
        nothing: Mapping[str, Entry] = {}
        entries = await self._try(lambda: self._store.load((origin,)), nothing)
        entry = entries.get(origin)
        return entry if entry is not None and _is_of(entry, origin) else None

    async def look(self, origin: str, *, seconds: float) -> tuple[Entry | None, bool]:
        """Return the entry of an origin, if any, and whether the right to fetch was granted."""
        origins = (origin,)
        look = self._store.look
        nothing: tuple[Mapping[str, Entry], frozenset[str]] = ({}, frozenset(origins))
        entries, claimed = await self._try(
            lambda: look(origins, holder=self._holder(), seconds=seconds), nothing
        )
        entry = entries.get(origin)
        if entry is None or _is_of(entry, origin):
            return entry, origin in claimed
        return None, await self.claim(origin, seconds=seconds)

    async def save(self, entries: Sequence[Entry]) -> None:
        """Store entries, which ends the claims on them; does nothing if the store is read-only."""
        if self._keeps:
            await self._try(lambda: self._store.save(entries), None)

    async def claim(self, origin: str, *, seconds: float) -> bool:
        """Claim the right to fetch; granted if the store fails."""
        everything = frozenset((origin,))
        claim = self._store.claim
        granted = await self._try(
            lambda: claim(everything, holder=self._holder(), seconds=seconds), everything
        )
        return origin in granted

    async def release(self, origin: str) -> None:
        """Give up a claim."""
        await self._try(lambda: self._store.release((origin,), holder=self._holder()), None)

    async def close(self) -> None:
        """Close the store."""
        self._back_at = float("-inf")
        await self._try(self._store.close, None)

    def _holder(self) -> str:
        """Return the name under which claims are made; a forked process gets another."""
        return f"{self._name}-{os.getpid()}"

    async def _try(self, action: Callable[[], Awaitable[T]], otherwise: T) -> T:
        if self._clock() < self._back_at:
            return otherwise
        try:
            if self._answers_in_time:
                return await action()
            async with asyncio.timeout(PATIENCE):
                return await action()
        except ReadOnlyStore as error:  # reading still works
            self._keeps = False
            LOG.warning("fetched files are not stored: %s", error)
            self._on_problem(str(error))
            return otherwise
        except TimeoutError:
            problem = f"it did not answer within {PATIENCE:g} seconds"
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            problem = "it cancelled its own call"
        except Exception as error:  # stores may be third-party code; their bugs must not matter
            problem = str(error) or type(error).__name__
        self._back_at = self._clock() + LEFT_ALONE
        LOG.warning("the store failed and is not used for %g s: %s", LEFT_ALONE, problem)
        self._on_problem(problem)
        return otherwise


def _is_of(entry: Entry, origin: str) -> bool:
    """Whether an entry, and the copy in it, belong to the origin that was requested."""
    results = (entry.last, entry.copy or entry.last)
    return entry.origin == origin and all(r.url == f"{origin}/robots.txt" for r in results)
