"""Lines of a file on a terminal, character by character, with marks under some of them.

In: bytes. Out: the text and the mark under it for each character; only the two ends of long lines.
"""

from verger.cli.columns import columns
from verger.plain import glyph

Cells = list[tuple[str, str]]
"""The printed text of each character, and the mark under it."""

KEY_CELLS, VALUE_CELLS, REST_CELLS = 40, 72, 24
"""The most cells to show of a key, a value, and the rest of the line."""

MOST_BYTES = 4
"""The most bytes of a character in UTF-8."""


def cells_of(data: bytes, mark: str) -> Cells:
    """Return one cell for each character; a tab becomes a space."""
    text = data.decode("utf-8", "surrogateescape").replace("\t", " ")
    return [(glyph(character), mark) for character in text]


def cells_within(body: bytes, span: tuple[int, int], mark: str, limit: int) -> Cells:
    """Return the shortened cells of a span, in a time that does not grow with the span."""
    start, stop = span
    room = MOST_BYTES * (limit + 1)
    if stop - start <= 2 * room:
        return cut_cells(cells_of(body[start:stop], mark), limit)
    ends = cells_of(body[start : start + room], mark) + cells_of(body[stop - room : stop], mark)
    return cut_cells(ends, limit)


def cut_cells(some: Cells, limit: int) -> Cells:
    """Return the cells, or the two ends around `...` if there are too many."""
    if len(some) <= limit:
        return some
    tail = limit // 3
    gap = ("...", some[limit - tail][1])
    return [*some[: limit - tail], gap, *some[-tail:]]


def text_of(some: Cells) -> str:
    """Return the text of the line."""
    return "".join(text for text, _ in some).rstrip()


def indent_of(some: Cells) -> int:
    """Return the columns before the first mark."""
    width = 0
    for text, mark in some:
        if mark != " ":
            break
        width += columns(text)
    return width


def marks_under(some: Cells) -> str:
    """Return the line of marks, from the first to the last."""
    return "".join(mark * columns(text) for text, mark in some).strip()
