"""Snapshots: which captures belong together in time.

In: the times of captures, and a unit. Out: a `Calendar`, which gives each capture the number of its
snapshot. By default, a snapshot is a run of days with captures, which ends before more than three
days without any; if a run is longer than a month, months of the calendar are snapshots. Times at
which no robots.txt file can have been fetched count as unknown.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow as pa

By = Literal["auto", "day", "month", "year"]

EPOCH = date(1970, 1, 1)
FIRST = (date(1994, 1, 1) - EPOCH).days
LAST = (date(2200, 1, 1) - EPOCH).days
"""The days that count; the protocol dates from 1994."""

GAP = 3
"""The most days without captures within a run."""

LONGEST_RUN = 31
"""The most days from the first to the last of a run."""


@dataclass(frozen=True, slots=True)
class CapturePeriod:
    """A span of days, both inclusive; None for captures without a time."""

    first: date | None
    last: date | None
    by: By = "auto"

    @property
    def label(self) -> str:
        """The span in words."""
        is_run = self.by == "auto" and self.first != self.last
        return f"{self.start} to {self.last}" if is_run else self.start

    @property
    def start(self) -> str:
        """Its first day, or its month or year."""
        if self.first is None:
            return "no time known"
        lengths = {"year": 4, "month": 7}
        return self.first.isoformat()[: lengths.get(self.by)]


class Calendar:
    """The snapshots in order of time, and the days of each."""

    def __init__(self, days: Iterable[int], by: By = "auto") -> None:
        import pyarrow as pa

        known = sorted({day for day in days if FIRST <= day < LAST})
        runs, named = _runs(known, by)
        self.snapshots = tuple(
            CapturePeriod(_date(run[0]), _date(run[-1]), named) for run in runs
        ) or (CapturePeriod(None, None),)
        self._is_timeless = not runs
        self._days = pa.array(known, pa.int32())
        numbers = [number for number, run in enumerate(runs) for _ in run]
        self._numbers = pa.array(numbers, pa.int32())

    def of(self, times: "pa.Array") -> "pa.Array":
        """Return the number of each time's snapshot; null for times in none.

        If no capture has a time, all are in one snapshot.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._is_timeless:
            return pa.repeat(pa.scalar(0, pa.int32()), len(times))
        return pc.take(self._numbers, pc.index_in(days_of(times), self._days))


def days_of(times: "pa.Array") -> "pa.Array":
    """Return the days since 1970 of times."""
    import pyarrow as pa

    # in seconds, which have room for every time of every unit
    seconds = times.cast(pa.timestamp("s"), safe=False)
    return seconds.cast(pa.date32(), safe=False).cast(pa.int32())


def count_days(times: "pa.Array", days: "Counter[int]") -> None:
    """Count the days of known times."""
    import pyarrow.compute as pc

    for each in pc.value_counts(days_of(times).drop_null()).to_pylist():
        if FIRST <= each["values"] < LAST:
            days[each["values"]] += each["counts"]


def _runs(days: list[int], by: By) -> tuple[list[list[int]], By]:
    """Return the days of each snapshot, and the unit of snapshots."""
    if by == "auto":
        runs = _without_gaps(days)
        if all(run[-1] - run[0] < LONGEST_RUN for run in runs):
            return runs, "auto"
        by = "month"
    if by == "day":
        return [[day] for day in days], by
    together: dict[object, list[int]] = {}
    for day in days:
        at = _date(day)
        together.setdefault((at.year, at.month if by == "month" else 0), []).append(day)
    return list(together.values()), by


def _without_gaps(days: list[int]) -> list[list[int]]:
    runs = [days[:1]] if days else []
    for before, day in pairwise(days):
        if day - before > GAP + 1:
            runs.append([])
        runs[-1].append(day)
    return runs


def _date(day: int) -> date:
    return EPOCH + timedelta(days=day)
