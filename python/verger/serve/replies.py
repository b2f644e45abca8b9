"""Replies: objects as responses that caches understand.

In: objects, and the sites that they are about. Out: responses with `Age`, `Cache-Control`, `ETag`
(RFC 9110 and 9111) and `Cache-Status` (RFC 9211). The tag is of the meaning: it stays while what
was asked is answered in the same way, however old the file is.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import ceil
from time import time
from typing import Any, cast

from aiohttp import web

from verger.access.site import SiteAccess
from verger.files.json_text import Json, json_text
from verger.serve.asking import JSON, LINES

STALE = ("access", "age", "is_fresh", "fresh_until", "last", "copy")
"""Members that tell how a file came, and change although its meaning does not."""

OF_A_SNAPSHOT = 60
"""Seconds for which an answer without a fetch is fresh."""


def reply(
    request: web.Request,
    objects: Sequence[Json],
    sites: Sequence[object],
    how: str = "",
    file: bytes = b"",
) -> web.Response:
    """Return objects as one response, or 304 if the caller has what they mean.

    sites:  what the answers are about, as far as it was fetched.
    how:    how that was found, as `Cache-Status` says it; empty for a file in the request.
    file:   what belongs to the meaning, and is not in the objects.
    """
    texts, meanings = list(map(_text, objects)), []
    for told, (meaning, _) in zip(objects, texts, strict=True):
        access = cast("Mapping[str, object]", told.get("access") or {})
        meanings.append(f"{meaning}{access.get('effect')}{access.get('reason')}")
    body = "".join(f"{text}\n" for _, text in texts).encode("ascii")
    kind = JSON if len(objects) == 1 else LINES
    return tagged(request, body, kind, "".join(meanings).encode() + file, sites, how)


def tagged(
    request: web.Request,
    body: bytes,
    kind: str,
    meaning: bytes,
    sites: Sequence[object],
    how: str,
) -> web.Response:
    """Return a body as a response, or 304 if the caller has one with this meaning."""
    headers = caching(sites, is_private="Authorization" in request.headers)
    headers["ETag"] = tag = f'W/"{blake2b(meaning, digest_size=16).hexdigest()}"'
    headers["Cache-Status"] = f"verger; {how or 'fwd=bypass'}"
    if "If-None-Match" in request.headers and _has(request, tag):
        return web.Response(status=304, headers=headers)
    return web.Response(body=body, content_type=kind, headers=headers)


def caching(sites: Sequence[object], *, is_private: bool) -> dict[str, str]:
    """Return how old an answer about some sites is, and how long it is fresh."""
    now, fetched = time(), [each for each in sites if isinstance(each, SiteAccess)]
    whose = "private, " if is_private else ""
    known = [each for each in fetched if each.age(now) is not None]
    if not known:
        return {"Cache-Control": f"{whose}max-age={OF_A_SNAPSHOT}"}
    age = max(int(each.age(now) or 0) for each in known)
    left = min(ceil(each.fresh_for(now)) for each in known)
    return {"Age": str(age), "Cache-Control": f"{whose}max-age={age + left}"}


def _text(told: Json) -> tuple[str, str]:
    """Return what an object means, and the object with what changes at its end."""
    rest = {name: value for name, value in told.items() if name not in STALE}
    stale = {name: value for name, value in told.items() if name in STALE}
    sides = {name: _lasting(value) for name, value in rest.items() if _is_of_a_site(value)}
    text = json_text(rest)
    whole = f"{text[:-1]}, {json_text(stale)[1:]}" if stale else text
    return json_text(rest | sides) if sides else text, whole


def _is_of_a_site(value: object) -> bool:
    return isinstance(value, dict) and "access" in value


def _lasting(side: Any) -> Json:
    """Return what an object of two versions says of one, without how its file came."""
    access = side["access"] or {}
    rest = {name: value for name, value in side.items() if name not in STALE}
    return rest | {"access": [access.get("effect"), access.get("reason")]}


def _has(request: web.Request, tag: str) -> bool:
    """Whether a request names a tag, or any, in `If-None-Match` (weak comparison)."""
    named = () if request.method == "POST" else request.if_none_match or ()
    return any(each.value == "*" or f'W/"{each.value}"' == tag for each in named)
