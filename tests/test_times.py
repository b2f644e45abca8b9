"""Times for people and programs: RFC 3339, or nothing."""

from datetime import datetime

import pytest

from verger.access.times import date, timestamp
from verger.options import time_of


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (0.0, "1970-01-01T00:00:00Z"),
        (-62_135_596_800.0, "0001-01-01T00:00:00Z"),
        (253_402_300_799.0, "9999-12-31T23:59:59Z"),
        (-6e10, "0068-09-03T13:20:00Z"),
        (-62_135_596_801.0, ""),
        (-1e11, ""),
        (253_402_300_800.0, ""),
        (float("inf"), ""),
        (float("nan"), ""),
    ],
)
def test_timestamps_have_four_digits_of_a_year(at: float, written: str) -> None:
    """Years outside 1 to 9999 have no timestamp (RFC 3339 section 5.6)."""
    assert written == timestamp(at)
    assert written[:10] == date(at)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-05", "2026-01-05T00:00:00+00:00"),
        ("2026-01-05T10:30:00", "2026-01-05T10:30:00+00:00"),
        ("2026-01-05T10:30:00Z", "2026-01-05T10:30:00+00:00"),
        ("2026-01-05t10:30:00.5z", "2026-01-05T10:30:00.500000+00:00"),
        ("2026-01-05 10:30:00+01:00", "2026-01-05T10:30:00+01:00"),
    ],
)
def test_times_that_are_read(text: str, moment: str) -> None:
    """`t` and `z` may be in lower case (RFC 3339 section 5.6); without a zone it is UTC."""
    assert datetime.fromisoformat(moment) == time_of(text)


@pytest.mark.parametrize("text", ["", "z", "noon", "2026", "2026-01-05z", "2026-02-30"])
def test_times_that_are_none(text: str) -> None:
    """They are told from times."""
    with pytest.raises(ValueError, match=r"iso|day"):
        time_of(text)
