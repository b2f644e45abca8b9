"""Normal forms: how bytes are written before a pattern and a subject are compared.

In: bytes of a rule's value, or of the subject. Out: the form that a dialect compares.
Every form is one pass, and its output is never read again.
"""

import re
from collections.abc import Callable

Form = Callable[[bytes], bytes]

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
ESCAPE = re.compile(rb"%[0-9A-Fa-f]{2}")
ESCAPE_OR_NOT_URI = re.compile(rb"%[0-9A-Fa-f]{2}|[\x00-\x20\x7f-\xff\"<>\\^`{|}]")
ESCAPE_OR_NOT_ASCII = re.compile(rb"%[0-9A-Fa-f]{2}|[\x80-\xff]")
FOLDED = re.compile(rb"[]:@[!'(),;]")
FOLDED_IN_QUERY = re.compile(rb"[]:@[!'(),;/?]")


def raw(data: bytes) -> bytes:
    return data


def koster96(data: bytes) -> bytes:
    """Decode every escape but that of the slash (Koster, November 1996, section 3.2.2)."""

    def decode(match: re.Match[bytes]) -> bytes:
        byte = byte_of(match[0])
        return b"%2F" if byte == b"/" else byte

    return ESCAPE.sub(decode, data)


def base(data: bytes) -> bytes:
    """Decode escaped unreserved bytes, escape what no URI may hold (RFC 9309 section 2.2.2)."""

    def rewrite(match: re.Match[bytes]) -> bytes:
        byte = byte_of(match[0])
        return byte if byte[0] in UNRESERVED else escaped(byte)

    return ESCAPE_OR_NOT_URI.sub(rewrite, data)


def base_of_subject(data: bytes) -> bytes:
    """`base`, with the bytes that are special in a pattern escaped."""
    return base(data).replace(b"*", b"%2A").replace(b"$", b"%24")


def cpp(data: bytes) -> bytes:
    """Upper-case hex digits, and escape bytes from 0x80 (google/robotstxt, `robots.cc`)."""
    return ESCAPE_OR_NOT_ASCII.sub(lambda match: escaped(byte_of(match[0])), data)


def fold(data: bytes) -> bytes:
    """Escape the reserved bytes at which no URI is split (RFC 9309 section 2.2.2)."""
    return FOLDED.sub(lambda match: escaped(match[0]), data)


def fold_with_query(data: bytes) -> bytes:
    """`fold`, and `/` and `?` behind the first `?`, where they delimit nothing (RFC 3986 3.4)."""
    path, mark, query = data.partition(b"?")
    return fold(path) + mark + fold_in_query(query)


def fold_in_query(query: bytes) -> bytes:
    """`fold`, and `/` and `?`."""
    return FOLDED_IN_QUERY.sub(lambda match: escaped(match[0]), query)


def byte_of(written: bytes) -> bytes:
    return bytes.fromhex(written[1:].decode("ascii")) if len(written) == 3 else written


def escaped(byte: bytes) -> bytes:
    return b"%%%02X" % byte[0]


PATTERN_FORMS: dict[str, Form] = {"raw": raw, "koster96": koster96, "base": base, "cpp": cpp}
SUBJECT_FORMS: dict[str, Form] = {
    "raw": raw,
    "koster96": koster96,
    "base": base_of_subject,
    "cpp": raw,
}
