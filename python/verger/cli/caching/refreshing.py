"""Refreshing a cache: files are fetched now, many at once, and their entries replaced.

In: origins, or which of the cache's own. Out: a row for each on stdout as it is fetched, a count
on stderr. Constant in memory, however many there are.
"""

import asyncio
import sys
from argparse import Namespace
from collections.abc import AsyncIterator, Sequence
from time import time

from verger import DIALECTS
from verger.access.entry import Entry
from verger.cache.sqlite import SqliteStore
from verger.cli.caching.looking import say, tell_damage
from verger.cli.caching.rows import Writer, writer
from verger.cli.caching.stores import opened
from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.fetching import client
from verger.cli.live import LEAST_FRESH
from verger.cli.streams import encode
from verger.cli.tokens import Tokens
from verger.client import AsyncClient, Event
from verger.client.site import Site, fresh_until

AT_ONCE = 100
"""How many files are fetched at a time."""


async def refresh(args: Namespace, tokens: Tokens, origins: Sequence[str]) -> int:
    """Fetch the files of some origins, or of those in the cache that the options name."""
    encode(sys.stdout, None, "backslashreplace")
    async with opened(args.cache) as store:
        await store.load(origins[:1] or ("https://verger.invalid",))  # or say now why it cannot
        work = _Work(args, tokens, store)
        try:
            await work.do(_wanted(args, store, origins))
        finally:
            await work.close()
        tell_damage(store)
    return work.code()


class _Work:
    """A client, and what it has fetched so far."""

    def __init__(self, args: Namespace, tokens: Tokens, store: SqliteStore) -> None:
        dialect = DIALECTS[args.dialect]
        self._problem = ""
        self._counts = {"successful": 0, "unavailable": 0, "unreachable": 0}
        self._rows: Writer = writer(args.format, sys.stdout, dialect)
        self._client: AsyncClient = client(
            args,
            tokens=tokens,
            dialect=dialect,
            store=store,
            on_event=self._note,
            clock=time,
            memory_bytes=0,
        )

    async def do(self, origins: AsyncIterator[str]) -> None:
        """Fetch each, a bounded number at a time."""
        fetching: set[asyncio.Task[Site]] = set()
        try:
            async for name in origins:
                fetching.add(asyncio.create_task(self._client.refresh(name)))
                if len(fetching) >= AT_ONCE:
                    fetching = await self._told(fetching)
            while fetching:
                fetching = await self._told(fetching)
        finally:
            for task in fetching:
                task.cancel()

    async def close(self) -> None:
        """Close the client's connections, and the store with it."""
        await self._client.close()

    def code(self) -> int:
        """Say what was done; 1 where a file could not be reached."""
        if self._problem:
            message, _, hint = self._problem.partition("\nhint: ")
            raise Failure(f"the cache failed on the way: {message}", hint or None)
        sys.stdout.flush()
        number = sum(self._counts.values())
        kinds = [f"{count:,} {kind}" for kind, count in self._counts.items() if count]
        say(f"{number:,} fetched{': ' if kinds else ''}{', '.join(kinds)}")
        return DISALLOWED if self._counts["unreachable"] else FINE

    async def _told(self, fetching: set[asyncio.Task[Site]]) -> set[asyncio.Task[Site]]:
        done, rest = await asyncio.wait(fetching, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            entry = task.result().entry
            assert entry is not None, "there are no overrides here"
            self._counts[entry.last.access] += 1
            self._rows.write(entry, time())
        return rest

    def _note(self, event: Event) -> None:
        if event.kind == "store-problem":
            self._problem = self._problem or event.detail


async def _wanted(
    args: Namespace, store: SqliteStore, origins: Sequence[str]
) -> AsyncIterator[str]:
    for name in origins:
        yield name
    if not origins:
        async for entry in store.entries():
            if args.all or _is_stale(entry, args.dialect):
                yield entry.origin


def _is_stale(entry: Entry, dialect: str) -> bool:
    return time() >= fresh_until(entry, DIALECTS[dialect], LEAST_FRESH)
