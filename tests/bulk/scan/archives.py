"""WARC archives for tests, written by warcio, and ways to damage them.

In: responses of sites. Out: the bytes of an archive, and where each record begins.
"""

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

DATE = "2026-06-01T12:00:00Z"


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive, and where its records begin."""

    data: bytes
    begins: tuple[int, ...]

    def end(self, number: int) -> int:
        """Return where a record ends."""
        return [*self.begins, len(self.data)][number + 1]

    def member(self, number: int) -> bytes:
        """Return the bytes of one record."""
        return self.data[self.begins[number] : self.end(number)]

    def with_member(self, number: int, data: bytes) -> bytes:
        """Return the archive with other bytes in place of a record."""
        before, behind = self.data[: self.begins[number]], self.data[self.end(number) :]
        return before + data + behind


def url(number: int) -> str:
    return f"https://site-{number}.example/robots.txt"


def body(number: int) -> bytes:
    return b"User-agent: GPTBot\nDisallow: /%d\n" % number + b"# %d\n" % (number * 7919) * 20


def archive(number: int = 8, *, packed: bool = True) -> Archive:
    """Return an archive of so many files, one a site, each with its request and metadata."""
    out = BytesIO()
    writer = WARCWriter(out, gzip=packed)
    begins = []
    for site in range(number):
        fields = [("Content-Type", "text/plain")]
        head = StatusAndHeaders("200 OK", fields, protocol="HTTP/1.1")
        begins.append(out.tell())
        writer.write_record(
            writer.create_warc_record(
                url(site),
                "response",
                payload=BytesIO(body(site)),
                http_headers=head,
                warc_headers_dict={"WARC-Date": DATE},
            )
        )
        begins.append(out.tell())
        asked = StatusAndHeaders("GET /robots.txt HTTP/1.1", [("Host", "x")], is_http_request=True)
        writer.write_record(writer.create_warc_record(url(site), "request", http_headers=asked))
    return Archive(out.getvalue(), tuple(begins))


def record(
    block: bytes,
    *,
    kind: str = "response",
    target: str = url(0),
    fields: Mapping[str, str] = {},
    length: int | None = None,
) -> bytes:
    """Return one plain record, whose length may be wrong."""
    head = {
        "WARC-Type": kind,
        "WARC-Record-ID": "<urn:uuid:6b0e2b9c-7d9f-4a57-8f0e-0d3b3a0c5a10>",
        "WARC-Target-URI": target,
        "WARC-Date": DATE,
        "Content-Length": str(len(block) if length is None else length),
        **fields,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return f"WARC/1.0\r\n{lines}\r\n".encode() + block + b"\r\n\r\n"


def packed(*records: bytes) -> bytes:
    """Return records as gzip members."""
    return b"".join(gzip.compress(data, mtime=0) for data in records)


def response(data: bytes, status: str = "200 OK", fields: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return an HTTP response."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields)
    return f"HTTP/1.1 {status}\r\n{lines}\r\n".encode("latin-1") + data
