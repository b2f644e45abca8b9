"""The output of `verger cache`: all entries, one entry with its file, counts.

In: the address of a cache, and a question about it. Out: entries on stdout, or the bytes of one
file on stdout and its facts on stderr; counts on stderr. `verger.cache` and `verger.client.upkeep`
do the work.
"""

import sys
from collections.abc import Iterator, Sequence

from verger.access.words import EFFECTS, happened, how_it_came
from verger.answers.times import span, timestamp
from verger.cache.existing import existing_store
from verger.cli.caching.rows import facts, writer
from verger.cli.exit import DISALLOWED, FINE, Failure
from verger.cli.streams import encode, expect_no_terminal, tell
from verger.client import upkeep
from verger.files.json_text import json_text
from verger.plain import counted, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cache.address import AnyStore


async def list_entries(cache: str | None, *, dialect: str, format_name: str, quiet: bool) -> int:
    """Write every entry, and a count of them."""
    encode(sys.stdout, None, "backslashreplace")
    rows = writer(format_name, sys.stdout)
    number = data = 0
    async with existing_store(cache, read_only=True) as store:
        async for kept in upkeep.list_entries(store, dialect=dialect):
            rows.write(kept)
            number += 1
            data += len(kept.entry.good.body) if kept.entry.good else 0
        sys.stdout.flush()  # the count comes after the rows
        if not quiet:
            tell(f"{_entries(number)}, {data:,} bytes of robots.txt")
            tell_damage(store)
    return FINE


async def show_entry(
    cache: str | None, url: str, *, dialect: str, format_name: str, quiet: bool
) -> int:
    """Write one file and its facts; return 1 if there is no file."""
    async with existing_store(cache, read_only=True) as store:
        kept = await upkeep.find_entry(store, url, dialect=dialect)
    if kept is None:
        raise Failure(f"the cache has no entry for `{url}`", "`verger cache list` shows all")
    good = kept.entry.good
    if format_name == "json":
        print(json_text(facts(kept)))
    else:
        for line in () if quiet else described(kept):
            tell(line)
        if good is not None:
            _write_file(good.body)
    return DISALLOWED if good is None else FINE


async def export(cache: str | None, output: str, *, quiet: bool) -> int:
    """Write every entry into a Parquet file, and report how many there were."""
    from verger.cache.export import export_parquet

    expect_no_terminal(output, "Parquet")
    async with existing_store(cache, read_only=True) as store:
        number = await export_parquet(store, output)
        if not quiet:
            tell(f"{_entries(number)} in `{output}`")
            tell_damage(store)
    return FINE


async def purge(
    cache: str | None, origins: Sequence[str], *, older_than: float | None, quiet: bool
) -> int:
    """Remove entries, and report how many there were."""
    from verger.cache.purging import purge as remove

    async with existing_store(cache) as store:
        number = await remove(store, origins or None, older_than=older_than)
        if not quiet:
            tell(f"removed {_entries(number)}")
            tell_damage(store)
    return FINE


def described(kept: upkeep.StoredFile) -> Iterator[str]:
    """Yield the facts about an origin, one per line."""
    entry, policy, now = kept.entry, kept.policy, kept.now
    last, copy = entry.last, entry.copy
    left = f"for {span(kept.fresh_until - now)}" if kept.is_fresh else "stale"
    yield f"{happened(last)}"
    yield f"  fetched  {timestamp(last.fetched_at)}, {span(kept.age)} ago"
    yield f"  means    {EFFECTS[policy.effect]} ({policy.section})"
    yield f"  fresh    until {timestamp(kept.fresh_until)}, {left} ({kept.dialect.name})"
    if entry.unreachable_since is not None:
        times = counted(entry.failures, "time")
        yield f"  failing  since {timestamp(entry.unreachable_since)}, {times} in a row"
    if copy is not None:
        ago = span(max(0.0, now - copy.fetched_at))
        yield f"  copy     of {timestamp(copy.fetched_at)}, {ago} ago"
    good = entry.good
    if good is not None:
        cut = ", and there was more" if good.truncated else ""
        yield f"  bytes    {len(good.body):,}{cut}; {good.wire_bytes:,} as received"
    for remark in how_it_came(good or last):
        yield f"  note     {remark}"
    for field, value in sorted((good or last).headers.items()):
        yield f"  header   {field}: {printable(value)}"


def _entries(number: int) -> str:
    return f"{number:,} entr{'y' if number == 1 else 'ies'}"


def tell_damage(store: "AnyStore") -> None:
    """Report how many entries could not be read."""
    if store.problems:
        tell(f"note: {store.problems:,} damaged and left out; they will be fetched again")


def _write_file(data: bytes) -> None:
    """Write a file unchanged; on a terminal, with control characters escaped."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    encode(sys.stdout, None, "backslashreplace")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n")
    for line in lines:
        print(printable(line.decode("utf-8", "surrogateescape")))
