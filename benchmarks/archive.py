"""Archives of robots.txt captures, made from real files: what `verger scan` is measured on.

In: real robots.txt files, and how many captures there shall be. Out: a WARC file, each record a
gzip member of its own, as web archives have them. All chance comes from one seed, so that an
archive is the same on every machine.

Of 100 captures about 70 are files, as they stand or, for a share of them, with a line that no other
site has; the others are redirects, files that are not there, and servers that fail.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

STATUSES = (
    ("200 OK", 700),
    ("404 Not Found", 130),
    ("301 Moved Permanently", 90),
    ("403 Forbidden", 30),
    ("503 Service Unavailable", 30),
    ("302 Found", 20),
)
SHARED_BY_MANY = 200
"""Files that stand as they are, where a share has lines of its own."""


def write_archive(
    path: Path,
    bodies: Sequence[bytes],
    captures: int,
    *,
    distinct: float = 0.0,
    with_requests: bool = False,
) -> None:
    """Write an archive of so many captures.

    distinct:       the share of files with a line of their own; the others are those of a few
                    sites, or, where there is no such share, of all.
    with_requests:  with a request and a metadata record beside each response, as in the archives
                    of Common Crawl.
    """
    with path.open("wb") as file:
        file.write(member(b"warcinfo", b"", 0, b"application/warc-fields", b"software: verger\r\n"))
        for number, response in enumerate(responses(bodies, captures, distinct)):
            url = b"https://site-%d.example/robots.txt" % number
            if with_requests:
                asked = b"GET /robots.txt HTTP/1.1\r\nHost: site-%d.example\r\n\r\n" % number
                kind = b"application/http; msgtype=request"
                file.write(member(b"request", url, number, kind, asked))
            kind = b"application/http; msgtype=response"
            file.write(member(b"response", url, number, kind, response))
            if with_requests:
                told = b"fetchTimeMs: 120\r\ncharset-detected: UTF-8\r\n"
                file.write(member(b"metadata", url, number, b"application/warc-fields", told))


def responses(bodies: Sequence[bytes], captures: int, distinct: float) -> Iterator[bytes]:
    """Yield the responses of so many sites, in the form of HTTP."""
    chance = random.Random(9309)
    alike = bodies[:SHARED_BY_MANY] if distinct else bodies
    statuses = [status for status, _ in STATUSES]
    weights = [weight for _, weight in STATUSES]
    for number, status in enumerate(chance.choices(statuses, weights, k=captures)):
        fields, body = b"Server: example\r\nContent-Type: text/plain\r\n", b""
        match status[0]:
            case "2" if chance.random() < distinct:
                body = bodies[chance.randrange(len(bodies))] + b"\n# site %d\n" % number
            case "2":
                body = alike[chance.randrange(len(alike))]
            case "3":
                fields += b"Location: https://www.site-%d.example/robots.txt\r\n" % number
            case _:
                body = b"<!doctype html><title>%s</title>" % status.encode() * 8
        fields += b"Content-Length: %d\r\n" % len(body)
        yield b"HTTP/1.1 %s\r\n%s\r\n%s" % (status.encode(), fields, body)


def member(kind: bytes, url: bytes, number: int, content_type: bytes, block: bytes) -> bytes:
    """Return one record as a gzip member."""
    target = b"WARC-Target-URI: %s\r\n" % url if url else b""
    header = (
        b"WARC/1.0\r\nWARC-Type: %s\r\n%s"
        b"WARC-Date: 2026-06-%02dT%02d:%02d:%02dZ\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\n"
        b"Content-Type: %s\r\nContent-Length: %d\r\n\r\n"
    ) % (kind, target, *_moment(number), number, content_type, len(block))
    packer = zlib.compressobj(6, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    return packer.compress(header + block + b"\r\n\r\n") + packer.flush()


def _moment(number: int) -> tuple[int, int, int, int]:
    minutes, second = divmod(number, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return days % 28 + 1, hour, minute, second
