"""The chart of docs/benchmarks.md: a panel for each kind of work, a line for each parser.

In: a `Report`. Out: SVG, the same bytes for the same report. The drawing brings its own ground,
dark where the reader's system is dark, so that it can be read on any page. Time runs to the right
on a logarithmic scale, one tick a decade; who was stopped has an arrow in place of a point.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from benchmarks.languages.contestants import CONTESTANTS, SUBJECTS, Contestant
from benchmarks.languages.results import Hostile, Report, Row
from benchmarks.languages.table import MANY_AGENTS, MANY_RULES, duration

WIDTH = 1_000
MARGIN = 24
COLUMNS = 2
GAP = 32
NAMES = 152
"""Width of the names in a panel."""
VALUES = 60
"""Width of the values in a panel."""
LINE = 17
PANEL_HEAD = 44
PANEL_FOOT = 30
HEAD = 66
SUBTITLE = "logarithmic scale; verger is called from Python, verger's core from Rust"
TITLE = "Time for the same work, shorter is better"

STYLE = """
text { font: 11.5px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328; }
.ground { fill: #ffffff; stroke: #d1d9e0; }
.title { font-size: 17px; font-weight: 600; }
.panel { font-size: 13px; font-weight: 600; }
.faint { fill: #59636e; }
.tick { stroke: #d1d9e0; }
.stem { stroke: #afb8c1; stroke-width: 1.5; }
.peer { fill: #6e7781; }
.us { fill: #0b5fc4; font-weight: 600; }
.us-stem { stroke: #0b5fc4; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .ground { fill: #0d1117; stroke: #3d444d; }
  .faint { fill: #9198a1; }
  .tick { stroke: #2a313c; }
  .stem { stroke: #4d5663; }
  .peer { fill: #b1bac4; }
  .us { fill: #6cb0ff; }
  .us-stem { stroke: #6cb0ff; }
}
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """One parser in one panel."""

    title: str
    language: str
    ns: float
    label: str
    is_ours: bool
    is_stopped: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One kind of work."""

    title: str
    marks: tuple[Mark, ...]

    @property
    def height(self) -> int:
        """With its head and its scale."""
        return PANEL_HEAD + LINE * len(self.marks) + PANEL_FOOT


def svg(report: Report) -> str:
    """Draw the whole chart."""
    panels = [panel for panel in panels_of(report) if panel.marks]
    width = (WIDTH - 2 * MARGIN - GAP * (COLUMNS - 1)) / COLUMNS
    drawn: list[str] = []
    top = float(HEAD)
    for first in range(0, len(panels), COLUMNS):
        row = panels[first : first + COLUMNS]
        for column, panel in enumerate(row):
            drawn += draw(panel, MARGIN + column * (width + GAP), top, width)
        top += max(panel.height for panel in row)
    height = top + MARGIN / 2
    machine = report.machine
    where = f"{machine['processor']}, {report.date.partition('T')[0]}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
            f'width="{WIDTH}" height="{height:g}" role="img" aria-label="Benchmarks">',
            f"<style>{STYLE}</style>",
            f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1:g}" '
            'rx="8"/>',
            f'<text class="title" x="{MARGIN}" y="32">{TITLE}</text>',
            f'<text class="faint" x="{MARGIN}" y="50">{SUBTITLE}; {escape(where)}</text>',
            *drawn,
            "</svg>",
            "",
        ]
    )


# --- what is drawn ------------------------------------------------------------------------


def panels_of(report: Report) -> Iterator[Panel]:
    """Yield a panel for each row and for two hostile files."""
    for row in report.rows:
        unit = f", a {row.unit}" if row.unit == "file" else ""
        yield Panel(f"{row.name[0].upper()}{row.name[1:]}{unit}", ordered(marks_of_row(row)))
    for name in (MANY_RULES, MANY_AGENTS):
        for file in report.hostile:
            if file.name == name:
                title = f"Hostile: {name}, parse and one answer"
                yield Panel(title, ordered(marks_of_file(file)))


def marks_of_row(row: Row) -> Iterator[Mark]:
    """Yield a mark for everybody with a figure."""
    for one in CONTESTANTS:
        if one.key in row.figures:
            ns = row.figures[one.key].median
            yield mark(one, ns, duration(ns))


def marks_of_file(file: Hostile) -> Iterator[Mark]:
    """Yield a mark for everybody, at the end of the time for who was stopped."""
    for one in CONTESTANTS:
        done = file.endured.get(one.key)
        if done is not None:
            stopped = done.contact is None
            ns = file.timeout * 1e9 if done.contact is None else done.contact
            yield mark(one, ns, done.why or duration(ns), stopped)


def mark(one: Contestant, ns: float, label: str, is_stopped: bool = False) -> Mark:
    """Make the mark of one contestant; the sub-title tells the languages of verger."""
    ours = one.key in SUBJECTS.values()
    language = "" if ours else one.language.partition(",")[0]
    return Mark(one.title, language, ns, label, ours, is_stopped)


def ordered(marks: Iterator[Mark]) -> tuple[Mark, ...]:
    """Put the shortest first."""
    return tuple(sorted(marks, key=lambda mark: (mark.ns, mark.title)))


# --- drawing ------------------------------------------------------------------------------


def draw(panel: Panel, left: float, top: float, width: float) -> Iterator[str]:
    """Yield the elements of one panel."""
    start, end = left + NAMES, left + width - VALUES
    low, high = decades(panel.marks)
    floor = top + PANEL_HEAD + LINE * len(panel.marks)

    def across(ns: float) -> float:
        return start + (math.log10(ns) - low) / (high - low) * (end - start)

    yield f'<text class="panel" x="{left:g}" y="{top + 26:g}">{escape(panel.title)}</text>'
    for decade in range(low, high + 1):
        x = across(10.0**decade)
        yield f'<line class="tick" x1="{x:.1f}" y1="{top + 36:g}" x2="{x:.1f}" y2="{floor:g}"/>'
        yield (
            f'<text class="faint" x="{x:.1f}" y="{floor + 14:g}" text-anchor="middle">'
            f"{decade_label(decade)}</text>"
        )
    for number, mark in enumerate(panel.marks):
        yield from draw_mark(
            mark, left, top + PANEL_HEAD + LINE * number + LINE / 2, start, across(mark.ns)
        )


def draw_mark(mark: Mark, left: float, y: float, start: float, x: float) -> Iterator[str]:
    """Yield a name, a stem, a point or an arrow, and a value."""
    point, stem = ("us", "us-stem") if mark.is_ours else ("peer", "stem")
    name = ' class="us"' if mark.is_ours else ""
    language = f' <tspan class="faint">{mark.language}</tspan>' if mark.language else ""
    yield f'<text{name} x="{left:g}" y="{y + 4:g}">{escape(mark.title)}{language}</text>'
    yield f'<line class="{stem}" x1="{start:g}" y1="{y:g}" x2="{x:.1f}" y2="{y:g}"/>'
    if mark.is_stopped:
        yield f'<path class="{point}" d="M{x - 3:.1f} {y - 5:g}l8 5l-8 5z"/>'
    else:
        yield f'<circle class="{point}" cx="{x:.1f}" cy="{y:g}" r="4"/>'
    yield f'<text{name} x="{x + 9:.1f}" y="{y + 4:g}">{escape(mark.label)}</text>'


def decades(marks: Sequence[Mark]) -> tuple[int, int]:
    """Return the powers of ten around all times."""
    low = math.floor(math.log10(min(mark.ns for mark in marks)))
    high = math.ceil(math.log10(max(mark.ns for mark in marks)))
    return low, max(high, low + 1)


def decade_label(decade: int) -> str:
    """Name a power of ten nanoseconds."""
    unit = ("ns", "µs", "ms", "s")[min(max(decade, 0) // 3, 3)]
    return f"{10 ** (decade - 3 * min(max(decade, 0) // 3, 3)):g} {unit}"
