"""Lines of a text, none longer than a bound: a file of one endless line must not fill the memory.

In: a text stream. Out: its lines with their ends; in place of one that is too long a `LongLine` is
raised, and whoever goes on gets the next.
"""

from typing import TextIO


class LongLine(Exception):
    """A line that is too long to be read; all of it has been passed over."""


class Lines:
    """The lines of a text, one by one; `number` is that of the last, from 1."""

    __slots__ = ("_longest", "_text", "number")

    def __init__(self, text: TextIO, longest: int) -> None:
        """Take a stream; `longest` is in characters, with the end of the line."""
        self._text = text
        self._longest = longest
        self.number = 0

    def __iter__(self) -> "Lines":
        return self

    def __next__(self) -> str:
        """Return the next line. Raises LongLine."""
        line = self._read()
        if not line:
            raise StopIteration
        self.number += 1
        if self._is_part(line):
            while self._is_part(line):
                line = self._read()
            raise LongLine(f"the line has more than {self._longest:,} characters")
        return line

    def _read(self) -> str:
        return self._text.readline(self._longest + 1)

    def _is_part(self, line: str) -> bool:
        return len(line) > self._longest and not line.endswith(("\n", "\r"))
