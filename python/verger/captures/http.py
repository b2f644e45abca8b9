"""A captured response: the bytes that a server sent, as status, location and body.

In: the block of a WARC response record. Out: a `Response`. Archives keep the errors of servers:
lines may end with only LF, the reason phrase may be missing (RFC 9112 sections 2.2 and 4). A block
without a status line (HTTP/0.9 has none), or without the end of its header, is not a response, and
has no status.
"""

import re
from dataclasses import dataclass

from verger.captures.batches import MOST_BYTES
from verger.fetching.decode import Ended, Fields, file_in, without_codings
from verger.fetching.limits import LEAST_BODY

STATUS_LINE = re.compile(rb"\s{0,8}HTTP/\d(?:\.\d)?[ \t]+(\d{3})(?!\d)", re.IGNORECASE)
END = re.compile(rb"\n\r?\n")
FIELD = re.compile(
    rb"\n(content-length|content-encoding|transfer-encoding|location)[ \t]*:"
    rb"([^\r\n]*(?:\r?\n[ \t]+[^\r\n]+)*)",
    re.IGNORECASE,
)
"""The fields that are read; their lines may be folded (RFC 9112 section 5.2)."""
TORN_CHUNK = re.compile(rb"[ \t]*[0-9A-Fa-f]{1,8}[ \t]*(?:;[^\n]*)?\r?")
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


def response_of(block: bytes, ended: Ended = "complete") -> Response:
    """Return the response in a block.

    ended:  whether the block is everything that the server sent.
    """
    found, end = STATUS_LINE.match(block), END.search(block)
    if found is None or end is None:
        return Response(None)
    status = int(found[1])
    fields = [
        (name.decode().lower(), value.strip().decode("utf-8", "surrogateescape"))
        for name, value in FIELD.findall(block, 0, end.end())
    ]
    match status // 100:
        case 2:
            return _with_body(status, fields, block[end.end() :], ended)
        case 3:
            return Response(status, dict(reversed(fields)).get("location"))
    return Response(status)


def _with_body(status: int, fields: Fields, body: bytes, ended: Ended) -> Response:
    """Return the response with its body."""
    if any(name == "transfer-encoding" and "chunked" in text.lower() for name, text in fields):
        body, ended = _unchunked(body, ended)
    fields = without_codings(fields, body)  # some archives keep them but decode the body
    plain = file_in(status, fields, body, ended, limit=MOST_BYTES, enough=LEAST_BODY)
    return Response(status, body=plain.data, is_cut=plain.is_cut, problem=plain.problem)


def _unchunked(body: bytes, ended: Ended) -> tuple[bytes, Ended]:
    """Return the joined chunks, and whether their end is there (RFC 9112 section 7.1).

    A body that does not begin with a chunk was joined by the program that archived it.
    """
    chunks: list[bytes] = []
    at = 0
    while found := CHUNK.match(body, at):
        size, start = int(found[1], 16), found.end()
        if not size:
            return b"".join(chunks), "complete"
        chunks.append(body[start : start + size])
        at = start + size
        at += 2 if body[at : at + 2] == b"\r\n" else body[at : at + 1] == b"\n"
    if body and not chunks and not TORN_CHUNK.fullmatch(body):
        return body, ended
    return b"".join(chunks), "limit" if ended == "limit" else "broken"
