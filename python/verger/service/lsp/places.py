"""Positions in a line: its key, the names of crawlers, its comment.

In: a `Document` and a line in it. Out: spans of the file, in bytes.
"""

from collections.abc import Iterator

from verger._core import Line, _leading_name
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span


def line_at(document: Document, offset: int) -> Line | None:
    """Return the line at an offset; None after the last line end."""
    number, _ = document.text.place(offset)
    return document.line(number + 1)


def key_span(document: Document, line: Line) -> Span | None:
    """Return the span of a line's key."""
    if not line.key:
        return None
    key = line.key.encode("utf-8", "surrogateescape")
    start = document.text.body.find(key, *line.span)
    return (start, start + len(key)) if start >= 0 else None


def comment_span(document: Document, line: Line) -> Span | None:
    """Return the span of a line's comment, including its `#`."""
    if line.comment is None:
        return None
    start, stop = document.text.line_span(line.number - 1)
    at = document.text.body.find(b"#", start, stop)
    return (at, stop) if at >= 0 else None


def names(line: Line) -> Iterator[tuple[str, Span]]:
    """Yield the crawler that a start-group line names; nothing for other lines."""
    if line.field != "user-agent" or line.value_span is None or not line.value:
        return
    start = line.value_span[0]
    name = "*" if line.value.startswith("*") else _leading_name(line.value)
    if name:
        yield name, (start, start + len(name.encode("utf-8", "surrogateescape")))
