"""An entry of a cache as an object, see `schemas/cache-1.schema.json`."""

from verger.access.result import AccessResult
from verger.access.times import timestamp, timestamp_if
from verger.client.refresh import StoredFile
from verger.files.json_text import Json

SCHEMA = "verger.cache/1"


def entry_object(kept: StoredFile) -> Json:
    """Return an entry without its files, and its access policy."""
    entry, policy = kept.entry, kept.policy
    return {
        "schema": SCHEMA,
        "origin": entry.origin,
        "dialect": kept.dialect.name,
        "effect": policy.effect,
        "reason": policy.reason,
        "section": policy.section,
        "fresh_until": timestamp(kept.fresh_until),
        "is_fresh": kept.is_fresh,
        "age": round(kept.age, 3),
        "unreachable_since": timestamp_if(entry.unreachable_since),
        "unreachable_for": None if entry.unreachable_since is None else entry.unreachable_for,
        "failures": entry.failures,
        "last": _result(entry.last),
        "copy": entry.copy and _result(entry.copy),
    }


def _result(result: AccessResult) -> Json:
    return {
        "url": result.url,
        "fetched_at": timestamp(result.fetched_at),
        "access": result.access,
        "status": result.status,
        "failure": result.failure,
        "detail": result.detail,
        "redirects": result.redirects,
        "headers": result.headers,
        "notes": result.notes,
        "bytes": len(result.body),
        "wire_bytes": result.wire_bytes,
        "truncated": result.truncated,
        "elapsed": round(result.elapsed, 3),
        "public": result.public,
    }
