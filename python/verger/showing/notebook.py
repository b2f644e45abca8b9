"""What a notebook shows of files, decisions and findings: their `_repr_html_`.

In: the values. Out: HTML with inline styles, readable on light and on dark ground, without scripts
and without links. All text of files and URLs is made printable, and escaped.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from verger._core import Decision, Finding, Line, RobotsTxt
from verger.showing.excerpt import explained
from verger.showing.palette import SEVERITY_COLOURS, STYLES, Palette
from verger.showing.printing import at_most
from verger.untrusted_text import counted, printable, shortened, visible

MOST_LINES = 100
"""How many lines of a file are shown, and how many findings."""

GUTTER = len(f"{MOST_LINES} |")
"""How many characters the number before a line takes."""

LONGEST = 160
"""How many characters of a line or of a message are shown."""

# At least 4 : 1 against white and against #1e1e1e.
LOOK = {
    "bold": "font-weight:bold",
    "red": "color:#d9483b",
    "green": "color:#2b8a3e",
    "yellow": "color:#9a6b00",
    "magenta": "color:#b04fb8",
    "cyan": "color:#1f83a0",
}
FRAME = (
    "font-family:monospace;background:transparent;color:inherit;line-height:1.35;"
    "white-space:pre;overflow-x:auto;scrollbar-color:#888 transparent"
)

_ENDLESS = re.compile(r"[^\x1b\n]{400,}")  # longer than any sentence, such as a redirect's URL
_STYLED = re.compile(r"\x1b\[([0-9;]+)m")
_NAMES = {code: name for name, code in STYLES.items()}


def picture(text: str, heading: str = "") -> str:
    """Return lines that a palette has coloured as HTML.

    heading:  untrusted text for a line above.
    """
    lines = f"{Palette(coloured=True).paint(_short(heading), 'bold')}\n{text}"
    cut = _ENDLESS.sub(lambda text: shortened(text[0], LONGEST), lines.removeprefix("\n"))
    shown = _STYLED.sub(_tag, escape(cut))
    return f'<pre style="{FRAME}">{shown}</pre>'


def of_decision(decision: Decision) -> str:
    """Return the explanation of a decision, under its URL."""
    heading = f"{decision.url} for {', '.join(decision.tokens)}"
    return picture(explained(decision, coloured=True), heading)


def of_finding(finding: Finding) -> str:
    """Return a finding as a line."""
    return picture(_finding(finding))


def of_findings(findings: Sequence[Finding]) -> str:
    """Return findings, each as a line."""
    return _listed(findings, _finding, "more finding", counted(len(findings), "finding"))


def of_lines(lines: Sequence[Line]) -> str:
    """Return how each line is read."""
    return _listed(lines, lambda one: _short(repr(one)), "more line", counted(len(lines), "line"))


def of_file(robots: RobotsTxt) -> str:
    """Return a file with the numbers of its lines, and the findings under them."""
    return _listed(robots.lines, partial(_with_findings, robots.body), "more line", repr(robots))


def _listed(some: Sequence[object], text_of: Callable[..., str], more: str, heading: str) -> str:
    """Return the text of the first of some, with the number of those left out."""
    shown = at_most(some, MOST_LINES, text_of, lambda rest: f"and {counted(rest, more)}")
    return picture("\n".join(shown), heading)


def _with_findings(body: bytes, line: Line) -> str:
    start, end = line.span
    raw = body[start : min(end, start + 4 * LONGEST)].decode("utf-8", "surrogateescape")
    read = f"{_gutter(f'{line.number} |')} {_short(raw.rstrip().replace(chr(9), ' '))}"
    return "\n".join([read, *(f"{_gutter('=')} {_severe(each)}" for each in line.findings)])


def _gutter(text: str) -> str:
    return Palette(coloured=True).paint(f"{text:>{GUTTER}}", "cyan")


def _finding(finding: Finding) -> str:
    return f"line {finding.line}: {_severe(finding)}"


def _severe(finding: Finding) -> str:
    word = Palette(coloured=True).paint(
        finding.severity, "bold", SEVERITY_COLOURS[finding.severity]
    )
    return f"{word} {_short(finding.message)} ({printable(finding.code)})"


def _short(text: str) -> str:
    return visible(text, LONGEST)


def _tag(style: re.Match[str]) -> str:
    """Return the HTML for an escape sequence of a palette: other text has none."""
    if style[1] == "0":
        return "</span>"
    look = ";".join(LOOK[_NAMES[code]] for code in style[1].split(";"))
    return f'<span style="{look}">'
