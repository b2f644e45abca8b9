"""The upkeep of a store from Python; `tests/cli/test_cache.py` asks through the command."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import verger
from verger.cache.opening import existing_store
from verger.cache.purging import purge
from verger.client.refresh import find_entry, list_entries, refresh
from verger.testing import MemoryTransport, Served

SITES: dict[str, Served] = {
    "https://a.example": b"User-agent: *\nDisallow: /\n",
    "https://b.example": 503,
}


def client(path: Path, **options: Any) -> verger.AsyncClient:
    return verger.AsyncClient("A/1.0", store=path, transport=MemoryTransport(SITES), **options)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Keep what two sites answered."""
    path = tmp_path / "kept.sqlite3"

    async def ask() -> None:
        async with client(path) as asking:
            await asking.prefetch(SITES)

    asyncio.run(ask())
    return path


def test_entries_and_what_they_mean(kept: Path) -> None:
    """By origin; another dialect says something else of them."""

    async def look(dialect: str) -> list[tuple[str, str, bool]]:
        async with existing_store(kept, read_only=True) as store:
            found = [each async for each in list_entries(store, dialect=dialect)]
            one = await find_entry(store, "https://b.example/any", dialect=dialect)
            none = await find_entry(store, "https://c.example/", dialect=dialect)
        assert (one and one.entry, none) == (found[1].entry, None)
        assert all(each.age < 60 for each in found)
        assert [False, True] == [each.failing_for is not None for each in found]
        return [(each.entry.origin, each.policy.effect, each.is_fresh) for each in found]

    assert [
        ("https://a.example", "rules", True),
        ("https://b.example", "disallow_all", True),
    ] == asyncio.run(look("rfc9309"))
    assert "defer" == asyncio.run(look("original-1994"))[1][1]


def test_refresh_leaves_overrides_aside(kept: Path) -> None:
    """An operator's word has no entry; every other origin is yielded as it is fetched."""

    async def renew() -> list[str]:
        overrides = {"https://a.example": "allow"}
        async with existing_store(kept) as store, client(kept, overrides=overrides) as asking:
            return [each.entry.origin async for each in refresh(asking, store)]

    assert ["https://b.example"] == asyncio.run(renew())


def test_ways_that_contradict_each_other(kept: Path) -> None:
    """Which entries are meant is said in one way."""

    async def renew() -> None:
        async with existing_store(kept) as store, client(kept) as asking:
            async for _ in refresh(asking, store, ["https://a.example"], stale_only=True):
                pass

    async def remove() -> None:
        async with existing_store(kept) as store:
            await purge(store, ["https://a.example"], older_than=5)

    for wrong in (renew, remove):
        with pytest.raises(verger.InvalidOption):
            asyncio.run(wrong())


def test_store_that_is_not_there(tmp_path: Path) -> None:
    """It is not made."""

    async def look() -> None:
        async with existing_store(tmp_path / "none"):
            pass

    with pytest.raises(verger.UnusableInput, match="no cache at"):
        asyncio.run(look())
    assert [] == list(tmp_path.iterdir())


def test_path_that_the_system_rejects() -> None:
    """It is an error of the caller, with its reason."""

    async def look() -> None:
        async with existing_store("a" * 300):
            pass

    with pytest.raises(verger.UnusableInput, match="file name too long"):
        asyncio.run(look())


@pytest.mark.parametrize("age", [-10, -0.5, float("nan")])
def test_entries_younger_than_now_are_not_old(kept: Path, age: float) -> None:
    """A negative age would remove everything."""

    async def remove() -> None:
        async with existing_store(kept) as store:
            await purge(store, older_than=age)

    with pytest.raises(verger.InvalidOption):
        asyncio.run(remove())
