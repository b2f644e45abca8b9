"""Columns of text on a terminal.

In: text made safe by `verger.plain`. Out: its width in columns; text of a width.
"""


def columns(text: str) -> int:
    """Return how many terminal columns printable text takes."""
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
