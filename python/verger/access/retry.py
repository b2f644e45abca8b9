"""Retry times: when to request a file again that was unreachable.

In: an access result and the number of consecutive failures. Out: seconds. They double from one
minute, so that a server that recovers is noticed soon and one that stays down gets few requests: to
four hours, or to one after a 503, which says that the server will be back (RFC 9110 section 15.6.4;
Google, How Google interprets the robots.txt specification, also asks again most often then).
`Retry-After` (RFC 9110 section 10.2.3) may set more, up to a day, or less, down to ten seconds.
"""

from verger.access.freshness import http_date
from verger.access.result import AccessResult

FIRST = 60.0
LONGEST = 4 * 3_600.0
LONGEST_TEMPORARY = 3_600.0
ASKED_LEAST = 10.0
ASKED_MOST = 86_400.0


def retry_after(result: AccessResult, *, failures: int) -> float:
    """Return the seconds after `result.fetched_at` before the file is requested again.

    failures:  the number of consecutive failed attempts, including this one; at least 1.
    """
    asked = _requested_seconds(result)
    if asked is not None:
        return min(max(asked, ASKED_LEAST), ASKED_MOST)
    doublings = min(max(failures, 1) - 1, 16)
    return min(FIRST * 2.0**doublings, LONGEST_TEMPORARY if result.status == 503 else LONGEST)


def _requested_seconds(result: AccessResult) -> float | None:
    text = result.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    date = http_date(text) if text else None
    return None if date is None else date - result.fetched_at
