"""A captured response: the bytes that a server sent, as status, location and body.

In: the block of a WARC response record. Out: a `Response`. Archives keep the errors of servers:
lines may end with only LF, the reason phrase may be missing (RFC 9112 sections 2.2 and 4). A block
without a status line is not a response (HTTP/0.9 has none), and has no status.
"""

import re
from dataclasses import dataclass

from verger.captures.batches import MOST_BYTES
from verger.fetching.decode import GZIP_MAGIC, decoded

STATUS_LINE = re.compile(rb"\s{0,8}HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)", re.IGNORECASE)
END = re.compile(rb"\n\r?\n")
CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\n]{0,4096})?\r?\n")


@dataclass(slots=True)
class Response:
    """The response of a server."""

    status: int | None
    location: str | None = None
    body: bytes | None = None
    """The bytes of the file; None unless the status is 2xx."""
    is_cut: bool = False
    problem: str = ""
    """Why the body cannot be read."""


def response_of(block: bytes, *, is_whole: bool = True) -> Response:
    """Return the response in a block.

    is_whole:  whether the block is everything that the server sent.
    """
    found = STATUS_LINE.match(block)
    if found is None:
        return Response(None)
    status = int(found[1])
    head, body = _parted(block)
    match status // 100:
        case 2:
            return _with_body(status, head.lower(), body, is_whole=is_whole)
        case 3:
            return Response(status, _field(head, b"location"))
    return Response(status)


def _parted(block: bytes) -> tuple[bytes, bytes]:
    """Return the header and the body."""
    found = END.search(block)
    return (block[: found.start()], block[found.end() :]) if found else (block, b"")


def _field(head: bytes, name: bytes) -> str | None:
    """Return the first value of a field; bytes that are not UTF-8 are read as ISO 8859-1."""
    found = re.search(rb"\n%s[ \t]*:[ \t]*([^\r\n]*)" % name, head, re.IGNORECASE)
    if found is None:
        return None
    value = found[1].strip()
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _with_body(status: int, head: bytes, body: bytes, *, is_whole: bool) -> Response:
    """Return the response with its body; `head` is in lower case."""
    if "chunked" in (_field(head, b"transfer-encoding") or ""):
        body = _unchunked(body)
    lines = re.findall(rb"\ncontent-encoding[ \t]*:[ \t]*([^\r\n]*)", head)
    coding = b", ".join(lines).decode("latin-1")
    if "gzip" in coding and body[:2] != GZIP_MAGIC:
        coding = ""  # some archives keep the header but decode the body
    plain = decoded(body, coding, limit=MOST_BYTES, is_whole=is_whole)
    return Response(status, body=plain.data, is_cut=plain.is_cut, problem=plain.problem)


def _unchunked(body: bytes) -> bytes:
    """Return the joined chunks, as far as they can be read (RFC 9112 section 7.1).

    A body that does not begin with a chunk was joined by the program that archived it.
    """
    chunks: list[bytes] = []
    at = 0
    while found := CHUNK.match(body, at):
        size, start = int(found[1], 16), found.end()
        if not size:
            return b"".join(chunks)
        chunks.append(body[start : start + size])
        at = start + size
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"
    return b"".join(chunks) if chunks else body
