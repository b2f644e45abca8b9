"""The rows of a table or an archive, as the entries of their origins.

In: the path of a table (Parquet, CSV, JSON Lines) or a WARC archive, and origins. Out: the `Entry`
that the rows of each origin make; nothing for an origin without rows. Knows no dialect and reads no
clock: an entry means what it meant when it was fetched.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import accumulate
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.types import is_dictionary

from verger._core import _origins
from verger.access.entry import Entry
from verger.access.observation import Observation, entry_observed
from verger.captures.columns import RECORDS_SCHEMA, SCAN_SCHEMA
from verger.captures.report import ScanReport
from verger.captures.tables import SNAPSHOT, read_table
from verger.captures.warc import read_warc
from verger.errors import InvalidTable
from verger.files.parquet import metadata_of, open_parquet
from verger.files.writing import temporary_files
from verger.plain import counted, quoted
from verger.snapshots.stored import Stored

MOST_BETWEEN = 4
"""Up to this many rows for each wanted origin, all rows between the first and the last are read:
that takes less time than finding each one."""

OBSERVED = ("time", "status", "failure", "body")


class TableOfEntries(Stored):
    """The rows of a table: `origin` (or `url`, `host`), `body`, and perhaps `status` and `time`.

    They are written again, unpacked, to a temporary file without a name, from which the system
    reads those that are wanted: only an index stays in memory.
    """

    def __init__(self, path: str, format: str) -> None:
        super().__init__(path)
        with temporary_files(), TemporaryFile(prefix="verger-") as rows:
            batches = _write_and_map(_rows(path, format), rows)
        self._firsts = list(accumulate(map(len, batches), initial=0))
        self._columns = [[batch.column(name) for name in OBSERVED] for batch in batches]
        origins = pa.chunked_array([batch.column("origin") for batch in batches], pa.string())
        if origins.null_count:
            self.notes.append(_note_of_nameless(path, origins))
        self._order = pc.sort_indices(origins)  # equal ones in the order of rows, then nulls
        sites = origins.cast(pa.large_string()).combine_chunks().take(self._order)
        self._origins = sites[: len(sites) - sites.null_count]

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        if len(origins) > 1 and (rows := self._near(origins)) is not None:
            return {name: self._observed(name, rows[name]) for name in origins if name in rows}
        return {name: entry for name in origins if (entry := self._entry(name)) is not None}

    def _near(self, origins: Collection[str]) -> dict[str, list[int]] | None:
        """Return the rows of origins that are near each other; None if they are not."""
        first = self._place(bisect_left, min(origins))
        behind = self._place(bisect_right, max(origins))
        if behind - first > MOST_BETWEEN * len(origins):
            return None
        found: dict[str, list[int]] = {}
        names, rows = (a[first:behind].to_pylist() for a in (self._origins, self._order))
        for name, row in zip(names, rows, strict=True):
            found.setdefault(name, []).append(row)
        return found

    def _place(self, bisect: Callable[..., int], name: str) -> int:
        return bisect(range(len(self._origins)), name, key=lambda at: str(self._origins[at]))

    def origins(self) -> Collection[str]:
        return set(self._origins.to_pylist())

    def _entry(self, name: str) -> Entry | None:
        first, behind = (self._place(side, name) for side in (bisect_left, bisect_right))
        if first == behind:
            return None
        return self._observed(name, self._order[first:behind].to_pylist())

    def _observed(self, name: str, rows: Iterable[int]) -> Entry:
        return entry_observed(name, map(self._observation, rows))

    def _observation(self, number: int) -> Observation:
        at = bisect_right(self._firsts, number) - 1
        row = number - self._firsts[at]
        micros, status, failure, body = (column[row] for column in self._columns[at])
        time = micros.as_py() / 1_000_000 if micros.is_valid else None
        return Observation(time, status.as_py(), failure.as_py(), _bytes(body))


def _note_of_nameless(path: str, origins: pa.ChunkedArray) -> str:
    """Return a note about the rows that name no site, and so are not used."""
    one = origins.null_count == 1
    verbs, which = ("names no site and is", "it") if one else ("name no site and are", "the first")
    first = origins.is_valid().index(pa.scalar(value=False)).as_py() + 1
    rows = counted(origins.null_count, "row")
    return f"{rows} of {quoted(path)} {verbs} not used, {which} is row {first:,}"


def _rows(path: str, format: str) -> Iterator[pa.RecordBatch]:
    """Yield the rows with their canonical origins; null for those that name no site."""
    for batch in _captures(path, format):
        sites = _origins(batch, "url", with_hosts=True)
        found = pa.table(sites).column("origin").combine_chunks()
        there = [_plain(batch, name) for name in OBSERVED]
        yield pa.record_batch([found, *there], names=["origin", *OBSERVED])


def _captures(path: str, format: str) -> Iterator[pa.RecordBatch]:
    if format == "warc":
        yield from _archive(path)
        return
    if format == "parquet":
        _expect_files(path)
    yield from read_table(path, format, SNAPSHOT)


def _expect_files(path: str) -> None:
    """Refuse what `verger scan` writes: it says what files mean, and does not contain them."""
    with open_parquet(path) as file:
        schema = metadata_of(file.schema_arrow).get("verger.schema", "")
    kind, _, _ = schema.partition("/")  # of any version
    if kind in {name.partition("/")[0] for name in (SCAN_SCHEMA, RECORDS_SCHEMA)}:
        why = f"{quoted(path)} holds what files say (`{schema}`), not the files"
        raise InvalidTable(why, "pass the archive or table that was scanned")


def _archive(path: str) -> Iterator[pa.RecordBatch]:
    """Yield the captures of an archive; an unreadable part is an error."""
    report = ScanReport()
    yield from read_warc(path, report, with_broken=True)
    if report.skips:
        first = report.skips[0]
        why = f"at byte {first.offset or 0:,}: {first.why}"
        raise InvalidTable(
            f"a part of {quoted(path)} cannot be read, {why}", "is it damaged, or cut off?"
        )


def _plain(batch: pa.RecordBatch, name: str) -> pa.Array:
    """Return a column without a dictionary, which each batch would repeat; times as numbers."""
    if name not in batch.schema.names:
        return pa.nulls(batch.num_rows, pa.int64())
    column = batch.column(name)
    if name == "time":
        return column.cast(pa.int64())
    return column.dictionary_decode() if is_dictionary(column.type) else column


def _write_and_map(batches: Iterator[pa.RecordBatch], file: IO[bytes]) -> list[pa.RecordBatch]:
    """Write batches to a file; return them as they are mapped from it."""
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


def _bytes(value: pa.Scalar) -> bytes | None:
    """Return bytes, or those of a text, which need not be UTF-8."""
    return value.as_buffer().to_pybytes() if value.is_valid else None
