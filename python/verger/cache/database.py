"""The work of one SQLite file: groups of jobs in, answers and durable rows out.

In: jobs of any kind. Out: each job answered and delivered: jobs that only read at once, jobs that
write after the commit of the transaction that all writes of the group share. Errors of SQLite or
the disk become a `CacheError` of every job concerned. One statement serves a whole group, because
each statement releases the GIL, and may wait long for it while the event loop is busy.
"""

import errno
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from verger.access.entry import Entry
from verger.cache.codec import DamagedRecord, StoredDraft, StoredRecord, digest_of
from verger.cache.jobs import (
    LONGEST_CLAIM,
    AnyJob,
    Claim,
    Load,
    Look,
    ReadPage,
    Release,
    Remove,
    Save,
    deliver,
)
from verger.cache.problems import Problems
from verger.cache.schema import log_of, open_file, open_to_read
from verger.errors import CacheError, ReadOnlyStore

BUSY_SECONDS = 0.1
"""How long SQLite waits for a lock before its caller checks the time."""

LEAST_PATIENCE = 0.2
"""The minimum seconds to wait for a lock, even after a long wait in the queue."""

ROWS_AT_ONCE = 200
"""Rows that one statement inserts."""

BYTES_AT_ONCE = 16 << 20
"""Approximate bytes of bodies in one transaction: other processes want to write too."""

REMOVED_AT_ONCE = 4_000
"""The maximum number of entries that one transaction evicts or clears."""

PAGES_GIVEN_BACK = 50_000
"""The maximum number of SQLite pages that one transaction returns to the disk."""

ENTRIES_A_PAGE = 256
BYTES_A_PAGE = 8 << 20

TRANSACTIONS_A_SWEEP = 1_000
"""The number of transactions between two removals of expired claims."""

Reading: TypeAlias = Load | Look | ReadPage
Writing: TypeAlias = Save | Claim | Look | Release | Remove
"""Includes `Remove` only of some entries: removing all of them takes many transactions."""
J = TypeVar("J", Reading, Writing)


@dataclass(frozen=True, slots=True)
class _Damage:
    """A damaged row, and the bodies that it refers to."""

    origin: str
    record: object
    bodies: tuple[bytes | None, ...]


