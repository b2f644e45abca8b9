"""Freshness: how long an access result may be used without a new request.

In: an access result and a dialect. Out: seconds. RFC 9309 section 2.4, which refers to RFC 9111;
this implements the stated lifetime of a response (section 4.2.1) and its age on arrival (4.2.3),
for a cache that serves one crawler and so ignores `s-maxage`. Accepts any header text.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_tz

from verger._core import _CLOCKS_APART, Dialect
from verger.access.result import AccessResult

# A directive, or what else is before the next comma. Possessive throughout, so that the pattern
# never backtracks.
_DIRECTIVE = re.compile(
    r'\s*+([^\s=,";]++)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^,"]*+)))?+\s*+(?:,|$)'
    r"|[^,]*+(?:,|$)"
)
_QUOTED_PAIR = re.compile(r"\\(.)")
# RFC 9111 section 1.2.2: larger values count as 2**31 seconds.
MOST_SECONDS = 2**31
# A file that was missing once would otherwise leave a site open for a lifetime: `max-age` and
# `Expires` may lie as far ahead as a server likes.
YEAR = 365 * 86_400
_NAMES = {
    "all": ("Cache-Control", "Expires"),
    "cache-control": ("Cache-Control",),
    "max-age": ("Cache-Control: max-age",),
}


def lifetime(result: AccessResult, dialect: Dialect) -> float:
    """Return the seconds after `result.fetched_at` for which a result is fresh.

    The lifetime that the response states, or the dialect's default, minus the response's age and
    limited to the dialect's maximum; to a year if it has none.
    """
    stated = _stated_lifetime(result, honoured(dialect))
    seconds = dialect.default_lifetime if stated is None else stated
    age_on_arrival = _seconds(result.headers.get("age", "").partition(",")[0].strip()) or 0.0
    most = YEAR if dialect.max_lifetime is None else dialect.max_lifetime
    return min(max(0.0, seconds - age_on_arrival), most)


def is_fresh(result: AccessResult, until: float, now: float) -> bool:
    """Whether a result may be used at a time, without a new request, until another.

    One from the future was dated by a clock that was wrong, and might be fresh for years; the
    clocks of machines that share a store may be a little apart.
    """
    return now < until and result.fetched_at <= now + _CLOCKS_APART


def honoured(dialect: Dialect) -> tuple[str, ...]:
    """Return the header fields that affect how long a file is fresh in a dialect."""
    return _NAMES[dialect.cache_headers]


def stale_when_unreachable(dialect: Dialect) -> int | None:
    """Return how many seconds the last good copy is used instead of an unreachable file.

    Google's documents of 2023 allow no such use within their 30 days.
    """
    return None if has_ladder(dialect, of="2023") else dialect.stale_when_unreachable


def has_ladder(dialect: Dialect, *, of: str | None = None) -> bool:
    """Whether a dialect judges an unreachable file by Google's steps, or by those of one year."""
    ladder = dialect.google_unreachable
    return ladder == of if of else ladder != "none"


def cache_directives(text: str) -> dict[str, str]:
    """Return the directives of a `Cache-Control` field by name in lower case, the first of each.

    Values lose their quotes; invalid directives are skipped (RFC 9111 section 5.2).
    """
    directives: dict[str, str] = {}
    for name, quoted, plain in _DIRECTIVE.findall(text):
        if name:
            value = _QUOTED_PAIR.sub(r"\1", quoted) or plain.strip()
            directives.setdefault(name.lower(), value)
    return directives


def http_date(text: str) -> float | None:
    """Return an HTTP date as seconds since the epoch; None if it is invalid (RFC 9110 5.6.7).

    All three forms are read; their zone is GMT, which the oldest form omits.
    """
    parts = parsedate_tz(text) if text.isascii() else None
    if parts is None or parts[9]:
        return None
    try:
        return datetime(*parts[:6], tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _stated_lifetime(result: AccessResult, fields: tuple[str, ...]) -> float | None:
    headers = result.headers
    directives = cache_directives(headers.get("cache-control", ""))
    if "Cache-Control" in fields and not directives.keys().isdisjoint(("no-store", "no-cache")):
        return 0.0
    if "max-age" in directives:
        # RFC 9111 section 4.2.1: an invalid number means stale.
        return _seconds(directives["max-age"]) or 0.0
    if "Expires" in fields and "expires" in headers:
        expires = http_date(headers["expires"])
        since = http_date(headers.get("date", ""))
        begin = result.fetched_at if since is None else since
        return 0.0 if expires is None else max(0.0, expires - begin)
    return None


def _seconds(text: str) -> float | None:
    """Return delta-seconds (RFC 9111 section 1.2.2); None if the text is not a number."""
    return min(float(text), MOST_SECONDS) if text.isascii() and text.isdigit() else None
