"""Normal forms: how octets are written before a pattern and a subject are compared.

In: octets of a rule's value, or of the subject. Out: the form that a dialect compares.
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


def raw(octets: bytes) -> bytes:
    return octets


def dec96(octets: bytes) -> bytes:
    """Decode every escape but that of the slash (Koster, November 1996, section 3.2.2)."""

    def decode(match: re.Match[bytes]) -> bytes:
        octet = octet_of(match[0])
        return b"%2F" if octet == b"/" else octet

    return ESCAPE.sub(decode, octets)


def base(octets: bytes) -> bytes:
    """Decode escaped unreserved octets, escape what no URI may hold (RFC 9309 section 2.2.2)."""

    def rewrite(match: re.Match[bytes]) -> bytes:
        octet = octet_of(match[0])
        return octet if octet[0] in UNRESERVED else escaped(octet)

    return ESCAPE_OR_NOT_URI.sub(rewrite, octets)


def base_of_subject(octets: bytes) -> bytes:
    """`base`, with the octets that are special in a pattern escaped."""
    return base(octets).replace(b"*", b"%2A").replace(b"$", b"%24")


def cpp(octets: bytes) -> bytes:
    """Upper-case hex digits, and escape octets from 0x80 (google/robotstxt, `robots.cc`)."""
    return ESCAPE_OR_NOT_ASCII.sub(lambda match: escaped(octet_of(match[0])), octets)


def fold(octets: bytes) -> bytes:
    """Escape the reserved octets at which no URI is split (RFC 9309 section 2.2.2)."""
    return FOLDED.sub(lambda match: escaped(match[0]), octets)


def fold_with_query(octets: bytes) -> bytes:
    """`fold`, and `/` and `?` behind the first `?`, where they delimit nothing (RFC 3986 3.4)."""
    path, mark, query = octets.partition(b"?")
    return fold(path) + mark + fold_in_query(query)


def fold_in_query(query: bytes) -> bytes:
    """`fold`, and `/` and `?`."""
    return FOLDED_IN_QUERY.sub(lambda match: escaped(match[0]), query)


def octet_of(written: bytes) -> bytes:
    return bytes.fromhex(written[1:].decode("ascii")) if len(written) == 3 else written


def escaped(octet: bytes) -> bytes:
    return b"%%%02X" % octet[0]


PATTERN_FORMS: dict[str, Form] = {"raw": raw, "dec96": dec96, "base": base, "cpp": cpp}
SUBJECT_FORMS: dict[str, Form] = {"raw": raw, "dec96": dec96, "base": base_of_subject, "cpp": raw}