class Database:
    """A file that is opened at the first job. Used by one thread at a time."""

    def __init__(
        self,
        path: Path,
        problems: Problems,
        *,
        max_bytes: int,
        patience: float,
        clock: Callable[[], float],
        read_only: bool = False,
    ) -> None:
        self._path = path
        self._may_write = not read_only
        self._only_reads = read_only
        self._problems = problems
        self._max_bytes = max_bytes
        self._patience = patience
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[object, ...] | None = None
        self._page_bytes = 0
        self._transactions = 0
        self._damaged: list[_Damage] = []
        self._is_swollen = False

    def work(self, jobs: Sequence[AnyJob]) -> None:
        """Answer every job, and deliver it. Raises nothing."""
        wanted = [job for job in jobs if not job.future.cancelled() or isinstance(job, Save)]
        reading = [job for job in wanted if isinstance(job, Reading)]
        if reading:
            self._attempt(reading, self._read)
            deliver(job for job in reading if not _has_to_claim(job))
        for job in wanted:
            if isinstance(job, Remove) and job.origins is None:
                self._clear(job)
                deliver([job])
        for group in _groups(wanted):
            sound = [job for job in group if job.error is None]
            if sound:
                self._attempt(sound, self._write)
            deliver(group)
        if self._damaged:
            self._repair()
        if self._is_swollen:
            self._give_room_back()

    def close(self) -> None:
        """Close the file; the next job opens it again. Raises nothing."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except sqlite3.Error:
                return  # committed data is safe anyway

    # Attempts, and what can go wrong

    def _attempt(
        self, jobs: Sequence[J], answer: Callable[[sqlite3.Connection, Sequence[J]], None]
    ) -> None:
        """Answer jobs together, or set their errors; an invalid job does not affect others."""
        deadline = jobs[0].asked_at + self._patience
        try:
            self._persist(lambda connection: answer(connection, jobs), deadline)
        except Exception as error:
            if len(jobs) > 1 and _is_misuse(error):
                for job in jobs:
                    self._attempt([job], answer)
                return
            is_shut = answer == self._write and _is_read_only(error)
            for job in jobs:
                if not (is_shut and _answer_without_writing(job)):
                    job.error = self._as_cache_error(error)

    def _persist(self, act: Callable[[sqlite3.Connection], None], deadline: float) -> None:
        """Retry an action while the file is locked; a failed attempt is rolled back."""
        deadline = max(deadline, time.monotonic() + LEAST_PATIENCE)
        while True:
            try:
                return act(self._open())
            except BaseException as error:
                self._roll_back(error)
                if not _is_busy(error) or time.monotonic() >= deadline:
                    raise
            time.sleep(0.002)  # SQLite does not wait for some locks

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._file != self._identity():
            self.close()  # the file was removed, or replaced by another
        if self._connection is None:
            self._connection = self._connect()
            self._file = self._identity()
            (self._page_bytes,) = self._connection.execute("PRAGMA page_size").fetchone()
            self._transactions = 0
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        """Open the file; read-only if it exists and cannot be written."""
        self._only_reads = not self._may_write
        if self._may_write:
            try:
                return open_file(self._path, busy_seconds=BUSY_SECONDS)
            except (sqlite3.Error, OSError) as error:
                if not (_is_closed_to_writing(error) and self._path.is_file()):
                    raise
                self._only_reads = True
        return open_to_read(self._path, busy_seconds=BUSY_SECONDS)

    def _identity(self) -> tuple[object, ...] | None:
        """Return what distinguishes the file from others of the same name; None if it is missing.

        A read-only file counts as another one as soon as somebody writes to it.
        """
        try:
            status = self._path.stat()
            file = (status.st_dev, status.st_ino)
            if not self._only_reads:
                return file
            return (*file, status.st_size, status.st_mtime_ns, log_of(self._path).exists())
        except OSError:
            return None

    def _roll_back(self, error: BaseException) -> None:
        if self._connection is None:
            return
        try:
            self._connection.rollback()
        except sqlite3.Error:
            self.close()
        if isinstance(error, sqlite3.Error) and not _is_busy(error):
            self.close()  # opened again, the file may be another one, or repaired

    def _as_cache_error(self, error: Exception) -> CacheError:
        """Return a new exception for one caller, with its cause."""
        if isinstance(error, CacheError):
            explained = type(error)(error.message, error.hint)
        elif _is_read_only(error):
            explained = ReadOnlyStore(*_message_and_hint(error, self._path, self._patience))
        else:
            explained = CacheError(*_message_and_hint(error, self._path, self._patience))
        explained.__cause__ = error.with_traceback(None)
        return explained

    # Reading

    def _read(self, connection: sqlite3.Connection, jobs: Sequence[Reading]) -> None:
        asked = [job for job in jobs if isinstance(job, Load | Look)]
        if asked:
            found = self._load(connection, list({key for job in asked for key in job.origins}))
            for one in asked:
                if isinstance(one, Look):
                    one.find(found)
                else:
                    one.answer = {key: found[key] for key in one.origins if key in found}
        for job in jobs:
            if isinstance(job, ReadPage):
                job.answer = self._page(connection, job.after)

    def _load(self, connection: sqlite3.Connection, origins: Sequence[str]) -> dict[str, Entry]:
        found = {}
        for index, *row in connection.execute(LOAD, (json.dumps(origins),)):
            entry = self._entry(origins[index], *row)
            if entry is not None:
                found[entry.origin] = entry
        return found

    def _page(
        self, connection: sqlite3.Connection, after: bytes
    ) -> tuple[list[Entry], bytes | None]:
        entries = []
        data, key = 0, after
        rows = connection.execute(PAGE, (after, ENTRIES_A_PAGE))
        for key, *row in rows:
            entry = self._entry(key.decode("ascii", "replace"), *row)
            if entry is not None:
                entries.append(entry)
                data += len(entry.last.body) + (len(entry.copy.body) if entry.copy else 0)
            if data > BYTES_A_PAGE:
                break
        rows.close()
        if key > after:
            return entries, key
        self._report_nameless(connection)
        return entries, None

    def _report_nameless(self, connection: sqlite3.Connection) -> None:
        """Report rows whose key cannot be an origin, such as a BLOB, which sorts after all text."""
        for (key,) in connection.execute(NAMELESS):
            name = bytes(key).decode("utf-8", "surrogateescape")
            self._problems.tell(name, where=f"`{self._path}`", why="its key is not an origin")

    def _entry(
        self, origin: str, record: bytes, last_body: bytes | None, copy_body: bytes | None
    ) -> Entry | None:
        """Return the entry of a row; None if it is damaged, after marking it for repair."""
        bodies: tuple[bytes | None, ...] = ()
        try:
            draft = StoredDraft(origin, record)
            bodies = (draft.last_body, draft.copy_body)
            return draft.entry(last_body, copy_body)
        except DamagedRecord as why:
            self._problems.tell(origin, where=f"`{self._path}`", why=why)
            self._damaged.append(_Damage(origin, record, bodies))
            return None

    # Writing

    def _write(self, connection: sqlite3.Connection, jobs: Sequence[Writing]) -> None:
        self._expect_writable()
        connection.execute("BEGIN IMMEDIATE")
        now = self._clock()
        if self._transactions % TRANSACTIONS_A_SWEEP == 0:
            connection.execute("DELETE FROM claim WHERE until <= ?", (now,))
        self._transactions += 1
        for job in jobs:
            if isinstance(job, Release):
                connection.execute(RELEASE, (job.holder, json.dumps(list(job.origins))))
            elif isinstance(job, Remove) and job.origins is not None:
                job.answer = connection.execute(REMOVE, (json.dumps(list(job.origins)),)).rowcount
        _claim_all(connection, [job for job in jobs if isinstance(job, Claim | Look)], now)
        saves = [job for job in jobs if isinstance(job, Save)]
        if saves:
            _save(connection, {r.origin: r for job in saves for r in job.records}, int(now))
        self._evict(connection, sum(len(save.records) for save in saves))
        connection.execute("COMMIT")
        for job in jobs:
            if isinstance(job, Save | Release):
                job.answer = None

    def _expect_writable(self) -> None:
        if self._only_reads:
            raise ReadOnlyStore(f"the cache `{self._path}` is read-only", TO_WRITE)

    def _clear(self, job: Remove) -> None:
        """Remove all current entries, some at a time: others want to write too."""
        job.answer, newest = 0, [-1]
        try:
            while newest:
                patience = time.monotonic() + self._patience
                self._persist(lambda _: self._expect_writable(), patience)
                self._persist(partial(_clear_some, job=job, newest=newest), patience)
        except Exception as error:
            job.error = self._as_cache_error(error)
        self._give_room_back()

    def _evict(self, connection: sqlite3.Connection, added: int) -> None:
        """Remove the entries saved longest ago, until the rest is small enough.

        Entries in use are saved again whenever they become stale, so unused ones are the oldest;
        no load has to record its time.
        """
        left = REMOVED_AT_ONCE
        while left > 0 and self._used(connection) > self._max_bytes:
            some = min(left, max(32, added))
            if not connection.execute(EVICT, (some,)).rowcount:
                break
            left -= some
        self._is_swollen = self._bytes_of(connection) > self._max_bytes * 17 // 16

    def _used(self, connection: sqlite3.Connection) -> int:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        return self._bytes_of(connection) - int(free) * self._page_bytes

    def _bytes_of(self, connection: sqlite3.Connection) -> int:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        return int(pages) * self._page_bytes

    def _give_room_back(self) -> None:
        """Shorten the file by its free pages; if that fails, they are reused later."""
        self._is_swollen = False
        if self._only_reads:
            return
        with suppress(sqlite3.Error, OSError, CacheError):
            self._persist(_shrink, time.monotonic())

    def _repair(self) -> None:
        """Remove damaged rows; otherwise a shared body would stay damaged forever."""
        damaged, self._damaged = self._damaged, []
        if self._only_reads:
            return
        try:
            self._persist(partial(_take_out, damaged=damaged), time.monotonic())
        except Exception as error:
            self._problems.tell_unrepaired(f"`{self._path}`", error)


# Groups


def _groups(jobs: Sequence[AnyJob]) -> Iterator[list[Writing]]:
    """Encode entries, and yield the writing jobs in groups, one for each transaction."""
    group: list[Writing] = []
    data = 0
    for job in jobs:
        if not isinstance(job, Writing) or (isinstance(job, Remove) and job.origins is None):
            continue
        if isinstance(job, Look) and not _has_to_claim(job):
            continue
        if isinstance(job, Save):
            data += job.encode()
        group.append(job)
        if data > BYTES_AT_ONCE:
            yield group
            group, data = [], 0
    if group:
        yield group


def _has_to_claim(job: AnyJob) -> bool:
    return isinstance(job, Look) and job.error is None and bool(job.missing)


# Statements

LOAD = """
    SELECT wanted.key, entry.record, last.content, copy.content
    FROM json_each(?) AS wanted
    CROSS JOIN entry ON entry.origin = wanted.value
    LEFT JOIN body AS last ON last.digest = entry.last_body
    LEFT JOIN body AS copy ON copy.digest = entry.copy_body
