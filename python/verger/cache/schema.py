"""The file of a `SqliteStore`: its layout, and what may be opened as one.

In: a path. Out: a connection to a file of the newest layout, created or migrated if needed, or a
read-only one that creates nothing; or `CacheError`. A file of another program or of a later verger
is not changed.

The layout, version 1: `entry` holds a record for each origin, and the digests of its bodies;
`body` holds each distinct body once, and triggers delete it with the last entry that refers to it;
`claim` records who is fetching.
"""

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from verger.errors import CacheError, NewerSchema
from verger.files.places import place_to_make

APPLICATION_ID = 0x76726772  # "vrgr"

_FORGET_BODIES = """
    DELETE FROM body WHERE digest IN (old.last_body, old.copy_body)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE last_body = body.digest)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE copy_body = body.digest);
"""

MIGRATIONS: Sequence[Sequence[str]] = (
    (  # to version 1, from nothing
        """CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            origin TEXT NOT NULL UNIQUE,
            saved_at INTEGER NOT NULL,  -- seconds since the epoch: the order of eviction
            record BLOB NOT NULL,
            last_body BLOB,
            copy_body BLOB
        )""",
        "CREATE INDEX entry_by_age ON entry (saved_at)",
        "CREATE INDEX entry_by_last_body ON entry (last_body) WHERE last_body IS NOT NULL",
        "CREATE INDEX entry_by_copy_body ON entry (copy_body) WHERE copy_body IS NOT NULL",
        """CREATE TABLE body (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            content BLOB NOT NULL
        )""",
        f"""CREATE TRIGGER entry_removed AFTER DELETE ON entry
            WHEN old.last_body IS NOT NULL OR old.copy_body IS NOT NULL
            BEGIN {_FORGET_BODIES} END""",
        f"""CREATE TRIGGER entry_replaced AFTER UPDATE OF last_body, copy_body ON entry
            WHEN old.last_body IS NOT new.last_body OR old.copy_body IS NOT new.copy_body
            BEGIN {_FORGET_BODIES} END""",
        """CREATE TABLE claim (
            origin TEXT PRIMARY KEY,
            holder TEXT NOT NULL,
            until REAL NOT NULL  -- seconds since the epoch
        ) WITHOUT ROWID""",
    ),
)
"""The statements that migrate a file from each version to the next; all that are due run in one
transaction. A new file runs all of them."""

OLDEST_SQLITE = (3, 35, 0)
HEADER_BYTES = 100


def open_file(path: Path, *, busy_seconds: float) -> sqlite3.Connection:
    """Return a connection to a file of the newest layout.

    Raises: CacheError if this is not a cache of verger; `sqlite3.Error` and `OSError`.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        why = f"this Python has SQLite {sqlite3.sqlite_version}, a cache needs {needed}"
        raise CacheError(why, "use a newer Python, or a Redis server as the cache")
    _make_file(path)
    connection = _connect(path, "mode=rw", busy_seconds)
    try:
        _set_up(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, *, busy_seconds: float) -> sqlite3.Connection:
    """Return a connection that writes nothing, neither to the file nor next to it.

    If there is no write-ahead log, nobody has the file open, and it is opened as immutable:
    otherwise SQLite would need to create files next to it (sqlite.org, "Write-Ahead Logging",
    section "Read-Only Databases"). The owner of the connection checks whether the file changed.

    Raises: CacheError if this is not a cache of verger; `sqlite3.Error` and `OSError`.
    """
    if path.stat().st_size < HEADER_BYTES:
        raise CacheError(f"`{path}` is empty, or too short for a cache", "name another file")
    how = "mode=ro" if log_of(path).exists() else "mode=ro&immutable=1"
    connection = _connect(path, how, busy_seconds)
    try:
        _set_up_to_read(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def log_of(path: Path) -> Path:
    """Return the path of SQLite's write-ahead log, which exists while a connection writes.

    It is next to the file itself, to which `path` may be a symbolic link.
    """
    place = path.resolve()
    return place.with_name(f"{place.name}-wal")


def _connect(path: Path, how: str, busy_seconds: float) -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{how}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,  # the thread that forks closes it
    )


def _set_up_to_read(connection: sqlite3.Connection, path: Path) -> None:
    _protect(connection)
    version = _checked_version(connection, path)
    if version == 0:
        raise CacheError(f"`{path}` is a database without tables, not a cache", "name another file")
    if version < len(MIGRATIONS):
        why = f"`{path}` has an older layout, which cannot be migrated without writing"
        raise CacheError(why, "make the file and its folder writable for this user once")


def _protect(connection: sqlite3.Connection) -> None:
    connection.text_factory = bytes  # a damaged text may not be UTF-8
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def _make_file(path: Path) -> None:
    """Create an empty file only for its owner, and its folders, if it does not exist.

    An existing file is not opened here: closing it would end the locks that other connections
    of this process hold on it.
    """
    place_to_make(str(path))  # raises an error for an impossible path, before folders are created
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if 0 < path.stat().st_size < HEADER_BYTES:  # SQLite would write over a single byte
            why = f"the cache `{path}` is damaged: it is shorter than the header of a database"
            raise CacheError(why, "move the file away, or name another file") from None


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    _protect(connection)
    # In one transaction, so that no other process creates the tables between two checks.
    connection.execute("BEGIN")
    version = _checked_version(connection, path)
    connection.execute("COMMIT")
    if version == 0:
        # Most entries and their files fit in two pages: a quarter less work than with 4,096 bytes.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only possible without tables
    connection.execute("PRAGMA journal_mode = WAL")
    # A machine crash may lose the last transactions, a process crash loses none.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    connection.execute("PRAGMA cache_size = -16384")  # KiB
    connection.execute("PRAGMA journal_size_limit = 67108864")
    if version < len(MIGRATIONS):
        _migrate(connection, path)


def _checked_version(connection: sqlite3.Connection, path: Path) -> int:
    """Return the version of the layout, 0 for an empty file; raise `CacheError` for others."""
    version = _number(connection, "PRAGMA user_version")
    application = _number(connection, "PRAGMA application_id")
    is_empty = not _number(connection, "SELECT count(*) FROM sqlite_master")
    if application != APPLICATION_ID and not (is_empty and application == version == 0):
        why = f"`{path}` is a database of another program"
        raise CacheError(why, "name another file for the cache")
    if version > len(MIGRATIONS):
        newest = f"this one reads up to version {len(MIGRATIONS)}"
        why = f"`{path}` was written by a later verger: its layout is version {version}, {newest}"
        raise NewerSchema(why, "upgrade verger, or name another file for the cache")
    return version


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster.
        for step in MIGRATIONS[_checked_version(connection, path) :]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    except BaseException:
        connection.rollback()
        raise
    connection.execute("COMMIT")


def _number(connection: sqlite3.Connection, query: str) -> int:
    (number,) = connection.execute(query).fetchone()
    return int(number)
