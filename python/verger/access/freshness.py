"""Freshness: for how long an access result may be used without asking again.

In: an access result and a dialect. Out: seconds. RFC 9309 section 2.4, which refers to RFC 9111;
of that, the lifetime a response states (section 4.2.1) and the age it has on arrival (4.2.3), for
a cache that serves one crawler and so skips `s-maxage`. Any header text has an answer.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_tz

from verger._core import Dialect
from verger.access.result import AccessResult

# Possessive throughout, so that no text is tried twice.
_DIRECTIVE = re.compile(
    r'\s*+([^\s=,";]++)\s*+(?:=\s*+(?:"((?:[^"\\]|\\.)*+)"|([^,"]*+)))?+\s*+(?:,|$)'
)
_QUOTED_PAIR = re.compile(r"\\(.)")
# RFC 9111 section 1.2.2: what is too large to hold counts as 2**31 seconds.
MOST_SECONDS = 2**31
_NAMES = {
    "all": ("Cache-Control", "Expires"),
    "cache-control": ("Cache-Control",),
    "max-age": ("Cache-Control: max-age",),
}


def lifetime(result: AccessResult, dialect: Dialect) -> float:
    """Return the seconds after `result.fetched_at` for which a result is fresh.

    What the response states, less its age, within the dialect's bounds; else the dialect's default.
    """
    stated = _stated_lifetime(result, honoured(dialect))
    seconds = dialect.default_lifetime if stated is None else stated
    remaining = max(0.0, seconds - _age_on_arrival(result.headers))
    most = dialect.max_lifetime
    return remaining if most is None else min(remaining, most)


def honoured(dialect: Dialect) -> tuple[str, ...]:
    """Return the header fields that change how long a file is fresh in a dialect."""
    return _NAMES[dialect.cache_headers]


def stale_when_unreachable(dialect: Dialect) -> int | None:
    """Return for how many seconds the last good copy stands in for an unreachable file.

    Google's documents of 2023 know no such use within their 30 days.
    """
    return None if has_ladder(dialect, of="2023") else dialect.stale_when_unreachable


def has_ladder(dialect: Dialect, *, of: str | None = None) -> bool:
    """Whether a dialect judges an unreachable file by Google's steps, or by those of a year."""
    ladder = dialect.google_ladder
    return ladder == of if of else ladder != "none"


def cache_directives(text: str) -> dict[str, str]:
    """Return the directives of a `Cache-Control` field, the first of each name, in lower case.

    Values lose their quotes; what is not a directive is skipped (RFC 9111 section 5.2).
    """
    directives: dict[str, str] = {}
    position = 0
    while position < len(text):
        found = _DIRECTIVE.match(text, position)
        if not found:
            position = _behind_next_comma(text, position)
            continue
        name, quoted, plain = found.groups()
        value = (plain or "").strip() if quoted is None else _QUOTED_PAIR.sub(r"\1", quoted)
        directives.setdefault(name.lower(), value)
        position = found.end()
    return directives


def http_date(text: str) -> float | None:
    """Return an HTTP date as seconds since the epoch; None for what is none (RFC 9110 5.6.7).

    All three forms are read; their zone is GMT, which the oldest form does not name.
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
        # RFC 9111 section 4.2.1: what states no number is stale.
        return _seconds(directives["max-age"]) or 0.0
    if "Expires" in fields and "expires" in headers:
        expires = http_date(headers["expires"])
        since = http_date(headers.get("date", ""))
        begin = result.fetched_at if since is None else since
        return 0.0 if expires is None else max(0.0, expires - begin)
    return None


def _age_on_arrival(headers: dict[str, str]) -> float:
    return _seconds(headers.get("age", "").partition(",")[0].strip()) or 0.0


def _seconds(text: str) -> float | None:
    """Return delta-seconds (RFC 9111 section 1.2.2); None for what is not a number."""
    if not (text.isascii() and text.isdigit()):
        return None
    return float(MOST_SECONDS) if len(text) > 10 else float(min(int(text), MOST_SECONDS))


def _behind_next_comma(text: str, position: int) -> int:
    comma = text.find(",", position)
    return len(text) if comma < 0 else comma + 1
