"""The rows of a table or an archive, as the entries of their origins.

In: the path of a table (Parquet, CSV, JSON Lines) or a WARC archive, and origins. Out: the `Entry`
that the rows of each origin make; nothing for an origin without rows. Knows no dialect and reads no
clock: an entry means what it meant when it was fetched.
"""

import sqlite3
from collections.abc import Collection, Iterator, Mapping

import pyarrow as pa

from verger._core import _origins
from verger.access.entry import Entry
from verger.access.observation import Observation, entry_observed
from verger.captures.columns import RECORDS_SCHEMA, SCAN_SCHEMA
from verger.captures.report import ScanReport
from verger.captures.tables import SNAPSHOT, Form, plain, read_table
from verger.captures.warc import read_warc
from verger.errors import InvalidTable, UnusableOutput
from verger.files.parquet import metadata_of, open_parquet
from verger.plain import counted, quoted
from verger.snapshots.stored import Stored

STORED = pa.schema(
    [
        pa.field("origin", pa.string()),
        pa.field("time", pa.int64()),
        pa.field("status", pa.int32()),
        pa.field("failure", pa.string()),
        pa.field("body", pa.large_binary()),
    ]
)
"""The columns of rows: times in microseconds since the epoch."""

OF_ORIGIN = "SELECT time / 1e6, status, failure, body FROM row WHERE origin = ? ORDER BY rowid"


class TableOfEntries(Stored):
    """The rows of a table: `origin` (or `url`, `host`), `body`, and perhaps `status` and `time`.

    They are written again, unpacked, to a temporary database without a name, from which those that
    are wanted are read: memory does not grow with the table.
    """

    def __init__(self, path: str, format: str) -> None:
        super().__init__(path)
        self._database = sqlite3.connect("", check_same_thread=False)
        try:
            self._database.execute("PRAGMA page_size = 65536")  # rows are files: a third faster
            self._database.execute("CREATE TABLE row (origin, time, status, failure, body)")
            insert = "INSERT INTO row VALUES (?, ?, ?, ?, ?)"
            for batch in rows_of(path, format):
                columns = [column.to_pylist() for column in batch.columns]
                self._database.executemany(insert, zip(*columns, strict=True))
            self._database.execute("CREATE INDEX by_origin ON row (origin)")
        except sqlite3.Error as error:
            hint = "free some space there, or set TMPDIR to a folder on another disk"
            raise UnusableOutput(f"cannot write temporary files: {error}", hint) from error
        nameless = "SELECT count(*), min(rowid) FROM row WHERE origin IS NULL"
        count, first = self._database.execute(nameless).fetchone()
        if count:
            self.notes.append(_note_of_nameless(path, count, first))

    def __del__(self) -> None:
        self.close()

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        entries = {}
        for name in origins:
            seen = [Observation(*row) for row in self._database.execute(OF_ORIGIN, (name,))]
            if seen:
                entries[name] = entry_observed(name, seen)
        return entries

    def origins(self) -> Collection[str]:
        named = "SELECT DISTINCT origin FROM row WHERE origin IS NOT NULL"
        return [name for (name,) in self._database.execute(named)]

    def close(self) -> None:
        self._database.close()


def _note_of_nameless(path: str, count: int, first: int) -> str:
    """Return a note about the rows that name no site, and so are not used."""
    one = count == 1
    verbs, which = ("names no site and is", "it") if one else ("name no site and are", "the first")
    return f"{counted(count, 'row')} of {quoted(path)} {verbs} not used, {which} is row {first:,}"


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
        yield from _archive(path)
        return
    if format == "parquet":
        _expect_files(path)
    yield from read_table(path, format, form)


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
