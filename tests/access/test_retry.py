"""Retry times: soon at first, then rarely, and when the server says, all within bounds.

In: results that a crawler will want to see again, failures in a row. Out: seconds.
RFC 9110 section 10.2.3 gives both forms of `Retry-After`.
"""

from email.utils import formatdate
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from access.results import NOW, URL, answered
from access.test_freshness import texts
from programs import printed
from verger.access.result import AccessResult
from verger.access.retry import retry_after

LEAST, FIRST, LONGEST_TEMPORARY, LONGEST, MOST = 10, 60, 3_600, 4 * 3_600, 86_400
FAILED = AccessResult(URL, NOW, failure="timeout")


def asked(field: str, *, failures: int = 1, status: int = 503) -> float:
    """Return the wait after a response with this `Retry-After`."""
    return retry_after(answered({"retry-after": field}, status=status), failures=failures)


def date(offset: float) -> str:
    return formatdate(NOW + offset, usegmt=True)


def test_waits_double() -> None:
    """A minute, two, four, and so on, until four hours."""
    waits = [retry_after(FAILED, failures=failures) for failures in range(1, 12)]

    assert [FIRST * 2**doublings for doublings in range(8)] + [LONGEST] * 3 == waits


def test_waits_after_503_end_at_an_hour() -> None:
    """A server that calls its error temporary is asked more often than others."""
    waits = [asked("", failures=failures) for failures in range(1, 12)]

    assert [FIRST * 2**doublings for doublings in range(6)] + [LONGEST_TEMPORARY] * 5 == waits


@pytest.mark.parametrize("status", [429, 500, 502, 504, 600])
def test_every_other_status_waits_alike(status: int) -> None:
    """A response that says nothing of it waits as a failure does."""
    assert [retry_after(FAILED, failures=failures) for failures in (1, 5, 50)] == [
        retry_after(answered({}, status=status), failures=failures) for failures in (1, 5, 50)
    ]


@pytest.mark.parametrize("failures", [-(10**9), -1, 0])
def test_fewer_than_one_failure_is_one(failures: int) -> None:
    """A count that cannot be is the least that can."""
    assert retry_after(FAILED, failures=failures) == FIRST


@pytest.mark.parametrize("failures", [17, 1_024, 10**6, 10**30])
def test_any_number_of_failures_has_a_wait(failures: int) -> None:
    """No number overflows."""
    assert retry_after(FAILED, failures=failures) == LONGEST


@given(st.integers(1, 100))
def test_waits_grow(failures: int) -> None:
    """No wait is shorter than the one before."""
    waits = [retry_after(FAILED, failures=count) for count in (failures, failures + 1)]

    assert all(before <= after for before, after in pairwise(waits))


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("failures", [1, 3, 100])
@pytest.mark.parametrize("field", ["120", " 120 ", "00120", date(120)])
def test_retry_after(field: str, failures: int, status: int) -> None:
    """What the server asks for, in seconds or as a date, whatever failed before."""
    assert asked(field, failures=failures, status=status) == 120


@pytest.mark.parametrize("field", ["0", "1", date(0), date(-1), date(-(10**8))])
def test_asked_for_too_little(field: str) -> None:
    """Nobody is asked again at once."""
    assert asked(field) == LEAST


@pytest.mark.parametrize("field", ["86401", "99999999999", "9" * 5_000, date(10**8)])
def test_asked_for_too_much(field: str) -> None:
    """After a day a file is asked for again, whatever was said."""
    assert asked(field) == MOST


@pytest.mark.parametrize(
    "field",
    [
        *("", " ", "-1", "+60", "60.5", "60s", "1e3", "0x10", "soon", "60, 60", "\u0666\u0660"),
        *("Sun, 32 Mar 2026 12:00:00 GMT", "Sun, 01 Mar 99999 12:00:00 GMT", "\udcff"),
    ],
)
@pytest.mark.parametrize("failures", [1, 2])
def test_no_time_at_all(field: str, failures: int) -> None:
    """What is neither seconds nor a date says nothing."""
    assert FIRST * failures == asked(field, failures=failures)


@pytest.mark.parametrize(
    "field",
    [
        "Sun, 01 Mar 2026 12:05:00 GMT",
        "Sunday, 01-Mar-26 12:05:00 GMT",
        "Sun Mar  1 12:05:00 2026",
    ],
)
def test_three_forms_of_a_date(field: str) -> None:
    """RFC 9110 section 5.6.7."""
    assert asked(field) == 300


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_local_zone_changes_nothing(zone: str) -> None:
    """A date without a zone is GMT on every machine."""
    program = "from access.test_retry import asked\nprint(asked('Sun Mar  1 12:05:00 2026'))\n"

    assert float(printed(program, TZ=zone)) == 300


@given(texts, st.integers())
def test_any_text_has_a_wait(field: str, failures: int) -> None:
    """Nothing raises, and every wait lies within the bounds."""
    assert LEAST <= asked(field, failures=failures) <= MOST
