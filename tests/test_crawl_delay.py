"""A crawl delay is a number that programs can use as it is: sleep it, write it, multiply it.

In: files with delays. Out: floats, and texts as a file could write them.
"""

import json
import pickle
import time

import pytest

import verger
from verger._core import _record_text

WRITTEN = {
    "0": (0.0, "0"),
    "10": (10.0, "10"),
    "1.5": (1.5, "1.5"),
    "007.50": (7.5, "7.5"),
    "0.00001": (0.00001, "0.00001"),
    "999999999": (999_999_999.0, "999999999"),
    "999999999.125": (999_999_999.125, "999999999.125"),
}
"""The delay for each spelling, and how a difference shows it."""


def delay_of(written: str) -> float | None:
    return verger.parse(f"User-agent: *\nCrawl-delay: {written}\n").agent("ExampleBot").crawl_delay


@pytest.mark.parametrize("written", WRITTEN)
def test_a_delay_is_a_float(written: str) -> None:
    """Of the agent and of the record, exact to nine digits before the point."""
    delay, shown = WRITTEN[written]
    (record,) = verger.parse(f"User-agent: *\nCrawl-delay: {written}\n").records

    assert (float, delay) == (type(delay_of(written)), delay_of(written))
    assert (float, delay) == (type(record.value), record.value)
    assert shown == _record_text(delay)
    assert delay == pickle.loads(pickle.dumps(delay_of(written)))


def test_programs_use_a_delay_as_it_is() -> None:
    """What raised with a decimal, and only on sites that set one."""
    delay = delay_of("0.01")

    assert delay is not None
    time.sleep(delay)
    assert "0.01" == json.dumps(delay)
    assert 0.015 == pytest.approx(delay * 1.5)


def test_a_delay_that_is_none() -> None:
    """Nine digits before the point are the most, and a number has no sign and no exponent."""
    assert [None] * 4 == [delay_of(written) for written in ("1234567890", "-1", "1e3", "inf")]
