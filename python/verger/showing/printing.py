"""How text is printed: rows of tables, lines of files with marks under them, and Markdown.

In: text made safe by `verger.untrusted_text`, perhaps in colour; bytes of a file; text from files.
Out: text of a width in columns; for each character of a line its text and the mark under it, and
only the two ends of long lines; GitHub Flavored Markdown in which nothing of a file is a link, a
mention, a tag or a column.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat, takewhile

from verger._core import RobotsTxt
from verger.untrusted_text import glyph, printable, visible

GAP = "  "
"""What separates the cells of a row."""

TOTALS = 25
"""The width of a name and its number in a table of totals."""


def columns(text: str) -> int:
    """Return how many terminal columns printable text takes, without its colours."""
    if "\x1b" in text:  # only from a palette: other text is printable
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) != 0 for character in text)


columns_of_cell = lru_cache(maxsize=1 << 12)(columns)
"""The same, for a character: most lines have the same."""


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


def at_most(
    some: Sequence[object],
    most: int | None,
    line: Callable[..., str],
    more: Callable[[int], str],
) -> Iterator[str]:
    """Yield a line for each of the first of some, and one for the number of those left out.

    most:  how many to show; None for all.
    """
    yield from map(line, some[:most])
    if most is not None and len(some) > most:
        yield more(len(some) - most)


Total = tuple[str, int | str | None, str]
"""A row of totals: a name, its number or None, and more."""


def totals(rows: Iterable[Total], *, width: int = TOTALS) -> Iterator[str]:
    """Yield a line for each row that has a number: its name, the number at the right, and more."""
    for name, number, more in rows:
        if number is not None:
            shown = number if isinstance(number, str) else f"{number:,}"
            yield f"{name}{shown:>{width - len(name)}}{GAP}{more}".rstrip()


def pace(seconds: float, number: int, what: str) -> Total:
    """Return the row for the time that a number of something took."""
    rate = number / max(seconds, 1e-9)
    return "time", f"{seconds:,.2f} s", f"{rate:,.0f} {what} a second"


# Lines of a file


Cells = list[tuple[str, str]]
"""The printed text of each character, and the mark under it."""

KEY_CELLS, VALUE_CELLS, REST_CELLS = 40, 72, 24
"""The most cells to show of a key, a value, and the rest of the line."""

MOST_BYTES = 4
"""The most bytes of a character in UTF-8."""


def line_of(robots: RobotsTxt, number: int) -> bytes:
    """Return a line of a file without its end."""
    start, end = robots.lines[number - 1].span
    return robots.body[start:end].rstrip(b"\r\n")


def cells_of(data: bytes, mark: str) -> Cells:
    """Return one cell for each character; a tab becomes a space."""
    text = data.decode("utf-8", "surrogateescape").replace("\t", " ")
    is_plain = text.isascii() and text.isprintable()
    return [(each, mark) for each in (text if is_plain else map(glyph, text))]


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
    before = takewhile(lambda cell: cell[1] == " ", some)
    return sum(columns_of_cell(text) for text, _ in before)


def marks_under(some: Cells) -> str:
    """Return the line of marks, from the first to the last."""
    return "".join(mark * columns_of_cell(text) for text, mark in some).strip()


# Markdown


LONGEST_CODE = 72
"""The most characters of a quote."""


def code(text: str) -> str:
    """Return untrusted text as code that is shown literally, even in a table, and shortened.

    A backtick would end code, and a pipe a cell: a backslash before it could be undone by one that
    is already there (GFM 0.29, section 4.10). Text with one of these, and text that ends in a
    space, is written with entities.
    """
    return _as_code(visible(text, LONGEST_CODE))


def prose(text: str) -> str:
    """Return a sentence with untrusted quotes for Markdown, even in a table: what stands between
    backticks is code.

    Words and punctuation are kept; what could be a link, a mention or a tag is an entity.
    """
    return _QUOTE_OR_MARK.sub(_escaped, printable(text))


_QUOTE_OR_MARK = re.compile(
    r"`([^`]*)`"
    r"|(?<!\d)\.(?! |$)|:(?! |$)|-(?![a-z])"  # `www.a`, `https:`, `GH-1` would be links
    r"|[^\w ,;()'.:-]|_"
)


def _escaped(found: re.Match[str]) -> str:
    return _entity(found[0]) if found[1] is None else _as_code(found[1])


def _as_code(shown: str) -> str:
    if shown and shown.strip() == shown and not {"`", "|"} & set(shown):
        return f"`{shown}`"
    return f"<code>{''.join(map(_entity, shown))}</code>"


def _entity(character: str) -> str:
    return character if character.isalnum() else f"&#{ord(character)};"


def sentence(text: str) -> str:
    """Return words as a sentence."""
    return f"{text[:1].upper()}{text[1:]}."
