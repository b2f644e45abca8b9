"""Export: a table next to the store, never in its place."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cache.samples import entry, every, filled, run
from verger.access.entry import Entry
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


def exported(folder: Path, *entries: Entry) -> Path:
    """Return the table that some entries become."""
    filled(folder / "c.sqlite3", entries)
    output = folder / "out.parquet"

    async def steps() -> object:
        store = SqliteStore(folder / "c.sqlite3", read_only=True)
        number = await export_parquet(store, output)
        await store.close()
        return number

    assert len(entries) == run(steps())
    return output


def test_bytes_outside_utf8(tmp_path: Path) -> None:
    """Header fields and details hold whatever servers sent."""
    strange = entry("a", status=404, headers={"date": "\udcff"}, detail="\ud83d\udcff\xe9")
    table = pq.read_table(exported(tmp_path, strange))

    assert [("date", "\\xff")] == table.to_pylist()[0]["headers"]


def test_rows_are_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays small, whatever their number."""
    monkeypatch.setattr("verger.cache.export.GROUP_ROWS", 10)
    entries = [entry(f"site{number:03}") for number in range(95)]
    path = exported(tmp_path, *entries)

    assert 10 == pq.ParquetFile(path).num_row_groups
    names = pq.read_table(path, columns=["origin"])["origin"].to_pylist()
    assert [each.origin for each in entries] == names
