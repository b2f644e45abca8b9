"""The report of a scan: what was read, and what was skipped."""

from collections import Counter
from dataclasses import dataclass, field

MOST_SHOWN = 1_000
"""The most places that are listed; more are only counted."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A place in an input that could not be read."""

    file: str
    offset: int | None
    """The byte in an archive, or the line in JSON Lines and CSV; None for a whole file."""
    why: str

    def __str__(self) -> str:
        place = "" if self.offset is None else f" {self.offset}:"
        return f"{self.file}:{place} {self.why}"


@dataclass(slots=True)
class ScanReport:
    """The counts of all inputs together."""

    captures: int = 0
    """Rows of the result."""
    records: int = 0
    """Rows of the table of records."""
    access: Counter[str | None] = field(default_factory=Counter)
    """Captures by kind of access; None if the URL has no robots.txt."""
    skips: list[Skip] = field(default_factory=list)
    """The first places where something was skipped."""
    skipped: int = 0
    """How many such places there are."""
    revisits: int = 0
    """Records of a body that was seen before, without the body."""
    others: int = 0
    """Responses for other URLs than `/robots.txt`."""
    cut: int = 0
    """Huge bodies, of which the end was not read."""
    recalled: int = 0
    """Bodies that repeat an earlier one, which were not read again."""
    seconds: float = 0.0

    def skip(self, file: str, offset: int | None, why: str) -> None:
        """Note that something was skipped."""
        self.skipped += 1
        if len(self.skips) < MOST_SHOWN:
            self.skips.append(Skip(file, offset, why))
