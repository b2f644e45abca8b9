"""Entries of a cache as a table for people, or as JSON Lines.

In: entries with their access policies. Out: lines on a stream, one for each entry as it arrives;
the origin comes last, so that its width need not be known in advance. Objects follow
`schemas/cache-1.schema.json`.
"""

from typing import Protocol, TextIO

from verger.access.result import AccessResult
from verger.answers.times import span, timestamp, timestamp_if
from verger.cli.columns import row_of
from verger.cli.palette import Palette
from verger.client.upkeep import StoredFile
from verger.files.json_text import Json, json_text
from verger.plain import printable

SCHEMA = "verger.cache/1"


HEADER = ("age", "status", "access", "bytes", "fresh", "failing", "origin")
WIDTHS = (7, 19, 11, 9, 7, 7, 0)
LEFT = (False, True, True, False, False, False, True)


class Writer(Protocol):
    """Writes entries in one format."""

    def write(self, kept: StoredFile) -> None:
        """Write an entry."""
        ...


def writer(format_name: str, stream: TextIO) -> Writer:
    """Return the writer of a format."""
    return JsonLines(stream) if format_name == "jsonl" else Table(stream)


class Table:
    """Writes entries as rows, below a heading."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._palette = Palette.of(stream)
        self._is_headed = False

    def write(self, kept: StoredFile) -> None:
        """Write an entry."""
        if not self._is_headed:
            self._is_headed = True
            self._stream.write(f"{self._palette.paint(row_of(HEADER, WIDTHS, LEFT), 'bold')}\n")
        self._stream.write(f"{row_of(_cells(kept), WIDTHS, LEFT)}\n")


class JsonLines:
    """Writes entries as JSON Lines, in ASCII."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, kept: StoredFile) -> None:
        """Write an entry."""
        self._stream.write(f"{json_text(facts(kept))}\n")


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
