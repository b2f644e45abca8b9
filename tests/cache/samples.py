"""Entries to store, and small steps that many tests of stores share. No test lives here."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from patience import LONG
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore
from verger.cache.store import Store

LARGE = bytes(range(256)) * 2_048
"""512 KiB, every byte among them."""


def result(origin: str, **facts: object) -> AccessResult:
    """Return a result with a body, unless told otherwise."""
    values = {"fetched_at": 1_700_000_000.25, "status": 200, "body": b"User-agent: *\n"} | facts
    return AccessResult(f"{origin}/robots.txt", **values)


def entry(name: str, **facts: object) -> Entry:
    """Return the entry of an origin called `name`."""
    origin = f"https://{name}.example"
    return Entry(origin, result(origin, **facts))


def full(name: str) -> Entry:
    """Return an entry with a value of its own in every field."""
    origin = f"https://{name}.example"
    good = AccessResult(
        url=f"{origin}:8443/robots.txt",
        fetched_at=1_699_999_999.000001,
        status=200,
        detail='quotes " and \\ and \x00',
        redirects=("https://a.example/", "https://b.example/\u00e4"),
        body=b"\xff\x00\r\nDisallow: /",
        truncated=True,
        renewed=True,
        wire_bytes=123_456_789_012,
        elapsed=0.1 + 0.2,
        headers={"etag": '"\udcff\udc80"', "x": "\ud83d\ude00 as surrogates", "date": ""},
        notes=("an undeclared gzip", "\U0001f600"),
    )
    bad = AccessResult(good.url, 1_700_000_000.5, failure="dns", detail="no such name", elapsed=2.5)
    since = 1_700_000_000.5
    return Entry(origin, bad, good, unreachable_since=since, failures=3, unreachable_for=0.1 + 0.2)


def run(steps: Awaitable[object]) -> object:
    """Run a test's steps on an event loop of their own, and fail rather than hang."""

    async def bounded() -> object:
        async with asyncio.timeout(LONG):
            return await steps

    return asyncio.run(bounded())


def filled(path: Path | str, entries: Sequence[Entry], **options: object) -> None:
    """Make a file of SQLite with entries, and close it."""

    async def steps() -> None:
        store = SqliteStore(path, **options)
        await store.save(entries)
        await store.close()

    run(steps())


def listed(path: Path, *, damaged: int = 0) -> list[Entry]:
    """Return what a file of SQLite holds, beside so many damaged entries."""

    async def steps() -> list[Entry]:
        store = SqliteStore(path)
        found = await every(store)
        await store.close()
        assert damaged == store.problems
        return found

    return run(steps())


async def loaded(store: Store, *entries: Entry) -> list[Entry | None]:
    """Return what a store has now for the origins of some entries."""
    found = await store.load([entry.origin for entry in entries])
    return [found.get(entry.origin) for entry in entries]


async def every(store: Store) -> list[Entry]:
    """Return all entries of a store, in its order."""
    return [entry async for entry in store.entries()]


async def until(holds: Callable[[], Awaitable[object]]) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + LONG
    while not await holds():
        assert time.monotonic() < deadline, "it did not come true"
        await asyncio.sleep(0.01)
