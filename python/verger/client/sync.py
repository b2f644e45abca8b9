"""`Client`: the synchronous wrapper of `AsyncClient`.

Fresh answers in memory are given in the calling thread. Everything else runs on an event loop in
its own thread, so the client works in any thread, even one with a running event loop.
"""

import atexit
import os
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Never, Self

from verger._core import RobotsTxt, origin
from verger.access.answer import Answer
from verger.access.policy import SiteFacts
from verger.cache.store import Store
from verger.client.aio import MIB, AsyncClient
from verger.client.events import Event
from verger.client.network import CONNECTIONS
from verger.client.site import LEAST_FRESH, Override, Site
from verger.client.tolerant_store import LOG
from verger.crawlers.binding import Bindings
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import Transport
from verger.loop_thread import LoopThread
from verger.options import AnyDialect

_LIVING: "weakref.WeakSet[Client]" = weakref.WeakSet()


class Client:
    """Answers for one crawler about any number of sites, fetching each robots.txt file once.

    Safe to share between threads, and to use in a child process made by `fork`.

    It follows redirects of robots.txt files. Those of pages are yours to judge: ask about each URL
    that a page redirects to before you request it, or let a guard of `verger.integrations` do so.

    user_agent:     the identification string sent with requests, with a way to contact you:
                    `ExampleBot/1.0 (+https://example.com/bot)`.
    token:          the product token, or several: some dialects, such as rfc9309, combine the
                    groups of all, others take those of the first that is named; by default the
                    one in `user_agent`.
    bindings:       whose groups the crawler follows: `operators`, what its operator says (see
                    `verger.crawlers.agent_of`), or `file`, what the names in the file say.
    dialect:        how files and failures are read: a name, or a `Dialect`.
    store:          where files outlive this client: a `Store`, the path of an SQLite file that many
                    processes may share, or the URL of a Redis server that many machines may
                    share; None keeps them only in memory.
    transport:      what sends requests; None for aiohttp, and FTP from the standard library.
    timeout:        seconds for one fetch with all its redirects, however long the server is
                    silent; by default 30, and 10 without a byte. `limits` sets both by themselves.
    limits:         the maximum seconds and bytes of one fetch; by default those of the transport.
    headers:        additional header fields for every request; `Authorization`, `Cookie` and
                    `Proxy-Authorization` are not sent to another origin that a redirect leads to.
    origin_headers: additional header fields by origin, which are sent to that origin only. The user
                    name and password in a URL are never sent.
    overrides:      your own decisions, by origin: "allow" or "disallow" everything, or the bytes
                    of a file to read instead of the site's.
    facts:          additional facts about sites, by origin (see `SiteFacts`).
    memory_bytes:   the maximum size of the files, with their parsed forms, held in memory.
    least_fresh:    the minimum freshness of a file in seconds, whatever `Cache-Control` says.
    connections:    the maximum number of open connections; `connections_per_address` limits those
                    to one IP address.
    proxy:          the URL of an HTTP or SOCKS proxy for all requests, or `env` for those that
                    `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` name. It makes the
                    connections, so the address guard sees only the names of redirect targets, not
                    their addresses; with `socks5://` it sees both.
    ca_bundle:      a file of certificates to trust instead of the system's.
    connect_to:     where to connect instead, as `HOST1:PORT1:HOST2:PORT2`; an empty HOST1 or
                    PORT1 matches any.
    private:        networks or hosts that redirects may lead to although they are not public.
    public_only:    whether the URLs you ask about must also lead to public addresses, for lists
                    from untrusted sources; redirects always must, except for `private`. What others
                    stored is used only if public addresses answered.
    on_event:       called with an `Event` for each fetch, load and problem with the store.
    clock:          returns the seconds since the epoch.

    Raises: MissingUserAgent, InvalidProductToken, UnknownName; InvalidOption for an invalid number;
    InvalidTarget for a key that is not an origin; CacheError if the path of the store is that of
    another file (later failures are reported to `on_event` and worked around); MissingExtra if the
    packages of a transport or store are not installed, or too old.

    >>> from verger.testing import MemoryTransport  # sites in memory; leave it out to use the web
    >>> web = MemoryTransport({"https://example.com": "User-agent: *\\nDisallow: /private\\n"})
    >>> agent = "ExampleBot/1.0 (+https://example.com/bot)"
    >>> with Client(agent, transport=web) as client:
    ...     client.allowed("https://example.com/private/a")
    ...     client.decide("https://example.com/private/a").line
    False
    2
    """

    def __init__(
        self,
        user_agent: str | None = None,
        *,
        token: str | Sequence[str] | None = None,
        bindings: Bindings = "operators",
        dialect: AnyDialect = "rfc9309",
        store: Store | str | os.PathLike[str] | None = None,
        transport: Transport | None = None,
        timeout: float | None = None,
        limits: FetchLimits | None = None,
        headers: Mapping[str, str] | None = None,
        origin_headers: Mapping[str, Mapping[str, str]] | None = None,
        overrides: Mapping[str, Override] | None = None,
        facts: Mapping[str, SiteFacts] | None = None,
        memory_bytes: int = 64 * MIB,
        least_fresh: float = LEAST_FRESH,
        connections: int = CONNECTIONS,
        connections_per_address: int | None = None,
        proxy: str | None = None,
        ca_bundle: str | os.PathLike[str] | None = None,
        connect_to: Sequence[str] = (),
        private: Sequence[str] = (),
        public_only: bool = False,
        on_event: Callable[[Event], None] | None = None,
        clock: Callable[[], float] = time.time,
        **unknown: Never,
    ) -> None:
        self._engine = AsyncClient(
            user_agent,
            token=token,
            bindings=bindings,
            dialect=dialect,
            store=store,
            transport=transport,
            timeout=timeout,
            limits=limits,
            headers=headers,
            origin_headers=origin_headers,
            overrides=overrides,
            facts=facts,
            memory_bytes=memory_bytes,
            least_fresh=least_fresh,
            connections=connections,
            connections_per_address=connections_per_address,
            proxy=proxy,
            ca_bundle=ca_bundle,
            connect_to=connect_to,
            private=private,
            public_only=public_only,
            on_event=on_event,
            clock=clock,
            **unknown,
        )
        self._known = self._engine.known
        self._clock = clock
        self._thread = LoopThread("verger-client")
        # Once the client is gone, nothing else closes them or ends the thread.
        weakref.finalize(self, self._thread.abandon, self._engine.close).atexit = False
        _LIVING.add(self)
        # Registered again, to run before the exit handlers of the store's modules: closing the
        # client needs those modules.
        atexit.unregister(_close_all)
        atexit.register(_close_all)

    __reduce__ = AsyncClient.__reduce__

    def __repr__(self) -> str:
        return repr(self._engine).removeprefix("Async")

    # asking

    def allowed(self, url: str) -> bool:
        """Whether the crawler may fetch a URL. Raises InvalidTarget if it is not a URL."""
        return (self._known(origin(url)) or self._fetch(url)).allowed(url)

    def allowed_many(self, urls: Iterable[str]) -> list[bool]:
        """Whether the crawler may fetch each URL, in order; files are fetched many at once.

        Raises InvalidTarget if one is not a URL.
        """
        return self._thread.run(self._engine.allowed_many(urls))

    def decide(self, url: str) -> Answer:
        """Decide one URL, with the reason. Raises InvalidTarget if it is not a URL."""
        return self.site(url).decide(url, now=self._clock())

    def site(self, url: str, *, timeout: float | None = None) -> Site:
        """Return the site of the URL, fetching its file if needed.

        timeout:  seconds to wait for the file, which is fetched for later questions all the same;
                  None for as long as the limits allow.
        Raises:   TimeoutError, InvalidTarget.
        """
        return self._known(origin(url)) or self._fetch(url, timeout)

    def robots(self, url: str) -> RobotsTxt | None:
        """Return the file in force at the URL's origin; None if no file applies."""
        return self.site(url).robots

    def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the sitemaps listed in the file of the URL's origin, as written."""
        robots = self.site(url).robots
        return robots.sitemaps if robots else ()

    def crawl_delay(self, url: str) -> float | None:
        """Return the seconds between two requests that the site asks for, if it does."""
        agent = self.site(url).my_rules
        return agent.crawl_delay if agent else None

    def prefetch(self, urls: Iterable[str]) -> None:
        """Fetch the files of all origins of the URLs that are not cached, many at once."""
        self._thread.run(self._engine.prefetch(urls))

    def refresh(self, url: str) -> Site:
        """Fetch the file of the URL's origin now, fresh or not; overrides still apply."""
        return self._thread.run(self._engine.refresh(url))

    # life cycle

    def close(self) -> None:
        """Close connections and store, and end the thread. The client may be used again."""
        if self._thread.is_running:
            self._thread.run_last(self._engine.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fetch(self, url: str, timeout: float | None = None) -> Site:
        return self._thread.run(self._engine.site(url, timeout=timeout))


def _after_fork() -> None:
    for client in list(_LIVING):
        client._thread.after_fork()


def _close_all() -> None:
    for client in list(_LIVING):
        try:
            client.close()
        except Exception:  # that of one transport, which must not keep the others open
            LOG.exception("a client was not closed properly")


if hasattr(os, "register_at_fork"):  # Windows has no processes that begin as copies
    os.register_at_fork(after_in_child=_after_fork)
