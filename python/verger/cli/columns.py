"""Columns of text on a terminal: the rows of tables, and the lines of totals.

In: text made safe by `verger.plain`, perhaps in colour. Out: its width in columns; text of a width.
"""

from collections.abc import Iterable, Sequence
from itertools import repeat

GAP = "  "
"""What separates the cells of a row."""

TOTALS = 25
"""The width of a name and its number in a table of totals."""


def columns(text: str) -> int:
    """Return how many terminal columns printable text takes, without its colours."""
    if "\x1b" in text:  # only from a palette: other text is printable
        import re

        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) != 0 for character in text)


def padded(text: str, width: int, *, left: bool = True) -> str:
    """Return printable text padded with spaces to a width: after the text, or before it."""
    room = " " * (width - columns(text))
    return f"{text}{room}" if left else f"{room}{text}"


def share(part: int, whole: int) -> str:
    """Return a part of a whole as a percentage in seven columns."""
    return f"{part / whole:7.1%}" if whole else "      -"


def row_of(cells: Iterable[str], widths: Iterable[int], left: Sequence[bool] = ()) -> str:
    """Return cells padded to these widths, as one line.

    left:  for each cell, whether it begins at the left; by default, all do.
    """
    sides: Iterable[bool] = left or repeat(True)
    return GAP.join(
        padded(cell, width, left=side)
        for cell, width, side in zip(cells, widths, sides, strict=False)
    )


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """Return the width of each column."""
    return [max(map(columns, cells)) for cells in zip(*rows, strict=True)]


def total(name: str, number: int | str, more: str = "", *, width: int = TOTALS) -> str:
    """Return a line of a table of totals: a name, its number at the right, and more."""
    shown = number if isinstance(number, str) else f"{number:,}"
    return f"{name}{shown:>{width - len(name)}}{GAP}{more}".rstrip()
