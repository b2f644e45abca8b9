"""The network: decides rows with files that a client fetches.

In: the options of a crawl. Out: a filtered `Work`, and how many files were fetched for it. A
cache that fails on the way is worked around and reported once; one that cannot be opened, or comes
from a later verger, is an error before anything is written.
"""

from verger._core import Dialect
from verger.bulk.filter.online import filter_online
from verger.bulk.filter.work import Network, Work
from verger.cache.existing import probe_and_close, store_at
from verger.client import AsyncClient, Event
from verger.crawlers.binding import Bindings
from verger.errors import InvalidOption
from verger.fetching.limits import FetchLimits
from verger.loop_thread import run_to_end

MEMORY_BYTES = 32 << 20
"""Bytes of files in memory. Rows of one origin are mostly together; the cache has the others."""


OTHER_FILES = 64
"""Open files other than connections, and some to spare."""


class Fetching:
    """A client, and how many files it fetched."""

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
        self._client = AsyncClient(
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

    def filter(self, work: Work) -> int:
        """Do the work; return how many files were fetched. Ctrl-C ends it."""
        run_to_end(self._filter(work))
        if self._problem:
            work.watcher.store_failed(self._problem)
        return self._fetched

    async def _filter(self, work: Work) -> None:
        async with self._client:
            await filter_online(work, self._client, at_once=self._at_once)

    def _note(self, event: Event) -> None:
        if event.kind in ("fetched", "renewed"):
            self._fetched += 1
        elif event.kind == "store-problem":
            self._problem = self._problem or event.detail


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
