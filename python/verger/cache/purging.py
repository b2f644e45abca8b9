"""Purging a store: entries are removed, and counted.

In: a store, and origins, an age, or neither for all. Out: how many entries there were.
"""

from collections.abc import Collection
from time import time

from verger._core import origin
from verger.cache.store import Store
from verger.errors import InvalidOption

AT_ONCE = 1_000
"""How many entries are removed at a time."""


async def purge(
    store: Store, urls: Collection[str] | None = None, *, older_than: float | None = None
) -> int:
    """Remove entries from a store, and return how many there were.

    urls:        whose entries: origins, or any URLs there; None for all.
    older_than:  remove entries that were last asked about so many seconds ago or earlier, whatever
                 their origin.
    Raises:      InvalidTarget for what is not a URL, InvalidOption for both `urls` and
                 `older_than`, CacheError.
    """
    if older_than is None:
        return await store.remove(None if urls is None else list(dict.fromkeys(map(origin, urls))))
    if urls is not None:
        raise InvalidOption("`urls` and `older_than` say which entries in two ways", "pass one")
    return await _remove_older(store, time() - older_than)


async def _remove_older(store: Store, than: float) -> int:
    number, old = 0, []
    async for entry in store.entries():
        if entry.last.fetched_at < than:
            old.append(entry.origin)
        if len(old) >= AT_ONCE:
            number += await store.remove(old)
            old.clear()
    return number + await store.remove(old)
