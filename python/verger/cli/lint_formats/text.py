"""Text: each finding with its line, and marks under it; or how often each check fired."""

from collections.abc import Iterator

from verger.cli.inputs import LintInput
from verger.cli.lint_formats.tally import LintTally
from verger.lint import Diagnostic, LintReport, all_checks
from verger.objects.lint import DiagnosticPlaces
from verger.showing.palette import SEVERITY_COLOURS, Palette
from verger.showing.printing import (
    KEY_CELLS,
    REST_CELLS,
    VALUE_CELLS,
    cells_within,
    indent_of,
    marks_under,
    text_of,
)
from verger.untrusted_text import printable, visible

HOW = {None: "", "safe": "safe", "unsafe": "unsafe", "display": "by hand"}
"""How a fix is applied, in words."""

MOST_WITNESS = 120


def text_of_file(each: LintInput, done: LintReport, palette: Palette) -> str:
    """Return the diagnostics of a file, separated by blank lines."""
    places = DiagnosticPlaces(done.body, "utf-32")
    return "\n".join(
        "".join(f"{line}\n" for line in _text_lines(each.name, one, places, palette))
        for one in done.diagnostics
    )


def _text_lines(
    name: str, each: Diagnostic, places: DiagnosticPlaces, palette: Palette
) -> Iterator[str]:
    column, _ = places.columns_of(each)
    word = palette.paint(f"{each.severity} {each.code}", "bold", SEVERITY_COLOURS[each.severity])
    yield f"{name}:{each.line}:{column}: {word}: {printable(each.message)}"
    gutter = 2 + len(str(each.line))
    if places.body:
        yield from _excerpt(each, places, gutter, palette)
    margin = palette.paint(f"{'':{gutter}} =", "cyan")
    yield from (f"{margin} {remark}" for remark in _remarks(each))


def _excerpt(
    each: Diagnostic, places: DiagnosticPlaces, gutter: int, palette: Palette
) -> Iterator[str]:
    body, (start, stop) = places.body, places.line_of(each)
    first, last = places.span_of(each)
    cells = [
        *cells_within(body, (start, first), " ", KEY_CELLS),
        *(cells_within(body, (first, last), "^", VALUE_CELLS) or [(" ", "^")]),
        *cells_within(body, (last, stop), " ", REST_CELLS),
    ]
    yield f"{palette.paint(f'{each.line:>{gutter}} |', 'cyan')} {text_of(cells)}"
    under = palette.paint(marks_under(cells), SEVERITY_COLOURS[each.severity])
    yield f"{palette.paint(f'{chr(32):>{gutter}} |', 'cyan')} {' ' * indent_of(cells)}{under}"


def _remarks(each: Diagnostic) -> Iterator[str]:
    yield each.why
    for related in each.related:
        yield f"line {related.line}: {printable(related.message)}"
    if each.witness is not None:
        yield f"try: {visible(each.witness, MOST_WITNESS)}"
    if each.fix is not None:
        yield f"fix: {printable(each.fix.title)} ({HOW[each.fix.applicability]})"


def statistics(tally: LintTally) -> str:
    """Return a line for each check that fired, the most frequent first."""
    if not tally.fired:
        return ""
    head = f"{'findings':>10} {'files':>8} {'share':>7}  check\n"
    return head + "".join(
        f"{count:>10,} {tally.fired_in[code]:>8,} {tally.fired_in[code] / tally.files:>7.1%}  "
        f"{code} {all_checks()[code].name}\n"
        for code, count in sorted(tally.fired.items(), key=lambda item: (-item[1], item[0]))
    )
