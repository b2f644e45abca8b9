"""Snapshots: rulings from a folder of files, a Parquet file or a cache, without any network.

In: a path and a crawler. Out: the ruling of each origin asked about; one that the snapshot does
not have is a ruling, too. What is kept in memory is bounded; no clock is read: an entry of a
cache means what it meant when it was fetched.
"""

# ruff: noqa: PTH112, PTH123

import os
from collections.abc import Collection, Iterator, Mapping

from verger import Dialect, InvalidTarget, origin
from verger.cli.answers import Question, Unanswered
from verger.cli.exit import Failure, reason_of
from verger.cli.files import Snapshot
from verger.cli.filtering.rulings import NOT_IN_SNAPSHOT, UNREADABLE_FILE, Ruling, Rulings
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from pyarrow.parquet import ParquetFile

    from verger.cache.sqlite import SqliteStore
    from verger.cache.store import Entry

    class Source(Protocol):
        """What knows the rulings of origins without waiting for a network."""

        def rulings(self, origins: Collection[str]) -> Mapping[str, Ruling]:
            """Return a ruling for every origin."""
            ...

        def close(self) -> None:
            """Let go of files."""
            ...


KEPT_OCTETS = 64 << 20
"""How much is kept parsed; what was not asked for longest goes first."""


def snapshot_at(path: str, tokens: tuple[str, ...], dialect: Dialect) -> "Source":
    """Return the snapshot that lies there, whichever of the three it is."""
    if os.path.isdir(path):
        return Folder(path, tokens, dialect)
    match _beginning(path):
        case b"PAR1":
            return Entries(_ParquetEntries(path), tokens, dialect)
        case b"SQLi":
            return Entries(_StoredEntries(path), tokens, dialect)
    raise Failure(
        f"`{printable(path)}` is no snapshot",
        "pass a folder of robots.txt files named by host, a Parquet file, or a cache of verger's",
    )


def _beginning(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4)
    except FileNotFoundError:
        raise Failure(f"no such file or folder: `{printable(path)}`") from None
    except OSError as error:
        raise Failure(f"cannot read `{printable(path)}`: {reason_of(error)}") from None


class Folder:
    """A folder of robots.txt files named by host, as `check --robots-dir` reads it."""

    def __init__(self, path: str, tokens: tuple[str, ...], dialect: Dialect) -> None:
        self._files = Snapshot(path, [Question(tokens, dialect.name)])
        self._kept = Rulings(KEPT_OCTETS)

    def rulings(self, origins: Collection[str]) -> Mapping[str, Ruling]:
        """Return a ruling for every origin."""
        get, put = self._kept.get, self._kept.put
        return {name: get(name) or put(name, self._ruling(name)) for name in origins}

    def _ruling(self, name: str) -> Ruling:
        try:
            file = self._files.file_for(f"{name}/")
        except Unanswered as why:
            is_there = why.kind == "unreadable-file"
            return Ruling.without_file(name, UNREADABLE_FILE if is_there else NOT_IN_SNAPSHOT)
        return Ruling.by_rules(name, file.agents[0])

    def close(self) -> None:
        """Do nothing: no file stays open."""


class Entries:
    """Rulings from entries, the newest used kept parsed."""

    def __init__(
        self,
        entries: "_ParquetEntries | _StoredEntries",
        tokens: tuple[str, ...],
        dialect: Dialect,
    ) -> None:
        self._entries = entries
        self._tokens = tokens
        self._dialect = dialect
        self._kept = Rulings(KEPT_OCTETS)

    def rulings(self, origins: Collection[str]) -> Mapping[str, Ruling]:
        """Return a ruling for every origin."""
        kept = {name: self._kept.get(name) for name in origins}
        found = {name: ruling for name, ruling in kept.items() if ruling is not None}
        missing = [name for name in origins if name not in found]
        entries = self._entries.load(missing)
        for name in missing:
            found[name] = self._kept.put(name, self._ruling(name, entries.get(name)))
        return found

    def _ruling(self, name: str, entry: "Entry | None") -> Ruling:
        from verger.client.site import site_of

        if entry is None:
            return Ruling.without_file(name, NOT_IN_SNAPSHOT)
        return Ruling.of(site_of(entry, self._dialect, self._tokens))

    def close(self) -> None:
        """Let go of the file."""
        self._entries.close()


class _StoredEntries:
    """The entries of a cache, whatever their age."""

    def __init__(self, path: str) -> None:
        import asyncio

        self._runner = asyncio.Runner()
        self._store = _opened_store(path)

    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries that there are."""
        return self._runner.run(self._store.load(origins))

    def close(self) -> None:
        """Close the cache."""
        self._runner.run(self._store.close())
        self._runner.close()


def _opened_store(path: str) -> "SqliteStore":
    from verger.cache.sqlite import SqliteStore

    return SqliteStore(path)


class _ParquetEntries:
    """The rows of a Parquet file: `origin` or `url`, `body`, and perhaps `status`.

    They are put into a nameless database, which SQLite keeps in memory while it is small and in a
    temporary file that ends with the process otherwise. Of rows of one origin the last counts.
    """

    def __init__(self, path: str) -> None:
        import sqlite3

        from verger.cli.filtering.readers import opened_parquet

        self._rows = sqlite3.connect("", isolation_level=None)
        self._rows.execute(
            "CREATE TABLE file (origin TEXT PRIMARY KEY, status INTEGER, body BLOB) WITHOUT ROWID"
        )
        with opened_parquet(path) as file:
            place = _place_column(path, file)
            self._rows.execute("BEGIN")
            self._rows.executemany(
                "INSERT OR REPLACE INTO file VALUES (?, ?, ?)", _rows(file, place)
            )
            self._rows.execute("COMMIT")

    def load(self, origins: Collection[str]) -> "Mapping[str, Entry]":
        """Return the entries that there are."""
        found = {}
        for name in origins:
            query = "SELECT status, body FROM file WHERE origin = ?"
            row = self._rows.execute(query, (name,)).fetchone()
            if row is not None:
                found[name] = _entry(name, *row)
        return found

    def close(self) -> None:
        """Let the database go."""
        self._rows.close()


def _place_column(path: str, file: "ParquetFile") -> str:
    names = file.schema_arrow.names
    place = next((name for name in ("origin", "url") if name in names), None)
    if place is None or "body" not in names:
        hint = "a snapshot has the columns `origin` or `url`, `body`, and perhaps `status`"
        raise Failure(f"`{printable(path)}` is no snapshot", hint)
    return place


def _rows(file: "ParquetFile", place: str) -> Iterator[tuple[str, int | None, bytes | None]]:
    has_status = "status" in file.schema_arrow.names
    columns = [place, "body", *(["status"] if has_status else [])]
    for batch in file.iter_batches(1_024, columns=columns):
        data = batch.to_pydict()
        statuses = data.get("status") or [None] * batch.num_rows
        for url, body, status in zip(data[place], data["body"], statuses, strict=True):
            try:
                name = origin(url)
            except (InvalidTarget, TypeError):
                continue  # no question can be about it
            if body is not None or status is not None:
                yield name, status, body.encode() if isinstance(body, str) else body


def _entry(name: str, status: int | None, body: bytes | None) -> "Entry":
    """Return a row as though it had been fetched just now; a body without status is a 200."""
    from verger.access.result import AccessResult
    from verger.cache.store import Entry

    url = f"{name}/robots.txt"
    final = 200 if status is None else status
    octets = (body or b"") if 200 <= final < 300 else b""
    return Entry(name, AccessResult(url, 0.0, status=final, body=octets))
