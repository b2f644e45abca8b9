"""Help that fits the terminal, or `COLUMNS`.

In: help, written for lines of 80 columns. Out: for fewer columns the same with long lines
wrapped below the column in which their text begins. Sections at the end that are to be copied stay
as they are.
"""

import sys
from collections.abc import Iterator

from verger.cli.output import terminal_width, wished_width

HELP_WIDTH = 80
WIDEST = 120

NARROWEST = 20
"""The fewest columns of text beside names; below, it begins further left."""

USAGE = "usage: "


def help_width() -> int:
    """Return the width of help: that of `COLUMNS` or the terminal, up to a readable limit."""
    return min(wished_width() or terminal_width(sys.stdout) or HELP_WIDTH, WIDEST)


def fit(text: str, width: int, *, to_copy: str = "") -> str:
    """Return help whose lines have at most `width` columns, unless a word is longer.

    to_copy:  the sections at its end whose lines are kept.
    """
    if width >= HELP_WIDTH:
        return text
    kept = f"{to_copy}\n" if to_copy else ""
    before = text.removesuffix(kept)
    lines = [line for whole in _unwrapped(before) for line in _wrapped(whole, width)]
    return "\n".join(lines) + kept


def _unwrapped(text: str) -> Iterator[str]:
    """Yield each paragraph, and each name with its text, as one line."""
    whole = ""
    for line in text.split("\n"):
        if whole and _continues(whole, line):
            whole += f" {line.strip()}"
            continue
        if whole:
            yield whole
        whole = line
        if not line:
            yield line
    if whole:
        yield whole


def _continues(whole: str, line: str) -> bool:
    """Whether a line continues the text of another: it begins in the same column."""
    return bool(line) and _indent(line) == _hang(whole) and not _is_item(line)


def _is_item(line: str) -> bool:
    """Whether a line has a name before its text, or is a heading."""
    return _hang(line) > _indent(line) or line.endswith(":")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _hang(line: str) -> int:
    """Return the column in which the text of a line begins, after its name."""
    if line.startswith(USAGE):
        return len(USAGE)
    indent = _indent(line)
    _, gap, text = line[indent:].partition("  ")
    return len(line) - len(text.lstrip()) if gap and text.strip() else indent


def _wrapped(line: str, width: int) -> list[str]:
    from textwrap import wrap

    hang = " " * min(_hang(line), width - NARROWEST)
    pieces = wrap(
        line, width, subsequent_indent=hang, break_long_words=False, break_on_hyphens=False
    )
    return pieces or [""]
