"""Positions in a text: lines, and units within a line, for people, programs and editors.

In: the bytes of a file, and what is counted in a line: bytes, UTF-16 code units or characters. Out:
places as (line, unit) for offsets in bytes. A line ends with LF, CR LF or CR, as elsewhere in
verger; but here a text has one more line after its last line end.
"""

import re
from bisect import bisect_right
from functools import cached_property
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
Place: TypeAlias = tuple[int, int]
"""A line and a unit in it, both from 0."""
Span: TypeAlias = tuple[int, int]
"""The start and end of something, as offsets in bytes."""

UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")

_LINE_END = re.compile(rb"\r\n?|\n")


class Positions:
    """The bytes of a file, with positions in them. The bytes do not change."""

    errors = "surrogateescape"
    """How bytes that are not UTF-8 are decoded: each of them is a character."""

    def __init__(self, body: bytes, unit: Unit) -> None:
        self.body = body
        self.unit = unit
        # The last offset looked up, its line, and its units: later offsets in the line are counted
        # from there; otherwise a long line with many places would take quadratic time.
        self._last = 0, 0, 0

    def place(self, offset: int) -> Place:
        """Return the place of an offset in bytes, at most the end of its line's content."""
        line = bisect_right(self.starts, offset) - 1
        start, stop = self.line_span(line)
        at, units = min(offset, stop), 0
        last_at, last_line, last_units = self._last
        if last_line == line and start <= last_at <= at:
            start, units = last_at, last_units
        units += self._units(self.body[start:at])
        self._last = at, line, units
        return line, units

    def line_span(self, line: int) -> Span:
        """Return the start of a line and the end of its content, in bytes."""
        start = self.starts[line]
        if line + 1 == len(self.starts):
            return start, len(self.body)
        stop = self.starts[line + 1]
        return start, stop - (2 if self.body[start:stop].endswith(b"\r\n") else 1)

    @cached_property
    def starts(self) -> list[int]:
        """The offset at which each line starts."""
        return [0, *(found.end() for found in _LINE_END.finditer(self.body))]

    def _units(self, content: bytes) -> int:
        if content.isascii() or self.unit == "utf-8":
            return len(content)
        text = content.decode("utf-8", self.errors)
        if self.unit == "utf-32":
            return len(text)
        return len(text) + sum(each > "\uffff" for each in text)
