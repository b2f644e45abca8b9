"""A store in one SQLite file, shared by the processes of one machine.

In and out: see `verger.cache.store.Store`. Each process has one thread that handles all calls that
arrived meanwhile in one transaction. Acknowledged data outlives the process, however it ends; a
crash of the machine may lose the last transactions, but never damages the file.

A file that is damaged, of another program or of a later verger is not changed: every call raises
`CacheError`, and no user data is deleted. A single damaged entry counts as absent, is logged to
`verger.cache`, and is removed if the file is writable.

The file must be on a local disk: over NFS and similar, locks are not reliable, and the shared
memory of SQLite's write-ahead log does not work (sqlite.org, "Write-Ahead Logging").
"""

import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar

from verger.access.entry import Entry
from verger.cache.database import Database
from verger.cache.jobs import AnyJob, Close, Look, ReadPage
from verger.cache.queued import QueuedStore
from verger.cache.worker import Worker, hiring
from verger.errors import CacheError
from verger.options import MOST_BYTES, expect_seconds, expect_whole

__all__ = ["SqliteStore", "default_path"]

LEAST_BYTES = 1 << 20
NOBODY: frozenset[str] = frozenset()

J = TypeVar("J", bound=AnyJob)


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


class SqliteStore(QueuedStore):
    """A `Store` in one file, which is opened by the first call; for any event loop.

    max_bytes:  the maximum size of the file; the entries saved longest ago are removed to make
                room for new ones. SQLite's write-ahead log next to it takes some megabytes more.
    patience:   seconds that a call waits while another program locks the file.
    read_only:  whether to write nothing, neither to the file nor next to it. This is always the
                case for a file that this user may not write. Saving and removing raise
                `ReadOnlyStore`; every claim is granted, since others cannot see it.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        max_bytes: int = 1 << 30,
        patience: float = 5.0,
        clock: Callable[[], float] = time.time,
        read_only: bool = False,
    ) -> None:
        least, most = LEAST_BYTES, MOST_BYTES
        expect_whole("max_bytes", max_bytes, least=least, most=most, error=CacheError)
        expect_seconds("patience", patience, above_zero=False, error=CacheError)
        super().__init__()
        # A process that changes its working directory keeps using the same file.
        self.path = (default_path() if path is None else Path(path)).absolute()
        self._max_bytes = max_bytes
        self._patience = patience
        self._clock = clock
        self._read_only = read_only
        self._worker: Worker | None = None

    def __repr__(self) -> str:
        return f"SqliteStore({str(self.path)!r})"

    async def look(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> tuple[Mapping[str, Entry], frozenset[str]]:
        """Return the stored entries, and claim the origins without one."""
        return await self._put(Look(origins, holder, seconds)).future if origins else ({}, NOBODY)

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; those saved meanwhile may be missing."""
        after: bytes | None = b""
        while after is not None:
            page, after = await self._put(ReadPage(after)).future
            for entry in page:
                yield entry

    async def close(self) -> None:
        """Finish pending calls and close the file; a later call opens it again."""
        with hiring:
            worker, self._worker = self._worker, None
            job = Close() if worker is not None and worker.takes_jobs else None
            if worker is not None and job is not None:
                worker.put(job)
            elif worker is not None:
                worker.leave()
        if job is not None:
            await job.future

    def __del__(self) -> None:
        worker = self.__dict__.get("_worker")
        if worker is not None:
            worker.leave()

    def _put(self, job: J) -> J:
        with hiring:
            if self._worker is None or not self._worker.takes_jobs:
                self._hire()
            assert self._worker is not None
            self._worker.put(job)
        return job

    def _hire(self) -> None:
        if self._worker is not None:
            self._worker.leave()
        database = Database(
            self.path,
            self._problems,
            max_bytes=self._max_bytes,
            patience=self._patience,
            clock=self._clock,
            read_only=self._read_only,
        )
        self._worker = Worker(database)


def __dir__() -> list[str]:
    from verger.later import public_names

    return public_names(globals())
