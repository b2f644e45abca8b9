"""The output of `verger cache`: all entries, one entry with its file, counts.

In: entries with their access policies. Out: a line for each as it arrives, as a row for people or
as JSON Lines that follow `schemas/cache-1.schema.json`; the origin comes last in a row, so that its
width need not be known in advance; the bytes of one file on stdout and its facts on stderr.
"""

import sys
from collections.abc import Iterator

from verger.access.result import AccessResult
from verger.access.times import span, timestamp, timestamp_if
from verger.access.words import EFFECTS, happened, how_it_came
from verger.cli.columns import row_of
from verger.cli.output import Palette, encode
from verger.client import upkeep
from verger.client.upkeep import StoredFile
from verger.files.json_text import Json, json_text
from verger.plain import counted, printable

SCHEMA = "verger.cache/1"


HEADER = ("age", "status", "access", "bytes", "fresh", "failing", "origin")
WIDTHS = (7, 19, 11, 9, 7, 7, 0)
LEFT = (False, True, True, False, False, False, True)


def entry_line(kept: StoredFile, format_name: str) -> str:
    """Return an entry as an object or a row."""
    return json_text(facts(kept)) if format_name == "jsonl" else row_of(_cells(kept), WIDTHS, LEFT)


def header_line(palette: Palette) -> str:
    """Return the heading of the rows."""
    return palette.paint(row_of(HEADER, WIDTHS, LEFT), "bold")


def _cells(kept: StoredFile) -> tuple[str, ...]:
    last, good = kept.entry.last, kept.entry.good
    failing_for = kept.failing_for
    return (
        span(kept.age),
        printable(last.failure or str(last.status)),
        printable(last.access),
        f"{len(good.body):,}" if good else "-",
        span(kept.fresh_until - kept.now) if kept.is_fresh else "stale",
        "-" if failing_for is None else span(failing_for),
        printable(kept.entry.origin),
    )


def facts(kept: StoredFile) -> Json:
    """Return an entry without its files, and its access policy."""
    entry, policy = kept.entry, kept.policy
    return {
        "schema": SCHEMA,
        "origin": entry.origin,
        "dialect": kept.dialect.name,
        "effect": policy.effect,
        "reason": policy.reason,
        "section": policy.section,
        "fresh_until": timestamp(kept.fresh_until),
        "is_fresh": kept.is_fresh,
        "age": round(kept.age, 3),
        "unreachable_since": timestamp_if(entry.unreachable_since),
        "failures": entry.failures,
        "last": _result(entry.last),
        "copy": entry.copy and _result(entry.copy),
    }


def _result(result: AccessResult) -> Json:
    return {
        "url": result.url,
        "fetched_at": timestamp(result.fetched_at),
        "access": result.access,
        "status": result.status,
        "failure": result.failure,
        "detail": result.detail,
        "redirects": result.redirects,
        "headers": result.headers,
        "notes": result.notes,
        "bytes": len(result.body),
        "wire_bytes": result.wire_bytes,
        "truncated": result.truncated,
        "elapsed": round(result.elapsed, 3),
    }


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


def entries(number: int) -> str:
    return f"{number:,} entr{'y' if number == 1 else 'ies'}"


def write_file(data: bytes) -> None:
    """Write a file to stdout unchanged; on a terminal, with control characters escaped."""
    if not sys.stdout.isatty():
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    encode(sys.stdout, None, "backslashreplace")
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").split(b"\n")
    for line in lines:
        print(printable(line.decode("utf-8", "surrogateescape")))
