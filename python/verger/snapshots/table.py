"""The rows of a table or an archive, as the entries of their origins.

In: the path of a table (Parquet, CSV, JSON Lines) or a WARC archive, and origins. Out: the `Entry`
that the rows of each origin make; nothing for an origin without rows. Knows no dialect and reads no
clock: an entry means what it meant when it was fetched.
"""

import mmap as mmap_module
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import accumulate, islice
from mmap import ACCESS_READ, mmap
from tempfile import TemporaryFile
from time import time as clock
from typing import IO

import pyarrow as pa
import pyarrow.compute as pc

from verger._core import _origins
from verger.access.entry import Entry
from verger.access.observation import Observation, entry_observed
from verger.captures.batches import SEEN, ScanReport, schema_of
from verger.captures.column_names import RECORDS_SCHEMA, SCAN_SCHEMA
from verger.captures.tables import SNAPSHOT, Form, plain, read_table
from verger.captures.warc import read_warc
from verger.errors import InvalidTable
from verger.files.parquet import metadata_of, open_parquet
from verger.files.writing import temporary_files
from verger.snapshots.stored import StoredEntries
from verger.untrusted_text import counted, quoted, without_secrets

STORED = schema_of("origin", *SEEN.names[1:], time=pa.int64(), body=pa.large_binary())
"""The columns of rows: times in microseconds since the epoch."""

MADV_DONTNEED: int | None = getattr(mmap_module, "MADV_DONTNEED", None)

AT_ONCE = 256
"""How many batches of rows are looked at before what was read of them is given back."""

FEW = 32
"""How many entries are made before that: the system brings pages around each that is read."""

MOST_BETWEEN = 4
"""Up to this many rows for each wanted origin, all rows between the first and the last are read:
that takes less time than finding each one."""


class TableOfEntries(StoredEntries):
    """The rows of a table: `origin` (or `url`, `host`), `body`, and perhaps `status` and `time`.

    They are written again, unpacked, to a temporary file without a name, from which the system
    reads those that are wanted: only an index stays in memory.
    """

    def __init__(self, path: str, format: str) -> None:
        super().__init__(path)
        with temporary_files(), TemporaryFile(prefix="verger-") as rows:
            self._mapped = _write_and_map(rows_of(path, format), rows)
        self._columns: list[list[pa.Array]] = []
        names: list[pa.Array] = []
        with pa.ipc.open_stream(pa.py_buffer(self._mapped)) as stream:
            while some := list(islice(stream, AT_ONCE)):
                self._columns += [batch.columns[1:] for batch in some]
                names.append(pa.concat_arrays([batch.column("origin") for batch in some]))
                self._forget()
        pa.default_memory_pool().release_unused()
        self._firsts = list(accumulate((len(each[0]) for each in self._columns), initial=0))
        origins = pa.chunked_array(names, pa.string())
        if origins.null_count:
            self.notes.append(_note_of_nameless(path, origins))
        self._order = pc.sort_indices(origins)  # equal ones in the order of rows, then nulls
        sites = origins.cast(pa.large_string()).combine_chunks().take(self._order)
        self._origins = sites[: len(sites) - sites.null_count]

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        if not origins:
            return {}
        near = self._places(min(origins), max(origins))
        is_one_read = len(near) <= MOST_BETWEEN * len(origins)
        reads = [near] if is_one_read else [self._places(name, name) for name in set(origins)]
        found: dict[str, list[int]] = {}
        for places in reads:
            columns = (self._origins, self._order)
            names, rows = (each[places.start : places.stop].to_pylist() for each in columns)
            for name, row in zip(names, rows, strict=True):
                found.setdefault(name, []).append(row)
        entries: dict[str, Entry] = {}
        for name in filter(found.__contains__, origins):
            entries[name] = entry_observed(name, map(self._observation, found[name]), now=clock())
            if len(entries) % FEW == 0:
                self._forget()
        self._forget()
        return entries

    def _forget(self) -> None:
        """Give back what was read of the file: until then it counts as memory of this process."""
        if MADV_DONTNEED is not None:
            self._mapped.madvise(MADV_DONTNEED)

    def _places(self, first: str, last: str) -> range:
        """Return the places of the rows of these origins and of those between, in their order."""
        return range(self._place(bisect_left, first), self._place(bisect_right, last))

    def _place(self, bisect: Callable[..., int], name: str) -> int:
        return bisect(range(len(self._origins)), name, key=lambda at: str(self._origins[at]))

    def origins(self) -> Collection[str]:
        return set(self._origins.to_pylist())

    def _observation(self, number: int) -> Observation:
        at = bisect_right(self._firsts, number) - 1
        row = number - self._firsts[at]
        micros, *others = (column[row].as_py() for column in self._columns[at])
        return Observation(None if micros is None else micros / 1_000_000, *others)


def _note_of_nameless(path: str, origins: pa.ChunkedArray) -> str:
    """Return a note about the rows that name no site, and so are not used."""
    one = origins.null_count == 1
    verbs, which = ("names no site and is", "it") if one else ("name no site and are", "the first")
    first = origins.is_valid().index(pa.scalar(value=False)).as_py() + 1
    rows = counted(origins.null_count, "row")
    return f"{rows} of {quoted(without_secrets(path))} {verbs} not used, {which} is row {first:,}"


def rows_of(path: str, format: str, form: Form = SNAPSHOT) -> Iterator[pa.RecordBatch]:
    """Yield the rows with their canonical origins: null for those that name no site, and no column
    of them if the table has none."""
    for batch in _captures(path, format, form):
        columns = {field.name: _column(batch, field) for field in list(STORED)[1:]}
        if "url" in batch.schema.names:
            sites = pa.table(_origins(batch, "url", with_hosts=True))
            columns = {"origin": sites.column("origin").combine_chunks(), **columns}
        yield pa.RecordBatch.from_pydict(columns)


def _column(batch: pa.RecordBatch, field: pa.Field) -> pa.Array:
    if field.name not in batch.schema.names:
        return pa.nulls(batch.num_rows, field.type)
    return plain(batch.column(field.name), field.type)


def _captures(path: str, format: str, form: Form) -> Iterator[pa.RecordBatch]:
    if format == "warc":
        return _archive(path)
    if format == "parquet":
        _expect_files(path)
    return read_table(path, format, form)


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


def _write_and_map(batches: Iterator[pa.RecordBatch], file: IO[bytes]) -> mmap:
    """Write batches to a file; return it as a stream of Arrow that the system reads."""
    with pa.ipc.new_stream(file, STORED) as writer:
        for batch in batches:
            writer.write_batch(batch)
            pa.default_memory_pool().release_unused()
    file.flush()
    return mmap(file.fileno(), 0, access=ACCESS_READ)
