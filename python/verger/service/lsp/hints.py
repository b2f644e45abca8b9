"""Hints: what is written between the lines, of rules that never decide and of whom groups bind.

In: a `Document`. Out: texts with the place where they belong.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from verger._core import Group
from verger.plain import counted
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span
from verger.service.lsp.words import count_of, never, plain, together

MOST = 10_000
"""Hints of one file."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A text behind an offset."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A text above a span."""

    span: Span
    text: str


def hints(document: Document, span: Span) -> list[Hint]:
    """Return a hint for each rule in a span of the file that never decides.

    An empty pattern has none: it is written in order to match nothing.
    """
    return list(_hints(document, span))[:MOST]


def _hints(document: Document, span: Span) -> Iterator[Hint]:
    for rule in document.rule_at.values():
        is_within = span[0] <= rule.span[1] and rule.span[0] <= span[1]
        if is_within and rule.pattern and document.never_decides(rule):
            yield Hint(rule.span[1], plain(never(document, rule)))


def lenses(document: Document) -> list[Lens]:
    """Return what is to be said of each group: *binds 3 crawlers · 12 rules · 1 shadowed*."""
    return [
        Lens(document.text.line_span(first - 1), " · ".join(_lens(document, group)))
        for group, first, _ in document.extents[:MOST]
    ]


def _lens(document: Document, group: Group) -> Iterator[str]:
    yield count_of(document.followers(group))
    if others := together(document, group):
        yield others
    yield counted(len(group.rules), "rule")
    shadowed = sum(map(document.is_shadowed, group.rules))
    if shadowed:
        yield f"{shadowed:,} shadowed"
