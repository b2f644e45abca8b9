"""Small tables as `verger scan` writes them, made by hand.

In: captures. Out: Parquet files of schema `verger.scan/1`. No test lives here.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

FIELDS = ("user_agent", "allow", "disallow", "sitemap", "crawl_delay", "content_signal", "unknown")
TOKENS = ("GPTBot", "Googlebot", "ia_archiver")
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Capture:
    """One row, as far as a report looks at it."""

    origin: str | None = "https://example.com"
    time: datetime | None = NOON
    status: int | None = 200
    access: str = "successful"
    body: bytes | None = b"User-agent: *\nDisallow: /a\n"
    posture: str | None = "some"
    crawlers: Mapping[str, str] = field(default_factory=dict)
    """Postures of the crawlers that a group names."""
    fields: Mapping[str, int] = field(default_factory=dict)
    findings: Sequence[tuple[str, int]] = ()
    sitemaps: Sequence[str] = ()
    signals: Mapping[str, bool | None] = field(default_factory=dict)
    truncated: bool = False

    @property
    def digest(self) -> bytes | None:
        return None if self.body is None else hashlib.sha256(self.body).digest()


def unavailable(origin: str, **more: object) -> Capture:
    """Return a capture of a 404."""
    return Capture(origin, status=404, access="unavailable", body=None, posture="all", **more)


def unreachable(origin: str, **more: object) -> Capture:
    """Return a capture that got no response."""
    return Capture(origin, status=None, access="unreachable", body=None, posture="none", **more)


def redirect(origin: str, **more: object) -> Capture:
    """Return a capture of one hop."""
    return Capture(origin, status=301, access="redirect", body=None, posture=None, **more)


def schema(tokens: Sequence[str] = TOKENS, **told: str) -> pa.Schema:
    """Return the schema of a scan; `told` are more lines of its metadata, with `_` for `.`."""
    crawler = pa.struct(
        {"posture": pa.string(), "line": pa.int32(), "group_lines": pa.list_(pa.int32())}
    )
    finding = pa.struct({"code": pa.string(), "count": pa.int32(), "line": pa.int32()})
    metadata = {
        "verger.schema": "verger.scan/1",
        "verger.version": "0.1.0",
        "verger.dialect": "rfc9309",
        "verger.crawlers": ",".join(tokens),
    }
    columns = {
        "origin": pa.string(),
        "url": pa.string(),
        "time": pa.timestamp("us", "UTC"),
        "status": pa.int32(),
        "access": pa.string(),
        "location": pa.string(),
        "bytes": pa.int64(),
        "digest": pa.binary(),
        "truncated": pa.bool_(),
        "groups": pa.int32(),
        "rules": pa.int32(),
        "lines": pa.int32(),
        "fields": pa.struct({name: pa.int32() for name in FIELDS}),
        "findings": pa.list_(finding),
        "sitemaps": pa.list_(pa.string()),
        "crawl_delay": pa.float64(),
        "content_signals": pa.struct(
            {name: pa.bool_() for name in ("search", "ai_input", "ai_train")}
        ),
        "posture": pa.string(),
        "line": pa.int32(),
        "crawlers": pa.struct(dict.fromkeys(tokens, crawler)),
    }
    more = {name.replace("_", "."): value for name, value in told.items()}
    return pa.schema(columns, metadata=metadata | more)


def table(captures: Iterable[Capture], tokens: Sequence[str] = TOKENS, **told: str) -> pa.Table:
    """Return captures as a table."""
    rows = [_row(capture, tokens) for capture in captures]
    return pa.Table.from_pylist(rows, schema(tokens, **told))


def write(
    path: Path, captures: Iterable[Capture], tokens: Sequence[str] = TOKENS, **told: str
) -> Path:
    """Write captures as a scan, in row groups of a few."""
    pq.write_table(table(captures, tokens, **told), path, compression="zstd", row_group_size=7)
    return path


def write_many(path: Path, rows: int) -> Path:
    """Write captures of as many different sites and files."""
    many = table([Capture()]).take(pa.repeat(0, rows))
    origins = pa.array([f"https://site-{number}.example" for number in range(rows)])
    digests = pa.array([number.to_bytes(32, "big") for number in range(rows)], pa.binary())
    for name, column in (("origin", origins), ("digest", digests)):
        place = many.schema.get_field_index(name)
        many = many.set_column(place, many.schema.field(name), column)
    pq.write_table(many, path, row_group_size=10_000)
    return path


def _row(capture: Capture, tokens: Sequence[str]) -> dict[str, object]:
    is_read = capture.access == "successful"
    is_judged = capture.access != "redirect" and capture.origin is not None
    return {
        "origin": capture.origin,
        "url": f"{capture.origin}/robots.txt",
        "time": capture.time,
        "status": capture.status,
        "access": capture.access if capture.origin is not None else None,
        "bytes": None if capture.body is None else len(capture.body),
        "digest": capture.digest,
        "truncated": capture.truncated if is_read else None,
        "fields": {name: capture.fields.get(name, 0) for name in FIELDS} if is_read else None,
        "findings": [{"code": code, "count": count, "line": 1} for code, count in capture.findings],
        "sitemaps": list(capture.sitemaps),
        "content_signals": dict(capture.signals) if is_read else None,
        "posture": capture.posture,
        "crawlers": {token: _crawler(capture, token) for token in tokens} if is_judged else None,
    }


def _crawler(capture: Capture, token: str) -> dict[str, object]:
    named = capture.crawlers.get(token)
    if named is None:
        return {"posture": "default"}
    return {"posture": named, "line": 2, "group_lines": [1]}
