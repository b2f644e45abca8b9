"""Jobs: calls of a store that processes them in groups, and the delivery of their answers.

In: one method call of a `Store`. Out: a `Job` that waits in a queue, and a future on the caller's
event loop. The worker of the queue sets `answer` or `error`, and delivers whole groups with one
wake-up for each loop. Knows neither SQLite nor Redis.
"""

import asyncio
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Generic, TypeAlias, TypeVar

from verger.access.entry import Entry
from verger.cache.codec import StoredRecord, checked_origin, encode
from verger.errors import CacheError

T = TypeVar("T")


class Job(Generic[T]):
    """One call that waits for its answer. Created on the event loop that awaits it."""

    __slots__ = ("answer", "asked_at", "error", "future")

    answer: T

    def __init__(self) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.error: Exception | None = None
        self.asked_at = time.monotonic()

    def settle(self) -> None:
        """Wake up the caller; called on its loop."""
        if self.future.done():  # the caller was cancelled
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


class Load(Job[dict[str, Entry]]):
    """Load the entries of these origins."""

    __slots__ = ("origins",)

    def __init__(self, origins: Collection[str]) -> None:
        super().__init__()
        self.origins = origins


class Look(Job[tuple[dict[str, Entry], frozenset[str]]]):
    """Load the entries of these origins, and claim the others."""

    __slots__ = ("entries", "holder", "missing", "origins", "seconds")

    def __init__(self, origins: Collection[str], holder: str, seconds: float) -> None:
        super().__init__()
        self.origins = [checked_origin(origin) for origin in origins]
        self.holder = holder
        self.seconds = min(max(seconds, 0.0), LONGEST_CLAIM)
        self.entries: dict[str, Entry] = {}
        self.missing: list[str] = []

    def find(self, found: dict[str, Entry]) -> None:
        """Record the entries found; they are the whole answer if none is missing."""
        self.entries = {origin: found[origin] for origin in self.origins if origin in found}
        self.missing = [origin for origin in self.origins if origin not in found]
        self.answer = self.entries, frozenset()

    def grant(self, claimed: Collection[str]) -> None:
        """Complete the answer with the origins that nobody else is fetching."""
        self.answer = self.entries, frozenset(claimed)


class Save(Job[None]):
    """Save these entries."""

    __slots__ = ("entries", "records")

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self.entries = entries
        self.records: Sequence[StoredRecord] = ()

    def encode(self) -> int:
        """Create the records, or set the error; return the bytes of the bodies.

        Called by the worker, which may be another thread.
        """
        try:
            self.records = [encode(entry) for entry in self.entries]
        except CacheError as error:
            self.error = error
        except (TypeError, ValueError, AttributeError) as error:
            self.error = CacheError(f"an entry cannot be cached: {error}")
            self.error.__cause__ = error
        return sum(len(body) for record in self.records for body in record.bodies.values())


class Claim(Job[frozenset[str]]):
    """Claim the right to fetch these origins."""

    __slots__ = ("holder", "origins", "seconds")

    def __init__(self, origins: Collection[str], holder: str, seconds: float) -> None:
        super().__init__()
        self.origins = [checked_origin(origin) for origin in origins]
        self.holder = holder
        self.seconds = min(max(seconds, 0.0), LONGEST_CLAIM)


class Release(Job[None]):
    """Give up the claims on these origins."""

    __slots__ = ("holder", "origins")

    def __init__(self, origins: Collection[str], holder: str) -> None:
        super().__init__()
        self.origins = origins
        self.holder = holder


class Remove(Job[int]):
    """Remove the entries of these origins, or of all with None."""

    __slots__ = ("origins",)

    def __init__(self, origins: Collection[str] | None) -> None:
        super().__init__()
        self.origins = origins


class ReadPage(Job[tuple[list[Entry], bytes | None]]):
    """Load the next entries after a key, and the key to continue after; None at the end."""

    __slots__ = ("after",)

    def __init__(self, after: bytes) -> None:
        super().__init__()
        self.after = after


class Close(Job[None]):
    """Finish the jobs before, and close."""

    __slots__ = ()


AnyJob: TypeAlias = Load | Look | Save | Claim | Release | Remove | ReadPage | Close

LONGEST_CLAIM = 3_600.0
"""Seconds. No fetch takes longer; a claim that seems to was made before a clock was set back."""


def deliver(jobs: Iterable[AnyJob]) -> None:
    """Wake up the callers of jobs from another thread: once for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[AnyJob]] = {}
    for job in jobs:
        by_loop.setdefault(job.future.get_loop(), []).append(job)
    for loop, theirs in by_loop.items():
        try:
            loop.call_soon_threadsafe(settle, theirs)
        except RuntimeError:  # the loop was closed: nobody waits
            continue


def settle(jobs: Iterable[AnyJob]) -> None:
    """Wake up the callers of jobs on their loop."""
    for job in jobs:
        job.settle()
