"""Looking into a cache: all its entries in a line each, or one with its file.

In: a store. Out: entries on stdout, or the bytes of one file there and what is known of it on
stderr. Nothing is changed, and nothing fetched.
"""

import sys
from collections.abc import Iterator
from time import time

from verger import Dialect
from verger.access.entry import Entry, policy_of
from verger.cache.sqlite import SqliteStore
from verger.cli.caching.rows import facts, writer
from verger.cli.caching.stores import opened
from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.live import LEAST_FRESH
from verger.cli.outcome import EFFECTS, happened, how_it_came
from verger.cli.plain import printable
from verger.cli.streams import encode, tell
from verger.cli.times import span, timestamp
from verger.client.site import fresh_until
from verger.files.json_text import json_text


async def list_entries(cache: str | None, *, dialect: Dialect, format_name: str) -> int:
    """Write every entry, and a count of them."""
    encode(sys.stdout, None, "backslashreplace")
    rows = writer(format_name, sys.stdout, dialect)
    number = data = 0
    async with opened(cache, read_only=True) as store:
        async for entry in store.entries():
            rows.write(entry, time())
            number += 1
            data += len(entry.good.body) if entry.good else 0
        sys.stdout.flush()  # the count comes below
        plural = "y" if number == 1 else "ies"
        say(f"{number:,} entr{plural}, {data:,} bytes of robots.txt")
        tell_damage(store)
    return FINE


async def show_entry(cache: str | None, name: str, *, dialect: Dialect, format_name: str) -> int:
    """Write one file and what is known of it; 1 where there is no file."""
    async with opened(cache, read_only=True) as store:
        entry = (await store.load((name,))).get(name)
    if entry is None:
        raise Failure(f"the cache holds nothing of `{name}`", "`verger cache list` shows it all")
    if format_name == "json":
        print(json_text(facts(entry, dialect, time())))
    else:
        for line in described(entry, dialect, time()):
            say(line)
        if entry.good is not None:
            _write_file(entry.good.body)
    return DISALLOWED if entry.good is None else FINE


def described(entry: Entry, dialect: Dialect, now: float) -> Iterator[str]:
    """Yield what is known of an origin, a line each."""
    last, copy, policy = entry.last, entry.copy, policy_of(entry, dialect)
    effect = EFFECTS.get(policy.effect, "the rules bind")
    until = fresh_until(entry, dialect, LEAST_FRESH)
    left = f"for {span(until - now)}" if now < until else "stale"
    yield f"{happened(last)}"
    yield f"  fetched  {timestamp(last.fetched_at)}, {span(max(0.0, now - last.fetched_at))} ago"
    yield f"  means    {effect} ({policy.section})"
    yield f"  fresh    until {timestamp(until)}, {left} ({dialect.name})"
    if entry.unreachable_since is not None:
        times = f"{entry.failures:,} time{'' if entry.failures == 1 else 's'}"
        yield f"  failing  since {timestamp(entry.unreachable_since)}, {times} in a row"
    if copy is not None:
        ago = span(max(0.0, now - copy.fetched_at))
        yield f"  copy     of {timestamp(copy.fetched_at)}, {ago} ago"
    good = entry.good
    if good is not None:
        cut = ", and there was more" if good.truncated else ""
        yield f"  bytes   {len(good.body):,}{cut}; {good.wire_bytes:,} as received"
    for remark in how_it_came(good or last):
        yield f"  note     {remark}"
    for field, value in sorted((good or last).headers.items()):
        yield f"  header   {field}: {printable(value)}"


def say(line: str) -> None:
    """Write a line to stderr."""
    tell(line)


def tell_damage(store: SqliteStore) -> None:
    """Say how many entries could not be read."""
    if store.problems:
        say(f"note: {store.problems:,} damaged and left out; they will be fetched again")


def _write_file(data: bytes) -> None:
    """Write a file as it is; on a terminal nothing of a stranger acts."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    encode(sys.stdout, None, "backslashreplace")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n")
    for line in lines:
        print(printable(line.decode("utf-8", "surrogateescape")))
