"""The totals of a run.

In: the counts of finished blocks, of this run and of those that it resumes. Out: the number of rows
of each kind. Memory grows with the number of reasons, not of origins.
"""

from collections import Counter
from typing import Literal, TypeAlias

from verger.access.policy import UNREACHABLE
from verger.bulk.filter.blocks import Block
from verger.bulk.filter.rulings import Kind
from verger.plain import counted

Heading: TypeAlias = Literal["allowed", "disallowed", "unreachable", "unanswered"]
HEADINGS: tuple[Heading, ...] = ("allowed", "disallowed", "unreachable", "unanswered")


def heading_of(kind: Kind) -> Heading:
    """Return the heading of a kind of rows in the summary."""
    allowed, why = kind
    if allowed is None:
        return "unanswered"
    if allowed:
        return "allowed"
    return "unreachable" if why.partition(" ")[0] in UNREACHABLE else "disallowed"


class Tally:
    """Counts of rows. Blocks of an earlier run are counted separately: by another thread."""

    def __init__(self) -> None:
        self._decided: Counter[Kind] = Counter()
        self._taken_over: Counter[Kind] = Counter()

    def __repr__(self) -> str:
        rows = Counter[Heading]()
        for kind, count in self.counts.items():
            rows[heading_of(kind)] += count
        told = ", ".join(f"{rows[heading]:,} {heading}" for heading in HEADINGS)
        return f"Tally({counted(rows.total(), 'row')}, {told})"

    def add(self, block: Block) -> None:
        """Count a block that this run finished."""
        self._decided.update(block.counts)

    def take_over(self, counts: Counter[Kind]) -> None:
        """Count a block that an earlier run finished."""
        self._taken_over.update(counts)

    @property
    def decided(self) -> int:
        """How many rows this run has finished."""
        return self._decided.total()

    @property
    def taken_over(self) -> int:
        """How many rows an earlier run has finished."""
        return self._taken_over.total()

    @property
    def counts(self) -> Counter[Kind]:
        """The rows of all runs, by decision and reason."""
        return self._decided + self._taken_over

    @property
    def unreachable(self) -> int:
        """How many rows are not allowed because a site was not reached."""
        return sum(
            count for kind, count in self.counts.items() if heading_of(kind) == "unreachable"
        )
