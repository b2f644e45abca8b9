"""The network: decides rows with files that a client fetches.

In: the options of a crawl. Out: a filtered `Work`, and how many files were fetched for it. A
cache that fails on the way is worked around and reported once; one that cannot be opened, or comes
from a later verger, is an error before anything is written.
"""

from collections.abc import Mapping
from dataclasses import replace

from verger._core import Dialect
from verger.bulk.filter.fetch_pool import filter_online
from verger.bulk.filter.progress import Work
from verger.cache.opening import probe_and_close, store_at
from verger.client import AsyncClient, Event
from verger.client.network import Network
from verger.client.site import Override
from verger.crawlers.binding import Bindings
from verger.errors import InvalidOption
from verger.loop_thread import run_to_end

MEMORY_BYTES = 96 << 20
"""Bytes of files in memory, of which the rows may be in any order; the cache has the others."""

OTHER_FILES = 64
"""Open files other than connections, and some to spare."""


class Fetching:
    """A client, and how many files it fetched."""

    def __init__(
        self,
        network: Network,
        user_agent: str,
        tokens: tuple[str, ...],
        bindings: Bindings,
        dialect: Dialect,
        overrides: Mapping[str, Override],
    ) -> None:
        self._fetched = 0
        self._problem = ""
        self._at_once = enough_files(network.connections, OTHER_FILES)
        store = None if network.address is None else store_at(network.address)
        self._client = AsyncClient(
            user_agent,
            token=tokens,
            bindings=bindings,
            dialect=dialect,
            memory_bytes=MEMORY_BYTES,
            overrides=overrides,
            on_event=self._note,
            **replace(network, store=store, connections=self._at_once).options(),
        )
        if store is not None:  # a client works around one that cannot be opened
            probe_and_close(store)

    def filter(self, work: Work) -> int:
        """Do the work; return how many files were fetched. Ctrl-C ends it."""
        self._watcher = work.watcher
        run_to_end(filter_online(work, self._client, at_once=self._at_once))
        if self._problem:
            work.watcher.store_failed(self._problem)
        return self._fetched

    def _note(self, event: Event) -> None:
        if event.kind in ("fetched", "renewed"):
            self._fetched += 1
        elif event.kind == "store-problem":
            self._problem = self._problem or event.detail
        elif event.kind == "waiting":
            self._watcher.waiting(event.origin, event.detail)


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
