"""Bodies: the bytes of the file in one, decoded up to a limit, or why it is not whole.

In: a body as received or kept, and the header fields that say how long it is and how it is coded.
Out: at most `limit` decoded bytes, and whether there were more, or the body is broken: `file_in`
decides it for fetches, archives, tables and folders alike. Only gzip and deflate are requested.
Brotli and Zstandard, which some servers send unasked, are decoded if the extra `codings` is
installed. A name that no registry has means no coding (RFC 9110 section 8.4.1). Each decoder is
bounded: in output by the limit, and in memory by its window, of 16 MiB at most.
"""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from sys import version_info
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

from verger.access.result import BODILESS
from verger.fetching.limits import LEAST_BODY
from verger.files.formats import GZIP, MARKS, ZSTD
from verger.untrusted_text import quoted

Ended: TypeAlias = Literal["complete", "limit", "broken"]
Fields: TypeAlias = Sequence[tuple[str, str]]
Said: TypeAlias = dict[str, list[str]]

ADVERTISED = "gzip, deflate"
# Small, because each gzip member copies the rest of its step: thousands of empty ones stay cheap.
STEP = 16_384
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
PLAIN = 512
"""The most bytes that a coding may leave without a control character."""
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
    """Whether the file is longer: than the limit, or than what is there of it."""
    problem: str = ""
    """Why the body is broken; empty if it is whole."""
    note: str = ""
    """What was tolerated."""


UNDONE = frozenset(("gzip", "x-gzip", "deflate", "br", "zstd"))
"""The codings that clients undo."""
CODING_OVERHEAD, CODING_EXPANDS = 64, 8
"""Bytes that a coding adds, at most, to a file that it cannot make shorter, besides an eighth."""
NOTHING_CODED = 20
"""The bytes of an empty file in gzip; in the other codings it has fewer."""
BROKEN_OFF = {
    "broken": "the body ended before its announced end",
    "limit": "only the beginning of the body is there",
    "complete": "the encoded body is incomplete",
}
"""What is wrong with a body by its end, if there is less of it than is read."""


def file_in(
    status: int, fields: Fields, body: bytes, ended: Ended, *, limit: int, enough: int
) -> Decoded:
    """Return the file in the body of a success, or why that body is broken.

    fields:  header fields, of which those about the length and the codings count.
    ended:   `complete` if nothing is known to be missing, `limit` if the rest was not kept, and
             `broken` if the body broke off.
    limit:   the most decoded bytes that are returned, at least `enough`.
    enough:  with so many decoded bytes, it does not matter what is missing behind them.

    A body that is shorter than it says is the beginning of a file: rules that are not there would
    disallow nothing. Of a file that is cut off after `enough` bytes, the last line is made a
    comment if it has no end (RFC 9112 sections 6.3 and 8; RFC 9309 section 2.5).
    """
    said = _said(fields)
    problem, announced = _framing(said)
    if ended == "complete" and announced > len(body) and status not in BODILESS:
        ended = "broken"
    if _is_missing(body, said) and status not in BODILESS:
        problem = problem or BROKEN_OFF["complete"]
    found = decoded(body, said["content-encoding"], limit=limit)
    is_cut = found.is_cut or ended != "complete"
    if not is_cut and not problem:
        return found
    data, is_short = found.data, is_cut and len(found.data) < enough
    problem = problem or found.problem or (BROKEN_OFF[ended] if is_short else "")
    if is_cut and not problem:
        end = 1 + max(data.rfind(b"\n"), data.rfind(b"\r"))
        data = data[:end] + b"#" * (len(data) - end)
    return replace(found, data=data, is_cut=is_cut and not problem, problem=problem)


