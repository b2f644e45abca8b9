"""The plan of a fetch: which requests to send, and what result their replies give.

A generator: it yields a `Request`, is sent the `Reply` (or `HopFailed`), and returns the
`AccessResult`; in dialects that end a chain of redirects at a disallowed URL it also yields a
`MayFollow`, and is sent True or False, or `HopFailed` if there is no time for an answer. It opens
no socket, so any client, blocking or not, can drive it, and tests can script it. RFC 9309 sections
2.3 and 2.3.1; RFC 9110 sections 8.4, 10.2.2, 13 and 15.4.
"""

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from urllib.parse import quote

from verger._core import Dialect, Origin, origin, requested_url
from verger.access.policy import bytes_read, redirects_followed
from verger.access.result import KEPT_HEADERS, AccessResult, Failure, is_redirect
from verger.fetching.address_guard import is_public
from verger.fetching.decode import ADVERTISED, file_in
from verger.fetching.transport import HopFailed, Reply, Request
from verger.untrusted_text import quoted

Step: TypeAlias = "Request | MayFollow"
Plan: TypeAlias = Generator[Step, "Reply | HopFailed | bool", AccessResult]

# The bytes after the parsing limit show that it was exceeded, and whether it cut a line in two.
SLACK = 1_024
HEADER_KEPT = 2_048
COOKIE_WALLS = 2
"""How often redirects lead to a URL again if the transport keeps cookies."""
MOST_SHOWN = 200
CREDENTIALS = frozenset(("authorization", "cookie", "proxy-authorization"))
# All characters that a request target may contain, and `%`, which is kept (RFC 3986 2.2).
_LEGAL = "!#$%&'()*+,/:;=?@[]~"
# RFC 3986 section 3.1
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*+:")


