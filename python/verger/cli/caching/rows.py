"""Entries of a cache as a table for people, or as JSON Lines.

In: entries, a dialect and the time. Out: lines on a stream, one for each entry as it comes; the
origin comes last, so that no width has to be known before. Objects follow
`schemas/cache-1.schema.json`.
"""

from typing import Protocol, TextIO

from verger import Dialect
from verger.access.entry import Entry, policy_of
from verger.access.result import AccessResult
from verger.cli.live import LEAST_FRESH
from verger.cli.palette import Palette
from verger.cli.plain import printable
from verger.cli.times import span, timestamp
from verger.client.site import fresh_until
from verger.files.json_text import json_text

SCHEMA = "verger.cache/1"

Json = dict[str, object]

COLUMNS = (
    ("age", 7, ">"),
    ("status", 19, "<"),
    ("access", 11, "<"),
    ("bytes", 9, ">"),
    ("fresh", 7, ">"),
    ("failing", 7, ">"),
)
"""Names, widths and sides; the origin follows."""


class Writer(Protocol):
    """What writes entries in one format."""

    def write(self, entry: Entry, now: float) -> None:
        """Write an entry as it is now."""
        ...


def writer(format_name: str, stream: TextIO, dialect: Dialect) -> Writer:
    """Return what writes entries in a format."""
    return JsonLines(stream, dialect) if format_name == "json" else Table(stream, dialect)


class Table:
    """Writes entries as rows, below a heading."""

    def __init__(self, stream: TextIO, dialect: Dialect) -> None:
        self._stream = stream
        self._dialect = dialect
        self._palette = Palette.of(stream)
        self._is_headed = False

    def write(self, entry: Entry, now: float) -> None:
        """Write an entry as it is now."""
        if not self._is_headed:
            self._is_headed = True
            names = "  ".join(f"{name:{side}{width}}" for name, width, side in COLUMNS)
            self._stream.write(f"{self._palette.paint(f'{names}  origin', 'bold')}\n")
        cells = (
            f"{cell:{side}{width}}"
            for cell, (_, width, side) in zip(self._cells(entry, now), COLUMNS, strict=True)
        )
        self._stream.write(f"{'  '.join(cells)}  {printable(entry.origin)}\n")

    def _cells(self, entry: Entry, now: float) -> tuple[str, ...]:
        last, good = entry.last, entry.good
        left = fresh_until(entry, self._dialect, LEAST_FRESH) - now
        since = entry.unreachable_since
        return (
            span(max(0.0, now - last.fetched_at)),
            printable(last.failure or str(last.status)),
            printable(last.access),
            f"{len(good.body):,}" if good else "-",
            span(left) if left > 0 else "stale",
            "-" if since is None else span(max(0.0, now - since)),
        )


class JsonLines:
    """Writes entries as JSON Lines, in ASCII."""

    def __init__(self, stream: TextIO, dialect: Dialect) -> None:
        self._stream = stream
        self._dialect = dialect

    def write(self, entry: Entry, now: float) -> None:
        """Write an entry as it is now."""
        self._stream.write(f"{json_text(facts(entry, self._dialect, now))}\n")


def facts(entry: Entry, dialect: Dialect, now: float) -> Json:
    """Return what an entry holds, but for the files, and what it means in a dialect now."""
    policy, until = policy_of(entry, dialect), fresh_until(entry, dialect, LEAST_FRESH)
    since = entry.unreachable_since
    return {
        "schema": SCHEMA,
        "origin": entry.origin,
        "dialect": dialect.name,
        "effect": policy.effect,
        "reason": policy.reason,
        "section": policy.section,
        "fresh_until": timestamp(until),
        "is_fresh": now < until,
        "age": round(max(0.0, now - entry.last.fetched_at), 3),
        "unreachable_since": None if since is None else timestamp(since),
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
