"""Retry times: when to ask again for a file that was unreachable.

In: an access result and how many failed before it in a row. Out: seconds. Doubling from one
minute, so that a server that comes back is noticed soon and one that is down is left in peace;
`Retry-After` (RFC 9110 section 10.2.3) may ask for more, within a day, or for less, within bounds.
"""

from verger.access.freshness import http_date
from verger.access.result import AccessResult

FIRST = 60.0
LONGEST = 4 * 3_600.0
ASKED_LEAST = 10.0
ASKED_MOST = 86_400.0


def retry_after(result: AccessResult, *, failures: int) -> float:
    """Return the seconds after `result.fetched_at` before the file is asked for again.

    failures:  how many attempts in a row have failed, this one included; at least 1.
    """
    asked = _asked_for(result)
    if asked is not None:
        return min(max(asked, ASKED_LEAST), ASKED_MOST)
    doublings = min(max(failures, 1) - 1, 16)
    return min(FIRST * 2.0**doublings, LONGEST)


def _asked_for(result: AccessResult) -> float | None:
    text = result.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    date = http_date(text) if text else None
    return None if date is None else date - result.fetched_at
