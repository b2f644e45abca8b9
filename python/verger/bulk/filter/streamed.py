"""Streams: finished blocks in the order of the input, or as they come.

In: the bytes of blocks. Out: the same bytes on a stream. Blocks that wait for a slower one before
them are in memory, so whoever reads rows has to pause while many wait.
"""

from verger.bulk.filter.reading import Block
from verger.bulk.filter.writing import Sink


class Streamed:
    """Writes blocks in the order of their numbers, or as they are finished."""

    patience = 0.2
    """Seconds that an interrupted run waits for a block: perhaps nobody reads from the other end.
    """

    def __init__(self, sink: Sink, *, is_ordered: bool = True) -> None:
        self._sink = sink
        self._is_ordered = is_ordered
        self._next = 0
        self._early: dict[int, bytes] = {}
        self.waiting = 0
        """The bytes of blocks that wait for those before them."""

    def put(self, block: Block, data: bytes) -> None:
        """Write a finished block, or keep it until those before it are written."""
        if not self._is_ordered:
            self._sink.write(data)
            return
        self._early[block.number] = data
        self.waiting += len(data)
        while self._next in self._early:
            ready = self._early.pop(self._next)
            self._sink.write(ready)
            self.waiting -= len(ready)
            self._next += 1

    def complete(self, _number_of_blocks: int) -> None:
        """End the output."""
        self._sink.close()
