"""A store in one SQLite file, shared by the processes of one machine.

In and out: see `verger.cache.store.Store`. Each store has one thread, which takes all calls that
wait and makes them in one transaction, those of one kind in a row in one statement: a crawl makes
thousands of calls a second, and a transaction costs as much as twenty. If it fails, each call is
made alone, so that each has its own failure.
Acknowledged data outlives the process, however it ends; a crash of the machine may lose the last
transactions, but never damages the file.

A file that is damaged, of another program or of a later verger is not changed: every call raises
`CacheError`, and no user data is deleted. A single damaged entry counts as absent, and is logged to
`verger.cache`, until its file is saved again.

While the process forks, every file is closed: SQLite keeps its locks in memory, so a child would
assume locks that only its parent has (sqlite.org, "How To Corrupt An SQLite Database File", section
2.6). Parent and child open their files again when they need them.

The file must be on a local disk: over NFS and similar, locks are not reliable, and the shared
memory of SQLite's write-ahead log does not work (sqlite.org, "Write-Ahead Logging").
"""

import asyncio
import atexit
import json
import os
import sqlite3
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

from verger._core import _CLOCKS_APART
from verger.access.entry import Entry
from verger.cache.codec import Row, StoredRecord, checked_origin, encode_all, entries_in
from verger.cache.sqlite_file import (
    TO_WRITE,
    explained,
    is_busy,
    is_writable,
    open_file,
    open_to_read,
)
from verger.errors import CacheError, ReadOnlyStore
from verger.options import MOST_BYTES, expect_seconds, expect_whole

__all__ = ["SqliteStore", "default_path"]

LEAST_BYTES = 1 << 20

RETRY_SECONDS = 0.003
"""Seconds between two attempts while the file is locked."""

LONGEST_CLAIM = 3_600.0
"""Seconds. No fetch takes longer; a claim that seems to was made before a clock was set back."""

REMEMBERED = 3_600.0
"""Seconds for which the last turn of a name is remembered at least: others may ask for a longer
delay after it."""

REMOVED_AT_ONCE = 4_000
"""The maximum number of entries that one transaction clears: other processes want to write too."""

EVICTED_AT_ONCE = 32
EVICTIONS = 100
"""The maximum number of evictions after one transaction."""

CALLS_AT_ONCE = 64
"""The maximum number of calls in one transaction: other processes want to write too."""

PAGES_GIVEN_BACK = 50_000
"""The maximum number of SQLite pages that one transaction returns to the disk."""

ENTRIES_A_PAGE = 64

S = TypeVar("S")
T = TypeVar("T")
Work: TypeAlias = Callable[[sqlite3.Connection, Sequence[S]], Sequence[T]]
"""Makes calls of one kind: from what each is about to the answer of each."""

_Stored: TypeAlias = tuple[bytes, object, object, object]
"""Origin, record, and two bodies."""


class _Call(NamedTuple):
    """One call of a store, until its thread answers."""

    work: Work[Any, object]
    subject: object
    writes: bool
    deadline: float
    answer: "asyncio.Future[Any]"


class _Claim(NamedTuple):
    """What a call would fetch."""

    origins: frozenset[str]
    holder: str
    seconds: float


class _Turn(NamedTuple):
    """What a lease asks for."""

    name: str
    delay: float
    wait: float
    longest: float


def default_path() -> Path:
    """Return the path of this user's store, used if no other file is named.

    `verger/robots.sqlite3` in `$XDG_CACHE_HOME`, or in `~/.cache` if that is not set
    (freedesktop.org, "XDG Base Directory Specification", 0.8); on Windows in `%LOCALAPPDATA%`.
    """
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    folder = Path(named)
    if not folder.is_absolute():  # to be ignored, by the specification
        try:
            folder = Path.home() / ".cache"
        except RuntimeError as error:
            raise CacheError("this user has no home folder", "name a file for the cache") from error
    return folder / "verger" / "robots.sqlite3"


