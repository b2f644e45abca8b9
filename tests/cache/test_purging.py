"""Purging: entries that are old go, however many there are."""

from pathlib import Path

from cache.samples import entry, every, filled, run
from verger.cache.purging import purge
from verger.cache.sqlite import SqliteStore


def test_more_than_are_removed_at_a_time(tmp_path: Path) -> None:
    """All of them are removed and counted."""
    path = tmp_path / "many"
    filled(path, [entry(f"site{number}") for number in range(2_345)])

    async def steps() -> object:
        store = SqliteStore(path)
        removed = await purge(store, None, older_than=3_600)
        left = await every(store)
        await store.close()
        return removed, left

    assert (2_345, []) == run(steps())
