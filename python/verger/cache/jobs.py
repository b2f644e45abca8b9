"""Jobs: what callers ask of a store that works in groups, and the way the answers go back.

In: one method call of a `Store`. Out: a `Job` that waits in a queue, and a future on the caller's
event loop. Whoever works the queue sets `answer` or `error` and has whole groups delivered with
one wake-up for each loop. Knows neither SQLite nor Redis.
"""

import asyncio
import time
from collections.abc import Collection, Iterable, Sequence
from typing import Generic, TypeAlias, TypeVar

from verger.access.entry import Entry
from verger.cache.codec import Record, checked_origin, encode
from verger.errors import CacheError

T = TypeVar("T")


class Job(Generic[T]):
    """One call that waits for its answer. Made on the event loop that awaits it."""

    __slots__ = ("answer", "asked_at", "error", "future")

    answer: T

    def __init__(self) -> None:
        self.future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.error: Exception | None = None
        self.asked_at = time.monotonic()

    def settle(self) -> None:
        """Wake the caller up; called on its loop."""
        if self.future.done():  # the caller was cancelled
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.answer)


class Load(Job[dict[str, Entry]]):
    """Which of these are there?"""

    __slots__ = ("origins",)

    def __init__(self, origins: Collection[str]) -> None:
        super().__init__()
        self.origins = origins


class Look(Job[tuple[dict[str, Entry], frozenset[str]]]):
    """Which of these are there, and may I fetch the others?"""

    __slots__ = ("entries", "holder", "missing", "origins", "seconds")

    def __init__(self, origins: Collection[str], holder: str, seconds: float) -> None:
        super().__init__()
        self.origins = [checked_origin(origin) for origin in origins]
        self.holder = holder
        self.seconds = min(max(seconds, 0.0), LONGEST_CLAIM)
        self.entries: dict[str, Entry] = {}
        self.missing: list[str] = []

    def find(self, found: dict[str, Entry]) -> None:
        """Note what is there; that is the whole answer where nothing is missing."""
        self.entries = {origin: found[origin] for origin in self.origins if origin in found}
        self.missing = [origin for origin in self.origins if origin not in found]
        self.answer = self.entries, frozenset()

    def grant(self, claimed: Collection[str]) -> None:
        """Complete the answer by the origins that nobody else is fetching."""
        self.answer = self.entries, frozenset(claimed)


class Save(Job[None]):
    """Put these in."""

    __slots__ = ("entries", "records")

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__()
        self.entries = entries
        self.records: Sequence[Record] = ()

    def encode(self) -> int:
        """Make the records, or set the error; return the bytes of the bodies.

        Left to the one who works, who may be another thread.
        """
        try:
            self.records = [encode(entry) for entry in self.entries]
        except CacheError as error:
            self.error = error
        except (TypeError, ValueError, AttributeError) as error:
            self.error = CacheError(f"an entry cannot be written down: {error}")
            self.error.__cause__ = error
        return sum(len(body) for record in self.records for body in record.bodies.values())


class Claim(Job[frozenset[str]]):
    """May I fetch these?"""

    __slots__ = ("holder", "origins", "seconds")

    def __init__(self, origins: Collection[str], holder: str, seconds: float) -> None:
        super().__init__()
        self.origins = [checked_origin(origin) for origin in origins]
        self.holder = holder
        self.seconds = min(max(seconds, 0.0), LONGEST_CLAIM)


class Release(Job[None]):
    """I shall not fetch these."""

    __slots__ = ("holder", "origins")

    def __init__(self, origins: Collection[str], holder: str) -> None:
        super().__init__()
        self.origins = origins
        self.holder = holder


class Remove(Job[int]):
    """Take these out, or with None all."""

    __slots__ = ("origins",)

    def __init__(self, origins: Collection[str] | None) -> None:
        super().__init__()
        self.origins = origins


class Page(Job[tuple[list[Entry], bytes | None]]):
    """The next entries behind a key, and the key to go on behind; None at the end."""

    __slots__ = ("after",)

    def __init__(self, after: bytes) -> None:
        super().__init__()
        self.after = after


class Close(Job[None]):
    """Finish, and let go."""

    __slots__ = ()


AnyJob: TypeAlias = Load | Look | Save | Claim | Release | Remove | Page | Close

LONGEST_CLAIM = 3_600.0
"""Seconds. No fetch takes longer; a claim that seems to was made before a clock was put back."""


def deliver(jobs: Iterable[AnyJob]) -> None:
    """Wake the callers of jobs up from another thread: once for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[AnyJob]] = {}
    for job in jobs:
        by_loop.setdefault(job.future.get_loop(), []).append(job)
    for loop, theirs in by_loop.items():
        try:
            loop.call_soon_threadsafe(settle, theirs)
        except RuntimeError:  # the loop was closed: nobody waits
            continue


def settle(jobs: Iterable[AnyJob]) -> None:
    """Wake the callers of jobs up on their loop."""
    for job in jobs:
        job.settle()
