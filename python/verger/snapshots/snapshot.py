"""Snapshots: the robots.txt files of many origins at one time, or the results of fetching them.

In: access results, entries of a store, bytes, or a table. Out: a `Snapshot` for `decide_table`.
`verger.access` decides what one or several observations of an origin mean (RFC 9309 section
2.3.1); its rules reach the kernel as a table.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from os import PathLike
from time import time as clock
from typing import TypeAlias

from verger._core import Dialect, _dialect_of, _opened, _SnapshotBuilder, _SnapshotIndex, origin
from verger.access.entry import Entry, is_kept_short, told_others
from verger.access.observation import Observation, result_observed
from verger.access.policy import bytes_read
from verger.access.result import AccessResult
from verger.access.table import access_table, kind_of
from verger.captures.column_names import (
    FOLDED,
    ROLES,
    ArrowStream,
    Columns,
    SnapshotNames,
    is_export,
    snapshot_columns,
)
from verger.errors import MissingExtra
from verger.fetching.decode import kept_file
from verger.files.formats import is_doubtful
from verger.options import AnyDialect, AnyPath
from verger.snapshots.opening import open_stored
from verger.snapshots.stored import Stored, unpacked
from verger.untrusted_text import counted

File: TypeAlias = bytes | bytearray | memoryview | str

Seen: TypeAlias = tuple[str, float | None, AccessResult | File, float | None]
"""A URL of an origin, the time, what was fetched (a result, or a file of unknown age), and for how
many seconds that has been unreachable, if a store has counted that."""

FOUND = result_observed("", Observation(body=b""))
"""Any file without the record of its fetch."""


def open(
    source: AnyPath | Mapping[str, File | AccessResult] | ArrowStream | Iterable[Entry],
    *,
    dialect: AnyDialect = "rfc9309",
) -> "Snapshot":
    """Return the snapshot that a source holds, read as this dialect reads files.

    source:  the path of a folder of robots.txt files named by host, a table, a WARC archive or a
             cache; files by origin; a table with the Arrow PyCapsule interface; or the entries of a
             store.
    Raises what the methods of `Snapshot` raise, which take more options.
    """
    if isinstance(source, str | PathLike):
        return Snapshot.from_path(source, dialect=dialect)
    if isinstance(source, Mapping):
        return Snapshot(source, dialect=dialect)
    if isinstance(source, ArrowStream):
        return Snapshot.from_table(source, dialect=dialect)
    return Snapshot.from_entries(source, dialect=dialect)


class Snapshot:
    """Many origins, each with the bytes of its file or the policy that applies without one.

    An origin may be given as any URL of it but that of another robots.txt, such as
    `/sub/robots.txt`, which governs nothing. If it is given several times, the last by time counts,
    and one without a time comes before those with one; after a failure the last good copy applies
    for as long as the dialect says. A snapshot is immutable, and any thread may use it.
    """

    __slots__ = ("dialect", "index")

    dialect: Dialect
    """How its files are read."""
    index: _SnapshotIndex
    """The native part."""

    def __init__(
        self,
        files: Mapping[str, File | AccessResult],
        *,
        dialect: AnyDialect = "rfc9309",
    ) -> None:
        """Make a snapshot of files by origin: bytes as fetched, or an access result.

        The order of the mapping is that of time.
        Raises InvalidTarget for what is not an origin, UnknownName for a dialect, TypeError for
        what is not a mapping.
        """
        if not isinstance(files, Mapping):
            kind = type(files).__name__
            hint = "`Snapshot.from_table` takes a table, and `from_entries` the entries of a store"
            raise TypeError(f"`files` must be a mapping of files by origin, not {kind}; {hint}")
        self._fill(dialect, ((url, None, file, None) for url, file in files.items()))

    @classmethod
    def from_results(
        cls, results: Iterable[AccessResult], *, dialect: AnyDialect = "rfc9309"
    ) -> "Snapshot":
        """Make a snapshot of access results, each for the origin of its `url`.

        Raises InvalidTarget for a URL without origin, UnknownName for a dialect, TypeError for
        anything but results.
        """
        results = list(results)
        for each in results:
            if not isinstance(each, AccessResult):
                said = f"`results` must be access results, and one is {type(each).__name__}"
                raise TypeError(f"{said}; `Snapshot` takes a mapping, `Snapshot.from_table` rows")
        return cls._of(dialect, ((each.url, each.fetched_at, each, None) for each in results))

    @classmethod
    def from_entries(
        cls, entries: Iterable[Entry], *, dialect: AnyDialect = "rfc9309"
    ) -> "Snapshot":
        """Make a snapshot of the entries of a store, whatever their age.

        Raises InvalidTarget for what is not an origin, UnknownName for a dialect.
        """
        return cls._of(dialect, chain.from_iterable(map(_observed, entries)))

    @classmethod
    def from_table(
        cls,
        table: ArrowStream,
        *,
        origin: str | None = None,
        body: str | None = None,
        status: str | None = None,
        time: str | None = None,
        failure: str | None = None,
        dialect: AnyDialect = "rfc9309",
    ) -> "Snapshot":
        """Make a snapshot of a table with the Arrow PyCapsule interface; bodies are not copied.

        Columns that are not named are those with a usual name, as for every command that reads such
        a table: `origin`, `url` or `host`, `body` or `robots_txt`, `status` or `status_code`,
        `time` or `fetched_at`, and others (docs/guides/scan.md), in any case of letters.

        origin:  the column of origins, of URLs of them, or of hosts, which means `https`: text, no
                 nulls.
        body:    the column of files: text or binary.
        status:  the column of HTTP statuses. A success whose body is null, or shorter than a column
                 such as `content_length` says, is a broken body, but 204 is an empty file. Without
                 a status a body is a success, and a null is unreachable. Among floats NaN is null.
        time:    the column of fetch times, timestamps or seconds since the epoch; they count to the
                 microsecond. The latest row of an origin counts, or the last one if there are no
                 times; a row without a time comes before all others. If that row is a failure, the
                 last good copy applies for as long as the dialect says.
        failure: the column that says why a fetch failed, such as `dns` or `timeout`. A row with a
                 failure has neither a status nor a body.
        What `verger cache export` writes is read as a whole, with the copies and failures of its
        entries; this needs pyarrow.
        Raises InvalidTable, which names the column and the row; UnknownName for a dialect;
        MissingExtra.
        """
        names, opened = _opened(table, "table")
        columns = (origin, body, status, time, failure)
        if is_export(names, "the table"):
            return cls.from_observations(_exported(table, opened, columns), dialect=dialect)
        return cls._of(dialect, (), [(opened, snapshot_columns("the table", names, columns))])

    @classmethod
    def from_observations(
        cls, tables: Iterable[ArrowStream], *, dialect: AnyDialect = "rfc9309", url: str = "url"
    ) -> "Snapshot":
        """Make a snapshot of tables with the columns `FOLDED`, as an exported cache is read.

        url:  the column of origins, if it has another name.
        Raises InvalidTable.
        """
        names = (url, *FOLDED[1:-1], (None, None, FOLDED[-1]))
        return cls._of(dialect, (), ((table, names) for table in tables))

    @classmethod
    def from_path(cls, path: AnyPath, *, dialect: AnyDialect = "rfc9309") -> "Snapshot":
        """Read a snapshot from disk into memory: a folder of files named by host, a table, a WARC
        archive, or a cache.

        A file of a folder answers for http and https; one that cannot be read is not in it.
        Raises UnusableInput for what is not a snapshot, or cannot be read; CacheError,
        MissingExtra, UnknownName for a dialect.
        """
        dialect = _dialect_of(dialect)
        with closing(open_stored(path)) as stored:
            origins = list(stored.origins())
            if not stored.records_fetches:  # the names of files tell no scheme
                origins += [origin(f"http:{name.removeprefix('https:')}") for name in origins]
            return cls.from_stored(stored, origins, dialect=dialect)

    @classmethod
    def from_stored(
        cls, stored: Stored, origins: Collection[str], *, dialect: AnyDialect = "rfc9309"
    ) -> "Snapshot":
        """Make a snapshot of what is stored of some origins, as `verger.origin` writes them."""
        return cls._of(dialect, _stored(stored, origins, _dialect_of(dialect)))

    @classmethod
    def _of(
        cls,
        dialect: AnyDialect,
        seen: Iterable[Seen],
        tables: Iterable[tuple[ArrowStream, SnapshotNames]] = (),
    ) -> "Snapshot":
        snapshot = cls.__new__(cls)
        snapshot._fill(dialect, seen, tables)
        return snapshot

    def _fill(
        self,
        dialect: AnyDialect,
        seen: Iterable[Seen],
        tables: Iterable[tuple[ArrowStream, SnapshotNames]] = (),
    ) -> None:
        self.dialect = _dialect_of(dialect)
        table_of_dialect, kinds = access_table(self.dialect)
        builder = _SnapshotBuilder(self.dialect, table_of_dialect, clock())
        file = kinds[kind_of(FOUND)]
        for url, time, what, period in seen:
            if isinstance(what, bytes | bytearray | memoryview) and is_doubtful(what):
                what = result_observed("", unpacked(bytes(what)))
            if isinstance(what, AccessResult):
                told, is_short = told_others(what, self.dialect), is_kept_short(what, self.dialect)
                builder.add(url, time, kinds[kind_of(told)], told.body, period, is_short)
            else:
                builder.add(url, time, file, what)
        for table, names in tables:
            builder.add_table(table, names, kept_file, bytes_read(self.dialect))
        self.index = builder.finish()

    def __len__(self) -> int:
        return len(self.index)

    def __contains__(self, origin: str) -> bool:
        """Whether there is an entry for an origin in canonical form, see `verger.origin`."""
        return origin in self.index

    def __repr__(self) -> str:
        return f"Snapshot({counted(len(self), 'origin')}, dialect={self.dialect.name!r})"


def _observed(entry: Entry) -> Iterator[Seen]:
    """Yield the observations that an entry stands for: its copy, and its last attempt."""
    if entry.copy is not None:
        yield entry.origin, None, entry.copy, None
    yield entry.origin, entry.last.fetched_at, entry.last, entry.unreachable_for


def _stored(stored: Stored, origins: Collection[str], dialect: Dialect) -> Iterator[Seen]:
    """Yield what is stored of some origins."""
    for name, found in stored.find(origins, [dialect]):
        match found:
            case Entry():
                yield from _observed(found)
            case _, body:
                yield name, None, body, None


def _exported(
    table: Columns, opened: ArrowStream, columns: Sequence[str | None]
) -> Iterator[ArrowStream]:
    """Return the observations of an exported cache. Raises InvalidTable."""
    with MissingExtra.unless_installed("parquet", "reading an exported cache"):
        from verger.captures.tables import entries_in, expect_own_columns, observations

    expect_own_columns("the table", zip(ROLES, columns, strict=True))
    return observations(entries_in(table, opened), "in the table")
