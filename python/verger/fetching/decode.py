"""Content codings: decode a body to the bytes of the file, up to a limit.

In: a body as received and its `Content-Encoding`. Out: at most `limit` decoded bytes, and whether
there were more, or the body is broken. Only gzip and deflate are requested, so only they are
decoded (RFC 9110 section 8.4.1); they need no more memory than a window of 32 KiB.
"""

import zlib
from dataclasses import dataclass

GZIP_MAGIC = b"\x1f\x8b"
ADVERTISED = "gzip, deflate"
NO_CODING = ("", "identity")
# Small, because each gzip member copies the rest of its step: thousands of empty ones stay cheap.
STEP = 16_384
_GZIP = zlib.MAX_WBITS | 16
_ZLIB = zlib.MAX_WBITS
_RAW = -zlib.MAX_WBITS


@dataclass(frozen=True, slots=True)
class Decoded:
    """The bytes of a file, as far as they could be decoded."""

    data: bytes
    is_cut: bool = False
    """Whether the file is longer than the limit."""
    problem: str = ""
    """Why the body is broken; empty if it is whole."""
    note: str = ""
    """What was tolerated."""


def decoded(body: bytes, coding: str, *, limit: int, is_whole: bool) -> Decoded:
    """Return the decoded bytes of a body.

    coding:    the value of `Content-Encoding`, empty if there was none.
    limit:     the maximum number of decoded bytes, at least 1.
    is_whole:  whether `body` is all that was sent, so a coding must be complete.
    """
    coding = coding.strip().lower()
    declared = _declared(body, coding, limit, is_whole=is_whole)
    if declared.problem or not declared.data.startswith(GZIP_MAGIC):
        return declared
    note = "the body is gzip although no coding was declared"
    if coding not in NO_CODING:
        note = "the body is gzip once more than was declared"
    return _undeclared(declared, limit, note, is_whole=is_whole and not declared.is_cut)


def _declared(body: bytes, coding: str, limit: int, *, is_whole: bool) -> Decoded:
    match coding:
        case _ if not body:
            return Decoded(b"")
        case _ if coding in NO_CODING:
            return Decoded(body[:limit], is_cut=len(body) > limit)
        case "gzip" | "x-gzip":
            return _inflate(body, _GZIP, limit, is_whole=is_whole)
        case "deflate":
            # Both forms are sent under this name (RFC 9110 section 8.4.1.2).
            return _inflate(body, _ZLIB if _is_zlib(body) else _RAW, limit, is_whole=is_whole)
        case _:
            return Decoded(b"", problem=f"content coding `{coding[:40]}` was not requested")


def _undeclared(body: Decoded, limit: int, note: str, *, is_whole: bool) -> Decoded:
    """Decode undeclared gzip, once; a body that is still gzip is not a file."""
    unpacked = _inflate(body.data, _GZIP, limit, is_whole=is_whole)
    if unpacked.problem and not unpacked.data:
        return body
    problem = unpacked.problem
    if unpacked.data.startswith(GZIP_MAGIC):
        problem = "the body is gzip in gzip, which was not declared"
    return Decoded(unpacked.data, unpacked.is_cut, problem, note)


def _inflate(body: bytes, wbits: int, limit: int, *, is_whole: bool) -> Decoded:
    """Decode a body in small steps; gzip may have several members (RFC 1952 section 2.2).

    Data after the end of the coding is ignored, as in browsers.
    """
    view, room = memoryview(body), limit
    parts: list[bytes] = []
    decoder = zlib.decompressobj(wbits)
    while view:
        step = view[:STEP]
        try:
            part = decoder.decompress(step, room + 1)
        except zlib.error as error:
            return Decoded(b"".join(parts), problem=f"broken content coding: {_words(error)}")
        parts.append(part[:room])
        room -= len(part)
        if room < 0:
            return Decoded(b"".join(parts), is_cut=True)
        view = view[len(step) - len(decoder.unused_data) :]
        if decoder.eof:
            if wbits != _GZIP or bytes(view[:2]) != GZIP_MAGIC:
                return Decoded(b"".join(parts))
            decoder = zlib.decompressobj(wbits)
    if not is_whole:
        return Decoded(b"".join(parts), is_cut=True)
    return Decoded(b"".join(parts), problem="the encoded body is incomplete")


def _is_zlib(body: bytes) -> bool:
    """Whether a body begins with a zlib header (RFC 1950 section 2.2)."""
    header = body[:2]
    return len(header) == 2 and header[0] & 0x0F == 8 and int.from_bytes(header, "big") % 31 == 0


def _words(error: zlib.error) -> str:
    return str(error).rpartition(": ")[2]
