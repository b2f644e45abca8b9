"""The report of a scan: what was read, and what was skipped."""

from collections import Counter
from dataclasses import dataclass, field

MOST_SHOWN = 1_000
"""The most places that are listed; more are only counted."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A place in an input that could not be read.

    file:    the path of the input.
    offset:  the byte in an archive, or the line in JSON Lines and CSV; None for a whole file.
    why:     the reason, in words.
    count:   how many rows of a table that name no site; otherwise 1.
    """

    file: str
    offset: int | None
    why: str
    count: int = 1

    def __str__(self) -> str:
        place = "" if self.offset is None else f" {self.offset}:"
        return f"{self.file}:{place} {self.why}"


@dataclass(slots=True)
class ScanReport:
    """The counts of all inputs together.

    captures:  rows of the result.
    records:   rows of the table of records.
    access:    captures by kind of access; None if the URL has no robots.txt.
    skips:     the first places where something was skipped.
    skipped:   how many such places there are; a row of a table that names no site is one.
    revisits:  records of a body that was seen before, without the body.
    others:    responses for URLs other than `/robots.txt`.
    cut:       huge bodies, of which the end was not read.
    recalled:  bodies that repeat an earlier one, which were not read again.
    seconds:   how long the scan took.
    """

    captures: int = 0
    records: int = 0
    access: Counter[str | None] = field(default_factory=Counter)
    skips: list[Skip] = field(default_factory=list)
    skipped: int = 0
    revisits: int = 0
    others: int = 0
    cut: int = 0
    recalled: int = 0
    seconds: float = 0.0

    def skip(self, file: str, offset: int | None, why: str, count: int = 1) -> None:
        """Note that something was skipped."""
        self.skipped += count
        if len(self.skips) < MOST_SHOWN:
            self.skips.append(Skip(file, offset, why, count))
