"""The report of a scan: what was read, and what had to be left out."""

from collections import Counter
from dataclasses import dataclass, field

MOST_SHOWN = 1_000
"""Places that are remembered; more are counted."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A place of an input where something could not be read."""

    file: str
    offset: int | None
    """The byte of an archive, the line of JSON Lines and CSV; None for a whole file."""
    why: str

    def __str__(self) -> str:
        place = "" if self.offset is None else f" {self.offset}:"
        return f"{self.file}:{place} {self.why}"


@dataclass(slots=True)
class Report:
    """What became of all inputs together."""

    captures: int = 0
    """Rows of the result."""
    records: int = 0
    """Rows of the table of records."""
    access: Counter[str | None] = field(default_factory=Counter)
    """Captures by kind of access; None for those whose URL has no robots.txt."""
    skips: list[Skip] = field(default_factory=list)
    """The first places where something was skipped."""
    skipped: int = 0
    """How many places there are in all."""
    revisits: int = 0
    """Records that say that an earlier body was seen again, and do not repeat it."""
    others: int = 0
    """Responses of other URLs than `/robots.txt`."""
    cut: int = 0
    """Huge bodies, whose end was left out."""
    recalled: int = 0
    """Bodies that were told from an equal one."""
    seconds: float = 0.0

    def skip(self, file: str, offset: int | None, why: str) -> None:
        """Note that something was skipped."""
        self.skipped += 1
        if len(self.skips) < MOST_SHOWN:
            self.skips.append(Skip(file, offset, why))
