"""For how long a file has been unreachable: counted by one function, and told by a reference.

In: times of failures, by clocks that are right and that are wrong. Out: seconds. They are those of
the reference where rows are in order of time, and never more where clocks are set.
"""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from access.results import NOW, URL
from reference.access import DAY, WEEK, period
from verger import DIALECTS
from verger.access.entry import Entry, entry_after, policy_of, uncounted
from verger.access.observation import Observation, entry_observed
from verger.access.result import AccessResult
from verger.options import DialectName

ORIGIN = "https://example.com"

wrong = st.sampled_from([0, 1, 946_684_799, 946_684_800, 2_500_000_000, 4_102_444_800])
right = st.integers(int(NOW) - 400 * DAY, int(NOW))
times = st.lists(st.none() | right | wrong, min_size=1, max_size=12)


def failing(moments: list[int]) -> Entry:
    """Return what a client knows after failures at these times of its own clock."""
    first, *others = (AccessResult(URL, moment, status=503) for moment in moments)
    entry = entry_after(None, ORIGIN, first)
    for result in others:
        entry = entry_after(entry, ORIGIN, result)
    return entry


@given(times)
def test_rows_in_order_of_time(moments: list[int | None]) -> None:
    """What a table says of failures is what the reference says of them."""
    ordered = sorted(moments, key=lambda moment: (moment is not None, moment or 0))
    entry = entry_observed(ORIGIN, [Observation(time, 503) for time in moments], now=NOW)

    assert period(ordered, NOW) == entry.unreachable_for


@given(st.lists(st.integers(0, 20 * DAY), max_size=12))
def test_a_clock_that_is_right(waits: list[int]) -> None:
    """A client that meets failure after failure counts the same."""
    moments = [int(NOW) + sum(waits[:number]) for number in range(len(waits) + 1)]

    assert period(moments, moments[-1]) == failing(moments).unreachable_for


@given(st.lists(right | wrong | st.integers(int(NOW) - 600, int(NOW)), min_size=1, max_size=12))
def test_clocks_that_are_set(moments: list[int]) -> None:
    """However clocks are set, nothing is counted that was not seen, but for what two clocks may be
    apart; and nothing of less than no time."""
    counted = failing(moments).unreachable_for
    seen = period(moments, moments[-1])

    assert 0 <= counted <= seen + (300 * len(moments) if seen else 0)


@given(right | wrong, right | wrong)
def test_what_was_not_counted(since: int, last: int) -> None:
    """Of two failures that an earlier version kept, no more counts than was seen."""
    assert 0 <= uncounted(since, last) <= min(WEEK, max(0, period([since, last], last)))


ANSWERS = (
    {"status": 206},
    {"status": 200, "failure": "broken-body"},
    {"status": 302, "failure": "redirect-refused"},
    {"status": 302, "failure": "redirect-invalid"},
    {"failure": "refused", "unasked": True},
)
"""Failures that are no server or network error: a server answered, or was not asked."""


def after(weeks: int, fact: dict[str, Any], before: Entry | None = None) -> Entry:
    """Return what is known after so many weeks of one fact."""
    for week in range(weeks):
        result = AccessResult(URL, NOW + (week + 10) * WEEK, **fact)
        before = entry_after(before, ORIGIN, result)
    assert before is not None
    return before


@pytest.mark.parametrize("fact", ANSWERS)
@pytest.mark.parametrize("dialect", ["rfc9309", "koster-rep-00", "bing", "original-1994"])
def test_answers_of_no_use_are_no_period(fact: dict[str, Any], dialect: DialectName) -> None:
    """However long they last, and whatever error follows them: of the site only these are known."""
    knobs = DIALECTS[dialect]
    entry = after(60, fact)

    assert policy_of(entry, knobs).effect in ("disallow_all", "defer")

    down = AccessResult(URL, NOW + 71 * WEEK, status=503)
    entry = entry_after(entry, ORIGIN, down)

    assert entry.unreachable_for == 0
    assert policy_of(entry, knobs).effect in ("disallow_all", "defer")


def test_a_redirect_that_is_not_followed_opens_no_step_of_googles() -> None:
    """A body that breaks off is a server error to Google; an address that is not asked is none."""
    for fact in ANSWERS[2:]:
        assert policy_of(after(60, fact), DIALECTS["google"]).effect == "disallow_all"
