"""The store in memory: bounded, with a clock of the caller's."""

import pytest

from cache.samples import entry, every, loaded, run
from verger.cache.memory import MemoryStore
from verger.errors import CacheError


def test_least_recently_used_goes_first() -> None:
    """When there is no room left, what was neither saved nor loaded for longest goes."""
    a, b, c = (entry(name, body=b"x" * 10_000) for name in "abc")
    store = MemoryStore(max_bytes=25_000)

    async def steps() -> object:
        await store.save([a, b])
        await store.load([a.origin])
        await store.save([c])
        return await every(store)

    assert [a, c] == run(steps())
    assert store.size <= 25_000


def test_entry_that_is_too_large() -> None:
    """An entry without room is not kept, nor is the older one that it replaces."""
    store = MemoryStore(max_bytes=10_000)

    async def steps() -> object:
        await store.save([entry("a")])
        await store.save([entry("a", body=b"x" * 20_000)])
        return await every(store)

    assert [] == run(steps())
    assert 0 == store.size


def test_claims_leave_entries_alone() -> None:
    """Claims that nobody gives up take no room from entries."""
    now = [0.0]
    store = MemoryStore(max_bytes=20_000, clock=lambda: now[0])
    saved = entry("saved")

    async def steps() -> object:
        await store.save([saved])
        for n in range(1_000):
            now[0] += 1
            await store.claim([f"https://h{n}.example"], holder="one", seconds=5)
        return await loaded(store, saved)

    assert [saved] == run(steps())
    assert 0 < store.size <= 20_000


def test_claim_ends_on_time() -> None:
    """A claim holds until its seconds are over, and no longer."""
    now = [100.0]
    store = MemoryStore(clock=lambda: now[0])

    async def steps() -> object:
        await store.claim(["https://a.example"], holder="one", seconds=10)
        now[0] = 109.9
        before = await store.claim(["https://a.example"], holder="two", seconds=10)
        now[0] = 110.0
        return before, await store.claim(["https://a.example"], holder="two", seconds=10)

    assert (frozenset(), {"https://a.example"}) == run(steps())


def test_bytes_return_to_none() -> None:
    """What is counted when it comes is counted when it goes."""
    store = MemoryStore()

    async def steps() -> None:
        await store.save([entry(f"h{n}") for n in range(100)])
        await store.claim(["https://a.example", "https://b.example"], holder="one", seconds=5)
        await store.release(["https://a.example"], holder="one")
        await store.save([entry("b")])
        await store.remove()

    run(steps())
    assert 0 == store.size


def test_negative_bound() -> None:
    """A bound below nothing is refused."""
    with pytest.raises(CacheError, match="-1"):
        MemoryStore(max_bytes=-1)
