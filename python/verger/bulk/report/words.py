"""How a report writes numbers.

In: numbers. Out: text for people.
"""

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verger.bulk.report.summary import SizeBin

ANYBODY = "* (any other)"
"""The name of crawlers that no group names, on the page."""

UNITS = ("", " Ki", " Mi", " Gi", " Ti", " Pi", " Ei")


def share(number: int, total: int) -> str:
    """Return a share in per cent; only nothing is `0.0%`, and only everything is `100.0%`."""
    if not total:
        return "-"
    text = f"{number / total:.1%}"
    if number and text == "0.0%":
        return "< 0.1%"
    return "> 99.9%" if number < total and text == "100.0%" else text


def with_unit(number: int) -> str:
    """Return a power of two, or a count of up to three digits, with its unit."""
    unit = 0
    while number >= 1024 and unit < len(UNITS) - 1:
        number, unit = number >> 10, unit + 1
    return f"{number}{UNITS[unit]}"


def much(number: int) -> str:
    """Return bytes for people, with two or three digits."""
    size = float(number)
    for unit in UNITS:
        if size < 1000 or unit == UNITS[-1]:
            digits = 0 if not unit or size >= 10 else 1
            return f"{size:,.{digits}f}{unit or ' '}B"
        size /= 1024
    return ""


def size_of(bin_: "SizeBin") -> str:
    """Return the sizes in a bin."""
    if not bin_.least:
        return "0"
    return f"{with_unit(bin_.least)} to below {with_unit(bin_.less)}"


def status_class(status: int | None) -> str:
    """Return the class of a status (RFC 9110 section 15).

    Without one there was no answer, or a file whose status is unknown: the kind of access says
    which.
    """
    if status is None:
        return "no status"
    return f"{status // 100}xx" if 100 <= status < 600 else "other"


def when(time: datetime | None) -> str:
    """Return a time to the minute, in UTC."""
    return f"{time:%Y-%m-%d %H:%M} UTC" if time else "unknown"
