"""Snapshots: what stands for origins in a folder of files, a Parquet file or a cache.

In: a path, and origins. Out: for each the ruling, and the file where its rules decide; that a
snapshot does not have one is a ruling, too. Nothing is fetched and no clock is read: an entry of a
cache means what it meant when it was fetched.
"""

# ruff: noqa: PTH112, PTH123

import os
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from itertools import accumulate

from verger import Dialect, Origin
from verger.bulk.filter.rulings import NOT_IN_SNAPSHOT, UNREADABLE_FILE, Ruling
from verger.errors import UnusableInput
from verger.files.folder import Site, path_in, read_robots
from verger.plain import printable, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Protocol

    from pyarrow import Array, RecordBatch, Scalar
    from pyarrow.parquet import ParquetFile

    from verger.access.entry import Entry
    from verger.access.observation import Observation
    from verger.bulk.filter.judges import Rulings
    from verger.cache.sqlite import SqliteStore

    class Snapshot(Rulings, Protocol):
        """Rulings that lie somewhere."""

        def close(self) -> None:
            """Let go of files."""
            ...


def snapshot_at(path: str, dialect: Dialect) -> "Snapshot":
    """Return the snapshot that lies there, whichever of the three it is."""
    if os.path.isdir(path):
        return Folder(path, dialect)
    match _beginning(path):
        case b"PAR1":
            return Entries(TableOfEntries(path), dialect)
        case b"SQLi":
            return Entries(StoredEntries(path), dialect)
    raise UnusableInput(
        f"`{printable(path)}` is no snapshot",
        "pass a folder of robots.txt files named by host, a Parquet file, or a cache of verger's",
    )


def _beginning(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4)
    except FileNotFoundError:
        raise UnusableInput(f"no such file or folder: `{printable(path)}`") from None
    except OSError as error:
        raise UnusableInput(f"cannot read `{printable(path)}`: {reason_of(error)}") from None


class Folder:
    """A folder of robots.txt files named by host, as `check --snapshot` reads it."""

    def __init__(self, path: str, dialect: Dialect) -> None:
        self._path = path
        self._dialect = dialect

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield what stands for each origin."""
        for name in origins:
            path = path_in(self._path, Site(Origin(name)))
            if path is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            try:
                data = self._read(path)
            except OSError:
                yield Ruling.without_file(name, UNREADABLE_FILE), None
            else:
                yield Ruling.of_file(name), data

    def _read(self, path: str) -> bytes:
        with open(path, "rb") as file:
            return read_robots(file, [self._dialect])

    def close(self) -> None:
        """Do nothing: no file stays open."""


class Entries:
    """Rulings from what was written down of fetching files."""

    def __init__(self, entries: "TableOfEntries | StoredEntries", dialect: Dialect) -> None:
        self._entries = entries
        self._dialect = dialect

    def rulings(self, origins: Collection[str]) -> Iterator[tuple[Ruling, bytes | None]]:
        """Yield what stands for each origin."""
        entries = self._entries.load(origins)
        for name in origins:
            entry = entries.get(name)
            if entry is None:
                yield Ruling.without_file(name, NOT_IN_SNAPSHOT), None
                continue
            ruling = Ruling.of_entry(entry, self._dialect)
            yield ruling, entry.good.body if entry.good and ruling.has_rules else None

    def close(self) -> None:
        """Let go of the file."""
        self._entries.close()


class StoredEntries:
    """The entries of a cache, whatever their age."""

    def __init__(self, path: str) -> None:
        import asyncio

        self._runner = asyncio.Runner()
        self._store = _opened_store(path)

    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries that there are."""
        return self._runner.run(self._store.load(origins)) if origins else {}

    def close(self) -> None:
        """Close the cache."""
        self._runner.run(self._store.close())
        self._runner.close()


def _opened_store(path: str) -> "SqliteStore":
    from verger.cache.sqlite import SqliteStore

    return SqliteStore(path, read_only=True)


