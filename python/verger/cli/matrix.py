"""Answers as a matrix: for each URL, the answer for every requested crawler or dialect.

In: rows of answers. Out: lines on a stream; problems go to stderr. Each URL is a row that ends with
the URL; if rows would be wider than the terminal, the URL is a heading, and each column is a line
below it. Rows are written as they arrive: the layout is chosen before the first row, and no later
row changes it.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

from verger.answers.answer import CheckAnswer, Question, Row, labels
from verger.cli.columns import GAP, columns, padded, row_of
from verger.cli.exit import message_lines
from verger.cli.palette import Palette, verdict
from verger.cli.progress import Progress
from verger.cli.streams import terminal_width
from verger.plain import printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.answers.fetched import Fetched
    from verger.cli.palette import Style
    from verger.cli.writers import TextStream

NAME_WIDTH = 60
"""The most columns of a crawler's name; longer names are shortened."""

LAST_LINE = 999_999
"""The line number that cells have room for if the files are not known in advance."""

PIPE_COLUMNS = 100
"""The width of a row without a terminal, so that pipes get the same everywhere."""

TERMINAL_COLUMNS = 80
"""The width of a row on a terminal that does not know its width."""


class Matrix:
    """Writes answers as rows, or if these are too wide, as headings with lines below."""

    def __init__(
        self,
        stream: "TextStream",
        progress: Progress,
        questions: Sequence[Question],
        *,
        last_line: int | None,
        urls: Sequence[str],
    ) -> None:
        self._stream = stream
        self._progress = progress
        self._palette = Palette.of(stream)
        self._names = [shortened(printable(name), NAME_WIDTH) for name in labels(questions)]
        self._cell = len(f"disallowed line {last_line or LAST_LINE}")
        self._urls = urls
        self._noted = ""
        self._lines: Callable[[Row], Iterator[str]] | None = None

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        if self._lines is None:
            self._lines = self._form(row[0].url)
        for line in self._lines(row):
            self._stream.write(f"{line}\n")
        problems = {answer.problem.message: answer.problem for answer in row if answer.problem}
        for problem in problems.values():
            self._progress.say(message_lines(problem.message, problem.hint))
        if row[0].fetched is not None:
            self._note(row[0].fetched)

    def _note(self, fetched: "Fetched") -> None:
        """Report the reason for `disallowed 503`, once for consecutive URLs of a site."""
        if fetched.last.access == "unreachable" and fetched.entry.origin != self._noted:
            from verger.access.words import happened
            from verger.answers.provenance import again

            self._progress.say(f"note: {happened(fetched.last)}; {again(fetched)}\n")
            self._noted = fetched.entry.origin

    def _form(self, first: str) -> Callable[[Row], Iterator[str]]:
        """Choose the layout of all rows from the first URL and those known in advance."""
        widths = [max(self._cell, columns(name)) for name in self._names]
        url_width = max(columns(printable(url)) for url in (first, *self._urls))
        if sum(widths) + len(GAP) * len(widths) + url_width <= _room(self._stream):
            return Rows(self._palette, self._names, widths).lines
        return Headings(self._palette, self._names).lines


class Rows:
    """One line for each URL, one column for each name; the URL comes last."""

    def __init__(self, palette: Palette, names: Sequence[str], widths: Sequence[int]) -> None:
        self._palette = palette
        self._names = names
        self._widths = widths
        self._is_headed = False

    def lines(self, row: Row) -> Iterator[str]:
        """Yield the answers to one URL, with the header before the first."""
        if not self._is_headed:
            self._is_headed = True
            names: list[tuple[str, Style]] = [(name, "bold") for name in self._names]
            yield self._line(names, self._palette.paint("URL", "bold"))
        yield self._line(map(_cell, row), printable(row[0].url))

    def _line(self, cells: "Iterable[tuple[str, Style]]", url: str) -> str:
        painted = [self._palette.paint(text, style) for text, style in cells]
        return row_of([*painted, url], [*self._widths, 0])


class Headings:
    """The URL as a heading, and a line for each name below it."""

    def __init__(self, palette: Palette, names: Sequence[str]) -> None:
        self._palette = palette
        width = max(map(columns, names))
        self._labels = [padded(name, width) for name in names]
        self._is_first = True

    def lines(self, row: Row) -> Iterator[str]:
        """Yield the answers to one URL."""
        if not self._is_first:
            yield ""
        self._is_first = False
        yield self._palette.paint(printable(row[0].url), "bold")
        for label, (text, style) in zip(self._labels, map(_cell, row), strict=True):
            yield f"{GAP}{label}{GAP}{self._palette.paint(text, style)}"


def _cell(answer: CheckAnswer) -> "tuple[str, Style]":
    """Return a cell's text and style."""
    if answer.allowed is None:
        return "unanswered", "yellow"
    word, style = verdict(allowed=answer.allowed)
    because = _reason(answer)
    return (f"{word} {because}" if because else word), style


def _reason(answer: CheckAnswer) -> str:
    """Return what decided, in at most the width of a cell: a line, a status or a failure."""
    if answer.decision is not None:
        line = answer.decision.line
        return "" if line is None else f"line {line}"
    if answer.fetched is None:
        return ""
    from verger.access.words import in_a_word

    return in_a_word(answer.fetched.last)


def _room(stream: "TextStream") -> int:
    """Return how many columns a row may take."""
    if not stream.isatty():
        return PIPE_COLUMNS
    return terminal_width(sys.stdout) or TERMINAL_COLUMNS  # no other stream is a terminal