NULLS = (
    *(b"nan", b"none", b"null", b"<na>", b"na", b"n/a", b"#n/a", b"nat", b"\\n"),
    *(b"undefined", b"(null)", b"-"),
)
"""What programs write in a cell of text for nothing."""
OCTETS = re.compile(
    rb"""\s*+(?:
    (?:\\x|0x)?(?:[0-9a-f]{2}){16,}+               # hexadecimal, as PostgreSQL writes bytes
    | [a-z0-9+/_-]{32,}+={0,2}                     # base64 (RFC 4648), as JSON holds bytes
    | (?:bytearray\()?b(['"]).*\1\)?               # a literal of Python
    | "(?:[^"\\\r\n]|\\.)*+"                       # text as JSON
    | \[\s*+\d{1,3}(?:\s*+,\s*+\d{1,3})*+\s*+\]      # numbers
    )\s*+""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
"""What programs write there for octets: no line of it is one of the file."""
IN_ONE_LINE = re.compile(
    rb"[^\r\n]*\\n\s*+(?:user-agent|allow|disallow|sitemap|crawl-delay)[^\r\n]*", re.IGNORECASE
)
"""A file whose line ends are escaped."""
UNKNOWN = re.compile(r"\A\s*+(?:-[^\n]*+|nan|none|null|<na>)\s*+\Z|\.0*+\s*+\Z", re.IGNORECASE)
"""A length that is not known, or the end of one that was kept as a float."""
NOT_CUT = re.compile(r"\s*+(?:|false|0|no|nan|none|null|<na>)\s*+", re.IGNORECASE)
LONGEST_WORD = 9


def kept_file(
    body: bytes,
    is_text: bool,
    length: str | None = None,
    coding: str | None = None,
    cut: str | None = None,
    *,
    enough: int = LEAST_BODY,
) -> tuple[bytes, bool] | None:
    """Return the file in a body that a table or a folder has kept, and whether it goes on behind
    that; None if it is not whole.

    is_text:  whether it stands in a column of text.
    length:   how long it was, as the row says.
    coding:   its `Content-Encoding`, which may have been undone.
    cut:      why it was cut off, or whether.
    enough:   how much of it is a whole file: what the dialect reads, where that is known.
    """
    if is_text and len(body) <= LONGEST_WORD and body.strip().lower() in NULLS:
        return None
    if is_text and (OCTETS.fullmatch(body) or IN_ONE_LINE.fullmatch(body.strip())):
        return None
    if (body.startswith(MARKS) and not coding) or (body and not body.strip(b"\0")):
        return None
    if not (length or coding or cut or body.startswith(GZIP)):
        return body, False
    fields = [("content-encoding", coding or "")]
    if known := UNKNOWN.sub("", length or "").strip():
        fields.append(("content-length", known))
    ended: Ended = "complete" if NOT_CUT.fullmatch(cut or "") else "limit"
    told, most = without_codings(fields, body), max(len(body), 2 * enough)
    file = file_in(200, told, body, ended, limit=most, enough=enough)
    return None if file.problem else (file.data, file.is_cut)


def _framing(said: Said) -> tuple[str, int]:
    """Return why nobody knows where a body ends, and the bytes that it has at least."""
    transfer = [name for name in said["transfer-encoding"] if name != "identity"]
    lengths = set(said["content-length"])
    if unrequested := [name for name in transfer if name != "chunked"]:
        return f"transfer coding {quoted(unrequested[0][:200])} was not requested", 0
    if len(transfer) > 1:
        return "the transfer coding `chunked` is applied twice", 0  # RFC 9112 section 6.1
    if transfer or not lengths:
        return "", 0
    if len(lengths) > 1 or not ((length := lengths.pop()).isascii() and length.isdigit()):
        return "`Content-Length` is not a number", 0
    return "", int(length[:18])


def _is_missing(body: bytes, said: Said) -> bool:
    """Whether nothing is there of a coded body, which takes some bytes even for an empty file, and
    nothing says that it was empty."""
    is_framed = said["content-length"] or said["transfer-encoding"]
    return not (body or is_framed) and not REGISTERED.isdisjoint(said["content-encoding"])


def _said(fields: Fields) -> Said:
    """Return the members of the fields about a body, in lower case (RFC 9110 section 5.6.1)."""
    said: Said = {"transfer-encoding": [], "content-length": [], "content-encoding": []}
    for key, value in fields:
        if (name := key.lower()) in said:
            members = [part.strip(" \t") for part in value.lower().split(",")]
            said[name] += members if name == "content-length" else filter(None, members)
    return said


def without_codings(fields: Fields, body: bytes, *, is_decoded: bool | None = None) -> Fields:
    """Return the fields of a body without those that whoever decoded it should have left out.

    is_decoded:  None if the first bytes of the body are to tell it.
    The length stays if even the coded body cannot be so long.
    """
    said = _said(fields)
    codings = [name for name in said["content-encoding"] if name in REGISTERED]
    if codings and is_decoded is None:
        is_decoded = codings[-1] in UNDONE and body != b"" and not is_encoded(body, codings[-1])
    if not codings or not is_decoded:
        return fields
    most = len(body) + len(body) // CODING_EXPANDS + CODING_OVERHEAD if body else NOTHING_CODED
    is_impossible = _framing(said)[1] > most
    gone = ("content-encoding", "" if is_impossible else "content-length")
    return [field for field in fields if field[0].lower() not in gone]


def decoded(body: bytes, names: list[str], *, limit: int) -> Decoded:
    """Return the decoded bytes of a body, as far as they are there.

    names:  the members of `Content-Encoding`, in lower case; none if there was no such field.
    limit:  the maximum number of decoded bytes, at least 1.
    """
    if not body:
        return Decoded(b"")
    codings = [name for name in names if name in REGISTERED]
    found = _declared(body, codings, limit)
    if not found.problem and found.data.startswith(GZIP):
        what = "once more than was declared" if codings else "although no coding was declared"
        note = f"the body is gzip {what}"
        found = _undeclared(found, limit, note)
    unknown = [name for name in names if name not in REGISTERED and name != "identity"]
    if not unknown:
        return found
    note = f"{quoted(unknown[0][:40])} is not a content coding"
    return replace(found, note=f"{note}; {found.note}" if found.note else note)


def is_encoded(body: bytes, coding: str) -> bool:
    """Whether a body still has a coding that was applied last, by its first bytes.

    gzip and Zstandard begin with a signature, or break off in it; the others hold control
    characters, as no text does, unless they are short: then they can be undone as far as they are
    there, to something else than what they are made of.
    """
    match coding:
        case "gzip" | "x-gzip":
            return bool(body) and GZIP.startswith(body[: len(GZIP)])
        case "zstd":
            return bool(body) and ZSTD.startswith(body[: len(ZSTD)])
        case "deflate" if _is_zlib(body) and not body.isascii():
            return True
    if CONTROLS.search(body, 0, STEP) or len(body) > PLAIN or not body.strip(b" \t\r\n"):
        return CONTROLS.search(body, 0, STEP) is not None
    found = _undone(body, coding, STEP)
    # Brotli copies what it cannot make shorter, behind a header that may be read in `#`, too.
    is_copied = found.data != b"" and body.endswith(found.data)
    is_text = is_copied and b" " <= body[:1] <= b"~"
    is_all = found.is_cut or 2 * len(found.data) >= len(body)
    return is_all and not is_text and not found.problem


def _declared(body: bytes, codings: list[str], limit: int) -> Decoded:
    """Undo codings, the last of which was applied last."""
    if not codings:
        return Decoded(body[:limit], is_cut=len(body) > limit)
    if len(codings) > MOST_CODINGS:
        return Decoded(b"", problem=f"more than {MOST_CODINGS} content codings")
    found = Decoded(body)
    for name in reversed(codings):
        found = _undone(found.data, name, limit)
        if found.problem:
            break
    return found


def _undeclared(body: Decoded, limit: int, note: str) -> Decoded:
    """Decode undeclared gzip, once; a body that is still gzip is not a file."""
    unpacked = _undone(body.data, "gzip", limit)
    if unpacked.problem and not unpacked.data:
        return body
    is_twice = unpacked.data.startswith(GZIP)
    problem = "the body is gzip in gzip, which was not declared" if is_twice else unpacked.problem
    return Decoded(unpacked.data, unpacked.is_cut, problem, note)


def _undone(body: bytes, name: str, limit: int) -> Decoded:
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
            begin = bytes(view[: len(coding.again)])
            if not begin or begin != coding.again:  # or else the next member breaks off early
                is_cut = bool(begin) and coding.again.startswith(begin)
                return Decoded(b"".join(parts), is_cut=is_cut)
            decoder = coding.make()
    return Decoded(b"".join(parts), is_cut=True)


# Decoders


class _Coding(NamedTuple):
    """How to decode a coding."""

    make: Callable[[], Any]
    """Makes an object with the methods of `zlib.decompressobj()`."""
    error: type[Exception] = zlib.error
    again: bytes = b""
    """What the next of several members begins with (RFC 1952 section 2.2, RFC 8878 section 3)."""


_GZIP = _Coding(partial(zlib.decompressobj, zlib.MAX_WBITS | 16), again=GZIP)
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
    return _Coding(partial(zstd.ZstdDecompressor, options=window), zstd.ZstdError, ZSTD)


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
