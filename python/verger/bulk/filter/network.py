"""The network: decides rows with files that a client fetches.

In: the options of a crawl. Out: a filtered `Work`, and how many files were fetched for it. A
cache that fails on the way is worked around and reported once; one that cannot be opened, or comes
from a later verger, is an error before anything is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from verger._core import Dialect
from verger.bulk.filter.fetch_pool import filter_online
from verger.bulk.filter.progress import Work
from verger.cache.opening import probe_and_close, store_at
from verger.client import AsyncClient, Event
from verger.client.site import Override
from verger.crawlers.binding import Bindings
from verger.errors import InvalidOption
from verger.fetching.limits import FetchLimits, timed
from verger.files.addresses import state_of
from verger.loop_thread import run_to_end
from verger.options import AnyPath, expect_whole, path_of

CONNECTIONS = 1_000

MEMORY_BYTES = 96 << 20
"""Bytes of files in memory, of which the rows may be in any order; the cache has the others."""


OTHER_FILES = 64
"""Open files other than connections, and some to spare."""


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
    proxy:        the URL of an HTTP or SOCKS proxy for all requests, or `env` for those of the
                  environment.
    private:      networks or hosts that redirects may lead to although they are not public.
    ca_bundle:    a file or folder of certificates: trust these authorities, not those of the
                  system.
    public_only:  whether to connect only to public addresses, for lists from strangers; redirects
                  never lead to others.
    timeout:      seconds for one file with all its redirects, however long a server is silent; by
                  default 30, and 10 without a byte.
    headers:      additional header fields for every request, as for `verger.Client`.
    origin_headers:  additional header fields by origin, which are sent to that origin only.

    Its repr is without the proxy and the header fields, which may hold passwords.
    Raises InvalidOption for numbers that make no sense.
    """

    cache: AnyPath | None = None
    connections: int = CONNECTIONS
    per_address: int | None = None
    connect_to: Sequence[str] = ()
    proxy: str | None = field(default=None, repr=False)
    private: Sequence[str] = ()
    ca_bundle: AnyPath | None = None
    public_only: bool = False
    timeout: float | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        """Refuse numbers that make no sense."""
        expect_whole("connections", self.connections)
        expect_whole("per_address", self.per_address, optional=True)
        timed(FetchLimits(), self.timeout)

    def plan(self) -> dict[str, str]:
        """Return what can change an answer, by option: digests, since some hold passwords."""
        bundle = None if self.ca_bundle is None else path_of("ca_bundle", self.ca_bundle)
        told = {
            "cache": None if self.cache is None else path_of("cache", self.cache),
            "connect-to": list(self.connect_to),
            "proxy": self.proxy,
            "private": list(self.private),
            "ca-bundle": bundle and [bundle, *identity_of(bundle)],
            "public-only": self.public_only,
            "timeout": self.timeout and float(self.timeout),
            "header": [
                dict(self.headers),
                {name: dict(fields) for name, fields in self.origin_headers.items()},
            ],
        }
        return {
            f"`--{name}`": sha256(ascii(value).encode()).hexdigest() for name, value in told.items()
        }


def identity_of(path: str) -> list[int | str]:
    """Return what changes with a file; a folder is identified by its name only."""
    return [] if Path(path).is_dir() else [*state_of(path)]


class Fetching:
    """A client, and how many files it fetched."""

    def __init__(
        self,
        options: Network,
        user_agent: str,
        tokens: tuple[str, ...],
        bindings: Bindings,
        dialect: Dialect,
        overrides: Mapping[str, Override],
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
            timeout=options.timeout,
            memory_bytes=MEMORY_BYTES,
            connections=self._at_once,
            connections_per_address=options.per_address,
            connect_to=options.connect_to,
            proxy=options.proxy,
            private=options.private,
            ca_bundle=options.ca_bundle,
            headers=options.headers,
            origin_headers=options.origin_headers,
            overrides=overrides,
            public_only=options.public_only,
            on_event=self._note,
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
