"""Layout: write a new line like its neighbours.

In: a parsed file, a field, a value, and the place of the new line. Out: the line without its line
end, with the indentation, spelling and spacing of the nearest line of its kind.
"""

from functools import lru_cache

from verger._core import Line, RobotsTxt
from verger.analysis.edits import Span, outwards

KINDS = {"user-agent": "start-group", "allow": "rule", "disallow": "rule"}
"""The kinds of lines by their fields; all others are records."""

SPELLINGS = {
    "user-agent": "User-agent",
    "content-signal": "Content-Signal",
    "content-usage": "Content-Usage",
}
"""Fields whose usual spelling is not just one capital letter at the start."""

SEPARATOR = b": "


def line_like(robots: RobotsTxt, near: int, field: str, value: str) -> bytes:
    """Return a new line to be placed after line `near`."""
    data = value.encode("utf-8", "surrogateescape")
    model = _model(robots, near, KINDS.get(field, "record"))
    if model is None:
        return b"%b%b%b" % (spelled(field).encode(), SEPARATOR, data)
    indent, separator = _indent(robots, model), _separator(robots, model)
    key = spelled(field, model).encode("utf-8", "surrogateescape")
    return b"%b%b%b%b" % (indent, key, separator if value else separator.rstrip(), data)


def spelled(field: str, model: Line | None = None) -> str:
    """Return a field name in the letter case of another line."""
    usual = SPELLINGS.get(field, field.capitalize())
    key = (model.key if model else None) or usual
    if key.lower() == field:
        return key
    if key.islower():
        return usual.lower()
    if key.isupper():
        return usual.upper()
    return usual.title() if "-" in key and key == key.title() else usual


def key_span(robots: RobotsTxt, line: Line) -> Span:
    """Return the span of the key of a line."""
    key = (line.key or "").encode("utf-8", "surrogateescape")
    start = max(robots.body.find(key, *line.span), line.span[0])
    return start, start + len(key)


def separator_span(robots: RobotsTxt, line: Line) -> Span:
    """Return the span between key and value."""
    _, start = key_span(robots, line)
    return start, max(start, line.value_span[0] if line.value_span else start)


@lru_cache(8)  # all lines of a new group, perhaps thousands, are like the same two
def _model(robots: RobotsTxt, near: int, kind: str) -> Line | None:
    """Return the nearest line of a kind, otherwise the nearest line with a key and a value."""
    other = None
    for line in (robots.lines[number - 1] for number in outwards(near, len(robots.lines))):
        if line.kind == kind and line.value:
            return line
        if other is None and line.value and line.kind in ("start-group", "rule", "record"):
            other = line
    return other


def _indent(robots: RobotsTxt, line: Line) -> bytes:
    before = robots.body[line.span[0] : key_span(robots, line)[0]]
    return before[len(before.rstrip(b" \t")) :]


def _separator(robots: RobotsTxt, line: Line) -> bytes:
    """Return the bytes between key and value, or the default if they lack a colon."""
    start, stop = separator_span(robots, line)
    separator = robots.body[start:stop]
    return separator if separator.strip(b" \t") == b":" else SEPARATOR