@dataclass(frozen=True, slots=True)
class Asking:
    """How a crawler sends requests: the same for all its fetches."""

    dialect: Dialect
    headers: Mapping[str, str]
    """`User-Agent`, and the caller's additional headers."""
    clock: Callable[[], float]
    body_bytes: int | None = None
    """Decoded bytes that are kept; None: the parsing limit of the dialect."""
    public_only: bool = False
    """Whether the caller's own URLs must lead to public addresses as well."""
    accept: str = "text/plain, */*;q=0.5"
    """The media types that are requested."""
    origin_headers: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Headers that are sent to one origin only, by its name."""
    returns: int = 0
    """How often redirects may lead to a URL again, which answers otherwise then, because of
    cookies."""

    @property
    def body_limit(self) -> int:
        """The number of bytes after which a body is cut off."""
        return SLACK + (bytes_read(self.dialect) if self.body_bytes is None else self.body_bytes)


def unnamed(asking: Asking) -> Asking:
    """Return how to send requests to an origin that only a redirect names, not the caller."""
    headers = {
        name: value for name, value in asking.headers.items() if name.lower() not in CREDENTIALS
    }
    return replace(asking, headers=headers, public_only=True)


@dataclass(frozen=True, slots=True)
class MayFollow:
    """A question: may the crawler fetch the URL that a redirect leads to?"""

    url: str
    known_addresses: frozenset[str] = frozenset()
    """As in `Request`."""


@dataclass(slots=True)
class _Course:
    """What has happened in one fetch so far."""

    asking: Asking
    url: str
    began: float
    redirects: list[str] = field(default_factory=list)
    known_addresses: frozenset[str] = frozenset()
    public: bool = True
    """Whether all addresses so far are known to be public."""

    @property
    def here(self) -> str:
        return self.redirects[-1] if self.redirects else self.url


def plan(
    site: str,
    asking: Asking,
    *,
    copy: AccessResult | None = None,
    known_addresses: frozenset[str] = frozenset(),
) -> Plan:
    """Yield the requests that fetch the robots.txt of an origin; return the result.

    site:             an origin as `verger.origin` writes it.
    copy:             the kept result, to be renewed by a conditional request if the dialect sends
                      those; a 304 then returns it, with the current time and headers.
    known_addresses:  as in `Request`.

    Raises nothing; closing the generator ends the fetch.
    """
    copy = copy if copy and asking.dialect.conditional_get else None
    course = _Course(asking, f"{site}/robots.txt", asking.clock(), known_addresses=known_addresses)
    return _plan(course, copy)


def page_plan(url: str, asking: Asking) -> Plan:
    """Yield the requests that fetch any one page; return the result as for a robots.txt.

    url:  absolute, of http or https, as `sendable` writes it.
    """
    return _plan(_Course(asking, url, asking.clock()), None)


def _plan(course: _Course, copy: AccessResult | None) -> Plan:
    while True:
        request = _request(course, copy)
        reply = yield request
        assert not isinstance(reply, bool), "a request has a reply"
        if isinstance(reply, HopFailed):
            # The guard judges addresses, but for those of the caller's own URLs.
            course.public &= not request.named
            # An address that no redirect led to is merely not permitted.
            if reply.failure == "redirect-refused" and not course.redirects:
                return replace(_failed(course, "refused", reply.detail), unasked=True)
            return _failed(course, reply.failure, reply.detail)
        course.public &= is_public(reply.address)
        if not course.redirects and reply.address:
            course.known_addresses = frozenset((reply.address,))
        elif not course.redirects:  # a proxy connected, and knows the host by its name
            course.known_addresses |= {Origin(course.url).host.strip("[]")}
        if copy and reply.status == 304 and _validators(copy, course.here):
            if _is_of_copy(reply, copy):
                return _renewed(course, copy, reply)
            copy = None  # which is not what the site has: the whole file is requested
            continue
        if (location := _location(reply)) is None:
            return _finished(course, reply)
        if problem := _follow(course, location):
            return _failed(course, *problem, status=reply.status)
        if not _is_asked(course):
            continue
        answer = yield MayFollow(course.here, course.known_addresses)
        if isinstance(answer, HopFailed):  # there was no time left for it
            return _failed(course, answer.failure, answer.detail)
        if not answer:
            target = course.redirects.pop()
            detail = f"{quoted(target, MOST_SHOWN)} is disallowed"
            return _failed(course, "redirect-disallowed", detail, status=reply.status)


def _is_of_copy(reply: Reply, copy: AccessResult) -> bool:
    """Whether a 304 names no other version than that of the copy (RFC 9111 section 4.3.4)."""
    named = {value.removeprefix("W/") for name, value in reply.headers if name.lower() == "etag"}
    return named <= {copy.headers.get("etag", "").removeprefix("W/")}


def _request(course: _Course, copy: AccessResult | None) -> Request:
    headers = {
        "Accept": course.asking.accept,
        "Accept-Encoding": ADVERTISED,
        **_callers(course),
        **_validators(copy, course.here),
    }
    is_named = not course.redirects and not course.asking.public_only
    return Request(course.here, headers, course.asking.body_limit, is_named, course.known_addresses)


def _callers(course: _Course) -> dict[str, str]:
    """Return the caller's headers for the next request.

    Those given for its origin replace others of the same name. Credentials given for any origin
    are sent only until a redirect has led to another (Fetch Standard section 4.4).
    """
    asking, first = course.asking, origin(course.url)
    own = asking.origin_headers.get(origin(course.here), {})
    is_elsewhere = any(origin(target) != first for target in course.redirects)
    general = (unnamed(asking) if is_elsewhere else asking).headers
    names = {name.lower() for name in own}
    return {**{name: general[name] for name in general if name.lower() not in names}, **own}


def _validators(copy: AccessResult | None, url: str) -> dict[str, str]:
    """Return the headers that ask whether a kept copy is still current (RFC 9110 section 13.1)."""
    if copy is None or copy.final_url != url or copy.access != "successful":
        return {}
    validators = {"If-None-Match": "etag", "If-Modified-Since": "last-modified"}
    return {
        condition: copy.headers[name]
        for condition, name in validators.items()
        if copy.headers.get(name, "").isascii() and copy.headers.get(name)
    }


def _location(reply: Reply) -> str | None:
    """Return where a redirect leads, as written; None if the reply is not a redirect."""
    if not is_redirect(reply.status):
        return None
    written = (value.strip() for name, value in reply.headers if name.lower() == "location")
    return next(written, "") or None


def _follow(course: _Course, location: str) -> tuple[Failure, str] | None:
    """Continue at the target of a redirect; return the failure if that is not possible."""
    if (target := target_of(course.here, location)) is None:
        return "redirect-invalid", f"a redirect leads to {quoted(location, MOST_SHOWN)}"
    most, visited = redirects_followed(course.asking.dialect), {course.url, *course.redirects}
    if target not in visited and len(visited) > most:
        return "too-many-redirects", f"more than {most} redirects"
    returns = 1 + len(course.redirects) - len(visited)
    course.redirects.append(target)
    if target in visited and returns >= course.asking.returns:
        return "too-many-redirects", f"the redirects return to {quoted(target, MOST_SHOWN)}"
    return None


def _is_asked(course: _Course) -> bool:
    """Whether the caller is asked if the last redirect may be followed."""
    is_asking = course.asking.dialect.disallowed_redirect == "unavailable"
    return is_asking and is_questionable(origin(course.url), course.here)


def is_questionable(name: str, target: str) -> bool:
    """Whether rules may forbid following a redirect of an origin to this target.

    No rule forbids `/robots.txt` itself, and its own old rules never prevent fetching its new ones.
    """
    other = origin(target)
    return other != name and target.partition("?")[0] != f"{other}/robots.txt"


def target_of(base: str, location: str) -> str | None:
    """Return the URL that a `Location` leads to, ready to be sent; None if it is not a URL."""
    try:
        target = sendable(_joined(base, location))
    except ValueError:  # InvalidTarget is one, text that is not Unicode another
        return None
    return target if target.startswith(("http://", "https://")) else None


def sendable(url: str) -> str:
    """Return a URL as it is sent: raw bytes, control characters and spaces are escaped.

    A canonical origin contains none. Raises InvalidTarget; UnicodeError for half a surrogate pair.
    """
    return quote(requested_url(url), safe=_LEGAL, errors="surrogateescape")


def _joined(base: str, location: str) -> str:
    """Return a reference as a URL (RFC 3986 section 5.2.2), with its dot segments and fragment.

    A reference with an empty authority does not get that of `base`; empty segments are kept.
    """
    path = base.partition("?")[0]
    match location[:1]:
        case _ if _SCHEME.match(location):
            return location
        case _ if location.startswith("//"):
            return f"{base.partition(':')[0]}:{location}"
        case "/":
            return origin(base) + location
        case "?":
            return path + location
        case "#":
            return base
        case _:
            return f"{path.rpartition('/')[0]}/{location}"


def _finished(course: _Course, reply: Reply) -> AccessResult:
    result = _result(course, status=reply.status, headers=_fields(reply.headers))
    if not 200 <= reply.status < 300:
        return result
    limit = course.asking.body_limit
    body = file_in(
        reply.status, reply.headers, reply.body, reply.ended, limit=limit, enough=limit - SLACK
    )
    media_note = _media_note(result, body.data)
    return replace(
        result,
        failure="broken-body" if body.problem else None,
        detail=body.problem,
        body=body.data,
        truncated=body.is_cut,
        wire_bytes=len(reply.body),
        notes=tuple(filter(None, (body.note, media_note))),
    )


def _renewed(course: _Course, copy: AccessResult, reply: Reply) -> AccessResult:
    """Return the kept copy, fresh again (RFC 9111 section 4.3.4)."""
    now = course.asking.clock()
    headers = {name: value for name, value in copy.headers.items() if name != "age"}
    fields = _fields(reply.headers)
    headers.update((name, fields[name]) for name in KEPT_HEADERS if name in fields)
    return replace(
        copy,
        fetched_at=now,
        redirects=tuple(course.redirects),
        wire_bytes=0,
        elapsed=max(0.0, now - course.began),
        headers=headers,
        renewed=True,
        public=copy.public and course.public,
    )


def _failed(
    course: _Course, failure: Failure, detail: str, *, status: int | None = None
) -> AccessResult:
    return replace(_result(course, status=status, headers={}), failure=failure, detail=detail)


def _result(course: _Course, *, status: int | None, headers: dict[str, str]) -> AccessResult:
    now = course.asking.clock()
    return AccessResult(
        course.url,
        fetched_at=now,
        status=status,
        redirects=tuple(course.redirects),
        elapsed=max(0.0, now - course.began),
        headers=headers,
        public=course.public,
    )


def _fields(headers: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the fields that affect decisions, by name in lower case.

    Several fields with one name are joined by commas (RFC 9110 section 5.3).
    """
    fields: dict[str, str] = {}
    for name, value in headers:
        lower = name.lower()
        if lower in KEPT_HEADERS:
            joined = f"{fields[lower]}, {value}" if lower in fields else value
            fields[lower] = joined[:HEADER_KEPT]
    return fields


def _media_note(result: AccessResult, body: bytes) -> str:
    kind = result.media_type
    if kind and kind != "text/plain":
        return f"the media type is {quoted(kind, MOST_SHOWN)}, not `text/plain`"
    is_missing = body and not kind and not result.final_url.startswith("ftp:")
    return "no media type is given; it should be `text/plain`" if is_missing else ""
