"""How long tests wait. No test is here.

In: what a test waits for. Out: seconds. A busy machine may hold any process up for many seconds, so
tests wait long for whatever is to come, and briefly only where nothing ever will: there a time-out
is what the test is about, and the machine cannot change it.
"""

import time
from collections.abc import Callable

from verger.fetching.limits import FetchLimits

LONG = 300.0
"""Seconds after which what a test waits for will not come: far more than any of it needs."""
BRIEF = 0.5
"""Seconds in which nothing comes, where nothing ever will."""
SILENT = ("a hang", "time-out")
"""The faults of a site that says nothing."""


def patience(fault: str) -> float:
    """Return the seconds after which a caller gives up."""
    return BRIEF if fault in SILENT else LONG


def limits(fault: str) -> FetchLimits:
    """Return the same for a client of verger."""
    return FetchLimits(total=2 * LONG, idle=patience(fault))


PATIENT = limits("")
"""Those of a client where the site answers."""


def until(is_so: Callable[[], object]) -> None:
    """Wait for something that comes about by itself."""
    ends = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < ends, "it did not come about"
        time.sleep(0.005)
