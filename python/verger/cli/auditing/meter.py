"""The progress of an audit.

In: judged pieces of logs. Out: a line on stderr, redrawn on a terminal.
"""

import sys
from typing import Self

from verger.bulk.audit import Piece
from verger.cli.progress import Progress, gauge


class AuditMeter(Progress):
    """Counts bytes against the total size of the files."""

    def __init__(self, total: int | None, *, quiet: bool) -> None:
        super().__init__(sys.stderr, shown=not quiet and sys.stderr.isatty())
        self._total = total
        self._before = self._position = self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._wipe()

    def judged(self, piece: Piece) -> None:
        """Count a piece, and show the progress if it is time."""
        if piece.position < self._position:  # the piece is from the next log
            self._before += self._position
        self._position = piece.position
        self._bytes += len(piece.data)
        if self._is_time():
            self._draw(self.line())

    def line(self) -> str:
        """Return the progress and speed of the audit."""
        megabytes = self._bytes / 1e6
        rate = f"{megabytes:,.0f} MB  {megabytes / max(self.seconds, 1e-9):,.0f} MB/s"
        if not self._total:
            return rate
        share = min((self._before + self._position) / self._total, 1.0)
        return f"{gauge(share)}  {rate}"
