"""A store in one SQLite file, shared by the processes of one machine.

In and out: what `verger.cache.store.Store` says. Each process has one thread that works
everything asked meanwhile in one transaction. What was acknowledged outlives the process, however
that ends; a crash of the machine may take the last transactions along, and leaves the file whole.

A file that is damaged, of another program or of a later verger is left as it is: every call
raises `CacheError`, and nothing of the user's is deleted. A single damaged entry is absent, told
to the log `verger.cache`, and taken out where the file may be written to.

The file must lie on a disk of this machine: over NFS and its like, locks are not reliable, and
the shared memory of SQLite's write-ahead log does not work (sqlite.org, "Write-Ahead Logging").
"""

import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from pathlib import Path
from typing import TypeVar

from verger.access.entry import Entry
from verger.cache.database import Database
from verger.cache.jobs import AnyJob, Close, Look, Page
from verger.cache.queued import QueuedStore
from verger.cache.worker import Worker, hiring
from verger.errors import CacheError
from verger.options import MOST_BYTES, expect_seconds, expect_whole

LEAST_BYTES = 1 << 20
NOBODY: frozenset[str] = frozenset()

J = TypeVar("J", bound=AnyJob)


def default_path() -> Path:
    """Return where the store of this user lies, unless another file is named.

    `verger/robots.sqlite3` below `$XDG_CACHE_HOME`, which is `~/.cache` where it is not set
    (freedesktop.org, "XDG Base Directory Specification", 0.8); on Windows below `%LOCALAPPDATA%`.
    """
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    folder = Path(named)
    if not folder.is_absolute():  # which the specification has ignored
        try:
            folder = Path.home() / ".cache"
        except RuntimeError as error:
            raise CacheError("this user has no home", "name a file for the store") from error
    return folder / "verger" / "robots.sqlite3"


class SqliteStore(QueuedStore):
    """A `Store` in one file, which is opened by the first call and may be used by any loop.

    max_bytes:  of the file; the entries saved longest ago make room for new ones. SQLite's
                 write-ahead log beside it takes some megabytes more.
    patience:    seconds that a call waits, when another program holds the file locked.
    read_only:   whether to write nothing, neither into the file nor beside it. A file that the
                 system does not let this user write to is read so in any case. What would have to
                 be written raises `ReadOnlyStore`; every claim is granted, for nobody sees it.
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
        # A process that changes its folder goes on with the same file.
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
        """Return the entries that there are, and claim the origins of those that are not."""
        return await self._put(Look(origins, holder, seconds)).future if origins else ({}, NOBODY)

    async def entries(self) -> AsyncIterator[Entry]:
        """Yield every entry, ordered by origin; those saved meanwhile may be missing."""
        after: bytes | None = b""
        while after is not None:
            page, after = await self._put(Page(after)).future
            for entry in page:
                yield entry

    async def close(self) -> None:
        """Finish what was asked and let go of the file; a later call opens it again."""
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
