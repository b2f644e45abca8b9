"""Purging a cache: entries are removed, and counted.

In: origins, an age, or neither for all. Out: a count on stderr.
"""

from collections.abc import Sequence
from time import time

from verger.cache.sqlite import SqliteStore
from verger.cli.caching.looking import say, tell_damage
from verger.cli.caching.stores import opened
from verger.cli.exit import FINE

AT_ONCE = 1_000
"""How many entries are removed at a time."""


async def purge(cache: str | None, origins: Sequence[str], *, older_than: float | None) -> int:
    """Remove entries, and say how many there were."""
    async with opened(cache) as store:
        if older_than is not None:
            number = await _remove_older(store, time() - older_than)
        else:
            number = await store.remove(origins or None)
        say(f"removed {number:,} entr{'y' if number == 1 else 'ies'}")
        tell_damage(store)
    return FINE


async def _remove_older(store: SqliteStore, than: float) -> int:
    number, old = 0, []
    async for entry in store.entries():
        if entry.last.fetched_at < than:
            old.append(entry.origin)
        if len(old) >= AT_ONCE:
            number += await store.remove(old)
            old.clear()
    return number + (await store.remove(old) if old else 0)
