"""Snapshots: which captures belong together in time.

In: the days of captures, and a unit. Out: the snapshots, and the days of each. By default, a
snapshot is a run of days with captures, which ends before more than three days without any; if a
run is longer than a month, months of the calendar are snapshots. Times at which no robots.txt file
can have been fetched count as unknown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby, pairwise
from typing import Literal

By = Literal["auto", "day", "month", "year"]

EPOCH = date(1970, 1, 1)
FIRST = (date(1994, 1, 1) - EPOCH).days
LAST = (date(2200, 1, 1) - EPOCH).days
"""The days that count, without the last; the protocol dates from 1994."""

GAP = 3
"""The most days without captures within a run."""

LONGEST_RUN = 31
"""The most days from the first to the last of a run."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A span of days, both inclusive, and how many sites were captured in it."""

    first: date | None
    """None for captures without a time."""
    last: date | None
    by: By = "auto"
    sites: int = 0
    files: int = 0
    """How many of the sites had a file to read."""

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


def snapshots_of(days: Sequence[int], by: By) -> list[tuple[Snapshot, list[int | None]]]:
    """Return the snapshots in order of time, with the days of each, since 1970.

    days:  those with captures, in order; without any, all captures are in one snapshot.
    """
    if not days:
        return [(Snapshot(None, None), [None])]
    dates = [EPOCH + timedelta(days=day) for day in days]
    runs, unit = _runs(dates, by)
    return [(Snapshot(run[0], run[-1], unit), [(day - EPOCH).days for day in run]) for run in runs]


def _runs(days: list[date], by: By) -> tuple[list[list[date]], By]:
    """Return the days of each snapshot, and the unit of snapshots."""
    if by == "auto":
        runs = _without_gaps(days)
        if all((run[-1] - run[0]).days < LONGEST_RUN for run in runs):
            return runs, "auto"
        by = "month"
    length = {"day": 10, "month": 7, "year": 4}[by]
    return [list(run) for _, run in groupby(days, lambda day: day.isoformat()[:length])], by


def _without_gaps(days: list[date]) -> list[list[date]]:
    runs = [days[:1]]
    for before, day in pairwise(days):
        if (day - before).days > GAP + 1:
            runs.append([])
        runs[-1].append(day)
    return runs
