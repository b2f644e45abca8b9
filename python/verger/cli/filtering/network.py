"""The network: what answers where no snapshot does.

In: the options of a crawl. Out: a filtered `Work`, and how many files were fetched for it. A
cache that fails on the way is worked around and told of once; one that cannot be opened, or comes
from a later verger, is an error before anything is written.
"""

import asyncio
import gc
from collections.abc import Sequence
from dataclasses import dataclass

from verger.cli.exit import Failure
from verger.cli.filtering.online import filter_online
from verger.cli.filtering.work import Work
from verger.client import AsyncClient, Event
from verger.fetch.limits import FetchLimits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.store import Store


NO_CACHE = "none"

MEMORY_OCTETS = 32 << 20
"""Of files at hand. Rows of one origin mostly stand together, and the cache has the others."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the files are fetched."""

    user_agent: str
    tokens: tuple[str, ...]
    dialect: str
    cache: str | None
    """The path of the cache; None for the usual one."""
    connections: int
    per_address: int | None
    connect_to: Sequence[str]
    proxy: str | None
    ca_bundle: str | None
    public_only: bool
    timeout: float


class Network:
    """A client, and what it has done."""

    def __init__(self, options: Options) -> None:
        self.fetched = 0
        self._problem = ""
        self._at_once = options.connections
        self._client = AsyncClient(
            options.user_agent,
            token=options.tokens,
            dialect=options.dialect,
            store=_store(options.cache),
            limits=FetchLimits(total=options.timeout),
            memory_octets=MEMORY_OCTETS,
            connections=options.connections,
            connections_per_address=options.per_address,
            connect_to=options.connect_to,
            proxy=options.proxy,
            ca_bundle=options.ca_bundle,
            public_only=options.public_only,
            on_event=self._note,
        )

    def filter(self, work: Work) -> None:
        """Do the work. Ctrl-C ends it with KeyboardInterrupt."""
        _collect_seldom()
        asyncio.run(self._filter(work))
        if self._problem:
            work.meter.say(f"note: the cache failed on the way: {self._problem}\n")

    async def _filter(self, work: Work) -> None:
        async with self._client:
            await filter_online(work, self._client, at_once=self._at_once)

    def _note(self, event: Event) -> None:
        if event.kind in ("fetched", "renewed"):
            self.fetched += 1
        elif event.kind == "store-problem":
            self._problem = self._problem or event.detail


def _collect_seldom() -> None:
    """Look for garbage less often than Python does by itself.

    A thousand fetches under way are many young objects that live on: looked through again and
    again, they took a tenth of the time of a crawl on loopback.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def _store(path: str | None) -> "Store | None":
    """Return the cache, which is opened once to see that it can be: a client works around it."""
    if path == NO_CACHE:
        return None
    from verger.cache.sqlite import SqliteStore

    store = SqliteStore(path)
    asyncio.run(_opened(store))
    return store


async def _opened(store: "Store") -> None:
    try:
        await store.load(("https://example.invalid",))
    finally:
        await store.close()


def enough_files(connections: int, others: int) -> int:
    """Return how many connections the system lets be open, up to those wished for.

    Systems allow 1,024 open files at first, and more to who asks.
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
        raise Failure(
            f"the system allows {most:,} open files, too few to fetch anything",
            "raise the limit: `ulimit -n 4096`",
        )
    return most - others