class SqliteStore:
    """A `Store` in one file, which is opened by the first call; for any event loop.

    max_bytes:  the maximum size of the file; the entries saved longest ago are removed to make
                room for new ones. SQLite's write-ahead log next to it takes some megabytes more.
    patience:   seconds that a call waits while another program locks the file.
    read_only:  whether to write nothing, neither to the file nor next to it. This is always the
                case for a file that this user may not write. Saving and removing raise
                `ReadOnlyStore`; every claim is granted, since others cannot see it.
    """

    answers_in_time = True

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        max_bytes: int = 1 << 30,
        patience: float = 5.0,
        clock: Callable[[], float] = time.time,
        read_only: bool = False,
    ) -> None:
        expect_whole("max_bytes", max_bytes, least=LEAST_BYTES, most=MOST_BYTES, error=CacheError)
        expect_seconds("patience", patience, above_zero=False, error=CacheError)
        # A process that changes its working directory keeps using the same file.
        self.path = (default_path() if path is None else Path(path)).absolute()
        self.problems = 0
        """How many damaged entries were found, and treated as absent."""
        self._max_bytes = max_bytes
        self._patience = patience
        self._clock = clock
        self._read_only = read_only
        self._only_reads = read_only
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._is_swept = False
        self._lock = threading.RLock()
        """Held while the file is used, and while the process forks."""
        self._start_thread()
        _stores.add(self)

    def __repr__(self) -> str:
        return f"SqliteStore({str(self.path)!r})"

    def __del__(self) -> None:
        if "_executor" in self.__dict__:
            self._close_file()

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the stored entries, by origin."""
        return await self._entries(_load, origins) if origins else {}

    async def save(self, entries: Sequence[Entry]) -> None:
        """Save entries, replacing older ones, and release the claims on their origins."""
        records = encode_all(entries)
        if records:
            await self._call(self._save, records, writes=True)

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        """Claim the right to fetch origins; return those that no other holder has claimed."""
        wanted = _Claim(frozenset(map(checked_origin, origins)), holder, seconds)
        return await self._call(self._claim, wanted, writes=True)

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        """Release claims without having fetched."""
        await self._call(self._release, (holder, _json(origins)), writes=True)

    async def lease(
        self, name: str, *, delay: float, wait: float = 0.0, longest: float = inf
    ) -> float:
        """Take the next turn of a name; return the seconds until then."""
        return await self._call(self._lease, _Turn(name, delay, wait, longest), writes=True)

    async def remove(self, origins: Collection[str] | None = None) -> int:
        """Remove the entries of some origins, or of all with None; return how many there were."""
        if origins is not None:
            return await self._call(self._remove, (REMOVE, _json(origins)), writes=True)
        number = 0
        some = (REMOVE_ANY, REMOVED_AT_ONCE)
        while removed := await self._call(self._remove, some, writes=True):
            number += removed
        await self._in_thread(lambda: self._attempt(_shrink, time.monotonic() + self._patience))
        return number

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; those saved meanwhile may be missing."""
        ids = await self._call(_ids, None)
        numbers = [number for (number,) in ids]
        for start in range(0, len(numbers), ENTRIES_A_PAGE):
            page = numbers[start : start + ENTRIES_A_PAGE]
            found = await self._entries(_page, page)
            for entry in found.values():
                yield entry

    async def close(self) -> None:
        """Finish pending calls and close the file; a later call opens it again."""
        await self._in_thread(self._close_file)

    # Calls

    def _start_thread(self) -> None:
        self._executor = ThreadPoolExecutor(1, "verger-store")
        self._waiting: deque[_Call] = deque()
        self._is_woken = False
        """Whether the thread has been told that calls wait."""

    async def _call(self, work: Work[S, T], subject: S, *, writes: bool = False) -> T:
        """Do a piece of work in the thread, whoever cancels this; return its result."""
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        deadline = time.monotonic() + self._patience
        self._waiting.append(_Call(work, subject, writes, deadline, answer))
        if not self._is_woken:
            self._is_woken = True
            try:
                self._executor.submit(self._make_calls)
            except RuntimeError:  # the interpreter ends, and its threads have
                self._make_calls()
        return await answer

    def _make_calls(self) -> None:
        """Make all calls that wait, in the thread."""
        self._is_woken = False  # first: what is appended from now on may wake it again
        while self._waiting:
            number = min(len(self._waiting), CALLS_AT_ONCE)
            _tell(self._answered([self._waiting.popleft() for _ in range(number)]))

    def _answered(self, calls: Sequence[_Call]) -> Sequence[tuple[_Call, object]]:
        """Make calls in one transaction, or each in its own; return each with its answer."""
        try:
            answers = self._attempt(lambda file: self._make(file, calls), calls[0].deadline)
        except CacheError as error:
            if len(calls) == 1:
                return [(calls[0], error)]
            return [pair for call in calls for pair in self._answered([call])]
        return list(zip(calls, answers, strict=True))

    def _make(self, file: sqlite3.Connection, calls: Sequence[_Call]) -> Sequence[object]:
        writes = any(call.writes for call in calls) and not self._only_reads
        with file:
            file.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
            answers = [
                answer
                for work, row in groupby(calls, lambda call: call.work)
                for answer in _answers(file, work, [call.subject for call in row])
            ]
        if writes and self._evict(file):
            _shrink(file)
        return answers

    async def _entries(
        self, work: Work[Collection[T], Sequence[_Stored]], keys: Collection[T]
    ) -> dict[str, Entry]:
        """Return the entries that are stored under some keys, without damaged ones.

        They are decoded outside of the thread, which would wait for the interpreter's lock while
        others run.
        """
        found = await self._call(work, keys)
        rows: Iterator[Row] = (
            (origin.decode("ascii", "replace"), record, bodies) for origin, record, *bodies in found
        )
        entries, damaged = entries_in(rows, where=str(self.path))
        self.problems += damaged
        return entries

    async def _in_thread(self, act: Callable[[], T]) -> T:
        """Do something in the thread of the store, after the calls before, whoever cancels this."""
        try:
            done = self._executor.submit(act)
        except RuntimeError:  # the interpreter ends, and its threads have
            return act()
        waiting = asyncio.wrap_future(done)
        # If nobody waits any more, nobody is told of its error.
        waiting.add_done_callback(lambda each: each.cancelled() or each.exception())
        return await asyncio.shield(waiting)

    def _attempt(self, work: Callable[[sqlite3.Connection], T], deadline: float) -> T:
        """Do a piece of work; again and again while the file is locked."""
        while True:
            try:
                with self._lock:
                    return work(self._opened())
            except Exception as error:
                if not is_busy(error) or time.monotonic() >= deadline:
                    self._close_file()  # opened again, it may be another file, or repaired
                    raise explained(error, self.path, self._patience) from error
            finally:
                if self._only_reads:  # others may write, which this connection would not notice
                    self._close_file()
            time.sleep(RETRY_SECONDS)

    def _opened(self) -> sqlite3.Connection:
        """Return the open file; opened again if it was removed, or replaced by another."""
        if self._file != _identity(self.path):
            self._close_file()
        if self._connection is None:
            self._only_reads = self._read_only or not is_writable(self.path)
            self._connection = (open_to_read if self._only_reads else open_file)(self.path)
            self._file = _identity(self.path)
            self._is_swept = False
        return self._connection

    def _close_file(self) -> None:
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    def _expect_writable(self) -> None:
        if self._only_reads:
            raise ReadOnlyStore(f"the cache `{self.path}` is read-only", TO_WRITE)

    # Pieces of work

    def _claim(
        self, file: sqlite3.Connection, claims: Sequence[_Claim]
    ) -> Sequence[frozenset[str]]:
        if self._only_reads:
            return [claim.origins for claim in claims]
        now = self._clock()
        if not self._is_swept:
            file.execute("DELETE FROM claim WHERE until <= ?", (now,))
            self._is_swept = True
        wanted = [
            (origin, claim.holder, now + min(max(claim.seconds, 0.0), LONGEST_CLAIM))
            for claim in claims
            for origin in claim.origins
        ]
        if len({origin for origin, *_ in wanted}) < len(wanted):  # who of them gets it?
            return [self._claim(file, [claim])[0] for claim in claims]
        values = {"wanted": _json(wanted), "now": now, "longest": LONGEST_CLAIM}
        granted = frozenset(origin.decode() for (origin,) in file.execute(CLAIM, values))
        return [claim.origins & granted for claim in claims]

    def _release(
        self, file: sqlite3.Connection, claims: Sequence[tuple[str, str]]
    ) -> Sequence[None]:
        if not self._only_reads:
            file.executemany(RELEASE, claims)
        return [None for _ in claims]

    def _lease(self, file: sqlite3.Connection, turns: Sequence[_Turn]) -> Sequence[float]:
        """Take turns, one after another.

        A turn that was taken in the future of this clock was taken before the clock was set back.
        """
        self._expect_writable()
        now = self._clock()
        file.execute(TURNS)
        file.execute("DELETE FROM turn WHERE until <= ?", (now,))
        found = []
        for turn in turns:
            known = file.execute(LAST_TURN, (turn.name, now + _CLOCKS_APART)).fetchone()
            at = max(now + turn.wait, known[0] + turn.delay if known else now)
            if at - now <= turn.longest:
                until = at + max(turn.delay, REMEMBERED)
                file.execute(TAKE_TURN, (turn.name, at, now, until))
            found.append(at - now)
        return found

    def _save(
        self, file: sqlite3.Connection, calls: Sequence[Sequence[StoredRecord]]
    ) -> Sequence[None]:
        """Save the last record of each origin and its bodies, and release the claims on it.

        The bodies come second: replacing a row deletes a body that otherwise only a later row
        refers to.
        """
        self._expect_writable()
        now = int(self._clock())
        records = {record.origin: record for call in calls for record in call}
        rows = [(r.origin, now, r.data, r.last_body, r.copy_body) for r in records.values()]
        bodies = {digest: body for r in records.values() for digest, body in r.bodies.items()}
        file.executemany(SAVE, rows)
        file.executemany(SAVE_BODY, bodies.items())
        file.execute(UNCLAIM, (_json(records),))
        return [None for _ in calls]

    def _remove(
        self, file: sqlite3.Connection, calls: Sequence[tuple[str, str | int]]
    ) -> Sequence[int]:
        self._expect_writable()
        return [file.execute(statement, (which,)).rowcount for statement, which in calls]

    def _evict(self, file: sqlite3.Connection) -> bool:
        """Remove the entries saved longest ago, until the rest is small enough.

        Entries in use are saved again whenever they become stale, so unused ones are the oldest;
        no load has to record its time. Returns whether the file is still larger than it may be.
        """
        for _ in range(EVICTIONS):
            used, free = file.execute(SIZE).fetchone()
            if used <= self._max_bytes or not file.execute(EVICT, (EVICTED_AT_ONCE,)).rowcount:
                break
        return bool(used + free > self._max_bytes * 17 // 16)


def _tell(answered: Sequence[tuple[_Call, object]]) -> None:
    """Give calls their answers, each in its own event loop, which is woken once."""
    for loop in {call.answer.get_loop() for call, _ in answered}:
        own = [pair for pair in answered if pair[0].answer.get_loop() is loop]
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(_set_answers, own)


def _set_answers(answered: Sequence[tuple[_Call, object]]) -> None:
    for call, answer in answered:
        if not call.answer.done():  # else the caller has been cancelled
            if isinstance(answer, CacheError):
                call.answer.set_exception(answer)
            else:
                call.answer.set_result(answer)


def _answers(
    file: sqlite3.Connection, work: Work[Any, object], subjects: Sequence[object]
) -> Sequence[object]:
    """Return the answers of calls of one kind; a refusal, which concerns all of them, is one."""
    try:
        return work(file, subjects)
    except CacheError as refusal:
        return [refusal for _ in subjects]


def _load(
    file: sqlite3.Connection, calls: Sequence[Collection[str]]
) -> Sequence[Sequence[_Stored]]:
    wanted = _json(dict.fromkeys(origin for origins in calls for origin in origins))
    rows = {row[0].decode("ascii", "replace"): row for row in file.execute(LOAD, (wanted,))}
    return [[rows[origin] for origin in origins if origin in rows] for origins in calls]


def _page(
    file: sqlite3.Connection, calls: Sequence[Collection[int]]
) -> Sequence[Sequence[_Stored]]:
    return [file.execute(PAGE, (_json(ids),)).fetchall() for ids in calls]


def _ids(file: sqlite3.Connection, calls: Sequence[None]) -> Sequence[Sequence[tuple[int]]]:
    return [file.execute(IDS).fetchall() for _ in calls]


def _json(values: Collection[object]) -> str:
    return json.dumps(list(values))


def _identity(path: Path) -> tuple[int, int] | None:
    """Return what distinguishes a file from others of the same name; None if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _shrink(file: sqlite3.Connection) -> None:
    """Return free pages to the disk; if that fails, they are reused later."""
    with suppress(sqlite3.Error):
        # A plain `execute` would stop after one page.
        file.executescript(f"PRAGMA incremental_vacuum({PAGES_GIVEN_BACK})")
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


# Statements

_ROWS = """
    SELECT entry.origin, entry.record, last.content, copy.content
    FROM json_each(?) AS wanted
    CROSS JOIN entry ON entry.{key} = wanted.value
    LEFT JOIN body AS last ON last.digest = entry.last_body
    LEFT JOIN body AS copy ON copy.digest = entry.copy_body
"""
LOAD, PAGE = _ROWS.format(key="origin"), _ROWS.format(key="id")
IDS = "SELECT id FROM entry ORDER BY origin"
SAVE = """
    INSERT INTO entry (origin, saved_at, record, last_body, copy_body) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (origin) DO UPDATE SET saved_at = excluded.saved_at, record = excluded.record,
        last_body = excluded.last_body, copy_body = excluded.copy_body
"""
SAVE_BODY = """
    INSERT INTO body (digest, content) VALUES (?, ?)
    ON CONFLICT (digest) DO UPDATE SET content = excluded.content
        WHERE content IS NOT excluded.content
"""
CLAIM = """
    INSERT INTO claim (origin, holder, until)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM json_each(:wanted)
    WHERE true  -- which tells `ON CONFLICT` from the condition of a join
    ON CONFLICT (origin) DO UPDATE SET holder = excluded.holder, until = excluded.until
    WHERE holder = excluded.holder OR until <= :now OR until > :now + :longest
    RETURNING origin
"""
RELEASE = "DELETE FROM claim WHERE holder = ? AND origin IN (SELECT value FROM json_each(?))"
UNCLAIM = "DELETE FROM claim WHERE origin IN (SELECT value FROM json_each(?))"
REMOVE = "DELETE FROM entry WHERE origin IN (SELECT value FROM json_each(?))"
REMOVE_ANY = "DELETE FROM entry WHERE id IN (SELECT id FROM entry LIMIT ?)"
EVICT = "DELETE FROM entry WHERE id IN (SELECT id FROM entry ORDER BY saved_at, id LIMIT ?)"
TURNS = """
    CREATE TABLE IF NOT EXISTS turn (
        name TEXT PRIMARY KEY, at REAL NOT NULL, taken REAL NOT NULL, until REAL NOT NULL
    ) WITHOUT ROWID
"""
LAST_TURN = "SELECT at FROM turn WHERE name = ? AND taken <= ?"
TAKE_TURN = "INSERT OR REPLACE INTO turn (name, at, taken, until) VALUES (?, ?, ?, ?)"
SIZE = """
    SELECT (page_count - freelist_count) * page_size, freelist_count * page_size
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""

# Forks and the end of the interpreter

_stores: "weakref.WeakSet[SqliteStore]" = weakref.WeakSet()
_forking: list[SqliteStore] = []


def _before_fork() -> None:
    _forking.extend(_stores)
    for store in _forking:
        store._lock.acquire()
        store._close_file()


def _after_fork_in_parent() -> None:
    for store in _forking:
        store._lock.release()
    _forking.clear()


def _after_fork_in_child() -> None:
    for store in _forking:
        # The thread of the other is in the parent.
        store._start_thread()
    _after_fork_in_parent()


def _close_all() -> None:
    """Close every file when the interpreter ends, which removes what SQLite keeps next to it."""
    for store in list(_stores):
        store._close_file()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
atexit.register(_close_all)
