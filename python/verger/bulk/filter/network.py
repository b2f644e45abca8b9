"""The network: decides rows with files that a client fetches, of thousands of origins at once.

In: the options of a crawl, and a `Work`. Out: the work, done, and how many files were fetched for
it. A cache that fails on the way is worked around and reported once; one that cannot be opened, or
comes from a later verger, is an error before anything is written.

The event loop is for fetching: reading and writing have threads of their own. Each origin is looked
up once, however many rows it has, by one of a number of workers; rows, and sites in memory, need no
task. Memory is bounded.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from verger._core import Dialect
from verger.bulk.filter.blocks import NO_ANSWER, Block, by_origin
from verger.bulk.filter.decide import BySite
from verger.bulk.filter.work import Work
from verger.cache.existing import probe_and_close, store_at
from verger.client import AsyncClient, Event, Site
from verger.crawlers.binding import Bindings
from verger.errors import InvalidOption
from verger.fetching.limits import FetchLimits
from verger.files.lru_cache import LruCache, cost_of_site
from verger.loop_thread import in_thread, run_to_end
from verger.options import AnyPath, expect_seconds, expect_whole

CONNECTIONS = 1_000
TIMEOUT = 30.0

MEMORY_BYTES = 32 << 20
"""Bytes of files in memory. Rows of one origin are mostly together; the cache has the others."""

OTHER_FILES = 64
"""Open files other than connections, and some to spare."""

UNDECIDED_ROWS = 262_144
"""The most rows that wait for a fetch; then reading pauses."""

OPEN_ROWS = 1_048_576
OPEN_CHARACTERS = 128 << 20
"""The most that is read and not yet written."""

WAITING_BYTES = 256 << 20
"""The most bytes of rows that wait for slower ones before them on a stream."""

ANSWERS_BYTES = 16 << 20
"""The most bytes of answers that are kept between blocks; the client keeps the files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """How the files are fetched; `Network()` fetches as `verger filter --cache none` does.

    cache:        the path of the cache, or the URL of a Redis server; None for no cache. The
                  commands use `verger.cache.sqlite.default_path()`.
    connections:  how many origins are fetched from at once; fewer if the system allows fewer open
                  files.
    per_address:  how many connections may be open to one IP address; None for any number.
    connect_to:   `HOST1:PORT1:HOST2:PORT2` each: connect to HOST2:PORT2 if the request is for
                  HOST1:PORT1; an empty HOST1 or PORT1 means any.
    proxy:        the URL of a proxy for all requests.
    ca_bundle:    a file or folder of certificates: trust these authorities, not those of the
                  system.
    public_only:  whether to connect only to public addresses, for lists from strangers; redirects
                  never lead to others.
    timeout:      seconds for one file, with all its redirects.
    headers:      additional header fields for every request, as for `verger.Client`.
    origin_headers:  additional header fields by origin, which are sent to that origin only.

    Raises InvalidOption for numbers that make no sense.
    """

    cache: AnyPath | None = None
    connections: int = CONNECTIONS
    per_address: int | None = None
    connect_to: Sequence[str] = ()
    proxy: str | None = None
    ca_bundle: AnyPath | None = None
    public_only: bool = False
    timeout: float = TIMEOUT
    headers: Mapping[str, str] = field(default_factory=dict)
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        expect_whole("connections", self.connections)
        if self.per_address is not None:
            expect_whole("per_address", self.per_address)
        expect_seconds("timeout", self.timeout)


