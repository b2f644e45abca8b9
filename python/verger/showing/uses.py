"""One decision about use explained: the lines of the file that speak about it.

In: a decision. Out: lines of text, in the form of `verger.showing.excerpt`: `^` underlines what
says something, and `=` starts a remark. Nothing here decides.
"""

from collections.abc import Iterable, Iterator

from verger._core import Line, RobotsTxt, UseDecision, UseSignal
from verger.plain import listed, printable, quoted, shortened
from verger.showing.palette import Palette, verdict
from verger.showing.printing import (
    KEY_CELLS,
    REST_CELLS,
    VALUE_CELLS,
    Cells,
    at_most,
    cells_within,
    cut_cells,
    indent_of,
    line_of,
    marks_under,
    text_of,
)

SAYS = {"allow": "allows it", "disallow": "disallows it", "silent": "is a condition"}
COLOURS = {"allow": "green", "disallow": "red", "silent": "yellow"}
FIELDS = ("content-signal", "content-signals", "content-usage", "license")
"""The fields about use, by which lines that a dialect does not read are found."""

SHOWN_LINES = 10
"""The most signals that are shown, and the most remarks of a kind."""


def explained(decision: UseDecision, verbose: bool = False, *, coloured: bool = False) -> str:
    """Return the whole explanation of a decision; `verger.UseDecision.explain` is this."""
    return "\n".join(lines(decision, Palette(coloured=coloured), verbose=verbose))


def lines(
    decision: UseDecision,
    palette: Palette,
    *,
    verbose: bool,
    more: Iterable[str] = (),
) -> Iterator[str]:
    """Yield the explanation of a decision about use, with more remarks."""
    said = sorted((each for each in decision.signals if each.line), key=lambda each: each.line or 0)
    shown = said[:SHOWN_LINES]
    gutter = 2 + len(str(max((each.line or 0 for each in shown), default=0)))
    margin = palette.paint(f"{'':{gutter}} =", "cyan")
    remarks = [*_remarks(decision, said, verbose=verbose), *more]
    yield headline(decision, palette)
    yield from [""] if shown or remarks else []
    printed: list[tuple[int, object]] = []
    for signal in shown:
        start, number = _start_line(decision, signal), signal.line or 0
        for line in ((start, None), (number, signal.span)):
            if line[0] and line not in printed:
                shown_line = text_of(_cells(decision.robots, *line))
                yield f"{palette.paint(f'{line[0]:>{gutter}} |', 'cyan')} {shown_line}"
                printed.append(line)
        yield _marks(decision.robots, signal, palette, gutter)
    for remark in remarks:
        yield f"{margin} {remark}"


def headline(decision: UseDecision, palette: Palette) -> str:
    """Return a decision about use as one line."""
    if decision.line is None:
        return silence(decision.purpose, palette)
    word, colour = verdict(allowed=decision.allowed)
    return f"{palette.paint(word, 'bold', colour)} for {decision.purpose} by line {decision.line}"


def silence(purpose: str, palette: Palette) -> str:
    """Return, as one line, that no line allows or disallows a use."""
    word, colour = verdict(allowed=None)
    return f"{palette.paint(word, 'bold', colour)} about {purpose}: no line allows or disallows it"


def _start_line(decision: UseDecision, signal: UseSignal) -> int:
    """Return the start-group line of the group that a signal is in; 0 if it is in none."""
    if signal.mechanism == "license":
        return 0
    names = signal.token.split(",") if signal.token else decision.tokens
    return decision.robots._start_line(signal.line or 0, names)


def _marks(robots: RobotsTxt, signal: UseSignal, palette: Palette, gutter: int) -> str:
    """Return the marks under the words of a signal, and what they say."""
    cells = _cells(robots, signal.line or 0, signal.span)
    who = f"{quoted(signal.token)} " if signal.token else ""
    said = f"{marks_under(cells)} {who}{SAYS[signal.verdict]} ({printable(signal.section)})"
    margin = palette.paint(f"{'':{gutter}} |", "cyan")
    return f"{margin} {' ' * indent_of(cells)}{palette.paint(said, COLOURS[signal.verdict])}"


def _cells(robots: RobotsTxt, number: int, span: tuple[int, int] | None = None) -> Cells:
    """Return a line with a mark under a span, and only the ends of what is too long."""
    body, (start, _) = robots.body, robots.lines[number - 1].span
    end = start + len(line_of(robots, number))
    if span is None:
        return cells_within(body, (start, end), " ", KEY_CELLS + VALUE_CELLS)
    first, last = span
    marked = cells_within(body, span, "^", VALUE_CELLS) or [(" ", "^")]
    rest = cells_within(body, (last, end), " ", REST_CELLS)
    return [
        *cells_within(body, (start, first), " ", VALUE_CELLS),
        *marked,
        *cut_cells(rest, REST_CELLS),
    ]


def _remarks(decision: UseDecision, said: list[UseSignal], *, verbose: bool) -> Iterator[str]:
    """Yield what the lines alone do not show."""
    if len(said) > SHOWN_LINES:
        yield f"and {len(said) - SHOWN_LINES:,} more lines"
    for yes, no in decision.conflicts[:SHOWN_LINES]:
        yield f"line {yes.line} allows it and line {no.line} does not: what disallows it counts"
    if decision.use is not None:
        yield f"`use={decision.use}`: how much of the content may be shown"
    yield from unread(decision.robots)
    silent = [each.token or each.mechanism for each in decision.signals if not each.line]
    if verbose and silent:
        yield f"silent: {listed(silent)}"


def _reading(robots: RobotsTxt, line: Line) -> str:
    """Return the name of a dialect that also reads a line."""
    field = str(line.key).lower().removesuffix("s")  # `Content-Signals` is an alias
    return robots.dialect.replace(extensions=(*robots.dialect.extensions, field)).name


def unread(robots: RobotsTxt) -> Iterator[str]:
    """Yield that a dialect does not read lines about use: it hears nothing, and a reader may."""
    found = [
        line
        for line in robots.lines
        if line.kind != "record" and (line.key or "").lower() in FIELDS
    ]
    yield from at_most(
        found,
        SHOWN_LINES,
        lambda line: (
            f"line {line.number}: {robots.dialect.name} does not read "
            f"`{shortened(printable(line.key), KEY_CELLS)}`; {_reading(robots, line)} does"
        ),
        lambda rest: f"and {rest:,} more lines that it does not read",
    )
