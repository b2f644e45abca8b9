"""Files of SQLite: the layout of a cache, what may be opened as one, and what its errors mean.

In: a path, and a `Layout`. Out: a connection to the file, which is created if needed, or a
read-only one that creates nothing; or `CacheError`. A file of another program, of another layout or
of a later verger is not changed.

The layout of a cache, version 1: `entry` holds a record for each origin, and the digests of its
bodies; `body` holds each distinct body once, and triggers delete it with the last entry that refers
to it; `claim` records who is fetching.
"""

import os
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from urllib.parse import quote

from verger.errors import CacheError, NewerSchema, ReadOnlyStore


@dataclass(frozen=True, slots=True)
class Layout:
    """What a file holds.

    noun:            what such a file is called.
    application_id:  the number that says so in the file.
    version:         of the layout; a file of a later one is left alone.
    statements:      create the tables.
    if_damaged:      what a user can do with a damaged file.
    """

    noun: str
    application_id: int
    version: int
    statements: Sequence[str]
    if_damaged: str

    @property
    def one(self) -> str:
        """The noun with its article."""
        return f"{'an' if self.noun[0] in 'aeiou' else 'a'} {self.noun}"

    def stamped(self) -> Sequence[str]:
        """Return the statements, and those that say what the file is."""
        return (
            *self.statements,
            f"PRAGMA application_id = {self.application_id}",
            f"PRAGMA user_version = {self.version}",
        )


_FORGET_BODIES = """
    DELETE FROM body WHERE digest IN (old.last_body, old.copy_body)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE last_body = body.digest)
        AND NOT EXISTS (SELECT 1 FROM entry WHERE copy_body = body.digest);
"""

TABLES: Sequence[str] = (
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
)

CACHE = Layout(
    "cache",
    0x76726772,  # "vrgr"
    1,
    TABLES,
    "move away the file, and those with the same name and `-wal` or `-shm`; "
    "a new one is created and robots.txt files are fetched again",
)

OLDEST_SQLITE = (3, 35, 0)
HEADER_BYTES = 100

TO_WRITE = "the file and its folder must be writable for this user; or name another file"

# Opening


def open_file(path: Path, layout: Layout = CACHE) -> sqlite3.Connection:
    """Return a connection to a file, which is created if needed.

    Raises: CacheError if this is not a file of verger's with this layout; `sqlite3.Error` and
    `OSError`.
    """
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        why = f"this Python has SQLite {sqlite3.sqlite_version}, {layout.one} needs {needed}"
        raise CacheError(why, "use a newer Python, or a Redis server as the cache")
    _make_file(path, layout)
    return _connect(path, "mode=rw", partial(_set_up, layout=layout))


def open_to_read(path: Path, layout: Layout = CACHE) -> sqlite3.Connection:
    """Return a connection that writes nothing, neither to the file nor next to it.

    If there is no write-ahead log, nobody has the file open, and it is opened as immutable:
    otherwise SQLite would need to create files next to it (sqlite.org, "Write-Ahead Logging",
    section "Read-Only Databases"). Such a connection must be closed before others may write.

    Raises: CacheError if this is not a file of verger's with this layout; `sqlite3.Error` and
    `OSError`.
    """
    if path.stat().st_size < HEADER_BYTES:
        why = f"`{path}` is empty, or too short for {layout.one}"
        raise CacheError(why, "name another file")
    # The log is next to the file itself, to which the path may be a symbolic link.
    place = path.resolve()
    is_open = place.with_name(f"{place.name}-wal").exists()
    how = "mode=ro" if is_open else "mode=ro&immutable=1"
    return _connect(path, how, partial(_expect_tables, layout=layout))


def is_writable(path: Path) -> bool:
    """Whether this user may write a file and its folder, or the file is not there yet."""
    folder = path.resolve().parent
    return not path.is_file() or (os.access(path, os.W_OK) and os.access(folder, os.W_OK))


