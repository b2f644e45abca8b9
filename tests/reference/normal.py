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
QUERY_DELIMITERS = {b":": b"%3A", b"/": b"%2F", b"?": b"%3F", b"@": b"%40"}


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


def fold(query: bytes) -> bytes:
    """Escape the four octets that delimit nothing within a query (RFC 3986 section 3.4)."""
    return re.sub(rb"[:/?@]", lambda match: QUERY_DELIMITERS[match[0]], query)


def octet_of(written: bytes) -> bytes:
    return bytes.fromhex(written[1:].decode("ascii")) if len(written) == 3 else written


def escaped(octet: bytes) -> bytes:
    return b"%%%02X" % octet[0]


PATTERN_FORMS: dict[str, Form] = {"raw": raw, "dec96": dec96, "base": base, "cpp": cpp}
SUBJECT_FORMS: dict[str, Form] = {"raw": raw, "dec96": dec96, "base": base_of_subject, "cpp": raw}
