"""Times for people and programs: RFC 3339, or nothing."""

import pytest

from verger.answers.times import date, timestamp


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
