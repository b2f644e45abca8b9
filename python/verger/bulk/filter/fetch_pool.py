"""Filtering over the network: thousands of origins at once, in bounded memory.

In: a `Work` and a client. Out: the work, done. The event loop is for fetching: reading and writing
have threads of their own. Each origin is looked up once, however many rows it has, by one of a
number of workers; rows, and sites in memory, need no task.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from threading import Lock

from verger.bulk.filter.blocks import NO_ANSWER, Block, by_origin
from verger.bulk.filter.decide import BySite, RowsOfABlock
from verger.bulk.filter.progress import Work
from verger.client import AsyncClient
from verger.client.aio import LOADED_AT_ONCE
from verger.client.site import Site
from verger.loop_thread import in_thread
from verger.lru_cache import LruCache, cost_of_site

UNDECIDED_ROWS = 262_144
"""The most rows that wait for a fetch; then reading pauses."""

STRIDE_ROWS = 131_072
"""The most rows that are looked at together: a site is asked about all of its own at once."""

OPEN_ROWS = 1_048_576
OPEN_CHARACTERS = 128 << 20
"""The most that is read and not yet written."""

WAITING_BYTES = 256 << 20
"""The most bytes of rows that wait for slower ones before them on a stream."""

ANSWERS_BYTES = 32 << 20
"""The most bytes of answers that are kept between blocks; the client keeps the files."""


async def filter_online(work: Work, sites: AsyncClient, *, at_once: int) -> None:
    """Decide every block; up to `at_once` origins are fetched at a time. Close the client."""
    writing = Lock()
    try:
        async with sites, asyncio.TaskGroup() as tasks:
            await _feed(work, Pool(work, sites, writing, at_once, tasks))
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    finally:  # an interrupted run lets the block that is being written end
        writing.acquire(timeout=work.output.patience)


async def _feed(work: Work, pool: "Pool") -> None:
    """Read some blocks ahead, as long as there is room."""
    strides = work.strides(STRIDE_ROWS)
    reading = _read(strides)
    while (blocks := await reading) is not None:
        await pool.room()
        reading = _read(strides)
        await pool.take(blocks)


def _read(strides: Iterator[list[Block]]) -> asyncio.Task[list[Block] | None]:
    """Return the next blocks, read in a thread; it may wait for rows that never come."""
    return asyncio.create_task(in_thread(lambda: next(strides, None), "verger-read"))


class Pool:
    """Open blocks, and the workers that look up their origins."""

    def __init__(
        self,
        work: Work,
        sites: AsyncClient,
        writing: Lock,
        at_once: int,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._work = work
        self._sites = sites
        self._writing = writing
        self._at_once = at_once
        self._wanted: deque[str] = deque()
        self._waiting: dict[str, list[RowsOfABlock]] = {}
        self._workers = 0
        self._tasks = tasks
        self._decided: deque[Block] = deque()
        self._is_writing = False
        self._answers: LruCache[BySite] = LruCache(ANSWERS_BYTES)
        self._undecided = self._rows = self._characters = 0
        self._moved = asyncio.Event()

    async def take(self, blocks: Sequence[Block]) -> None:
        """Decide the rows of sites in memory and in the store; let workers look up the others."""
        found: dict[str, list[RowsOfABlock]] = {}
        names: dict[str, str] = {}
        for block in blocks:
            block.urls = [*block.urls]
            self._rows += len(block.urls)
            self._characters += block.size
            rows_of = by_origin(block, names)
            block.undecided = sum(map(len, rows_of.values()))
            block.answers = [NO_ANSWER] * len(block.urls)
            block.sites = [""] * len(block.urls)
            block.also = [[None] * len(block.urls) for _ in self._work.crawlers]
            self._undecided += block.undecided
            for name, rows in rows_of.items():
                found.setdefault(name, []).append((block, rows))
            if not rows_of:
                self._put(block)
        wanted = [*found]
        for start in range(0, len(wanted), LOADED_AT_ONCE):  # all of these fit in memory
            some = wanted[start : start + LOADED_AT_ONCE]
            await self._sites.load_stored(name for name in some if name not in self._waiting)
            for name in some:
                self._take(name, found.pop(name))
            self._employ()

    def _take(self, name: str, rows_of: list[RowsOfABlock]) -> None:
        """Decide the rows of a site that is in memory; note those of others."""
        others = self._waiting.get(name)
        if others is not None:
            others += rows_of
        elif (site := self._sites.known(name)) is not None:
            self._decide(rows_of, self._answers_of(site))
        else:
            self._waiting[name] = rows_of
            self._wanted.append(name)

    async def room(self) -> None:
        """Wait until there is room for another block."""
        while (
            self._undecided >= UNDECIDED_ROWS
            or self._rows >= OPEN_ROWS
            or self._characters >= OPEN_CHARACTERS
            or (self._work.output.waiting >= WAITING_BYTES and self._rows)
        ):
            self._moved.clear()
            await self._moved.wait()

    def _employ(self) -> None:
        """Start a worker for each wanted origin, up to the limit."""
        for _ in range(min(len(self._wanted), self._at_once - self._workers)):
            self._workers += 1
            self._tasks.create_task(self._ask())

    async def _ask(self) -> None:
        """Look up origin after origin, until none is wanted."""
        while self._wanted:
            name = self._wanted.popleft()
            answers = self._new_answers(await self._sites.find(name))
            self._decide(self._waiting.pop(name), answers)
            self._moved.set()
        self._workers -= 1

    def _answers_of(self, site: Site) -> BySite:
        """Return the answers of a site: the kept ones if the site is the same."""
        kept = self._answers.get(site.origin)
        if kept is not None and kept.site is site:
            return kept
        return self._answers.put(site.origin, self._new_answers(site), cost_of_site(site.origin, 0))

    def _new_answers(self, site: Site) -> BySite:
        return BySite(site, self._work.format, self._work.crawlers)

    def _decide(self, rows_of: list[RowsOfABlock], answers: BySite) -> None:
        answers.decide(rows_of)
        for block, rows in rows_of:
            block.undecided -= len(rows)
            self._undecided -= len(rows)
            if not block.undecided:
                self._put(block)

    def _put(self, block: Block) -> None:
        self._decided.append(block)
        if not self._is_writing:
            self._is_writing = True
            self._tasks.create_task(self._write())

    async def _write(self) -> None:
        """Write blocks, one at a time."""
        while self._decided:
            block = self._decided.popleft()
            await in_thread(partial(self._finish, block), "verger-write")
            self._rows -= len(block.urls)
            self._characters -= block.size
            self._moved.set()
        self._is_writing = False

    def _finish(self, block: Block) -> None:
        with self._writing:
            self._work.finish(block)
