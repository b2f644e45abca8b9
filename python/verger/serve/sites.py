"""Sites: the files that answer, from the network through clients, or from a snapshot.

In: URLs, questions, and what the request says about caches. Out: the file that governs each URL, as
`verger check` gets it, and how it was found, for `Cache-Status` (RFC 9211). There is a client for
each dialect, since dialects fetch differently; all use one store.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from functools import partial
from time import time
from typing import NamedTuple

from verger._core import DIALECTS, Dialect
from verger.access.answer import Question, origin_asked
from verger.access.entry import Entry, is_failure
from verger.access.policy import UNLIMITED
from verger.client import AsyncClient
from verger.client.site import LEAST_FRESH, Site, suits
from verger.dialects import RFC9309
from verger.fetching.plan import SLACK
from verger.loop_thread import in_thread
from verger.lru_cache import KEPT_BYTES, LruCache, cost_of_site
from verger.serve.problems import Problem
from verger.snapshots.sources import FetchedFile, RobotsFile, SnapshotFiles
from verger.snapshots.stored import Stored, StoredEntries

AT_ONCE = 256
"""How many sites one request looks up at a time."""

NewClient = Callable[[Dialect, int | None], AsyncClient]
"""Makes a client of a dialect; the number is how many bytes of a file it keeps, None for what the
dialect reads."""


class Terms(NamedTuple):
    """On which terms a caller gets files.

    directives:  what its request says about caches.
    fetches:     is held while a site is fetched; None for no limit.
    """

    directives: Collection[str] = ()
    fetches: AbstractAsyncContextManager[object] | None = None


NO_TERMS = Terms()


class GoverningFile(NamedTuple):
    """The file that governs a URL, and how it was found, as `Cache-Status` says it."""

    file: RobotsFile | FetchedFile
    how: str


class Sites:
    """The files of all sites.

    new_client:  makes the clients that fetch.
    snapshot:    what answers in their place, without a network.
    """

    def __init__(self, new_client: NewClient, snapshot: Stored | None = None) -> None:
        self.snapshot = snapshot
        self._new_client = new_client
        self._clients: dict[str, AsyncClient] = {}
        self._read: LruCache[tuple[Site, Site]] = LruCache(KEPT_BYTES)
        """Sites, and what was read of them for a question."""
        self._found: LruCache[RobotsFile | FetchedFile] = LruCache(KEPT_BYTES)
        """What was read of the snapshot for questions; then nothing is fetched."""

    async def file_for(
        self, url: str, questions: Sequence[Question], terms: Terms = NO_TERMS
    ) -> GoverningFile:
        """Return the file that governs a URL. Raises `Unanswered`; `Problem` 504."""
        name = origin_asked(url, why_not="each has a file of its own", hint="pass an absolute URL")
        if self.snapshot is not None:
            return GoverningFile(await self._stored(name, self.snapshot, questions), "hit")
        dialects = list({each.dialect.name: each.dialect for each in questions}.values())
        site, how = await self._site(name, dialects, terms)
        read = [self._read_for(site, question) for question in questions]
        return GoverningFile(FetchedFile(read, site.entry, time()), how)

    async def entries(
        self, names: Collection[str], dialect: Dialect, terms: Terms = NO_TERMS
    ) -> Mapping[str, Entry]:
        """Return the entries of origins, fetched where needed, many at once; with
        `only-if-cached` those that are stored."""
        client = self._client([dialect])
        await client.load_stored(names)
        room = asyncio.Semaphore(AT_ONCE)

        async def find(name: str) -> Entry | None:
            async with room:
                with suppress(Problem):
                    return (await self._site(name, [dialect], terms))[0].entry
            return None

        found = zip(names, await asyncio.gather(*map(find, names)), strict=True)
        return {name: entry for name, entry in found if entry is not None}

    async def close(self) -> None:
        """Close all clients, and the snapshot."""
        for client in self._clients.values():
            await client.close()
        if self.snapshot is not None:
            self.snapshot.close()

    async def _site(self, name: str, dialects: Sequence[Dialect], terms: Terms) -> tuple[Site, str]:
        client = self._client(dialects)
        site, is_known = await client.look_up(name)
        several = dialects if len(dialects) > 1 else ()
        is_enough = site is not None and suits(site.entry, several, UNLIMITED + SLACK, time())
        is_enough = is_enough and "no-cache" not in terms.directives
        if site is not None and (is_enough or _was_just_asked(site)):
            return site, f"hit; ttl={site.fresh_for(time()):.0f}"
        if "only-if-cached" in terms.directives:
            why = f"nothing fresh is stored of `{name}`"
            raise Problem(504, why, field="Cache-Control", hint="leave out `only-if-cached`")
        why = "request" if site else "stale" if is_known else "uri-miss"
        how = f"fwd={why}; collapsed" if client.is_fetching(name) else f"fwd={why}"
        async with terms.fetches or nullcontext():
            fetched = await (client.site(name) if site is None else client.refresh(name))
        if fetched.source == "cached":  # another process was faster
            return fetched, f"hit; ttl={fetched.fresh_for(time()):.0f}"
        return fetched, f"{how}; fwd-status={fetched.last.status or 504}; stored"

    def _client(self, dialects: Sequence[Dialect]) -> AsyncClient:
        """Return the client of one dialect with a name; for several that of the standard, which
        keeps whole files, as `verger check` does."""
        is_one = len(dialects) == 1 and dialects[0].name in DIALECTS
        name = dialects[0].name if is_one else ""
        if name not in self._clients:
            asked = (dialects[0], None) if is_one else (RFC9309, UNLIMITED)
            self._clients[name] = self._new_client(*asked)
        return self._clients[name]

    def _read_for(self, site: Site, question: Question) -> Site:
        """Return a site for a question, the kept one if the site is the same."""
        key = _key(site.origin, [question])
        kept = self._read.get(key)
        if kept is not None and kept[0] is site:
            return kept[1]
        read = site.for_question(question)
        self._read.put(key, (site, read), read.cost)
        return read

    async def _stored(
        self, name: str, snapshot: Stored, questions: Sequence[Question]
    ) -> RobotsFile | FetchedFile:
        key = _key(name, questions)
        kept = self._found.get(key)
        if kept is not None:
            return kept
        find = partial(SnapshotFiles(snapshot, questions).file_for, name)
        file = await in_thread(find, "verger-snapshot")
        return self._found.put(key, file, len(questions) * cost_of_site(name, file.size))


class Fetched(StoredEntries):
    """The sites as something stored, for a thread that waits while the loop fetches."""

    def __init__(
        self,
        sites: Sites,
        dialect: Dialect,
        loop: asyncio.AbstractEventLoop,
        terms: Terms,
    ) -> None:
        super().__init__("the network")
        self._find = partial(sites.entries, dialect=dialect, terms=terms)
        self._loop = loop

    def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        """Return the entries of origins."""
        return asyncio.run_coroutine_threadsafe(self._find(origins), self._loop).result()


def _was_just_asked(site: Site) -> bool:
    """Whether a site may not be asked again now: it failed, or was asked a moment ago."""
    if site.entry is None or is_failure(site.last):
        return True
    return time() - site.last.fetched_at < LEAST_FRESH


def _key(name: str, questions: Sequence[Question]) -> str:
    asked = (f"{each.crawler} {each.dialect.name} {each.bindings}" for each in questions)
    return "\n".join((name, *asked))
