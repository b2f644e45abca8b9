"""The head of a response, as RFC 9112 lets a recipient read it.

In: the octets of a status line and header fields, as servers send them. Out: the same as aiohttp's
parser accepts it. What the RFC permits to repair is repaired: empty lines before the status line,
its words (section 4), white space before the first field (2.2) and between name and colon (5.1),
bare CR and NUL in values (2.2; RFC 9110 section 5.5), the same Content-Length twice (RFC 9110
section 8.6), a Content-Length besides chunks (6.3), and the coding `identity`, which changes
nothing (RFC 2616 section 3.6). A line that is no field is left out. One
response is read from each connection, so that no second reader can cut it elsewhere.
"""

import re
from collections.abc import Iterator

END = re.compile(rb"\n\r?\n")
"""The end of a head (RFC 9112 section 2.2: a recipient may take LF for the end of a line)."""

STATUS_LINE = re.compile(rb"\Ahttp/1\.(\d)[ \t]+(\d{3})(?![^ \t\r\n])[ \t]*", re.IGNORECASE)
NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""A `token` of RFC 9110 section 5.6.2."""

SPACE = b" \t"
UNPRINTABLE = bytes.maketrans(b"\r\0", b"  ")


def mended(head: bytes) -> bytes:
    """Return a head, from its status line up to its empty line, as aiohttp reads it."""
    first, *lines = [line.removesuffix(b"\r") for line in head.split(b"\n")]
    status_line = STATUS_LINE.sub(_status_line, first)
    fields = _consistent(list(_fields(lines)))
    return b"\r\n".join([status_line, *(name + b":" + value for name, value in fields), b"", b""])


def is_interim(head: bytes) -> bool:
    """Whether another head follows this one (RFC 9110 section 15.2)."""
    found = STATUS_LINE.search(head)
    return found is not None and found[2].startswith(b"1") and found[2] != b"101"


def _status_line(found: "re.Match[bytes]") -> bytes:
    """Return the beginning of a status line; later versions 1.x count as 1.1 (RFC 9110 2.5)."""
    return b"HTTP/1.%d %s " % (min(int(found[1]), 1), found[2])


def _fields(lines: list[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Yield names and values; a folded value is one line (RFC 9112 section 5.2)."""
    name, value = b"", b""
    for line in [*lines, b":"]:
        if line.startswith((b" ", b"\t")):
            value += b" " + line.strip(SPACE)
            continue
        if NAME.fullmatch(name):
            yield name, value.translate(UNPRINTABLE)
        name, colon, value = line.partition(b":")
        name = name.rstrip(SPACE) if colon else b""


def _consistent(fields: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return fields of which one at most is about the length of the body.

    Lengths that differ make one that no parser reads.
    """
    codings = [each for each in _values(fields, b"transfer-encoding") if each != b"identity"]
    fields = _without(fields, b"transfer-encoding")
    if codings:
        fields.append((b"Transfer-Encoding", b",".join(codings)))
    lengths = b",".join(dict.fromkeys(_values(fields, b"content-length")))
    if codings or lengths:
        fields = _without(fields, b"content-length")
    return fields if codings or not lengths else [*fields, (b"Content-Length", lengths)]


def _values(fields: list[tuple[bytes, bytes]], wanted: bytes) -> list[bytes]:
    joined = b",".join(value for name, value in fields if name.lower() == wanted)
    values = [value.strip(SPACE).lower() for value in joined.split(b",")]
    return [value for value in values if value]


def _without(fields: list[tuple[bytes, bytes]], unwanted: bytes) -> list[tuple[bytes, bytes]]:
    return [field for field in fields if field[0].lower() != unwanted]
