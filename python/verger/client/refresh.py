"""The upkeep of a store: list its entries with their current meaning, and fetch them again.

In: a store, a dialect, the time; for fetching, a client that uses the same store. Out: a
`StoredFile` for each entry, one at a time, so that memory does not grow with the store.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from dataclasses import dataclass
from time import time

from verger._core import Dialect, _dialect_of, origin
from verger.access.entry import Entry, policy_of
from verger.access.freshness import is_fresh
from verger.access.policy import AccessPolicy
from verger.cache.opening import probe
from verger.cache.store import Store
from verger.client.aio import AsyncClient
from verger.client.site import LEAST_FRESH, Site, fresh_until
from verger.errors import InvalidOption
from verger.options import AnyDialect, expect_several

__all__ = ["StoredFile", "find_entry", "list_entries", "refresh", "stored_file"]

AT_ONCE = 100
"""How many files are fetched at a time."""

Tasks = set[asyncio.Task[Site]]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An entry of a store, and its meaning in a dialect at a time.

    entry:        what the store keeps for the origin.
    dialect:      the dialect that gives it its meaning.
    now:          the time of this evaluation, in seconds since the epoch.
    policy:       what a crawler may do at the origin.
    fresh_until:  when the file should be requested again, in seconds since the epoch.
    """

    entry: Entry
    dialect: Dialect
    now: float
    policy: AccessPolicy
    fresh_until: float

    @property
    def is_fresh(self) -> bool:
        """Whether the file may be used without requesting it again."""
        return is_fresh(self.entry.last, self.fresh_until, self.now)

    @property
    def age(self) -> float:
        """Seconds since the file was requested."""
        return max(0.0, self.now - self.entry.last.fetched_at)

    @property
    def failing_for(self) -> float | None:
        """Seconds since the current run of failures began; None if the last fetch did not fail."""
        since = self.entry.unreachable_since
        return None if since is None else max(0.0, self.now - since)


async def list_entries(
    store: Store, *, dialect: AnyDialect = "rfc9309"
) -> AsyncIterator[StoredFile]:
    """Yield every entry of a store, ordered by origin.

    Raises UnknownName for an unknown dialect, and CacheError. Damaged entries are skipped, and
    counted in `store.problems`.
    """
    known = _dialect_of(dialect)
    async for entry in store.entries():
        yield stored_file(entry, known, time())


async def find_entry(
    store: Store, url: str, *, dialect: AnyDialect = "rfc9309"
) -> StoredFile | None:
    """Return the entry of a URL's origin; None if the store has none.

    Raises InvalidTarget, UnknownName, CacheError.
    """
    name, known = origin(url), _dialect_of(dialect)
    entry = (await store.load((name,))).get(name)
    return None if entry is None else stored_file(entry, known, time())


async def refresh(
    client: AsyncClient,
    store: Store,
    urls: Collection[str] | None = None,
    *,
    stale_only: bool = False,
) -> AsyncGenerator[StoredFile]:
    """Fetch files now, many at once, and yield each entry as it is fetched.

    client:      the client that fetches; it must use `store`.
    urls:        the origins to fetch, or any URLs on them; None for every origin in the store.
    stale_only:  skip origins in the store whose file is fresh.
    Raises:      InvalidTarget for an invalid URL, InvalidOption for `stale_only` with `urls`,
                 CacheError if the store cannot be read.
    """
    expect_several("urls", () if urls is None else urls, "URLs")
    if urls is not None and stale_only:
        raise InvalidOption("`stale_only` is about the origins in the store, not about `urls`")
    names = None if urls is None else list(dict.fromkeys(map(origin, urls)))
    fetching: Tasks = set()
    try:
        async for name in _wanted(store, names, client.dialect, stale_only=stale_only):
            fetching.add(asyncio.create_task(client.refresh(name)))
            async for each in _finished(fetching, AT_ONCE - 1, client.dialect):
                yield each
        async for each in _finished(fetching, 0, client.dialect):
            yield each
    finally:
        for task in fetching:
            task.cancel()


async def _finished(fetching: Tasks, most: int, dialect: Dialect) -> AsyncIterator[StoredFile]:
    """Wait until at most so many tasks are left; yield the entries of the others' sites.

    Sites with an override have none.
    """
    while len(fetching) > most:
        done, _ = await asyncio.wait(fetching, return_when=asyncio.FIRST_COMPLETED)
        fetching -= done
        for task in done:
            if entry := task.result().entry:
                yield stored_file(entry, dialect, time())


async def _wanted(
    store: Store, names: Collection[str] | None, dialect: Dialect, *, stale_only: bool
) -> AsyncIterator[str]:
    """Yield the origins to fetch; raise CacheError at once if the store cannot be read."""
    await probe(store)
    for name in names or ():
        yield name
    if names is None:
        async for entry in store.entries():
            if not (stale_only and stored_file(entry, dialect, time()).is_fresh):
                yield entry.origin


def stored_file(entry: Entry, dialect: Dialect, now: float) -> StoredFile:
    """Return an entry with its meaning in a dialect at a time, in seconds since the epoch."""
    until = fresh_until(entry, dialect, LEAST_FRESH)
    return StoredFile(entry, dialect, now, policy_of(entry, dialect), until)
