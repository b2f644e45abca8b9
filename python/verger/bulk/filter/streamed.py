"""Streams: finished blocks in the order of the input, or as they come.

In: the bytes of blocks. Out: the same bytes on a stream. Blocks that wait for a slower one before
them are in memory if they are few, else in a temporary file without a name, which is emptied when
all of it has been written.
"""

from tempfile import TemporaryFile
from typing import IO

from verger.bulk.filter.reading import Block
from verger.bulk.filter.writing import Sink
from verger.files.writing import temporary_files

IN_MEMORY = 16 << 20
"""The most bytes that wait in memory."""


class Streamed:
    """Writes blocks in the order of their numbers, or as they are finished."""

    patience = 0.2
    """Seconds that an interrupted run waits for a block: perhaps nobody reads from the other end.
    """

    def __init__(self, sink: Sink, *, is_ordered: bool = True, in_memory: int = IN_MEMORY) -> None:
        self._sink = sink
        self._is_ordered = is_ordered
        self._next = 0
        self._waiting: dict[int, bytes] = {}
        self._bytes = 0
        self._most = in_memory
        self._spilled: dict[int, tuple[int, int]] = {}
        self._file: IO[bytes] | None = None

    def put(self, block: Block, data: bytes) -> None:
        """Write a finished block, or keep it until those before it are written."""
        if self._is_ordered and block.number != self._next:
            self._keep(block.number, data)
            return
        self._sink.write(data)
        self._next += 1
        while (waiting := self._take(self._next)) is not None:
            self._sink.write(waiting)
            self._next += 1
        if self._file and not self._spilled:
            self._file.truncate(0)

    @property
    def waiting(self) -> int:
        """How many blocks wait for those before them."""
        return len(self._waiting) + len(self._spilled)

    def complete(self, _number_of_blocks: int) -> None:
        """End the output."""
        self._sink.close()

    def close(self) -> None:
        """Close the temporary file."""
        if self._file:
            self._file.close()

    def _keep(self, number: int, data: bytes) -> None:
        if self._bytes + len(data) <= self._most:
            self._waiting[number] = data
            self._bytes += len(data)
            return
        with temporary_files():
            place = self._spill(data)
        self._spilled[number] = place, len(data)

    def _spill(self, data: bytes) -> int:
        """Write to the temporary file; return where."""
        if self._file is None:
            self._file = TemporaryFile(prefix="verger-")  # noqa: SIM115 -- closed with the run
        place = self._file.seek(0, 2)
        self._file.write(data)
        self._file.flush()
        return place

    def _take(self, number: int) -> bytes | None:
        data = self._waiting.pop(number, None)
        if data is not None:
            self._bytes -= len(data)
            return data
        place = self._spilled.pop(number, None)
        if place is None or self._file is None:
            return None
        self._file.seek(place[0])
        return self._file.read(place[1])