"""
PAGE = """
    SELECT entry.origin, entry.record, last.content, copy.content
    FROM entry
    LEFT JOIN body AS last ON last.digest = entry.last_body
    LEFT JOIN body AS copy ON copy.digest = entry.copy_body
    WHERE typeof(entry.origin) = 'text' AND entry.origin > CAST(? AS TEXT)
    ORDER BY entry.origin LIMIT ?
"""
NAMELESS = """
    SELECT CAST(origin AS BLOB) FROM entry WHERE typeof(origin) <> 'text' OR origin = ''
"""
SAVE_ROW = "(?, ?, ?, ?, ?)"
SAVE = """
    INSERT INTO entry (origin, saved_at, record, last_body, copy_body) VALUES {rows}
    ON CONFLICT (origin) DO UPDATE SET saved_at = excluded.saved_at, record = excluded.record,
        last_body = excluded.last_body, copy_body = excluded.copy_body
"""
SAVE_BODY_ROW = "(?, ?)"
SAVE_BODY = "INSERT INTO body (digest, content) VALUES {rows} ON CONFLICT (digest) DO NOTHING"
CLAIM = """
    INSERT INTO claim (origin, holder, until)
    SELECT value, :holder, :until FROM json_each(:origins)
    WHERE NOT :only_missing OR NOT EXISTS (SELECT 1 FROM entry WHERE origin = value)
    ON CONFLICT (origin) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE holder = excluded.holder OR until <= :now OR until > :now + :longest
