"""The meter of an audit: how far it is.

In: pieces of logs that have been judged. Out: a line on stderr, redrawn on a terminal.
"""

import sys
from typing import Self

from verger.bulk.audit import Piece
from verger.cli.progress import Progress, gauge


class Meter(Progress):
    """Counts bytes; the sizes of the files say how many there are."""

    def __init__(self, total: int | None, *, quiet: bool) -> None:
        super().__init__(sys.stderr, shown=not quiet and sys.stderr.isatty())
        self._total = total
        self._before = self._position = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._wipe()

    def judged(self, piece: Piece) -> None:
        """Count a piece, and show how far things are, if it is time."""
        if piece.position < self._position:  # that is another log
            self._before += self._position
        self._position = piece.position
        self._bytes += len(piece.data)
        if self._is_time():
            self._draw(self.line())

    def line(self) -> str:
        """Return how far the audit is, and how fast it goes."""
        megabytes = self._bytes / 1e6
        rate = f"{megabytes:,.0f} MB  {megabytes / max(self.seconds, 1e-9):,.0f} MB/s"
        if not self._total:
            return rate
        share = min((self._before + self._position) / self._total, 1.0)
        return f"{gauge(share)}  {rate}"
