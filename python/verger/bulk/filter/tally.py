"""The sum of a run.

In: the counts of finished blocks, of this run and of those that it goes on from. Out: how many rows
there were of each kind. Memory grows with the number of reasons, not of origins.
"""

from collections import Counter

from verger.bulk.filter.blocks import Block
from verger.bulk.filter.rulings import Kind


class Tally:
    """Counts of rows. What is taken over is counted apart: another thread may do that."""

    def __init__(self) -> None:
        self._decided: Counter[Kind] = Counter()
        self._taken_over: Counter[Kind] = Counter()

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
        """The rows of all runs, by what became of them."""
        return self._decided + self._taken_over
