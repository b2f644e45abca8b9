"""`AsyncClient`: from URL to answer, with one fetch for each origin at a time.

In: URLs. Out: answers. A site in memory answers at once; otherwise it is loaded from the store;
otherwise the file is fetched, by a single task for all callers, and by a single process if several
share the store. Failures of networks, servers and the store are part of the answer, never an
exception.
"""

import asyncio
import os
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any, Literal, Never, Self

from verger._core import RobotsTxt, _dialect_of, origin
from verger.access.answer import Answer, Question
from verger.access.entry import Entry, entry_after, is_failure
from verger.access.policy import NOTHING_KNOWN, SiteFacts
from verger.access.result import AccessResult
from verger.access.site import Source
from verger.access.times import timestamp
from verger.cache.opening import expect_cache, store_at
from verger.cache.store import Store
from verger.client.events import Event, EventKind
from verger.client.identity import Identity
from verger.client.network import CONNECTIONS, Network, expect_mappings
from verger.client.site import (
    LEAST_FRESH,
    Override,
    Site,
    is_cut_short,
    is_enough,
    is_useful,
    named_overrides,
    overridden_site,
    site_after,
    usable_part,
)
from verger.client.tolerant_store import LOG, TolerantStore
from verger.crawlers.binding import Bindings, expect_bindings
from verger.errors import InvalidOption, RobotsError
from verger.fetching.drive import is_being_cancelled, run_plan
from verger.fetching.limits import FetchLimits, timed
from verger.fetching.plan import COOKIE_WALLS, Asking, MayFollow, is_questionable, plan, unnamed
from verger.fetching.transport import Transport, TransportByScheme
from verger.loop_thread import INHERITED
from verger.lru_cache import LruCache
from verger.options import (
    MOST_BYTES,
    AnyDialect,
    expect_seconds,
    expect_several,
    expect_whole,
    origin_named,
)

POLLED_FIRST, POLLED_LATER = 0.02, 0.5
TOLD_AFTER = 2.0
"""Seconds of waiting for another process, after which it is told."""
CLAIM_MARGIN = 5.0
LOADED_AT_ONCE = 64
MIB = 1 << 20


