"""A store of a client whose failures never reach the client.

In: a `Store`, or None. Out: its methods for one origin, none of which raises. When the store fails,
that is reported, and the store is not used for a while; meanwhile nothing is found, and every claim
is granted. So a broken store costs requests, and never changes an answer. No store is one that
always fails.
"""

import asyncio
import logging
import os
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from functools import partial
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

NOTHING: Mapping[str, Entry] = {}

T = TypeVar("T")


class TolerantStore:
    """A store that is worked around while it fails."""

    def __init__(
        self,
        store: Store | None,
        *,
        clock: Callable[[], float],
        on_problem: Callable[[str], None],
    ) -> None:
        self._store = store
        self._clock = clock
        self._on_problem = on_problem
        self._name = secrets.token_hex(8)
        self._back_at = float("-inf")
        self._saves = True
        # verger's own stores need no timer
        in_time = getattr(store, "answers_in_time", False)
        self._limit = nullcontext if in_time else partial(asyncio.timeout, PATIENCE)

    async def load(self, *origins: str) -> Mapping[str, Entry]:
        """Return the entries of those origins that have one."""
        entries = await self._try(lambda store: store.load(origins), NOTHING)
        found = ((origin, entries.get(origin)) for origin in origins)
        return {origin: entry for origin, entry in found if entry and _is_of(entry, origin)}

    async def save(self, entry: Entry) -> None:
        """Store an entry, which ends the claim on it; does nothing if the store is read-only."""
        if self._saves:
            await self._try(lambda store: store.save((entry,)), None)

    async def claim(self, origin: str, *, seconds: float) -> bool:
        """Claim the right to fetch; granted if the store fails."""
        origins = frozenset((origin,))
        granted = await self._try(
            lambda store: store.claim(origins, holder=self._holder, seconds=seconds), origins
        )
        return origin in granted

    async def release(self, origin: str) -> None:
        """Give up a claim."""
        await self._try(lambda store: store.release((origin,), holder=self._holder), None)

    async def close(self) -> None:
        """Close the store."""
        self._back_at = float("-inf")
        await self._try(lambda store: store.close(), None)

    @property
    def _holder(self) -> str:
        """The name under which claims are made; a forked process has another."""
        return f"{self._name}-{os.getpid()}"

    async def _try(self, call: Callable[[Store], Awaitable[T]], otherwise: T) -> T:
        left = self._back_at - self._clock()
        if self._store is None or 0 < left <= LEFT_ALONE:  # more if the clock was set back
            return otherwise
        try:
            async with self._limit():
                return await call(self._store)
        except ReadOnlyStore as error:  # reading still works
            self._saves = False
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