"""
CLAIMED = """
    SELECT json_group_array(origin) FROM claim
    WHERE holder = ? AND origin IN (SELECT value FROM json_each(?))
"""
RELEASE = "DELETE FROM claim WHERE holder = ? AND origin IN (SELECT value FROM json_each(?))"
UNCLAIM = "DELETE FROM claim WHERE origin IN (SELECT value FROM json_each(?))"
REMOVE = "DELETE FROM entry WHERE origin IN (SELECT value FROM json_each(?))"
EVICT = "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY saved_at, id LIMIT ?)"
CLEAR = "DELETE FROM entry WHERE id IN (SELECT id FROM entry WHERE id <= ? ORDER BY id LIMIT ?)"


def _save(connection: sqlite3.Connection, records: dict[str, StoredRecord], now: int) -> None:
    """Insert records and their bodies, and release their claims.

    The bodies come second: replacing a row deletes a body that otherwise only a later row refers
    to.
    """
    rows = [
        (record.origin, now, record.data, record.last_body, record.copy_body)
        for record in records.values()
    ]
    bodies = {digest: body for r in records.values() for digest, body in r.bodies.items()}
    _insert(connection, SAVE, SAVE_ROW, rows)
    _insert(connection, SAVE_BODY, SAVE_BODY_ROW, list(bodies.items()))
    connection.execute(UNCLAIM, (json.dumps(list(records)),))


def _insert(
    connection: sqlite3.Connection, statement: str, row: str, values: Sequence[tuple[object, ...]]
) -> None:
    for start in range(0, len(values), ROWS_AT_ONCE):
        part = values[start : start + ROWS_AT_ONCE]
        connection.execute(
            _with_rows(statement, row, len(part)), [value for cells in part for value in cells]
        )


@cache
def _with_rows(statement: str, row: str, count: int) -> str:
    return statement.format(rows=", ".join([row] * count))


def _claim_all(connection: sqlite3.Connection, jobs: Sequence[Claim | Look], now: float) -> None:
    """Answer claims, those of one holder together; a look claims what is still missing."""
    alike: dict[tuple[str, float, bool], list[Claim | Look]] = {}
    for job in jobs:
        alike.setdefault((job.holder, job.seconds, isinstance(job, Look)), []).append(job)
    for (holder, seconds, only_missing), theirs in alike.items():
        origins = json.dumps(list({origin: None for job in theirs for origin in _wanted(job)}))
        until = now + seconds
        connection.execute(
            CLAIM,
            {
                "holder": holder,
                "until": until,
                "origins": origins,
                "only_missing": only_missing,
                "now": now,
                "longest": LONGEST_CLAIM,
            },
        )
        (mine,) = connection.execute(CLAIMED, (holder, origins)).fetchone()
        got = frozenset(json.loads(mine))
        for job in theirs:
            if isinstance(job, Look):
                job.grant(got.intersection(job.missing))
            else:
                job.answer = got.intersection(job.origins)


def _wanted(job: Claim | Look) -> Sequence[str]:
    return job.missing if isinstance(job, Look) else job.origins


def _clear_some(connection: sqlite3.Connection, *, job: Remove, newest: list[int]) -> None:
    """Remove the first entries up to id `newest[0]`; clear `newest` when none is left."""
    connection.execute("BEGIN IMMEDIATE")
    if newest == [-1]:
        (newest[0],) = connection.execute("SELECT coalesce(max(id), 0) FROM entry").fetchone()
    gone = connection.execute(CLEAR, (newest[0], REMOVED_AT_ONCE)).rowcount
    connection.execute("COMMIT")
    job.answer += gone
    if not gone:
        newest.clear()


def _shrink(connection: sqlite3.Connection) -> None:
    """Return free pages to the disk, a limited number at a time, since others want to write too."""
    # A plain `execute` would stop after one page.
    connection.executescript(f"PRAGMA incremental_vacuum({PAGES_GIVEN_BACK})")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _take_out(connection: sqlite3.Connection, *, damaged: Sequence[_Damage]) -> None:
    """Remove damaged rows, unless they have been replaced meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    for damage in damaged:
        row = (damage.origin, damage.record)
        connection.execute("DELETE FROM entry WHERE origin = ? AND record IS ?", row)
        for digest in damage.bodies:
            query = connection.execute("SELECT id, content FROM body WHERE digest = ?", (digest,))
            for number, content in query.fetchall():
                if type(content) is not bytes or digest_of(content) != digest:
                    connection.execute("DELETE FROM body WHERE id = ?", (number,))
    connection.execute("COMMIT")