class AsyncClient:
    """Answers for one crawler about any number of sites, in one event loop at a time.

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

    >>> import asyncio
    >>> from verger.testing import MemoryTransport  # sites in memory; leave it out to use the web
    >>> web = MemoryTransport({"https://example.com": "User-agent: *\\nDisallow: /private\\n"})
    >>> async def ask(url):
    ...     agent = "ExampleBot/1.0 (+https://example.com/bot)"
    ...     async with AsyncClient(agent, transport=web) as client:
    ...         return await client.allowed(url)
    >>> asyncio.run(ask("https://example.com/private/a"))
    False
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
        _refuse_unknown(unknown)
        network = Network(
            store=store,
            timeout=timeout,
            headers={} if headers is None else headers,
            origin_headers={} if origin_headers is None else origin_headers,
            connections=connections,
            connections_per_address=connections_per_address,
            proxy=proxy,
            ca_bundle=ca_bundle,
            connect_to=connect_to,
            private=private,
            public_only=public_only,
        )
        expect_mappings(overrides=overrides, facts=facts)
        _expect(store, "store", "a path or a `Store`", "claim")
        _expect(transport, "transport", "a `Transport`", "send")
        expect_bindings(bindings)
        expect_whole("memory_bytes", memory_bytes, least=0, most=MOST_BYTES)
        expect_seconds("least_fresh", least_fresh, above_zero=False, for_ever=True)
        self.limits = _limits(limits, transport, timeout)
        self.bindings = bindings
        self.dialect = _dialect_of(dialect)
        self.identity = Identity.of(
            user_agent,
            token,
            network.headers,
            self.dialect,
            origin_headers=network.origin_headers,
        )
        self._question = Question(self.identity.tokens, self.dialect, bindings)
        self._clock = clock
        self._on_event = on_event
        self._memory: LruCache[Site] = LruCache(memory_bytes)
        self._pending: dict[str, asyncio.Task[Site]] = {}
        self._pending_loop: asyncio.AbstractEventLoop | None = None
        self._least_fresh = least_fresh
        self._facts = {origin_named("facts", url): known for url, known in (facts or {}).items()}
        self._overrides = named_overrides(overrides or {})
        self.transport = _own_transport(network, self.limits) if transport is None else transport
        """What sends the requests; closed with the client."""
        self._asking = Asking(
            self.dialect,
            self.identity.headers,
            clock,
            self.limits.body_bytes,
            public_only,
            origin_headers=self.identity.origin_headers,
            returns=COOKIE_WALLS if getattr(self.transport, "keeps_cookies", False) else 0,
        )
        self._store = TolerantStore(
            _opened(store),
            clock=clock,
            on_problem=lambda detail: self._emit("store-problem", "", detail),
        )

    def __reduce__(self) -> Never:
        """Refuse to be pickled, with what to do instead."""
        raise TypeError(
            "a client cannot be pickled: send its options, and make one in each process; with the "
            "same `store` they fetch each file once"
        )

    def __repr__(self) -> str:
        tokens = ", ".join(self.identity.tokens)
        return f"{type(self).__name__}({tokens!r}, dialect={self.dialect.name!r})"

    # asking

    async def allowed(self, url: str) -> bool:
        """Whether the crawler may fetch a URL, judged by the URL it would request.

        That is `requested_url(url)`. Raises InvalidTarget if it is not a URL.
        """
        return (await self.site(url)).allowed(url)

    async def allowed_many(self, urls: Iterable[str]) -> list[bool]:
        """Whether the crawler may fetch each URL, in order; files are fetched many at once.

        Raises InvalidTarget if one is not a URL.
        """
        expect_several("urls", urls, "URLs")
        urls = list(urls)
        await self.prefetch(urls)
        return [await self.allowed(url) for url in urls]

    async def decide(self, url: str) -> Answer:
        """Decide one URL, with the reason. Raises InvalidTarget if it is not a URL."""
        return (await self.site(url)).decide(url, now=self._clock())

    async def robots(self, url: str) -> RobotsTxt | None:
        """Return the file in force at the URL's origin; None if no file applies."""
        return (await self.site(url)).robots

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the sitemaps listed in the file of the URL's origin, as written."""
        robots = (await self.site(url)).robots
        return robots.sitemaps if robots else ()

    async def crawl_delay(self, url: str) -> float | None:
        """Return the seconds between two requests that the site asks for, if it does."""
        agent = (await self.site(url)).my_rules
        return agent.crawl_delay if agent else None

    async def prefetch(self, urls: Iterable[str]) -> None:
        """Fetch the files of all origins of the URLs that are not cached, many at once."""
        expect_several("urls", urls, "URLs")
        wanted = dict.fromkeys(origin(url) for url in urls)
        await self.load_stored(wanted)
        missing = [name for name in wanted if self.known(name) is None]
        for start in range(0, len(missing), 1_000):
            await asyncio.gather(*map(self._find, missing[start : start + 1_000]))

    async def site(self, url: str, *, timeout: float | None = None) -> Site:
        """Return the site of the URL, fetching its file if needed.

        timeout:  seconds to wait for the file, which is fetched for later questions all the same;
                  None for as long as the limits allow.
        Raises:   TimeoutError, InvalidTarget.
        """
        name = origin(url)
        if site := self.known(name):
            return site
        async with asyncio.timeout(timeout):
            return await self._find(name)

    def known(self, name: str) -> Site | None:
        """Return the site of an origin if it is in memory and fresh; from any thread.

        name:  the origin as `verger.origin` writes it.
        """
        site = self._memory.get(name)
        return site if site is not None and site.is_fresh(self._clock()) else None

    async def look_up(self, name: str) -> tuple[Site | None, bool]:
        """Return the site of an origin if it can answer now, without a fetch; and whether anything
        is known of it, in memory or in the store.

        name:  the origin as `verger.origin` writes it.
        """
        if site := self.known(name):
            return site, True
        entry = self._seen(await self._stored(name))
        site = self._current_site(entry)
        is_known = entry is not None or self._memory.get(name) is not None
        return site and self._loaded(site), is_known

    def is_fetching(self, name: str) -> bool:
        """Whether a task is looking up an origin, which another question would share."""
        return name in self._pending

    async def load_stored(self, names: Iterable[str]) -> None:
        """Load files that the store has and that can answer now, many in a call of the store.

        names:  the origins as `verger.origin` writes them.
        """
        missing = [
            name for name in names if name not in self._overrides and self.known(name) is None
        ]
        for start in range(0, len(missing), LOADED_AT_ONCE):
            found = await self._store.load(*missing[start : start + LOADED_AT_ONCE])
            for entry in found.values():
                if site := self._current_site(entry):
                    self._loaded(site)

    async def find(self, url: str) -> Site:
        """Return the site as `site` does, but in the caller's own task, which is the cheapest way.

        Concurrent calls about one origin do not share a fetch, and `load_stored` has looked.
        """
        name = origin(url)
        if site := self.known(name) or self._overridden(name):
            return site
        return await self._load_or_fetch(name, looked=True)

    async def refresh(self, url: str) -> Site:
        """Fetch the file of the URL's origin now, fresh or not; overrides still apply."""
        name = origin(url)
        if site := self._overridden(name):
            return site
        while True:
            site = await self._once(name, lambda: self._refresh(name))
            if site.source != "cached":  # a task that was under way may only have loaded the file
                return site

    # life cycle

    async def close(self) -> None:
        """Cancel pending work, and close connections and store.

        Pending calls raise RobotsError.
        """
        self._notice_loop()
        for task in self._pending.values():
            task.cancel()
        await asyncio.gather(*self._pending.values(), return_exceptions=True)
        try:
            await self.transport.close()
        finally:
            await self._store.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    # finding

    async def _find(self, name: str) -> Site:
        return self._overridden(name) or await self._once(name, lambda: self._load_or_fetch(name))

    async def _once(self, name: str, find: Callable[[], Coroutine[object, object, Site]]) -> Site:
        """Find a site in one task for all callers; cancelling one caller affects no other."""
        self._notice_loop()
        task = self._pending.get(name)
        if task is None:
            task = asyncio.create_task(find())
            self._pending[name] = task
            task.add_done_callback(lambda done: self._forget_task(name, done))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if is_being_cancelled():
                raise
            raise RobotsError(
                f"the client was closed while `{name}` was looked up",
                "close it after the last call",
            ) from None

    async def _load_or_fetch(self, name: str, *, looked: bool = False) -> Site:
        """Return the site from the store if it can answer now; else fetch its file.

        While another client fetches it, this one waits; at most as long as claims last, in case
        the store never grants one.

        looked:  whether the store had none a moment ago.
        """
        loop, seconds = asyncio.get_running_loop(), self.limits.total + CLAIM_MARGIN
        ends, tells_at = loop.time() + seconds, loop.time() + TOLD_AFTER
        pause = POLLED_FIRST
        try:
            while True:
                entry = None if looked else await self._stored(name)
                looked = False
                if site := self._current_site(entry):
                    return self._loaded(site)
                if loop.time() >= ends or await self._store.claim(name, seconds=seconds):
                    return await self._fetch_claimed(name, entry)
                if loop.time() >= tells_at:
                    until, tells_at = timestamp(self._clock() + ends - loop.time()), ends
                    self._emit(
                        "waiting", name, f"another process fetches it, until {until} at most"
                    )
                await asyncio.sleep(pause)
                pause = min(pause * 2, POLLED_LATER)
        except BaseException:
            await self._store.release(name)
            raise

    async def _fetch_claimed(self, name: str, before: Entry | None) -> Site:
        """Fetch a file that was not stored, or stale, before this client claimed it."""
        entry = await self._stored(name) or before
        site = self._current_site(entry)
        if site is None:
            return await self._fetch(name, entry)
        # The previous holder stored the file after it was looked up.
        await self._store.release(name)
        return self._loaded(site)

    async def _refresh(self, name: str) -> Site:
        return await self._fetch(name, await self._stored(name))

    async def _stored(self, name: str) -> Entry | None:
        return (await self._store.load(name)).get(name)

    async def _fetch(self, name: str, stored: Entry | None) -> Site:
        known, entry = self._memory.get(name), self._seen(stored)
        before = entry or (known.entry if known else None)
        good = before.good if before else None
        is_whole = good is not None and is_enough(good, self._asking.body_limit)
        course = plan(name, self._asking, copy=good if is_whole else None)
        total = self.limits.total
        result = await run_plan(course, self.transport, total=total, may_follow=self._may_follow)
        source: Literal["renewed", "fetched"] = "renewed" if result.renewed else "fetched"
        self._emit(source, name, result.detail, result)
        after = entry_after(before, name, result)
        if not result.unasked and (entry is stored or not is_failure(result)):
            return await self._save(after, source)
        # Who may ask more addresses keeps what these answered, and asks them.
        await self._store.release(name)
        return self._remember(self._site_of(after, source))

    async def _save(self, entry: Entry, source: Source) -> Site:
        await self._store.save(entry)
        return self._remember(self._site_of(entry, source))

    def _loaded(self, site: Site) -> Site:
        self._emit("loaded", site.origin, result=site.entry.last if site.entry else None)
        return self._remember(site)

    def _remember(self, site: Site, key: str | None = None) -> Site:
        return self._memory.put(key or site.origin, site, site.cost)

    def _site_of(self, entry: Entry, source: Source) -> Site:
        return site_after(
            entry,
            self._question,
            source=source,
            facts=self._facts.get(entry.origin, NOTHING_KNOWN),
            least_fresh=self._least_fresh,
            is_own=True,
        )

    def _seen(self, entry: Entry | None) -> Entry | None:
        """Return what this client may know of a stored entry: with `public_only` nothing of what
        may have come from an address that is not public."""
        if entry is None or not self._asking.public_only:
            return entry
        return usable_part(entry, lambda result: result.public)

    def _current_site(self, entry: Entry | None) -> Site | None:
        """Return the site of a stored entry that can answer now."""
        entry = self._seen(entry)
        if entry is None or not is_useful(entry, self.dialect, self._asking.body_limit):
            return None
        site = self._site_of(entry, "cached")
        return site if site.is_fresh(self._clock()) else None

    # the targets of redirects

    async def _may_follow(self, asked: MayFollow) -> bool:
        """Whether the rules of its origin allow a URL that a redirect leads to."""
        name = origin(asked.url)
        site = self._overridden(name) or await self._redirect_target(name, asked)
        return site.access.effect != "rules" or site.allowed(asked.url)

    async def _redirect_target(self, name: str, asked: MayFollow) -> Site:
        """Return the site of an origin that a redirect leads to, fetching its file if needed.

        All redirects of its own file are followed, so that two files which redirect to each other
        wait for nothing, and the answer does not depend on what was asked before.
        """
        key = f"redirected to {name}"
        site = self.known(name)
        if site is None or is_cut_short(site.entry):
            site = self.known(key)
        if site is None:
            site = await self._once(key, lambda: self._load_or_follow(name, key, asked))
        return site

    async def _load_or_follow(self, name: str, key: str, asked: MayFollow) -> Site:
        if site := self._current_site(await self._stored(name)):
            return self._loaded(site)
        course = plan(name, unnamed(self._asking), known_addresses=asked.known_addresses)
        result = await run_plan(course, self.transport, total=self.limits.total)
        self._emit("fetched", name, result.detail, result)
        entry = entry_after(None, name, result)
        if result.failure or any(map(partial(is_questionable, name), result.redirects)):
            # a question about the origin may find another
            return self._remember(self._site_of(entry, "fetched"), key)
        return await self._save(entry, "fetched")

    # operator and store

    def _overridden(self, name: str) -> Site | None:
        if (word := self._overrides.get(name)) is None:
            return None
        return self._remember(overridden_site(name, word, self._question))

    def _emit(
        self, kind: EventKind, name: str, detail: str = "", result: AccessResult | None = None
    ) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(Event(kind, name, detail, result))
        except Exception:
            LOG.exception("the event hook failed")

    def _notice_loop(self) -> None:
        """Forget tasks of another loop: it has ended, or runs in the process that forked this."""
        loop = asyncio.get_running_loop()
        if loop is not self._pending_loop:
            INHERITED.extend(self._pending.values())
            self._pending, self._pending_loop = {}, loop

    def _forget_task(self, name: str, task: asyncio.Task[Site]) -> None:
        if self._pending.get(name) is task:
            del self._pending[name]
        if not task.cancelled():
            task.exception()  # marks it as retrieved: the callers have got it


