"""The journal: finished blocks next to the output, until all are finished.

In: blocks as they are finished, in any order. Out: the output file, complete, moved to its name in
one step; or, after a kill, the blocks that another run does not decide again. A journal belongs to
one manifest: the same inputs, crawler, dialect, snapshot and format.

`OUTPUT.verger-journal` (see `_path_of`) is a SQLite database, locked for as long as a run lives. A
block is there completely or not at all, however the run before ended. A file or folder of that
name that is no journal belongs to somebody else, and is not touched.
"""

import json
import os
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from errno import EIO, ENOSPC
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from verger.bulk.filter.answers import Kind
from verger.bulk.filter.reading import Block
from verger.bulk.filter.writing import Sink
from verger.errors import UnusableOutput
from verger.files.paths import real_path
from verger.files.same_file import COMPANIONS
from verger.files.writing import Output, expect_writable, unwritable, writing
from verger.plain import quoted

VERSION = 3

JOURNAL = ".verger-journal"
"""The suffix of the file."""

LONGEST_NAME = 255 - len("-journal")
"""The most bytes in a file name, on nearly all file systems, less those of a companion."""

OURS = 0x7665724A
"""The application id of journals (sqlite.org, "Database File Format", section 1.3.15)."""

SETUP = f"""
PRAGMA page_size = 65536;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA application_id = {OURS};
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
BEGIN EXCLUSIVE;
CREATE TABLE IF NOT EXISTS manifest (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS blocks (number INTEGER PRIMARY KEY, digest TEXT, counts TEXT, data BLOB);
COMMIT;
"""
"""Blocks survive the end of the process as soon as they are written, and a power failure as soon as
SQLite has moved them from its write-ahead log to the database."""

Manifest = Mapping[str, object]
"""All that decides what the output is, by name, as JSON can hold it."""


class Finished(NamedTuple):
    """A block in the journal."""

    digest: str
    counts: Counter[Kind]


class Journal:
    """The finished blocks of one output."""

    waiting = 0
    """No block waits for another: the journal takes them in any order."""
    patience = 5.0
    """Seconds that an interrupted run waits for the block that is being written."""

    def __init__(
        self,
        output: str,
        manifest: Manifest,
        sink_on: Callable[[Output], Sink],
        *,
        restart: bool,
    ) -> None:
        expect_writable(output)
        self._output = output
        self._sink_on = sink_on
        self.path = _path_of(Path(real_path(output)))
        _expect_own(self.path)
        with self._explained():
            self._database = _opened(self.path)
            try:
                self._begin(manifest, restart=restart)
                self.finished = dict(self._read())
            except BaseException:
                self._database.close()
                raise

    def put(self, block: Block, data: bytes) -> None:
        """Add a finished block."""
        counts = json.dumps([[*kind, count] for kind, count in block.counts.items()])
        row = (block.number, block.digest, counts, data)
        with self._explained():
            self._database.execute("INSERT INTO blocks VALUES (?, ?, ?, ?)", row)
        self.finished[block.number] = Finished(block.digest, block.counts)

    def complete(self) -> None:
        """Assemble the output from all blocks, move it to its name, and remove the journal."""
        with writing(self._output) as file, self._explained():
            sink = self._sink_on(file)
            for (data,) in self._database.execute("SELECT data FROM blocks ORDER BY number"):
                sink.write(data)
            sink.close()
        self.finished.clear()
        self.close()

    @property
    def rows(self) -> int:
        """How many rows are finished."""
        return sum(found.counts.total() for found in self.finished.values())

    def close(self) -> None:
        """Close the journal; remove it if it has no finished block."""
        if sys.platform == "win32":  # which removes no open file
            self._database.close()
        if not self.finished:
            for suffix in (*COMPANIONS, ""):  # the database, which has the lock, is the last
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        self._database.close()

    def _begin(self, manifest: Manifest, *, restart: bool) -> None:
        """Take over what the previous run left if it had the same manifest."""
        if restart:
            self._database.executescript("DELETE FROM manifest; DELETE FROM blocks;")
        now = {name: json.dumps(value) for name, value in manifest.items()}
        before = dict(self._database.execute("SELECT name, value FROM manifest"))
        for name in [*now, *before] if before else []:
            if before.get(name) != now.get(name):
                raise UnusableOutput(
                    f"{quoted(str(self.path))} was left by a run with another {name}",
                    "run the same command again to resume, or pass `--restart` to begin again",
                )
        self._database.execute("BEGIN")
        self._database.executemany("REPLACE INTO manifest VALUES (?, ?)", now.items())
        self._database.execute("COMMIT")

    def _read(self) -> Iterator[tuple[int, Finished]]:
        rows = self._database.execute("SELECT number, digest, counts FROM blocks")
        for number, digest, counts in rows:
            kinds = {(allowed, why): count for allowed, why, count in json.loads(counts)}
            yield number, Finished(digest, Counter(kinds))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of SQLite into those of outputs."""
        try:
            yield
        except sqlite3.Error as error:
            raise _explained(str(self.path), self._output, error) from None


def _opened(path: Path) -> sqlite3.Connection:
    """Return the database of a journal, which no other run has."""
    # what will be in the output is not for more people than that
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    try:
        database.executescript(SETUP)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _explained(path: str, output: str, error: sqlite3.Error) -> UnusableOutput:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    # a journal that was removed while this run opened it is read-only
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY):
        hint = "wait until it is done, or pass another `--output`"
        return UnusableOutput(f"another run is writing {quoted(output)}", hint)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        reason = ENOSPC if code == sqlite3.SQLITE_FULL else EIO
        return unwritable(path, OSError(reason, os.strerror(reason)))
    hint = "move it away to begin again, or pass another `--output`"
    return UnusableOutput(f"the journal {quoted(path)} cannot be used: {error}", hint)


def _expect_own(path: Path) -> None:
    """Refuse what is not a journal, or is elsewhere: it would be overwritten."""
    if path.is_symlink() or (path.exists() and not path.is_file()) or not _is_own(path):
        hint = "move it away, or pass another `--output`"
        raise UnusableOutput(f"{quoted(str(path))} is not a journal of verger's", hint)


def _is_own(path: Path) -> bool:
    """Whether a file is a journal, or has still to become one."""
    try:
        with path.open("rb") as file:
            head = file.read(100)
    except FileNotFoundError:
        return True
    except OSError as error:
        raise unwritable(str(path), error) from None
    return not head or (head.startswith(b"SQLite format 3\0") and head[68:72] == OURS.to_bytes(4))


def _path_of(output: Path) -> Path:
    """Return the path of a journal: the output's name with a suffix; a hash if it is too long."""
    name = f"{output.name}{JOURNAL}"
    data = os.fsencode(name)
    is_long = len(data) > LONGEST_NAME
    return output.with_name(f".{sha256(data).hexdigest()[:32]}{JOURNAL}" if is_long else name)
