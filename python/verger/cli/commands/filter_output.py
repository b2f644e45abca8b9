"""The output of `verger filter` on stderr: the progress of a run, and the closing table.

In: finished blocks, and the totals of a run. Out: a line that is redrawn on a terminal; if stderr
is a file, a new line from time to time. The first problems of single rows are reported one by one,
the rest are counted.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from verger.bulk.filter.answers import RULES, Kind
from verger.bulk.filter.rows import Block
from verger.bulk.filter.work import HEADINGS, Tally, Watcher, heading_of
from verger.cli.columns import share, total
from verger.cli.progress import Progress, gauge
from verger.plain import counted, printable, quoted

WORDS = {
    "UNAVAILABLE": "no file",
    "FORBIDDEN": "the file is forbidden",
    "TOO_MANY_REQUESTS": "too many requests",
    "TOO_MANY_REDIRECTS": "too many redirects",
    "REDIRECT_DISALLOWED": "redirected through a disallowed URL",
    "REDIRECT_REFUSED": "redirected to where nothing is fetched",
    "SERVER_ERROR": "server error",
    "UNDEFINED_STATUS": "no status, or an undefined one",
    "NETWORK_ERROR": "network error",
    "BROKEN_BODY": "broken body",
    "UNREACHABLE_FOR_LONG": "unreachable for long",
    "NOT_IN_SNAPSHOT": "not in the snapshot",
    "UNREADABLE_FILE": "the file of the snapshot cannot be read",
    "invalid-url": "no URL (invalid-url)",
    "invalid-row": "no URL to be found in the row (invalid-row)",
    "url-too-long": "too long for a URL (url-too-long)",
}


def summary_lines(tally: Tally, seconds: float, fetched: int | None) -> Iterator[str]:
    """Yield the closing table; `fetched` is the number of files fetched, None without a network."""
    counts = tally.counts
    rows = counts.total()
    rate = tally.decided / max(seconds, 1e-9)
    yield total("rows", rows)
    for heading in HEADINGS:
        kinds = [(kind, count) for kind, count in counts.items() if heading_of(kind) == heading]
        number = sum(count for _, count in kinds)
        if number or heading != "unanswered":
            yield total(heading, number, share(number, rows))
        for kind, count in sorted(kinds, key=lambda item: (-item[1], item[0][1])):
            yield total("", count, _words(kind))
    if tally.taken_over:
        yield total("taken over", tally.taken_over, "rows of the previous run")
    if fetched is not None:
        yield total("fetched", fetched, "robots.txt files")
    yield total("time", f"{seconds:,.2f} s", f"{rate:,.0f} rows a second")


def _words(kind: Kind) -> str:
    allowed, why = kind
    if why == RULES:
        return "by the rules of the file" if allowed else "by a rule of the file"
    reason, space, cause = why.partition(" ")
    return printable(f"{WORDS.get(reason, reason)}{space}{cause}")


LINE_EVERY = 10.0
"""Seconds between two lines if stderr is not a terminal."""

SOME_PROBLEMS = 10
"""How many rows without a URL to name one by one, unless all are named."""


class FilterMeter(Progress, Watcher):
    """The progress of a run whose rows may be decided in any order.

    problems:  how many rows without a URL to name one by one.
    """

    def __init__(self, *, total: int, quiet: bool, to_stdout: bool, problems: int = 0) -> None:
        is_terminal = sys.stderr.isatty()
        shown = not quiet and is_terminal and not (to_stdout and sys.stdout.isatty())
        super().__init__(sys.stderr, shown=shown)
        self._total = total
        self._writes_lines = not quiet and not is_terminal
        self._most_named = problems
        self._named = 0
        self._problems = 0
        self._rows = self._bytes = 0
        # Separate, since another thread counts them.
        self._rows_before = self._bytes_before = 0

    def take_over(self, block: Block) -> None:
        """Count a block that the previous run finished."""
        self._rows_before += len(block.urls)
        self._bytes_before += block.weight

    def finished(self, block: Block) -> None:
        """Count a block, and show the progress if it is time."""
        self._rows += len(block.urls)
        self._bytes += block.weight
        if self._is_time():
            self._draw(self.line())
        elif self._writes_lines and monotonic() - self._drawn_at >= LINE_EVERY:
            self._drawn_at = monotonic()
            self.say(f"{self.line()}\n")
        if self._most_named and block.problems:
            self.tell_problems(block)

    def line(self) -> str:
        """Return the progress, the rate, and the seconds left if known."""
        rows = self._rows + self._rows_before
        rate = f"{rows:,} rows  {self._rows / max(self.seconds, 1e-9):,.0f}/s"
        if not self._total or not self._bytes:
            return rate
        data = self._bytes + self._bytes_before
        share = min(data / self._total, 1.0)
        left = max(self._total - data, 0) * self.seconds / self._bytes
        return f"{gauge(share)}  {rate}  {left:,.0f} s left"

    def tell_problems(self, block: Block) -> None:
        """Name rows without a URL, unless enough have been named."""
        for row, problem in sorted(block.problems.items()):
            self._problems += 1
            if self._named < self._most_named:
                self._named += 1
                place = f"{printable(block.input)}:{block.numbers[row]}"
                self.say(f"{problem.kind}: {place}: {printable(problem.message)}\n")

    def report_remaining(self) -> None:
        """Report how many more rows have no URL."""
        if self._problems > self._named:
            rest = counted(self._problems - self._named, "more row")
            self.say(f"... and {rest} without a URL\n")

    def interrupted(self, folder: Path, rows: int) -> None:
        """Report what an interrupted run has kept."""
        self.say(
            f"note: interrupted; {rows:,} rows are kept in {quoted(str(folder))}; the same "
            "command resumes there\n"
        )

    def store_failed(self, detail: str) -> None:
        """Report that the cache failed."""
        self.say(f"note: the cache failed during the run: {detail}\n")

    def end(self) -> None:
        """Erase the line before other output."""
        self._wipe()
