"""Entries as bytes: how persistent stores write entries and read them back.

In: an `Entry`. Out: its `StoredRecord`, with the bodies kept separately under their digests, so
that equal files are stored once; and from a record the `Entry` again, or `DamagedRecord`. A record
is JSON after a seal, a digest of its origin and content that reveals changes by a faulty disk or by
others. Members added by later versions of verger are skipped. Knows no store.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypedDict, cast, get_args

from verger.access.entry import Entry
from verger.access.result import STATUSES, AccessResult, Failure
from verger.errors import CacheError

SEAL_BYTES = 8
DIGEST_BYTES = 16
ROBOTS_TXT = "/robots.txt"


class ResultFacts(TypedDict, total=False):
    """An access result in a record; absent members have the defaults of `AccessResult`."""

    url: str
    fetched_at: float
    status: int
    failure: Failure
    detail: str
    redirects: Sequence[str]
    body: str
    """The digest of the body, in hexadecimal digits."""
    truncated: bool
    wire_bytes: int
    elapsed: float
    headers: dict[str, str]
    notes: Sequence[str]
    renewed: bool


KEPT_IF_TRUE = (
    "failure",
    "detail",
    "redirects",
    "truncated",
    "wire_bytes",
    "elapsed",
    "headers",
    "notes",
    "renewed",
)
"""The attributes of a result whose default is empty, zero, false or None."""


class EntryFacts(TypedDict, total=False):
    """The content of a record."""

    last: ResultFacts
    copy: ResultFacts
    unreachable_since: float
    failures: int


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


# Writing


def encode(entry: Entry) -> StoredRecord:
    """Return an entry in its stored form; raise `CacheError` if its origin is invalid."""
    origin = checked_origin(entry.origin)
    bodies: dict[bytes, bytes] = {}
    last_body = _put_apart(entry.last, bodies)
    facts: EntryFacts = {"last": _facts_of(entry.last, origin, last_body)}
    copy_body = None
    if entry.copy is not None:
        copy_body = _put_apart(entry.copy, bodies)
        facts["copy"] = _facts_of(entry.copy, origin, copy_body)
    if entry.unreachable_since is not None:
        facts["unreachable_since"] = entry.unreachable_since
    if entry.failures:
        facts["failures"] = entry.failures
    data = _to_json(facts).encode("utf-8", "surrogatepass")
    return StoredRecord(origin, _seal(origin, data) + data, last_body, copy_body, bodies)


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


def _put_apart(result: AccessResult, bodies: dict[bytes, bytes]) -> bytes | None:
    if not result.body:
        return None
    digest = digest_of(result.body)
    bodies[digest] = result.body
    return digest


def _facts_of(result: AccessResult, origin: str, body: bytes | None) -> ResultFacts:
    """Return the facts of a result, without its body and default values."""
    facts: dict[str, object] = {"fetched_at": result.fetched_at}
    if result.url != origin + ROBOTS_TXT:
        facts["url"] = result.url
    if body is not None:
        facts["body"] = body.hex()
    if result.status is not None:
        if not _is_status(result.status):  # it could not be read back
            raise CacheError(f"an entry of `{origin}` has the status `{result.status!r:.40}`")
        facts["status"] = result.status
    for name in KEPT_IF_TRUE:
        if value := getattr(result, name):
            facts[name] = value
    return cast("ResultFacts", facts)


def _seal(origin: str, data: bytes) -> bytes:
    return blake2b(origin.encode() + b"\n" + data, digest_size=SEAL_BYTES).digest()


# Escaped, two lone surrogates could be joined to one character; unescaped, they stay separate.
_to_json = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":")).encode


# Reading


class StoredDraft:
    """An entry that was read back, still without its bodies."""

    __slots__ = ("_copy", "_facts", "_last", "copy_body", "last_body", "origin")

    def __init__(self, origin: str, data: bytes) -> None:
        """Read a record; raise `DamagedRecord` if it is not a valid record of this origin."""
        self.origin = origin
        self._facts = _open(origin, data)
        self._last = self._facts["last"]
        self._copy = self._facts.get("copy")
        self.last_body = _digest_in(self._last)
        self.copy_body = None if self._copy is None else _digest_in(self._copy)

    def entry(self, last_body: bytes | None, copy_body: bytes | None) -> Entry:
        """Return the entry with these bodies. Raises DamagedRecord if one has another digest."""
        copy = None
        if self._copy is not None:
            copy = self._result(self._copy, _verify(copy_body, self.copy_body))
        return Entry(
            self.origin,
            self._result(self._last, _verify(last_body, self.last_body)),
            copy,
            self._facts.get("unreachable_since"),
            self._facts.get("failures", 0),
        )

    def _result(self, facts: ResultFacts, body: bytes) -> AccessResult:
        return AccessResult(
            url=facts.get("url", self.origin + ROBOTS_TXT),
            fetched_at=facts["fetched_at"],
            status=facts.get("status"),
            failure=facts.get("failure"),
            detail=facts.get("detail", ""),
            redirects=tuple(facts.get("redirects", ())),
            body=body,
            truncated=facts.get("truncated", False),
            wire_bytes=facts.get("wire_bytes", 0),
            elapsed=facts.get("elapsed", 0.0),
            headers=facts.get("headers", {}),
            notes=tuple(facts.get("notes", ())),
            renewed=facts.get("renewed", False),
        )


def _open(origin: str, data: bytes) -> EntryFacts:
    if type(data) is not bytes:  # possible in a damaged row
        raise DamagedRecord("the record is missing")
    seal, content = data[:SEAL_BYTES], data[SEAL_BYTES:]
    if seal != _seal(origin, content):
        raise DamagedRecord("the seal is broken")
    try:
        facts = json.loads(content.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        raise DamagedRecord("the record is not JSON") from None
    _check(facts, ENTRY_MEMBERS, needed="last")
    return cast("EntryFacts", facts)


def _check(facts: object, members: Mapping[str, Callable[[object], bool]], *, needed: str) -> None:
    """Raise `DamagedRecord` unless the named members are valid; other members are ignored."""
    if type(facts) is not dict or needed not in facts:
        raise DamagedRecord(f"the record has no `{needed}`")
    for name, value in facts.items():
        is_right = members.get(name)
        if is_right is not None and not is_right(value):
            raise DamagedRecord(f"`{name}` in the record is invalid")


def _digest_in(facts: ResultFacts) -> bytes | None:
    digits = facts.get("body")
    return None if digits is None else bytes.fromhex(digits)


def _verify(body: bytes | None, digest: bytes | None) -> bytes:
    if digest is None:
        return b""
    if type(body) is not bytes:
        raise DamagedRecord("the body is missing")
    if digest_of(body) != digest:
        raise DamagedRecord("the body is not the one that was stored")
    return body


def _is_result(value: object) -> bool:
    _check(value, RESULT_MEMBERS, needed="fetched_at")
    return True


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_texts(value: object) -> bool:
    return type(value) is list and all(type(text) is str for text in value)


def _is_fields(value: object) -> bool:
    return type(value) is dict and all(type(text) is str for text in value.values())


def _is_flag(value: object) -> bool:
    return type(value) is bool


def _is_status(value: object) -> bool:
    return type(value) is int and value in STATUSES


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 1 << 63


def _is_number(value: object) -> bool:
    # False for "not a number", and for infinity
    return (type(value) is float or type(value) is int) and -1e15 < value < 1e15


def _is_digest(value: object) -> bool:
    return type(value) is str and DIGEST_DIGITS.fullmatch(value) is not None


def _is_failure(value: object) -> bool:
    return type(value) is str and value in FAILURES


FAILURES = frozenset(get_args(Failure))
DIGEST_DIGITS = re.compile(rf"[0-9a-f]{{{2 * DIGEST_BYTES}}}")

ENTRY_MEMBERS: Mapping[str, Callable[[object], bool]] = {
    "last": _is_result,
    "copy": _is_result,
    "unreachable_since": _is_number,
    "failures": _is_count,
}
RESULT_MEMBERS: Mapping[str, Callable[[object], bool]] = {
    "url": _is_text,
    "fetched_at": _is_number,
    "status": _is_status,
    "failure": _is_failure,
    "detail": _is_text,
    "redirects": _is_texts,
    "body": _is_digest,
    "truncated": _is_flag,
    "wire_bytes": _is_count,
    "elapsed": _is_number,
    "headers": _is_fields,
    "notes": _is_texts,
    "renewed": _is_flag,
}