def _connect(
    path: Path, how: str, set_up: Callable[[sqlite3.Connection, Path], None]
) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{how}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,  # the thread that forks closes it
    )
    try:
        connection.text_factory = bytes  # a damaged text may not be UTF-8
        connection.executescript("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        set_up(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def _make_file(path: Path, layout: Layout) -> None:
    """Create an empty file only for its owner, and its folders, if it does not exist.

    An existing file is not opened here: closing it would end the locks that other connections
    of this process hold on it.
    """
    for folder in reversed(path.resolve().parents):
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if 0 < path.stat().st_size < HEADER_BYTES:  # SQLite would write over a single byte
            why = f"`{path}` is not {layout.one}: it is shorter than the header of a database"
            raise CacheError(why, "name another file") from None


def _set_up(connection: sqlite3.Connection, path: Path, layout: Layout) -> None:
    is_new = _is_empty(connection, path, layout)
    if is_new:
        # Most entries and their files fit in two pages: a quarter less work than with 4,096 bytes.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only possible without tables
    connection.execute("PRAGMA journal_mode = WAL")
    # A machine crash may lose the last transactions, a process crash loses none.
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA journal_size_limit = 67108864")
    if is_new:
        _create_tables(connection, path, layout)


def _create_tables(connection: sqlite3.Connection, path: Path, layout: Layout) -> None:
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if _is_empty(connection, path, layout):  # another process may have been faster
            for statement in layout.stamped():
                connection.execute(statement)


def _expect_tables(connection: sqlite3.Connection, path: Path, layout: Layout) -> None:
    if _is_empty(connection, path, layout):
        why = f"`{path}` is a database without tables, not {layout.one}"
        raise CacheError(why, "name another file")


def _is_empty(connection: sqlite3.Connection, path: Path, layout: Layout) -> bool:
    """Whether a database has no tables yet; raise `CacheError` for one of others."""
    # In one statement, so that no other process creates the tables between two.
    version, application, tables = connection.execute(
        "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_user_version, pragma_application_id"
    ).fetchone()
    if application != layout.application_id and (application or version or tables):
        why = f"`{path}` is a database of another program"
        raise CacheError(why, f"name another file for the {layout.noun}")
    if version > layout.version:
        newest = f"this one reads up to version {layout.version}"
        why = f"`{path}` was written by a later verger: its layout is version {version}, {newest}"
        raise NewerSchema(why, f"upgrade verger, or name another file for the {layout.noun}")
    return not version


# Errors


def is_busy(error: Exception) -> bool:
    """Whether another connection holds a lock, perhaps only for a moment."""
    return _code(error) in BUSY


def explained(error: Exception, path: Path, patience: float, layout: Layout = CACHE) -> CacheError:
    """Return an error of SQLite or the system in words; a copy of one that is in words."""
    if isinstance(error, CacheError):
        return type(error)(error.message, error.hint)
    code = _code(error)
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    why, hint = WORDS.get(code, UNUSABLE)
    kind = ReadOnlyStore if code == sqlite3.SQLITE_READONLY else CacheError
    words = {
        "path": path,
        "reason": reason,
        "patience": patience,
        "noun": layout.noun,
        "one": layout.one,
        "if_damaged": layout.if_damaged,
    }
    return kind(why.format(**words), hint.format(**words))


def is_damage(error: CacheError) -> bool:
    """Whether an error in words is of a page that is damaged: others may be whole."""
    return isinstance(error.__cause__, Exception) and _code(error.__cause__) == CORRUPT


def _code(error: Exception) -> int:
    """Return the primary code of an error of SQLite; 0 for others."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


CORRUPT = sqlite3.SQLITE_CORRUPT
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)

LOCKED = (
    "the {noun} `{path}` was locked by another program for {patience:g} seconds",
    "end that program, or name another file",
)
DAMAGED = (
    "the {noun} `{path}` is damaged: {reason}",
    "{if_damaged}",
)
NO_CACHE = ("`{path}` is not {one}: {reason}", "name another file")
NOT_WRITABLE = ("the {noun} `{path}` cannot be opened for writing: {reason}", TO_WRITE)
UNUSABLE = ("the {noun} `{path}` cannot be used: {reason}", "name another file")

WORDS = {
    **dict.fromkeys(BUSY, LOCKED),
    sqlite3.SQLITE_FULL: (
        "the disk of the {noun} `{path}` is full",
        "free some space, or name another file",
    ),
    sqlite3.SQLITE_IOERR: (
        "the system cannot read or write the {noun} `{path}`: {reason}",
        "check whether its disk is full (reading it creates two small files next to it), "
        "or name another file",
    ),
    CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: NO_CACHE,
    sqlite3.SQLITE_READONLY: NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: NOT_WRITABLE,
    sqlite3.SQLITE_PERM: NOT_WRITABLE,
}
"""What an error means and what to do, by its primary code."""
