"""Templates that were not rendered: their marks in a file.

In: the bytes of a file, and its lines. Out: the numbers of lines with marks, and of lines between
an opening mark and its closing one.
"""

from collections.abc import Iterator, Sequence

from verger._core import Line

MARKS = {b"{{": b"}}", b"{%": b"%}", b"<%": b"%>", b"<?": b"?>"}
"""Opening and closing marks of Jinja, Liquid, Go, Handlebars, ERB and PHP."""

ALONE = (*MARKS, *MARKS.values(), b"${")
"""Marks that show a template; the last one is of shells and JavaScript."""

PATTERNS = ("allow", "disallow", "noindex", "nofollow", "noarchive", "clean-param")
"""Fields whose values may have marks: sites disallow URLs that a broken template made."""


def template_lines(body: bytes, lines: Sequence[Line]) -> frozenset[int]:
    """Return the lines of a file that are part of a template."""
    return frozenset(_template_lines(body, lines)) if _has_mark(body) else frozenset()


def _template_lines(body: bytes, lines: Sequence[Line]) -> Iterator[int]:
    end = b""  # the closing mark that is awaited
    inside: list[int] = []
    for line in lines:
        text = body[slice(*line.span)]
        if end:
            inside.append(line.number)
            if end in text:
                yield from inside
                end = b""
        elif _shows_template(line, body):
            yield line.number
            end, inside = _awaited(text), []


def _shows_template(line: Line, body: bytes) -> bool:
    """Whether a line has a mark, outside of a comment and of a pattern."""
    if line.field in PATTERNS and line.value_span is not None:
        return body[slice(*line.value_span)].startswith(ALONE)
    text = body[slice(*line.span)].partition(b"#")[0]
    return line.kind not in ("blank", "comment") and _has_mark(text)


def _has_mark(text: bytes) -> bool:
    return any(mark in text for mark in ALONE)


def _awaited(text: bytes) -> bytes:
    """Return the closing mark that a line lacks for its opening one; empty if none is lacking."""
    lacking = (end for begin, end in MARKS.items() if text.rfind(begin) > text.rfind(end))
    return next(lacking, b"")
