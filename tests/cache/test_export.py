"""Export: a table next to the store, never in its place."""

from pathlib import Path

import pytest

from cache.samples import entry, every, filled, run
from verger.cache.export import export_parquet
from verger.cache.sqlite import SqliteStore
from verger.errors import UnusableOutput


@pytest.mark.parametrize("name", ["c.sqlite3", "c.sqlite3-wal", "c.sqlite3-shm", "link"])
def test_store_is_not_overwritten(tmp_path: Path, name: str) -> None:
    """Neither the file that is read, under any name, nor those that SQLite keeps next to it."""
    path = tmp_path / "c.sqlite3"
    filled(path, [entry("a")])
    (tmp_path / "link").symlink_to(path)

    async def steps() -> object:
        store = SqliteStore(path)
        with pytest.raises(UnusableOutput):
            await export_parquet(store, tmp_path / name)
        found = await every(store)
        await store.close()
        return found

    assert [entry("a")] == run(steps())
