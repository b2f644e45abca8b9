"""Characters that nobody sees in a line, and quotes that no URL has around it.

In: the bytes of a file, and its lines. Out: by line, the characters that are no part of what its
author meant, each with its name and its place. Knows no check.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import TypeAlias
from unicodedata import name

from verger._core import Line
from verger.grouping import by_key
from verger.lint.diagnostic import Span
from verger.lint.spelling import SPELLINGS, letters

MARK = re.compile(
    rb"\xc3\xaf\xc2\xbb\xc2\xbf"  # a byte order mark that was encoded twice
    rb"|\xc2[\xa0\xad]|\xd8\x9c|\xe1\xa0\x8e|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xe2\x81[\x9f-\xa4\xa6-\xaf]"
    rb"|\xe3\x80\x80|\xef\xbb\xbf|(?<![\x80-\xff])\xa0"
    rb"|(?P<quote>\xe2\x80[\x98-\x9f]|\xc2[\xab\xbb]|(?<![\x80-\xff])[\x91-\x94])"
)
"""Blanks, marks of direction and characters without a width that are not of ASCII (Unicode 16.0,
categories `Zs`, `Zl`, `Zp` and `Cf`), and typographic quotes, in UTF-8;
the most common ones also in Windows-1252."""

CODECS = ("utf-8", "cp1252")

TWICE = "a byte order mark that was encoded twice"

Mark: TypeAlias = tuple[str, str, Span]
"""The name of a character, its place, such as `before the value`, and its span."""


def marks_in(body: bytes, lines: Sequence[Line]) -> dict[int, list[Mark]]:
    """Return what is in the lines of a file, by their numbers; lines without it are left out."""
    shown = () if body.isascii() else lines
    return by_key((line.number, mark) for line in shown for mark in _marks_of(body, line.span))


def _marks_of(body: bytes, span: Span) -> Iterator[Mark]:
    """Yield what is in a line with a field; its comment does not matter."""
    field, colon, value = body[slice(*span)].partition(b"#")[0].partition(b":")
    if not colon or letters(MARK.sub(b"", field).decode("utf-8", "replace")) not in SPELLINGS:
        return
    for what, text, start in (
        ("field", field, span[0]),
        ("value", value, span[0] + len(field) + 1),
    ):
        bare = MARK.sub(lambda match: b" " * len(match[0]), text)
        first, last = len(bare) - len(bare.lstrip()), len(bare.rstrip())
        for match in MARK.finditer(text):
            at, mark = start + match.start(), match[0].decode(CODECS[len(match[0]) == 1])
            where = ("before", "within", "behind")[bisect((first, last), match.start())]
            is_part = match["quote"] and where == "within"
            if not is_part and (at or mark != "\ufeff"):  # at the beginning of a file, it is RT109
                told = f"U+{ord(mark):04X} ({name(mark).lower()})" if len(mark) == 1 else TWICE
                yield told, f"{where} the {what}", (at, at + len(match[0]))
