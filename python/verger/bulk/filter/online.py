"""Filtering over the network: thousands of origins at once, in bounded memory.

In: a `Work` and a client. Out: the work, done. The event loop is for fetching: reading and writing
have threads of their own. Each origin is looked up once, however many rows it has, by one of a
number of workers; rows, and sites in memory, need no task.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import ParamSpec, TypeVar

from verger.bulk.filter.decide import NO_ANSWER, BySite
from verger.bulk.filter.reading import Block, by_origin
from verger.bulk.filter.work import Work
from verger.client import AsyncClient
from verger.client.site import Site
from verger.files.lru_cache import LruCache, cost_of_site

UNDECIDED_ROWS = 262_144
"""The most rows that wait for a fetch; then reading pauses."""

OPEN_ROWS = 1_048_576
OPEN_CHARACTERS = 128 << 20
"""The most that is read and not yet written."""

WAITING_BLOCKS = 4_096
"""The most blocks that wait, mostly on disk, for a slower one before them."""

ANSWERS_BYTES = 16 << 20
"""The most bytes of answers that are kept between blocks; the client keeps the files."""

P = ParamSpec("P")
T = TypeVar("T")


async def filter_online(work: Work, sites: AsyncClient, *, at_once: int) -> None:
    """Decide every block; up to `at_once` origins are fetched at a time."""
    reader, writer = Lane(), Lane()
    try:
        async with asyncio.TaskGroup() as tasks:
            await _feed(work, Pool(work, sites, writer, at_once, tasks), reader)
        await writer.call(work.complete)
    except BaseExceptionGroup as failed:
        raise failed.exceptions[0] from None
    finally:
        reader.end(patience=0.0)  # it may wait for rows that never come
        writer.end(patience=work.output.patience)


async def _feed(work: Work, pool: "Pool", reader: "Lane") -> None:
    """Read one block ahead, as long as there is room."""
    blocks = work.unfinished_blocks()
    reading = reader.call(next, blocks, None)
    while (block := await reading) is not None:
        await pool.room()
        reading = reader.call(next, blocks, None)
        await pool.take(block)


class Pool:
    """Open blocks, and the workers that look up their origins."""

    def __init__(
        self,
        work: Work,
        sites: AsyncClient,
        writer: "Lane",
        at_once: int,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._work = work
        self._sites = sites
        self._writer = writer
        self._at_once = at_once
        self._wanted: deque[str] = deque()
        self._waiting: dict[str, list[tuple[Block, Sequence[int]]]] = {}
        self._workers = 0
        self._tasks = tasks
        self._decided: deque[Block] = deque()
        self._is_writing = False
        self._answers: LruCache[BySite] = LruCache(ANSWERS_BYTES)
        self._undecided = self._rows = self._characters = 0
        self._moved = asyncio.Event()

    async def take(self, block: Block) -> None:
        """Decide the rows of sites in memory and in the store; let workers look up the others."""
        self._rows += len(block.urls)
        self._characters += block.size
        rows_of = by_origin(block)
        await self._sites.load_stored(name for name in rows_of if name not in self._waiting)
        block.undecided = sum(map(len, rows_of.values()))
        block.answers = [NO_ANSWER] * len(block.urls)
        self._undecided += block.undecided
        known = self._sites.known
        for name, rows in rows_of.items():
            others = self._waiting.get(name)
            if others is not None:
                others.append((block, rows))
            elif (site := known(name)) is not None:
                self._decide(block, rows, self._answers_of(site))
            else:
                self._waiting[name] = [(block, rows)]
                self._wanted.append(name)
        if not rows_of:
            self._put(block)
        self._employ()

    async def room(self) -> None:
        """Wait until there is room for another block."""
        while (
            self._undecided >= UNDECIDED_ROWS
            or self._rows >= OPEN_ROWS
            or self._characters >= OPEN_CHARACTERS
            or (self._work.output.waiting >= WAITING_BLOCKS and self._rows)
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
            for block, rows in self._waiting.pop(name):
                self._decide(block, rows, answers)
            self._moved.set()
        self._workers -= 1

    def _answers_of(self, site: Site) -> BySite:
        """Return the answers of a site: the kept ones if the site is the same."""
        kept = self._answers.get(site.origin)
        if kept is not None and kept.site is site:
            return kept
        cost = cost_of_site(site.origin, len(site.robots.body) if site.robots else 0)
        return self._answers.put(site.origin, self._new_answers(site), cost)

    def _new_answers(self, site: Site) -> BySite:
        return BySite(site, self._work.format)

    def _decide(self, block: Block, rows: Sequence[int], answers: BySite) -> None:
        answers.decide(block, rows)
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
        """Write blocks, one at a time, in the writing thread."""
        while self._decided:
            block = self._decided.popleft()
            await self._writer.call(self._work.finish, block)
            self._rows -= len(block.urls)
            self._characters -= block.size
            self._moved.set()
        self._is_writing = False


class Lane:
    """A thread that runs calls one after the other, and does not keep the process alive.

    A process waits for the executors of the standard library when it ends, even if they wait for a
    terminal or a full pipe.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._loop = asyncio.get_running_loop()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def call(self, what: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> asyncio.Future[T]:
        """Return the future result, or exception, of a call in the thread."""
        result: asyncio.Future[T] = self._loop.create_future()

        def job() -> None:
            try:
                value = what(*args, **kwargs)
            except BaseException as error:  # of any kind: it is raised again when awaited
                self._tell(_fail, result, error)
            else:
                self._tell(_fulfil, result, value)

        self._jobs.put(job)
        return result

    def end(self, *, patience: float) -> None:
        """Let the thread end after its current call, and wait that many seconds for it."""
        self._jobs.put(None)
        self._thread.join(patience)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _tell(self, how: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(how, *args)


def _fulfil(result: asyncio.Future[T], value: T) -> None:
    if not result.done():
        result.set_result(value)


def _fail(result: asyncio.Future[T], error: BaseException) -> None:
    if not result.done():
        result.set_exception(error)
