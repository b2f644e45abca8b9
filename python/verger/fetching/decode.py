"""Content codings: decode a body to the bytes of the file, up to a limit.

In: a body as received and its `Content-Encoding`. Out: at most `limit` decoded bytes, and whether
there were more, or the body is broken. Only gzip and deflate are requested. Brotli and Zstandard,
which some servers send unasked, are decoded if the extra `codings` is installed. A name that no
registry has means no coding (RFC 9110 section 8.4.1). Each decoder is bounded: in output by the
limit, and in memory by its window, of 16 MiB at most.
"""

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from sys import version_info
from types import ModuleType
from typing import Any, NamedTuple

from verger.plain import quoted

GZIP_MAGIC = b"\x1f\x8b"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
ADVERTISED = "gzip, deflate"
# Small, because each gzip member copies the rest of its step: thousands of empty ones stay cheap.
STEP = 16_384
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
MOST_CODINGS = 3
"""The most codings of one body; servers send one, or one twice."""

REGISTERED = frozenset(
    [
        "aes128gcm",
        "br",
        "compress",
        "dcb",
        "dcz",
        "deflate",
        "exi",
        "gzip",
        "pack200-gzip",
        "x-compress",
        "x-gzip",
        "zstd",
    ]
)
"""The names in IANA's HTTP Content Coding Registry, without `identity`."""

