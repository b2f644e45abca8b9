"""Characters that nobody sees in a line, and those of word processors that no URL has around it.

In: the bytes of a file, and its lines. Out: by line, the characters that are no part of what its
author meant, each with its name and its place. Knows no check.
"""

import re
from bisect import bisect
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from unicodedata import name

from verger._core import Line
from verger.grouping import by_key
from verger.lint.diagnostic import Span
from verger.lint.spelling import SPELLINGS, letters

MARK = re.compile(
    rb"\xc3\xaf\xc2\xbb\xc2\xbf"  # a byte order mark that was encoded twice
    rb"|(?<!\xc3[\x82-\x9f])(?<!\xc3[\xa0-\xaf]\xc2[\x80-\xbf])"  # or a letter was encoded twice
    rb"(?!(?<=\xc3[\xa0-\xaf])\xc2.\xc2)\xc2[\xa0\xad]"
    rb"|\xd8\x9c|\xe1\xa0\x8e|\xe2\x80[\x80-\x8f\xa8-\xaf]|\xe2\x81[\x9f-\xa4\xa6-\xaf]"
    rb"|\xe3\x80\x80|\xef\xbb\xbf|(?<![\x80-\xff])\xa0"
    rb"|(?P<quote>\xe2\x80[\x98-\x9f]|\xc2[\xab\xbb]|(?<![\x80-\xff])[\x91-\x94])"
    rb"|(?P<bullet>\xe2\x80\xa2)|(?P<ellipsis>\xe2\x80\xa6)"
)
"""Blanks, marks of direction and characters without a width that are not of ASCII (Unicode 16.0,
categories `Zs`, `Zl`, `Zp` and `Cf`), typographic quotes, and what word processors make of `*` and
`...`, in UTF-8; the most common ones also in Windows-1252."""


HYPHEN = re.compile(rb"\xe2\x80[\x90-\x95]|\xe2\x88\x92|(?<![\x80-\xff])[\x96\x97]")
"""Hyphens, dashes and the minus sign, in UTF-8; the dashes also in Windows-1252. Paths may have
them, and no field."""


def marks_in(body: bytes, lines: Sequence[Line]) -> dict[int, list[tuple[str, str, Span]]]:
    """Return what is in the lines of a file, by their numbers; lines without it are left out.

    Each mark has the name of the character, its place, such as `before the value`, and its span.
    """
    shown = () if body.isascii() else lines
    return by_key((line.number, mark) for line in shown for mark in _marks_of(body, line.span))


def _marks_of(body: bytes, span: Span) -> Iterator[tuple[str, str, Span]]:
    """Yield what is in a line with a field; its comment does not matter."""
    field, colon, value = body[slice(*span)].partition(b"#")[0].partition(b":")
    if (
        not colon
        or (field + value).isascii()
        or letters(MARK.sub(b"", field).decode("utf-8", "replace")) not in SPELLINGS
    ):
        return
    for match in HYPHEN.finditer(field):
        at, is_first = span[0] + match.start(), not field[: match.start()].strip()
        place = "before the field" if is_first else "within the field"
        yield _name_of(match[0]), place, (at, at + len(match[0]))
    for what, text, start in (
        ("field", field, span[0]),
        ("value", value, span[0] + len(field) + 1),
    ):
        bare = MARK.sub(lambda match: b" " * len(match[0]), text)
        first, last = len(bare) - len(bare.lstrip()), len(bare.rstrip())
        opening = MARK.match(text.lstrip())  # a closing quote alone may be part of a path
        for match in MARK.finditer(text):
            at, sign = start + match.start(), match[0]
            where = ("before", "within", "behind")[bisect((first, last), match.start())]
            place = f"{where} the {what}"
            is_odd = {
                "quote": where == "before" or (where == "behind" and opening),
                "bullet": place == "before the field",
                "ellipsis": place == "behind the value",
            }.get(match.lastgroup or "", at or sign != BOM_UTF8)
            if is_odd:
                yield _name_of(sign), place, (at, at + len(sign))


def _name_of(sign: bytes) -> str:
    mark = sign.decode("utf-8" if len(sign) > 1 else "cp1252")
    told = f" ({name(mark).lower()})" if len(mark) == 1 else ", a byte order mark encoded twice,"
    return f"U+{ord(mark[0]):04X}{told}"