# Errors


def _is_busy(error: BaseException) -> bool:
    """Whether another connection holds a lock, perhaps only for a moment."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)


TO_WRITE = "the file and its folder must be writable for this user; or name another file"

CLOSED_TO_WRITING = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)


def _is_closed_to_writing(error: Exception) -> bool:
    """Whether the system or SQLite denies this user write access."""
    if isinstance(error, OSError):
        return error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in CLOSED_TO_WRITING


def _is_read_only(error: Exception) -> bool:
    """Whether a store is open and readable, but cannot be written."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return isinstance(error, ReadOnlyStore) or code == sqlite3.SQLITE_READONLY


def _answer_without_writing(job: AnyJob) -> bool:
    """Answer a job that needs no writing, if possible, and return whether that was done.

    Claims are granted, although they cannot be recorded.
    """
    if isinstance(job, Look):
        job.grant(job.missing)
    elif isinstance(job, Claim):
        job.answer = frozenset(job.origins)
    elif isinstance(job, Release):
        job.answer = None
    else:
        return False
    return True


def _is_misuse(error: Exception) -> bool:
    """Whether an error is due to one job's values, not to the file or the disk."""
    environment = (sqlite3.OperationalError, sqlite3.DatabaseError)
    return type(error) not in environment and not isinstance(error, OSError | CacheError)


def _message_and_hint(error: Exception, path: Path, patience: float) -> tuple[str, str]:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return (
            f"the cache `{path}` is damaged: {error}",
            "move away the file, and those with the same name and `-wal` or `-shm`; "
            "a new one is created and robots.txt files are fetched again",
        )
    if _is_busy(error):
        return (
            f"the cache `{path}` was locked by another program for {patience:g} seconds",
            "end that program, or name another file",
        )
    if code == sqlite3.SQLITE_FULL:
        return f"the disk of the cache `{path}` is full", "free some space, or name another file"
    if code == sqlite3.SQLITE_IOERR:
        return (
            f"the system cannot read or write the cache `{path}`: {error}",
            "check whether its disk is full (reading a cache creates two small files next to it), "
            "or name another file",
        )
    if code in CLOSED_TO_WRITING:
        return f"the cache `{path}` cannot be opened for writing: {error}", TO_WRITE
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"the cache `{path}` cannot be used: {reason}", "name another file"
