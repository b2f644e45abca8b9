"""Text of strangers on a terminal: made safe to print, measured and shortened.

In: text, as verger decodes bytes (UTF-8 with surrogateescape). Out: what `verger.plain` makes of
it, and how many columns that takes.
"""

from verger.plain import glyph, printable, shortened

__all__ = ["columns", "glyph", "printable", "shortened"]


def columns(text: str) -> int:
    """Return how many columns of a terminal printable text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    wide = sum(east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(combining(character) != 0 for character in text)
