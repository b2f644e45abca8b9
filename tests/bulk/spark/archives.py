"""WARC archives made for tests, every one with captures of its own."""

import gzip
from pathlib import Path

BODY = b"""User-agent: GPTBot
Disallow: /

User-agent: *
Disallow: /page-%d/
Crawl-delay: 3
Sitemap: https://www.example/sitemap.xml
unknown line
"""
STATUSES = (200, 200, 404, 301, 503)
JUNK = b"this is not a gzip member, and no record"


def write_archives(folder: Path, count: int = 5, captures: int = 200) -> list[str]:
    """Write archives, of which the last but one ends in junk, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{number}.warc.gz" for number in range(count)]
    for number, path in enumerate(paths):
        records = [record(number, n) for n in range(captures)]
        path.write_bytes(b"".join(records) + JUNK * (number == count - 2))
    return [str(path) for path in paths]


def record(archive: int, number: int) -> bytes:
    """Return one response of the form that crawlers archive."""
    status = STATUSES[number % len(STATUSES)]
    location = "Location: /moved/robots.txt\r\n" * (status == 301)
    body = BODY % number if status == 200 else b""
    response = f"HTTP/1.1 {status} X\r\nContent-Type: text/plain\r\n{location}\r\n".encode() + body
    header = (
        "WARC/1.0\r\n"
        "WARC-Type: response\r\n"
        f"WARC-Target-URI: https://h{archive}-{number}.example/robots.txt\r\n"
        f"WARC-Date: 2026-01-{1 + number % 28:02}T03:04:05Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-{archive:04}-{number:012}>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(response)}\r\n\r\n"
    )
    return gzip.compress(header.encode() + response + b"\r\n\r\n", mtime=0)
