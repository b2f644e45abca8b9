"""Semantic tokens: the parts of each line, as verger reads them.

In: a `Document`. Out: spans in the order of the file, without overlaps, with a type and modifiers.
An editor's own colours come from a grammar without a dialect; these tokens show which keys are
read, which crawlers are known and which rules never decide.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from verger._core import Line
from verger.analysis.layout import key_span
from verger.crawlers import find
from verger.files.json_text import Json
from verger.service.lsp.document import Document, names
from verger.service.lsp.text import Span, Text

TYPES = ("keyword", "class", "string", "operator", "comment", "property")
MODIFIERS = ("deprecated", "defaultLibrary")

MOST_TOKENS = 100_000
"""The maximum number of tokens of one file; ordinary files have a few for each line."""


Token: TypeAlias = tuple[Span, str, tuple[str, ...]]
"""A part of a line, with a type and modifiers."""


def tokens(document: Document) -> Json:
    """Return the tokens of a file as numbers, with positions relative to the previous token."""
    found = (token for line in document.lines for token in _of_line(document, line))
    those = islice((token for token in found if token[0][0] < token[0][1]), MOST_TOKENS)
    return {"data": list(_numbers(document.text, those))}


def _numbers(text: Text, found: Iterable[Token]) -> Iterator[int]:
    line, character = 0, 0
    for span, kind, modifiers in found:
        (at_line, start), (_, stop) = text.place(span[0]), text.place(span[1])
        yield at_line - line
        yield start - character if at_line == line else start
        yield stop - start
        yield TYPES.index(kind)
        yield sum(1 << MODIFIERS.index(each) for each in modifiers)
        line, character = at_line, start


def _of_line(document: Document, line: Line) -> Iterator[Token]:
    if line.key and line.field:
        yield key_span(document.robots, line), "keyword", ()
    if line.value_span and line.field:
        yield from _value(document, line, line.value_span)
    start, stop = document.text.line_span(line.number - 1)
    at = document.text.body.find(b"#", start, stop) if line.comment is not None else -1
    if at >= 0:
        yield (at, stop), "comment", ()


def _value(document: Document, line: Line, span: Span) -> Iterator[Token]:
    if line.kind == "rule":
        yield from _pattern(document, line, span)
    elif line.kind == "start-group":
        for name, where in names(line):
            known = ("defaultLibrary",) if name == "*" or find(name) else ()
            yield where, "class", known
    else:
        yield span, "property", ()


def _pattern(document: Document, line: Line, span: Span) -> Iterator[Token]:
    """Yield the literal parts of a pattern, and `*` and a final `$` if they are special."""
    rule = document.rule_at.get(line.number)
    faded = ("deprecated",) if rule and document.never_decides(rule) else ()
    if not document.has_wildcards:
        yield span, "string", faded
        return
    for part in _PARTS.finditer(document.text.body[slice(*span)]):
        where = span[0] + part.start(), span[0] + part.end()
        yield where, "operator" if part[1] else "string", faded


_PARTS = re.compile(rb"(\*|\$\Z)|(?:[^*$]|\$(?!\Z))+")
