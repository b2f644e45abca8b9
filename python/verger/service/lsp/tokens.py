"""Semantic tokens: the parts of each line, as verger reads them.

In: a `Document`. Out: spans in the order of the file, without overlaps, with a type and modifiers.
An editor's own colours come from a grammar without a dialect; these tokens show which keys are
read, which crawlers are known and which rules never decide.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from verger._core import Line
from verger.crawlers import find
from verger.service.lsp.document import Document
from verger.service.lsp.places import comment_span, key_span, names
from verger.service.lsp.text import Span

TYPES = ("keyword", "class", "string", "operator", "comment", "property")
MODIFIERS = ("deprecated", "defaultLibrary")

MOST = 100_000
"""The maximum number of tokens of one file; ordinary files have a few for each line."""


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a line, with names from `TYPES` and `MODIFIERS`."""

    span: Span
    kind: str
    modifiers: tuple[str, ...] = ()


def tokens(document: Document) -> list[Token]:
    """Return the tokens of a file."""
    found = (token for line in document.lines for token in _of_line(document, line))
    return list(islice((token for token in found if token.span[0] < token.span[1]), MOST))


def _of_line(document: Document, line: Line) -> Iterator[Token]:
    key, comment = key_span(document, line), comment_span(document, line)
    if key and line.field:
        yield Token(key, "keyword")
    if line.value_span and line.field:
        yield from _value(document, line, line.value_span)
    if comment:
        yield Token(comment, "comment")


def _value(document: Document, line: Line, span: Span) -> Iterator[Token]:
    if line.kind == "rule":
        yield from _pattern(document, line, span)
    elif line.kind == "start-group":
        for name, where in names(line):
            known = ("defaultLibrary",) if name == "*" or find(name) else ()
            yield Token(where, "class", known)
    else:
        yield Token(span, "property")


def _pattern(document: Document, line: Line, span: Span) -> Iterator[Token]:
    """Yield the literal parts of a pattern, and `*` and `$` if they are special."""
    rule = document.rule_at.get(line.number)
    faded = ("deprecated",) if rule and document.never_decides(rule) else ()
    (start, stop), body = span, document.text.body
    wildcards = document.has_wildcards
    at = start
    while at < stop:
        star = body.find(b"*", at, stop) if wildcards else -1
        end = star if star >= 0 else stop
        if star < 0 and wildcards and body[stop - 1 : stop] == b"$" and at < stop:
            yield Token((at, stop - 1), "string", faded)
            yield Token((stop - 1, stop), "operator", faded)
            return
        yield Token((at, end), "string", faded)
        if star >= 0:
            yield Token((star, star + 1), "operator", faded)
        at = end + 1
