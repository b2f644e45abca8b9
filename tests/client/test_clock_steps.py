"""Clocks that are set: what was dated ahead of the time is not fresh, and holds up nothing.

In: a client whose clock ran ahead by years, or by minutes, and was set back. Out: the requests that
it sends then. No test waits.
"""

import asyncio
from math import inf
from pathlib import Path
from typing import Any

import pytest

from client.stage import DAY, FILE, HOUR, MINUTE, NOW, PAGE, SECRET, SITE, found, run, stage
from memory_store import MemoryStore
from verger.cache.sqlite import SqliteStore
from verger.cache.store import Store
from verger.client.refresh import list_entries
from verger.client.site import LEAST_FRESH
from verger.client.tolerant_store import LEFT_ALONE
from verger.errors import CacheError
from verger.fetching.transport import Reply

AHEAD = 2.5e9
"""In the year 2049."""

STORES = ("none", "memory", "sqlite")


def store_called(name: str, folder: Path) -> Store | None:
    match name:
        case "memory":
            return MemoryStore()
        case "sqlite":
            return SqliteStore(folder / "store.sqlite3")
    return None


@pytest.mark.parametrize(
    "served", [FILE, 404, 403, 503, "dns", found(FILE, Cache_Control="max-age=1")]
)
@pytest.mark.parametrize("name", STORES)
def test_a_year_after_the_clock_was_set_back(name: str, served: Any, tmp_path: Path) -> None:
    """A file that was fetched by a clock far ahead is fetched again once it is right, and then as
    any other: once a day, or as often as failures are tried again."""
    on = stage(served, store=store_called(name, tmp_path))

    async def ask() -> list[int]:
        told = []
        for now in (AHEAD, *(NOW + day * DAY for day in range(400))):
            on.clock.now = now
            await on.client.decide(PAGE)
            told.append(len(on.web.requests))
        await on.client.close()
        return told

    assert list(range(1, 402)) == asyncio.run(ask())


@pytest.mark.parametrize("name", STORES)
def test_retry_times(name: str, tmp_path: Path) -> None:
    """`Retry-After` counts from the time of the failure, unless that lies ahead."""
    on = stage(Reply(503, [("Retry-After", "3600")]), store=store_called(name, tmp_path))

    async def ask(now: float) -> int:
        on.clock.now = now
        await on.client.decide(PAGE)
        return len(on.web.requests)

    async def steps() -> list[int]:
        times = (AHEAD, NOW, NOW + HOUR - 1, NOW + HOUR)
        asked = [await ask(now) for now in times]
        await on.client.close()
        return asked

    assert [1, 2, 2, 3] == asyncio.run(steps())


@pytest.mark.parametrize("least_fresh", [LEAST_FRESH, inf])
@pytest.mark.parametrize("ahead", [4 * MINUTE, 5 * MINUTE, 6 * MINUTE])
def test_five_minutes(ahead: int, least_fresh: float) -> None:
    """Two clocks may be as far apart, in memory too, however long files are kept."""
    on = stage(FILE, least_fresh=least_fresh)
    run(on.client.decide(PAGE))
    on.clock.now -= ahead
    run(on.client.decide(PAGE))

    assert (1 if ahead <= 5 * MINUTE else 2) == len(on.web.requests)


def test_from_another_thread() -> None:
    """`known`, which asks nobody, tells no more than the rest of the client."""
    on = stage(FILE)
    run(on.client.decide(PAGE))

    assert on.client.known(SITE) is not None
    on.clock.now -= HOUR
    assert on.client.known(SITE) is None


def test_overrides_have_no_time() -> None:
    """What the operator decided holds under any clock."""
    on = stage(FILE, overrides={SITE: "allow"})
    for now in (AHEAD, NOW, 0.0):
        on.clock.now = now
        assert run(on.client.allowed(SECRET))

    assert on.web.requests == []


def test_what_is_listed_is_stale() -> None:
    """A list of a store's entries calls one from the future stale, as the client does."""
    store = MemoryStore()
    on = stage(FILE, store=store)
    on.clock.now = 4e9
    run(on.client.decide(PAGE))

    async def listed() -> list[bool]:
        return [kept.is_fresh async for kept in list_entries(store)]

    assert [False] == run(listed())


def test_a_store_that_failed_while_the_clock_ran_ahead() -> None:
    """It is left alone for half a minute, not until the year 2049."""

    class Failing(MemoryStore):
        fails = True

        async def load(self, origins: Any) -> Any:
            if self.fails:
                raise CacheError("gone")
            return await super().load(origins)

    store = Failing()
    on = stage(FILE, store=store)
    for now in (AHEAD, NOW):
        on.clock.now = now
        run(on.client.decide(PAGE))
        store.fails = False
    on.clock.now += LEFT_ALONE
    run(on.client.refresh(PAGE))

    assert NOW + LEFT_ALONE == run(store.load([SITE]))[SITE].last.fetched_at
