"""RT115: text that is neither a field nor a comment."""

import re
from collections.abc import Iterator

from verger.analysis import Edit
from verger.lint.check import check
from verger.lint.checks.unknown_field import SPELLINGS, is_prose
from verger.lint.diagnostic import Fix, Found, Span
from verger.lint.file import File
from verger.lint.words import quoted

HIDDEN_FIELD = re.compile(rb".{0,12}(?:user-agent|allow|sitemap|crawl-delay)\s*:", re.IGNORECASE)
"""A field after invisible characters, such as a byte order mark in another encoding."""


@check("RT115", "warning", fix="safe")
def text_outside_comment(file: File) -> Iterator[Found]:
    """A line that is neither blank, nor a comment, nor a field with a value.

    Why: crawlers skip such a line, or treat its beginning as a field.

    Use instead: `#` before a comment, a field before a path.

    Fix: the line becomes a comment, unless it has a field without its colon, or after invisible
    characters. Crawlers skip both, so no decision changes.
    """
    for line in file.lines:
        if line.kind != "unknown" or (line.key is not None and not is_prose(line)):
            continue
        span = file.content(line.number)
        if span[0] == span[1]:
            continue
        what = f"{quoted(file.text(span))} is {_kind(file.text(span))}"
        is_field = HIDDEN_FIELD.match(file.text(span)) or any(
            map(SPELLINGS.nearest, line_words(file, span))
        )
        fix = (
            None
            if is_field
            else Fix("Make it a comment", (Edit((span[0], span[0]), b"# "),), "safe")
        )
        yield Found(line.number, what, span, fix=fix)


def _kind(text: bytes) -> str:
    """Return what a text is, in words."""
    if text.startswith(b"<!--"):
        return "not a comment: comments in robots.txt files begin with `#`"
    return "neither a field with a value nor a comment"


def line_words(file: File, span: Span) -> list[str]:
    """Return the first word of a line, if it has one."""
    return file.text(span).decode("utf-8", "replace").split()[:1]
