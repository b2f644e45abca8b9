"""Positions in a file, as people and programs count them: lines, columns and bytes.

In: the bytes of a file, and byte offsets in it. Out: columns from 1, in characters, and in the code
units of UTF-16 that SARIF and editors count in.
"""

from dataclasses import dataclass

from verger import DIALECTS, Line, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from verger.lint import Diagnostic
    from verger.lint.diagnostic import Span

WHOLE = DIALECTS["rfc9309"].replace(parse_limit=None)


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a byte."""

    line: int
    column: int
    """From 1, in characters."""
    column_utf16: int
    """From 1, in code units of UTF-16."""


class FileText:
    """A file that computes positions, fastest if requested in order."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self._lines: Sequence[Line] = parse(body, dialect=WHOLE).lines
        self._last = (0, 0, 0, 0)
        """The last position: line, offset, and the characters and code units before it."""

    def line_span(self, number: int) -> "Span":
        """Return the bytes of a line without its end; an empty file has an empty first line."""
        if not 0 < number <= len(self._lines):
            return (len(self.body), len(self.body))
        start, stop = self._lines[number - 1].span
        while stop > start and self.body[stop - 1] in b"\r\n":
            stop -= 1
        return start, stop

    def place(self, number: int, offset: int) -> Place:
        """Return the position of a byte in a line."""
        start, stop = self.line_span(number)
        offset = min(max(offset, start), stop)
        line, at, characters, units = self._last
        if line != number or at > offset:
            at, characters, units = start, 0, 0
        text = self.body[at:offset].decode("utf-8", "surrogateescape")
        characters += len(text)
        units += (
            len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
        )
        self._last = (number, offset, characters, units)
        return Place(number, characters + 1, units + 1)

    def span(self, diagnostic: "Diagnostic") -> "Span":
        """Return the span of a diagnostic, within its line."""
        start, stop = self.line_span(diagnostic.line)
        first = min(max(diagnostic.span[0], start), stop)
        return first, min(max(diagnostic.span[1], first), stop)

    def places(self, diagnostic: "Diagnostic") -> tuple[Place, Place]:
        """Return the positions where a diagnostic begins and ends."""
        first, last = self.span(diagnostic)
        return self.place(diagnostic.line, first), self.place(diagnostic.line, last)
