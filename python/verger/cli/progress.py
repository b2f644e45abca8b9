"""What stderr shows while many URLs are answered.

In: how many there were so far, and how large a share of all that is, where it is known.
Out: one line that redraws itself, only on a terminal whose stdout goes elsewhere; messages
take its place and it comes back below them.
"""

import sys
from collections.abc import Iterator
from time import monotonic

from verger.answers.answer import Row
from verger.cli.streams import plain_lines
from verger.cli.urls import Urls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

INTERVAL = 0.1
"""Seconds between two drawings."""

LOOK_EVERY = 64
"""Rows between two looks at the clock."""

BAR = 24
"""Columns of the bar."""


class Progress:
    """The bar, and the only way to stderr while it may be there."""

    def __init__(self, stream: "TextIO", *, shown: bool, quiet: bool = False) -> None:
        """Prepare the bar; a quiet one is not drawn, and keeps notes to itself."""
        self._is_quiet = quiet
        self._stream = stream
        self._shown = shown and not quiet
        self._is_drawn = False
        self._started = self._drawn_at = monotonic()

    def over(self, rows: Iterator[Row], urls: Urls) -> Iterator[Row]:
        """Pass rows on and draw how far they have come."""
        if not self._shown:
            yield from rows
            return
        for number, row in enumerate(rows, start=1):
            yield row
            if number % LOOK_EVERY == 0 and self._is_time():
                self._draw(bar(number, self.seconds, urls.share_taken))
        self._wipe()

    def say(self, lines: str) -> None:
        """Write whole lines, where the bar stood."""
        self._wipe()
        sys.stdout.flush()  # so that both streams keep their order on one terminal
        self._stream.write(plain_lines(lines))
        self._stream.flush()

    def note(self, lines: str) -> None:
        """Write lines that nobody has to act on."""
        if not self._is_quiet:
            self.say(lines)

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return monotonic() - self._started

    def _is_time(self) -> bool:
        """Whether the bar is shown, and was drawn long enough ago."""
        return self._shown and monotonic() - self._drawn_at >= INTERVAL

    def _draw(self, line: str) -> None:
        """Draw a bar in place of the one before."""
        self._drawn_at = monotonic()
        self._is_drawn = True
        self._stream.write(f"\r{line}\x1b[K")
        self._stream.flush()

    def _wipe(self) -> None:
        if self._is_drawn:
            self._is_drawn = False
            self._stream.write("\r\x1b[K")


def bar(number: int, seconds: float, share: float | None) -> str:
    """Return `[####----] 50 %  1,024 URLs  512/s  2 s left`; without a share, count and rate."""
    rate = f"{number:,} URLs  {number / max(seconds, 1e-9):,.0f}/s"
    if not share:
        return rate
    share = min(share, 1)  # of a file that grew meanwhile, more was read than there was
    return f"{gauge(share)}  {rate}  {seconds / share - seconds:,.0f} s left"


def gauge(share: float) -> str:
    """Return `[####----] 50 %`."""
    done = round(share * BAR)
    return f"[{'#' * done}{'-' * (BAR - done)}] {share:4.0%}"
