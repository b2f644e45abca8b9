"""Entries as bytes: how persistent stores write entries and read them back.

In: an `Entry`. Out: its `StoredRecord`, with the bodies kept separately under their digests, so
that equal files are stored once; and from a record and bodies the `Entry` again, or
`DamagedRecord`. A record is JSON after a seal, a digest of its origin and content that reveals
changes by a faulty disk or by others. Members added by later versions of verger are skipped. Knows
no store.
"""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from verger.access.entry import Entry, uncounted
from verger.access.result import FAILURES, STATUSES, AccessResult
from verger.errors import CacheError
from verger.untrusted_text import printable

SEAL_BYTES = 8
DIGEST_BYTES = 16
ROBOTS_TXT = "/robots.txt"

LOG = logging.getLogger("verger.cache")

Types = Mapping[str, tuple[type, ...]]
Row = tuple[str, object, Sequence[object]]
"""An origin, its record, and what is stored as its bodies."""

OPTIONAL_TYPES: Types = {
    "status": (int,),
    "failure": (str,),
    "detail": (str,),
    "redirects": (list,),
    "truncated": (bool,),
    "wire_bytes": (int,),
    "elapsed": (int, float),
    "headers": (dict,),
    "notes": (list,),
    "renewed": (bool,),
    "public": (bool,),
}
"""The members of a result in a record that are left out if they are empty, zero, false or None."""

RESULT_TYPES: Types = {"url": (str,), "fetched_at": (int, float), "body": (str,), **OPTIONAL_TYPES}
"""The members of a result in a record. `url` is left out if it is the usual one; `body` is the
digest of a body, in hexadecimal digits."""

ENTRY_TYPES: Types = {
    "last": (dict,),
    "copy": (dict,),
    "unreachable_since": (int, float),
    "failures": (int,),
    "unreachable_for": (int, float),
}

LARGEST = 1 << 63
"""No number in a record is as large, or smaller than its negative."""


class DamagedRecord(Exception):
    """The stored data of an origin is not what was written; the message says why."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One entry in its stored form."""

    origin: str
    data: bytes
    """The seal, then the facts."""
    last_body: bytes | None
    """The digest of the last result's body; None if that is empty."""
    copy_body: bytes | None
    bodies: Mapping[bytes, bytes]
    """The bodies by their digests."""


def checked_origin(origin: str) -> str:
    """Return an origin; raise `CacheError` if it cannot be a key."""
    if origin.isascii() and origin.isprintable() and origin:
        return origin
    raise CacheError(
        f"`{origin!a}` is not an origin", "`verger.origin(url)` gives the key of a URL"
    )


def digest_of(body: bytes) -> bytes:
    """Return the digest under which a body is stored."""
    return blake2b(body, digest_size=DIGEST_BYTES).digest()


# Writing


def encode_all(entries: Iterable[Entry]) -> Sequence[StoredRecord]:
    """Return entries in their stored form, the last of each origin.

    Raises CacheError for an invalid origin, and for a value that cannot be stored.
    """
    try:
        records = {entry.origin: encode(entry) for entry in entries}
    except (TypeError, ValueError, AttributeError) as error:
        raise CacheError(f"an entry cannot be cached: {error}") from error
    return list(records.values())


def encode(entry: Entry) -> StoredRecord:
    """Return an entry in its stored form."""
    origin = checked_origin(entry.origin)
    both = (("last", entry.last), ("copy", entry.copy))
    results = {name: result for name, result in both if result is not None}
    digests = {name: digest_of(result.body) for name, result in results.items() if result.body}
    facts: dict[str, Any] = {
        name: _facts_of(result, origin, digests.get(name)) for name, result in results.items()
    }
    if entry.unreachable_since is not None:
        facts["unreachable_since"] = entry.unreachable_since
        facts["unreachable_for"] = entry.unreachable_for
    if entry.failures:
        facts["failures"] = entry.failures
    data = _to_json(facts).encode("utf-8", "surrogatepass")
    bodies = {digest: results[name].body for name, digest in digests.items()}
    sealed = _seal(origin, data) + data
    return StoredRecord(origin, sealed, digests.get("last"), digests.get("copy"), bodies)


def _facts_of(result: AccessResult, origin: str, body: bytes | None) -> dict[str, Any]:
    """Return the facts of a result, with the digest of its body, without default values."""
    if result.status is not None and not _is_status(result.status):  # it could not be read back
        raise CacheError(f"an entry of `{origin}` has the status `{result.status!r:.40}`")
    facts: dict[str, Any] = {"fetched_at": result.fetched_at}
    if result.url != origin + ROBOTS_TXT:
        facts["url"] = result.url
    if body is not None:
        facts["body"] = body.hex()
    for name in OPTIONAL_TYPES:
        if value := getattr(result, name):
            facts[name] = value
    return facts


