"""What a notebook shows of files, decisions and findings: their `_repr_html_`.

In: the values. Out: HTML with inline styles, readable on light and on dark ground, without scripts
and without links. All text of files and URLs is made printable, and escaped.
"""

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

from verger._core import Decision, Finding, Line, RobotsTxt
from verger.plain import counted, printable, shortened
from verger.showing.excerpt import explained
from verger.showing.palette import STYLES, Palette
from verger.showing.printing import at_most

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
SEVERITIES = {"error": "red", "warning": "yellow", "note": "cyan"}
FRAME = (
    "font-family:monospace;background:transparent;color:inherit;line-height:1.35;"
    "white-space:pre;overflow-x:auto;scrollbar-color:#888 transparent"
)

_STYLED = re.compile(r"\x1b\[([0-9;]+)m")
_NAMES = {code: name for name, code in STYLES.items()}


def picture(text: str, heading: str = "") -> str:
    """Return lines that a palette has coloured as HTML.

    heading:  untrusted text for a line above.
    """
    lines = f"{Palette(coloured=True).paint(_short(heading), 'bold')}\n{text}"
    shown = _STYLED.sub(_tag, escape(lines.removeprefix("\n")))
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
    lines = at_most(findings, MOST_LINES, _finding, lambda rest: f"and {rest:,} more")
    return picture("\n".join(lines), counted(len(findings), "finding"))


def of_lines(lines: Sequence[Line]) -> str:
    """Return how each line is read."""
    shown = at_most(lines, MOST_LINES, lambda one: _short(repr(one)), _rest)
    return picture("\n".join(shown), counted(len(lines), "line"))


def of_file(robots: RobotsTxt) -> str:
    """Return a file with the numbers of its lines, and the findings under them."""
    lines = robots.lines
    shown = "\n".join(_with_findings(robots.body, islice(lines, MOST_LINES)))
    rest = len(lines) - MOST_LINES
    return picture("\n".join([shown, *([_rest(rest)] if rest > 0 else [])]), repr(robots))


def _with_findings(body: bytes, lines: Iterable[Line]) -> Iterable[str]:
    for line in lines:
        start, end = line.span
        raw = body[start : min(end, start + 4 * LONGEST)].decode("utf-8", "surrogateescape")
        yield f"{_gutter(f'{line.number} |')} {_short(raw.rstrip().replace(chr(9), ' '))}"
        for finding in line.findings:
            yield f"{_gutter('=')} {_severe(finding)}"


def _gutter(text: str) -> str:
    return Palette(coloured=True).paint(f"{text:>{GUTTER}}", "cyan")


def _finding(finding: Finding) -> str:
    return f"line {finding.line}: {_severe(finding)}"


def _severe(finding: Finding) -> str:
    word = Palette(coloured=True).paint(finding.severity, "bold", SEVERITIES[finding.severity])
    return f"{word} {_short(finding.message)} ({printable(finding.code)})"


def _rest(number: int) -> str:
    return f"and {counted(number, 'more line')}"


def _short(text: str) -> str:
    return shortened(printable(text), LONGEST)


def _tag(style: re.Match[str]) -> str:
    """Return the HTML for an escape sequence of a palette: other text has none."""
    if style[1] == "0":
        return "</span>"
    look = ";".join(LOOK[_NAMES[code]] for code in style[1].split(";"))
    return f'<span style="{look}">'