class Fetching:
    """A client, and the open blocks, whose origins its workers look up."""

    def __init__(
        self,
        options: Network,
        user_agent: str,
        tokens: tuple[str, ...],
        bindings: Bindings,
        dialect: Dialect,
    ) -> None:
        self._fetched = 0
        self._problem = ""
        self._at_once = enough_files(options.connections, OTHER_FILES)
        store = None if options.cache is None else store_at(options.cache)
        self._sites = AsyncClient(
            user_agent,
            token=tokens,
            bindings=bindings,
            dialect=dialect,
            store=store,
            limits=FetchLimits(total=options.timeout),
            memory_bytes=MEMORY_BYTES,
            connections=self._at_once,
            connections_per_address=options.per_address,
            connect_to=options.connect_to,
            proxy=options.proxy,
            ca_bundle=options.ca_bundle,
            headers=options.headers,
            origin_headers=options.origin_headers,
            public_only=options.public_only,
            on_event=self._note,
        )
        if store is not None:  # a client works around one that cannot be opened
            probe_and_close(store)
        self._writing = Lock()
        self._wanted: deque[str] = deque()
        self._waiting: dict[str, list[tuple[Block, Sequence[int]]]] = {}
        self._workers = 0
        self._decided: deque[Block] = deque()
        self._is_writing = False
        self._answers: LruCache[BySite] = LruCache(ANSWERS_BYTES)
        self._undecided = self._rows = self._characters = 0
        self._moved = asyncio.Event()

    def filter(self, work: Work) -> int:
        """Do the work, once; return how many files were fetched. Ctrl-C ends it."""
        run_to_end(self._filter(work))
        if self._problem:
            work.watcher.store_failed(self._problem)
        return self._fetched

    async def _filter(self, work: Work) -> None:
        """Decide every block, and close the client."""
        self._work = work
        try:
            async with self._sites, asyncio.TaskGroup() as self._tasks:
                await self._feed(work.unfinished_blocks())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None
        finally:  # an interrupted run lets the block that is being written end
            self._writing.acquire(timeout=work.output.patience)

    async def _feed(self, blocks: Iterator[Block]) -> None:
        """Read one block ahead, as long as there is room."""
        reading = _read(blocks)
        while (block := await reading) is not None:
            await self._room()
            reading = _read(blocks)
            await self._take(block)

    async def _take(self, block: Block) -> None:
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
        # a worker for each wanted origin, up to the limit
        for _ in range(min(len(self._wanted), self._at_once - self._workers)):
            self._workers += 1
            self._tasks.create_task(self._ask())

    async def _room(self) -> None:
        """Wait until there is room for another block."""
        while (
            self._undecided >= UNDECIDED_ROWS
            or self._rows >= OPEN_ROWS
            or self._characters >= OPEN_CHARACTERS
            or (self._work.output.waiting >= WAITING_BYTES and self._rows)
        ):
            self._moved.clear()
            await self._moved.wait()

    async def _ask(self) -> None:
        """Look up origin after origin, until none is wanted."""
        while self._wanted:
            name = self._wanted.popleft()
            answers = BySite(await self._sites.find(name), self._work.format)
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
        return self._answers.put(site.origin, BySite(site, self._work.format), cost)

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

    def _note(self, event: Event) -> None:
        if event.kind in ("fetched", "renewed"):
            self._fetched += 1
        elif event.kind == "store-problem":
            self._problem = self._problem or event.detail


def _read(blocks: Iterator[Block]) -> asyncio.Task[Block | None]:
    """Return the next block, read in a thread; it may wait for rows that never come."""
    return asyncio.create_task(in_thread(lambda: next(blocks, None), "verger-read"))


def enough_files(connections: int, others: int) -> int:
    """Return how many connections the system allows, up to those requested.

    Systems allow 1,024 open files at first, and more on request.
    """
    try:
        from resource import RLIM_INFINITY, RLIMIT_NOFILE, getrlimit, setrlimit
    except ImportError:  # Windows counts no files
        return connections
    soft, hard = getrlimit(RLIMIT_NOFILE)
    wanted = connections + others
    if soft == RLIM_INFINITY or soft >= wanted:
        return connections
    most = wanted if hard == RLIM_INFINITY else min(wanted, hard)
    try:
        setrlimit(RLIMIT_NOFILE, (max(soft, most), hard))
    except (OSError, ValueError):
        most = soft
    if most <= others:
        raise InvalidOption(
            f"the system allows {most:,} open files, too few to fetch anything",
            "raise the limit: `ulimit -n 4096`",
        )
    return most - others
