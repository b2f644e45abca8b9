"""Times in the formats that people and programs read.

In: seconds, or seconds since the epoch. Out: `3 h`, and timestamps of RFC 3339 in UTC.
"""

import time

_UNITS = (("s", 1, 120), ("min", 60, 7_200), ("h", 3_600, 172_800))


def span(seconds: float) -> str:
    """Return a duration in the most readable unit: `60 s`, `12 min`, `24 h`, `30 d`."""
    for unit, size, end in _UNITS:
        if round(seconds) < end:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds / 86_400):,} d"


def timestamp(at: float) -> str:
    """Return a time as `2026-05-09T07:29:33Z`; empty if it is outside the calendar's range."""
    try:
        moment = time.gmtime(at)
    except (OverflowError, ValueError, OSError):
        return ""
    if not 1 <= moment.tm_year <= 9_999:
        return ""
    # `%Y` does not fill up with zeros everywhere
    return f"{moment.tm_year:04d}-{time.strftime('%m-%dT%H:%M:%SZ', moment)}"


def timestamp_if(at: float | None) -> str | None:
    """Return a time as `timestamp` does; None if it is unknown."""
    return None if at is None else timestamp(at)


def date(at: float) -> str:
    """Return the day of a time, in UTC."""
    return timestamp(at).partition("T")[0]
