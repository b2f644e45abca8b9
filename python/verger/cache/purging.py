"""Purging a store: remove entries and count them.

In: a store, and origins, an age, or neither for all. Out: how many entries were removed.
"""

from collections.abc import Collection
from time import time

from verger._core import origin
from verger.cache.store import Store
from verger.errors import InvalidOption
from verger.options import expect_seconds, expect_several

__all__ = ["purge"]

AT_ONCE = 1_000
"""How many entries are removed at a time."""


async def purge(
    store: Store, urls: Collection[str] | None = None, *, older_than: float | None = None
) -> int:
    """Remove entries from a store, and return how many were removed.

    urls:        the origins whose entries are removed, or any URLs on them; None for all.
    older_than:  remove entries last fetched more than this many seconds ago, whatever their origin.
    Raises:      InvalidTarget for an invalid URL, InvalidOption for both `urls` and `older_than`
                 and for a negative age, CacheError.
    """
    expect_several("urls", () if urls is None else urls, "URLs")
    if older_than is None:
        return await store.remove(None if urls is None else list(dict.fromkeys(map(origin, urls))))
    if urls is not None:
        raise InvalidOption("`urls` and `older_than` exclude each other", "pass one of them")
    expect_seconds("older_than", older_than, above_zero=False, for_ever=True)
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
