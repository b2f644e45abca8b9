"""Progress on stderr while many URLs are answered, or many files read.

In: the number of URLs so far, and their share of all URLs if known. Out: one line that is redrawn,
only on a terminal while stdout goes elsewhere; messages replace it, and it reappears below them.
"""

import sys
from collections.abc import Iterator
from time import monotonic

from verger.access.answer import Row
from verger.cli.output import tell
from verger.cli.urls import Urls

INTERVAL = 0.1
"""Seconds between two redraws."""

LOOK_EVERY = 64
"""Rows between two checks of the clock."""

BAR = 24
"""Columns of the bar."""


class Progress:
    """The progress bar; all output to stderr goes through it while it may be shown."""

    def __init__(self, *, shown: bool, quiet: bool = False, after: float = 0.0) -> None:
        """Prepare the bar; a quiet one is not drawn, and drops notes.

        shown:  whether it may be drawn, where stderr is a terminal.
        after:  seconds until it is drawn first, besides an interval.
        """
        self._is_quiet = quiet
        self._stream = sys.stderr
        self._shown = shown and not quiet and sys.stderr.isatty()
        self._is_drawn = self._waits = False
        self._started = monotonic()
        self._drawn_at = self._started + after

    def over(self, rows: Iterator[Row], urls: Urls) -> Iterator[Row]:
        """Yield the rows and draw the progress."""
        for number, row in enumerate(rows, start=1):
            yield row
            if number % LOOK_EVERY == 0:
                self.count(number, share=urls.share_taken)
        self.close()

    def count(self, done: int, what: str = "URLs", *, share: float | None = None) -> None:
        """Draw how many there are so far, and their share of all; None where nobody knows it."""
        if self._is_time():
            self._draw(line_of(done, self.seconds, share, what))

    def say(self, lines: str) -> None:
        """Write whole lines in place of the bar."""
        self.close()
        tell(lines)  # after all output to stdout, which may go to the same terminal

    def note(self, *lines: str) -> None:
        """Write lines that need no action; nothing if quiet, or if there are none."""
        if lines and not self._is_quiet:
            self.say("\n".join(lines))

    def waiting(self, origin: str, detail: str) -> None:
        """Say that a run waits for another process, the first time that it does."""
        if not self._waits:
            self._waits = True
            self.note(f"note: waiting for the file of `{origin}`: {detail}")

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return monotonic() - self._started

    def _is_time(self) -> bool:
        """Whether it is time to redraw a bar that is shown."""
        return self._shown and monotonic() - self._drawn_at >= INTERVAL

    def _draw(self, line: str) -> None:
        """Draw a bar in place of the previous one."""
        self._drawn_at = monotonic()
        self._is_drawn = True
        self._stream.write(f"\r{line}\x1b[K")
        self._stream.flush()

    def close(self) -> None:
        """Erase the bar."""
        if self._is_drawn:
            self._is_drawn = False
            self._stream.write("\r\x1b[K")


def bar(rate: str, share: float | None, left: float | None = None, *, is_drawn: bool = True) -> str:
    """Return `[####----] 50 %  1,024 URLs  512/s  2 s left`; without a share, only the rate.

    left:      the seconds left; None if they are unknown.
    is_drawn:  whether to draw the bar, not only to name the share.
    """
    if not share:
        return rate
    share = min(share, 1.0)  # a file that has grown is read past its original size
    done = round(share * BAR)
    drawn = f"[{'#' * done}{'-' * (BAR - done)}] {share:4.0%}" if is_drawn else f"{share:.0%}"
    ends = "" if left is None else f"  {max(left, 0):,.0f} s left"
    return f"{drawn}  {rate}{ends}"


def line_of(done: int, seconds: float, share: float | None, what: str = "URLs") -> str:
    """Return the bar for a number of something that took some seconds, and is a share of all."""
    rate = f"{done:,} {what}  {done / max(seconds, 1e-9):,.0f}/s"
    return bar(rate, share, seconds / share - seconds if share else None)
