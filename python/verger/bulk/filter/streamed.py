"""Streams: finished blocks in the order of the input, or as they come.

In: the bytes of blocks. Out: the same bytes on a stream. Blocks that wait for a slower one before
them are in a temporary database of SQLite, which is in memory as long as it is small.
"""

import os
import sqlite3
from errno import ENOSPC

from verger.bulk.filter.reading import Block
from verger.bulk.filter.writing import Sink
from verger.files.writing import temporary_files

IN_MEMORY = 16 << 20
"""The most bytes that wait in memory."""

SETUP = """
PRAGMA page_size = 65536;
PRAGMA cache_size = -{kilobytes};
CREATE TABLE waiting (number INTEGER PRIMARY KEY, data BLOB);
"""


class Streamed:
    """Writes blocks in the order of their numbers, or as they are finished."""

    patience = 0.2
    """Seconds that an interrupted run waits for a block: perhaps nobody reads from the other end.
    """

    def __init__(self, sink: Sink, *, is_ordered: bool = True, in_memory: int = IN_MEMORY) -> None:
        self._sink = sink
        self._is_ordered = is_ordered
        self._next = 0
        self.waiting = 0
        """How many blocks wait for those before them."""
        # an empty name is that of a temporary file
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._database.executescript(SETUP.format(kilobytes=in_memory >> 10))

    def put(self, block: Block, data: bytes) -> None:
        """Write a finished block, or keep it until those before it are written."""
        if self._is_ordered and block.number != self._next:
            self._keep(block.number, data)
            return
        self._write(data)
        while self.waiting and (waited := self._take(self._next)) is not None:
            self._write(waited)

    def complete(self) -> None:
        """End the output."""
        self._sink.close()

    def close(self) -> None:
        """Remove what still waits."""
        self._database.close()

    def _write(self, data: bytes) -> None:
        self._sink.write(data)
        self._next += 1

    def _keep(self, number: int, data: bytes) -> None:
        with temporary_files():
            try:
                self._database.execute("INSERT INTO waiting VALUES (?, ?)", (number, data))
            except sqlite3.OperationalError:
                raise OSError(ENOSPC, os.strerror(ENOSPC)) from None
        self.waiting += 1

    def _take(self, number: int) -> bytes | None:
        query = "SELECT data FROM waiting WHERE number = ?"
        (data,) = self._database.execute(query, (number,)).fetchone() or (None,)
        if data is not None:
            self._database.execute("DELETE FROM waiting WHERE number = ?", (number,))
            self.waiting -= 1
        return data