class TableOfEntries:
    """The rows of a Parquet file: `origin` or `url`, `body`, and perhaps `status` and `time`.

    They are written once more, by origin and unpacked, to a temporary file without a name, where
    the system reads those that are asked for: what stays in memory is an index.
    """

    def __init__(self, path: str) -> None:
        from tempfile import TemporaryFile

        from verger.bulk.filter.readers import opened_parquet

        with opened_parquet(path) as file, TemporaryFile(prefix="verger-") as rows:
            place = _place_column(path, file)
            self._batches = _mapped(_rows(path, file, place), rows)
        self._firsts = list(accumulate(map(len, self._batches), initial=0))
        self._origins, self._order = _sorted(self._batches)

    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries that there are."""
        return {name: entry for name in origins if (entry := self._entry(name)) is not None}

    def _entry(self, name: str) -> "Entry | None":
        from verger.access.observation import entry_observed

        def origin_at(place: int) -> str:
            return str(self._origins[place])

        places = range(len(self._origins))
        first = bisect_left(places, name, key=origin_at)
        behind = bisect_right(places, name, lo=first, key=origin_at)
        if first == behind:
            return None
        rows = (self._order[place].as_py() for place in places[first:behind])
        return entry_observed(name, map(self._observation, rows))

    def _observation(self, number: int) -> "Observation":
        from verger.access.observation import Observation

        at = bisect_right(self._firsts, number) - 1
        batch, row = self._batches[at], number - self._firsts[at]
        there = {name: batch.column(name)[row] for name in batch.schema.names}
        time, status = (there[name].as_py() if name in there else None for name in OPTIONAL)
        return Observation(time, status, body=_bytes(there["body"]))

    def close(self) -> None:
        """Do nothing: the system lets the file go with the rows."""


def _place_column(path: str, file: "ParquetFile") -> str:
    from verger.bulk.filter.readers import expect_text

    names = file.schema_arrow.names
    place = next((name for name in ("origin", "url") if name in names), None)
    if place is None or "body" not in names:
        hint = "a snapshot has the columns `origin` or `url`, `body`, and perhaps `status`, `time`"
        raise UnusableInput(f"`{printable(path)}` is no snapshot", hint)
    for column in (place, "body"):
        expect_text(path, file, column)
    kinds = {name: str(file.schema_arrow.field(name).type) for name in OPTIONAL if name in names}
    for name, kind in kinds.items():
        expected, beginnings = OPTIONAL[name]
        if not kind.removeprefix("u").startswith(beginnings):
            raise UnusableInput(
                f"the column `{name}` of `{printable(path)}` holds `{kind}`, not {expected}"
            )
    return place


OPTIONAL = {
    "time": (
        "timestamps or numbers",
        ("int", "float", "double", "halffloat", "null", "timestamp"),
    ),
    "status": ("whole numbers", ("int", "null")),
}
"""Columns that a snapshot may have: what they hold, and how the names of such types begin."""


def _rows(path: str, file: "ParquetFile", place: str) -> Iterator["RecordBatch"]:
    """Yield the rows whose place is a URL, with their canonical origins."""
    import pyarrow as pa

    from verger.bulk import origins
    from verger.bulk.filter.readers import parquet_batches

    columns = ["body", *(name for name in OPTIONAL if name in file.schema_arrow.names)]
    for batch in parquet_batches(path, file, [place, *columns]):
        found = pa.table(origins(batch, column=place)).column("origin").combine_chunks()
        values = [_plain(batch.column(name)) for name in columns]
        rows = pa.record_batch([found, *values], names=["origin", *columns])
        yield rows.filter(found.is_valid())


def _plain(column: "Array") -> "Array":
    """Return a column without a dictionary, which each batch would repeat; times in seconds."""
    import pyarrow as pa
    from pyarrow.types import is_dictionary, is_timestamp

    if is_timestamp(column.type):
        micros = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).to_pylist()
        times = [None if each is None else each / 1_000_000 for each in micros]
        return pa.array(times, pa.float64())
    return column.dictionary_decode() if is_dictionary(column.type) else column


def _mapped(batches: Iterator["RecordBatch"], file: "IO[bytes]") -> "list[RecordBatch]":
    """Return the batches as they lie in a file."""
    from mmap import ACCESS_READ, mmap

    import pyarrow as pa

    with ExitStack() as at_end:
        writer = None
        for batch in batches:
            writer = writer or at_end.enter_context(pa.ipc.new_stream(file, batch.schema))
            writer.write_batch(batch)
    file.flush()
    if writer is None:
        return []
    with pa.ipc.open_stream(pa.py_buffer(mmap(file.fileno(), 0, access=ACCESS_READ))) as stream:
        return list(stream)


def _sorted(batches: "list[RecordBatch]") -> "tuple[Array, Array]":
    """Return the origins in order, and the number of the row that each is from; rows in theirs."""
    import pyarrow as pa
    from pyarrow import compute

    origins = pa.chunked_array([batch.column("origin") for batch in batches], pa.string())
    origins = origins.cast(pa.large_string()).combine_chunks()
    order = compute.sort_indices(origins)
    return origins.take(order), order


def _bytes(value: "Scalar") -> bytes | None:
    """Return bytes, or those of a text, which need not be UTF-8."""
    return value.as_buffer().to_pybytes() if value.is_valid else None
