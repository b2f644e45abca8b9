"""Findings for people, in the form of compiler diagnostics.

In: the diagnostics of a file. Out: lines of text. Files are untrusted: all of their text is passed
through `printable`, and shortened to fit a line of a terminal.
"""

from collections.abc import Iterator

from verger.cli.cells import (
    KEY_CELLS,
    REST_CELLS,
    VALUE_CELLS,
    cells_within,
    indent_of,
    marks_under,
    text_of,
)
from verger.cli.palette import Palette
from verger.lint.check import all_checks
from verger.plain import printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.cli.linting.results import Linted
    from verger.cli.linting.tally import LintTally
    from verger.cli.palette import Style
    from verger.lint import Diagnostic, Severity
    from verger.lint.places import DiagnosticPlaces

COLOURS: "dict[Severity, Style]" = {"error": "red", "warning": "yellow", "note": "cyan"}

MOST_WITNESS = 120


class Nothing:
    """A format without output for single files, and what formats have in common."""

    between = ""
    is_whole = False

    def __init__(self, *, coloured: bool) -> None:
        """Prepare to write; only text for people has colours."""

    def opening(self) -> str:
        """Return nothing."""
        return ""

    def of_file(self, _linted: "Linted") -> str:
        """Return nothing."""
        return ""

    def closing(self, _tally: "LintTally") -> str:
        """Return nothing."""
        return ""


class Statistics(Nothing):
    """A line for each check that fired, the most frequent first."""

    def closing(self, tally: "LintTally") -> str:
        """Return the table."""
        if not tally.fired:
            return ""
        head = f"{'findings':>10} {'files':>8} {'share':>7}  check\n"
        return head + "".join(
            f"{count:>10,} {tally.fired_in[code]:>8,} {tally.fired_in[code] / tally.files:>7.1%}  "
            f"{code} {all_checks()[code].name}\n"
            for code, count in sorted(tally.fired.items(), key=lambda item: (-item[1], item[0]))
        )


class Text(Nothing):
    """Lines for people."""

    between = "\n"

    def __init__(self, *, coloured: bool) -> None:
        super().__init__(coloured=coloured)
        self._palette = Palette(coloured=coloured)

    def of_file(self, linted: "Linted") -> str:
        """Return the diagnostics of a file, separated by blank lines."""
        name, places = linted.input.name, linted.places()
        return "\n".join(
            "".join(f"{line}\n" for line in self._lines(name, each, places))
            for each in linted.diagnostics
        )

    def _lines(self, name: str, each: "Diagnostic", places: "DiagnosticPlaces") -> Iterator[str]:
        column, _ = places.columns_of(each)
        word = self._palette.paint(f"{each.severity} {each.code}", "bold", COLOURS[each.severity])
        yield f"{name}:{each.line}:{column}: {word}: {printable(each.message)}"
        gutter = 2 + len(str(each.line))
        if places.body:
            yield from self._excerpt(each, places, gutter)
        margin = self._palette.paint(f"{'':{gutter}} =", "cyan")
        yield from (f"{margin} {remark}" for remark in _remarks(each))

    def _excerpt(
        self, each: "Diagnostic", places: "DiagnosticPlaces", gutter: int
    ) -> Iterator[str]:
        body, (start, stop) = places.body, places.line_of(each)
        first, last = places.span_of(each)
        cells = [
            *cells_within(body, (start, first), " ", KEY_CELLS),
            *(cells_within(body, (first, last), "^", VALUE_CELLS) or [(" ", "^")]),
            *cells_within(body, (last, stop), " ", REST_CELLS),
        ]
        paint = self._palette.paint
        yield f"{paint(f'{each.line:>{gutter}} |', 'cyan')} {text_of(cells)}"
        under = paint(marks_under(cells), COLOURS[each.severity])
        yield f"{paint(f'{chr(32):>{gutter}} |', 'cyan')} {' ' * indent_of(cells)}{under}"


def _remarks(each: "Diagnostic") -> Iterator[str]:
    yield each.why
    for related in each.related:
        yield f"line {related.line}: {printable(related.message)}"
    if each.witness is not None:
        yield f"try: {shortened(printable(each.witness), MOST_WITNESS)}"
    if each.fix is not None:
        how = {"display": "by hand"}.get(each.fix.applicability, each.fix.applicability)
        yield f"fix: {printable(each.fix.title)} ({how})"