def _seal(origin: str, data: bytes) -> bytes:
    return blake2b(origin.encode() + b"\n" + data, digest_size=SEAL_BYTES).digest()


# Escaped, two lone surrogates could be joined to one character; unescaped, they stay separate.
_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


# Reading


def facts_in(origin: str, data: object) -> dict[str, Any]:
    """Return the facts in a record. Raises DamagedRecord if it is not one of this origin."""
    if type(data) is not bytes:  # possible in a damaged row
        raise DamagedRecord("the record is missing")
    seal, content = data[:SEAL_BYTES], data[SEAL_BYTES:]
    if seal != _seal(origin, content):
        raise DamagedRecord("the seal is broken")
    try:
        facts = json.loads(content.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise DamagedRecord("the record is not JSON") from None
    return _checked(facts, ENTRY_TYPES, needed="last")


def digests_in(origin: str, data: object) -> Sequence[str]:
    """Return the digests of the bodies that a record of an origin refers to, in hexadecimal digits.

    A damaged one refers to none.
    """
    try:
        facts = facts_in(origin, data)
    except DamagedRecord:
        return ()
    found = (facts.get(name, {}).get("body") for name in ("last", "copy"))
    return [digest for digest in found if digest is not None]


def entries_in(rows: Iterable[Row], *, where: str) -> tuple[dict[str, Entry], int]:
    """Return the entries of stored rows, and how many rows were damaged.

    Those are logged, with `where` they are stored, and have no entry.
    """
    entries: dict[str, Entry] = {}
    damaged = 0
    for origin, record, bodies in rows:
        try:
            entries[origin] = entry_of(origin, facts_in(origin, record), bodies)
        except DamagedRecord as why:
            damaged += 1
            shown = map(printable, (origin, where, str(why)))
            LOG.warning("the entry of %s in `%s` is damaged and is not used: %s", *shown)
    return entries, damaged


def entry_of(origin: str, facts: Mapping[str, Any], bodies: Iterable[object]) -> Entry:
    """Return the entry of an origin with these facts.

    bodies:  what is stored as its bodies, in any order.
    Raises DamagedRecord if a fact is invalid, or a body is not the one that was written.
    """
    contents = {digest_of(body).hex(): body for body in bodies if type(body) is bytes}
    copy, since, period = (
        facts.get(name) for name in ("copy", "unreachable_since", "unreachable_for")
    )
    last = _result(origin, facts["last"], contents)
    return Entry(
        origin,
        last,
        None if copy is None else _result(origin, copy, contents),
        since,
        facts.get("failures", 0),
        uncounted(since, last.fetched_at) if period is None else period,
    )


def _result(origin: str, facts: object, contents: Mapping[str, bytes]) -> AccessResult:
    known = {"url": origin + ROBOTS_TXT, **_checked(facts, RESULT_TYPES, needed="fetched_at")}
    if not (_is_status(known.get("status", 200)) and known.get("failure") in (None, *FAILURES)):
        raise DamagedRecord("the outcome in the record is invalid")
    redirects, notes = (tuple(known.pop(name, ())) for name in ("redirects", "notes"))
    texts = (*redirects, *notes, *known.get("headers", {}).values())
    if any(type(text) is not str for text in texts):
        raise DamagedRecord("a text in the record is invalid")
    digest = known.pop("body", None)
    if digest is not None and digest not in contents:
        raise DamagedRecord("the body is missing, or not the one that was stored")
    body = b"" if digest is None else contents[digest]
    return AccessResult(redirects=redirects, notes=notes, body=body, **known)


def _checked(facts: object, types: Types, *, needed: str) -> dict[str, Any]:
    """Return the known members; raise `DamagedRecord` if one has another type."""
    if type(facts) is not dict or needed not in facts:
        raise DamagedRecord(f"the record has no `{needed}`")
    known = {name: value for name, value in facts.items() if name in types}
    for name, value in known.items():
        is_number = type(value) in (int, float)
        if type(value) not in types[name] or (is_number and not -LARGEST < value < LARGEST):
            raise DamagedRecord(f"`{name}` in the record is invalid")
    return known


def _is_status(value: object) -> bool:
    return type(value) is int and value in STATUSES