OPTIONS_OF_OTHERS = {
    "proxies": 'proxy="http://proxy.example:3128"',
    "trust_env": 'proxy="env"',
    "verify": 'ca_bundle="authorities.pem"',
    "cache": "store={!r:.40}",
    "agent": "user_agent={!r:.40}",
}
"""What other libraries call options of a client, and how they are written here."""


def _limits(
    given: FetchLimits | None, transport: Transport | None, timeout: float | None
) -> FetchLimits:
    """Return the limits of a fetch: those that are given, else those of the transport."""
    if given is not None and not isinstance(given, FetchLimits):
        raise InvalidOption(
            f"`limits` must be a `FetchLimits`, not `{given!r:.60}`",
            "pass one such as `FetchLimits(total=10.0)`",
        )
    return timed(given or getattr(transport, "limits", None) or FetchLimits(), timeout)


def _opened(store: Store | str | os.PathLike[str] | None) -> Store | None:
    """Return a store, or the one at an address. Raises CacheError if that is another file."""
    if not isinstance(store, str | os.PathLike):
        return store
    expect_cache(store)
    return store_at(store)


def _own_transport(network: Network, limits: FetchLimits) -> Transport:
    """Return what sends requests by HTTP and by FTP."""
    from verger.fetching.proxies import Proxies

    Proxies.of(network.proxy)  # the extra of SOCKS is told first: it brings what HTTP needs, too
    from verger.fetching.aiohttp_transport import AiohttpTransport
    from verger.fetching.ftp import FtpTransport

    both: dict[str, Any] = {
        "limits": limits,
        "proxy": network.proxy,
        "connect_to": network.connect_to,
        "private": network.private,
    }
    http = AiohttpTransport(
        connections=network.connections,
        connections_per_address=network.connections_per_address,
        ca_bundle=network.ca_bundle,
        **both,
    )
    return TransportByScheme(http=http, ftp=FtpTransport(**both))


def _refuse_unknown(unknown: Mapping[str, object]) -> None:
    """Raise TypeError for an option that there is not, as Python does; of some, say what is."""
    for name, value in unknown.items():
        known = OPTIONS_OF_OTHERS.get(name)
        hint = "" if known is None else f": pass `{known.format(value)}`"
        raise TypeError(f"a client got an unexpected keyword argument `{name}`{hint}")


def _expect(value: object, name: str, wanted: str, method: str) -> None:
    """Refuse an object without the method it needs; None, and a path as a store, are fine."""
    is_path = name == "store" and isinstance(value, str | os.PathLike)
    if value is not None and not is_path and not callable(getattr(value, method, None)):
        raise RobotsError(f"`{name}` is `{value!r:.60}`", f"pass {wanted}")
