"""HTTP dates, and the logger that reppy's users configure."""

import logging

from verger.access.freshness import http_date

logger = logging.getLogger("reppy")


def parse_date(string: str) -> float:
    """Return an HTTP date as seconds since the epoch. Raises ValueError."""
    if (found := http_date(string)) is None:
        raise ValueError("Invalid time.")
    return found