ZSTD_WINDOW = 23
"""The logarithm of the largest window: 8 MiB, the most that a server may use (RFC 9659)."""


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

    coding:    the value of `Content-Encoding`, several joined by commas, empty if there was none.
    limit:     the maximum number of decoded bytes, at least 1.
    is_whole:  whether `body` is all that was sent, so a coding must be complete.
    """
    if not body:
        return Decoded(b"")
    names = [name for part in coding.lower().split(",") if (name := part.strip())]
    codings = [name for name in names if name in REGISTERED]
    unknown = [name for name in names if name not in REGISTERED and name != "identity"]
    found = _declared(body, codings, limit, is_whole=is_whole)
    if not found.problem and found.data.startswith(GZIP_MAGIC):
        what = "once more than was declared" if codings else "although no coding was declared"
        note = f"the body is gzip {what}"
        found = _undeclared(found, limit, note, is_whole=is_whole and not found.is_cut)
    if not unknown:
        return found
    note = f"{quoted(unknown[0][:40])} is not a content coding"
    return replace(found, note=f"{note}; {found.note}" if found.note else note)


def is_encoded(body: bytes, coding: str) -> bool:
    """Whether a body still has the codings of its `Content-Encoding`, by its first bytes.

    gzip and Zstandard begin with a signature; the others hold control characters, as no text does.
    """
    names = [name for part in coding.lower().split(",") if (name := part.strip()) in REGISTERED]
    match names[-1:]:
        case []:
            return False
        case ["gzip" | "x-gzip"]:
            return body.startswith(GZIP_MAGIC)
        case ["zstd"]:
            return body.startswith(ZSTD_MAGIC)
        case ["deflate"] if _is_zlib(body) and not body.isascii():
            return True
    return CONTROLS.search(body, 0, STEP) is not None


def _declared(body: bytes, codings: list[str], limit: int, *, is_whole: bool) -> Decoded:
    """Undo codings, the last of which was applied last."""
    if not codings:
        return Decoded(body[:limit], is_cut=len(body) > limit)
    if len(codings) > MOST_CODINGS:
        return Decoded(b"", problem=f"more than {MOST_CODINGS} content codings")
    found = Decoded(body)
    for name in reversed(codings):
        found = _undone(found.data, name, limit, is_whole=is_whole and not found.is_cut)
        if found.problem:
            break
    return found


def _undeclared(body: Decoded, limit: int, note: str, *, is_whole: bool) -> Decoded:
    """Decode undeclared gzip, once; a body that is still gzip is not a file."""
    unpacked = _undone(body.data, "gzip", limit, is_whole=is_whole)
    if unpacked.problem and not unpacked.data:
        return body
    is_twice = unpacked.data.startswith(GZIP_MAGIC)
    problem = "the body is gzip in gzip, which was not declared" if is_twice else unpacked.problem
    return Decoded(unpacked.data, unpacked.is_cut, problem, note)


def _undone(body: bytes, name: str, limit: int, *, is_whole: bool) -> Decoded:
    """Undo a coding in small steps; data after the end is ignored, as in browsers."""
    if (coding := _coding(name, body)) is None:
        return Decoded(b"", problem=f"content coding `{name}` was not requested")
    view, room = memoryview(body), limit
    parts: list[bytes] = []
    decoder = coding.make()
    while view:
        step = view[:STEP]
        try:
            part = decoder.decompress(step, room + 1)
        except coding.error as error:
            words = str(error).rpartition(": ")[2]
            return Decoded(b"".join(parts), problem=f"broken content coding: {words}")
        parts.append(part[:room])
        room -= len(part)
        if room < 0:
            return Decoded(b"".join(parts), is_cut=True)
        view = view[len(step) - len(decoder.unused_data) :]
        if decoder.eof:
            if not coding.again or bytes(view[: len(coding.again)]) != coding.again:
                return Decoded(b"".join(parts))
            decoder = coding.make()
    if not is_whole:
        return Decoded(b"".join(parts), is_cut=True)
    return Decoded(b"".join(parts), problem="the encoded body is incomplete")


# Decoders


class _Coding(NamedTuple):
    """How to decode a coding."""

    make: Callable[[], Any]
    """Makes an object with the methods of `zlib.decompressobj()`."""
    error: type[Exception] = zlib.error
    again: bytes = b""
    """What the next of several members begins with (RFC 1952 section 2.2, RFC 8878 section 3)."""


_GZIP = _Coding(partial(zlib.decompressobj, zlib.MAX_WBITS | 16), again=GZIP_MAGIC)
_ZLIB = _Coding(partial(zlib.decompressobj, zlib.MAX_WBITS))
_RAW = _Coding(partial(zlib.decompressobj, -zlib.MAX_WBITS))


def _coding(name: str, body: bytes) -> _Coding | None:
    """Return how to decode a coding; None if that is not possible here."""
    match name:
        case "gzip" | "x-gzip":
            return _GZIP
        case "deflate":  # both forms are sent under this name (RFC 9110 section 8.4.1.2)
            return _ZLIB if _is_zlib(body) else _RAW
        case "br":
            return _brotli()
        case "zstd":
            return _zstd()
    return None


def _is_zlib(body: bytes) -> bool:
    """Whether a body begins with a zlib header (RFC 1950 section 2.2)."""
    header = body[:2]
    return len(header) == 2 and header[0] & 0x0F == 8 and int.from_bytes(header, "big") % 31 == 0


def zstd_module() -> ModuleType:
    """Return the library for Zstandard. Raises ImportError if it is not installed."""
    return import_module("compression.zstd" if version_info >= (3, 14) else "backports.zstd")


@cache
def _zstd() -> _Coding | None:
    try:
        zstd = zstd_module()
    except ImportError:
        return None
    window = {zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW}
    return _Coding(partial(zstd.ZstdDecompressor, options=window), zstd.ZstdError, ZSTD_MAGIC)


@cache
def _brotli() -> _Coding | None:
    try:
        brotli = import_module("brotli")
    except ImportError:
        return None
    if not hasattr(brotli.Decompressor, "can_accept_more_data"):  # before 1.2, without limits
        return None
    return _Coding(partial(_Brotli, brotli.Decompressor), brotli.error)


class _Brotli:
    """A decoder of Brotli, with the methods of the others."""

    unused_data = b""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._decoder = make()

    @property
    def eof(self) -> bool:
        return bool(self._decoder.is_finished())

    def decompress(self, data: bytes | memoryview, max_length: int, /) -> bytes:
        part: bytes = self._decoder.process(data, output_buffer_limit=max_length)
        while len(part) < max_length and not self._decoder.can_accept_more_data():
            part += self._decoder.process(b"", output_buffer_limit=max_length - len(part))
        return part
