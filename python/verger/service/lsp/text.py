"""The text of a file in an editor's positions: lines, and units within a line.

In: the bytes of a file, and the unit in which an editor counts: bytes, UTF-16 code units or
characters. Out: places as (line, character) for offsets in bytes, and the reverse. A place outside
the text becomes the nearest inside it, as the protocol requires.

A line ends with LF, CR LF or CR (Language Server Protocol 3.17, "Text Documents"), as elsewhere in
verger; but here a text has one more line after its last line end. An editor can send half a
surrogate pair, which is encoded here as the three bytes that UTF-8 would use.
"""

import re
from bisect import bisect_right
from functools import cached_property
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]
Place: TypeAlias = tuple[int, int]
"""A line and a character in it, both from 0."""
Span: TypeAlias = tuple[int, int]
"""The start and end of something, as offsets in bytes."""

UNITS: tuple[Unit, ...] = ("utf-8", "utf-16", "utf-32")


class Text:
    """The bytes of a file, with the positions of an editor. The bytes do not change."""

    def __init__(self, body: bytes, unit: Unit = "utf-16") -> None:
        self.body = body
        self.unit = unit
        # The last offset looked up, its line, and its units: later offsets in the line are counted
        # from there; otherwise a long line with many places would take quadratic time.
        self._last = 0, 0, 0

    @classmethod
    def of(cls, text: str, unit: Unit) -> "Text":
        """Return the text for a string from an editor."""
        return cls(_bytes(text), unit)

    def place(self, offset: int) -> Place:
        """Return the place of an offset in bytes; inside a character, the place of its start."""
        line = bisect_right(self._starts, offset) - 1
        start, stop = self.line_span(line)
        at, units = self._whole(min(offset, stop)), 0
        last_at, last_line, last_units = self._last
        if last_line == line and start <= last_at <= at:
            start, units = last_at, last_units
        units += self._units(self.body[start:at])
        self._last = at, line, units
        return line, units

    def offset(self, place: Place) -> int:
        """Return the offset in bytes of a place; inside a character, the offset of its start."""
        line, character = place
        if line >= len(self._starts):
            return len(self.body)
        start, stop = self.line_span(line)
        content = self.body[start:stop]
        if content.isascii() or self.unit == "utf-8":
            return self._whole(min(start + character, stop))
        units = 0
        for each in _text(content):
            units += 2 if self.unit == "utf-16" and each > "\uffff" else 1
            if units > character:
                break
            start += len(_bytes(each))
        return start

    def changed(self, start: Place, stop: Place, replacement: str) -> "Text":
        """Return the text with the part between two places replaced."""
        first, last = self.offset(start), self.offset(stop)
        body = self.body
        return Text(b"".join((body[:first], _bytes(replacement), body[last:])), self.unit)

    def line_span(self, line: int) -> Span:
        """Return the start of a line and the end of its content, in bytes."""
        start = self._starts[line]
        if line + 1 == len(self._starts):
            return start, len(self.body)
        stop = self._starts[line + 1]
        return start, stop - (2 if self.body[start:stop].endswith(b"\r\n") else 1)

    def line(self, line: int) -> bytes:
        """Return the content of a line; empty after the last line."""
        if line >= len(self._starts):
            return b""
        start, stop = self.line_span(line)
        return self.body[start:stop]

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(found.end() for found in _LINE_END.finditer(self.body))]

    def _whole(self, offset: int) -> int:
        """Return the start of the character at an offset."""
        while offset < len(self.body) and self.body[offset] & 0xC0 == 0x80:
            offset -= 1
        return offset

    def _units(self, content: bytes) -> int:
        if content.isascii() or self.unit == "utf-8":
            return len(content)
        text = _text(content)
        if self.unit == "utf-32":
            return len(text)
        return len(text) + sum(each > "\uffff" for each in text)


_LINE_END = re.compile(rb"\r\n?|\n")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
