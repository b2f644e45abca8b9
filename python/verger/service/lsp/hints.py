"""Hints in the text: rules that never decide, and the crawlers that groups apply to.

In: a `Document`. Out: texts with their positions.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from verger._core import Group
from verger.plain import counted
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span
from verger.service.lsp.words import count_of, never, shown, together

MOST = 10_000
"""The maximum number of hints of one file."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A text after an offset."""

    offset: int
    text: str


@dataclass(frozen=True, slots=True)
class Lens:
    """A text above a span."""

    span: Span
    text: str


def hints(document: Document, span: Span) -> list[Hint]:
    """Return a hint for each rule in a span of the file that never decides.

    An empty pattern has none: it is meant to match nothing.
    """
    return list(_hints(document, span))[:MOST]


def _hints(document: Document, span: Span) -> Iterator[Hint]:
    for rule in document.rule_at.values():
        is_within = span[0] <= rule.span[1] and rule.span[0] <= span[1]
        if is_within and rule.pattern and document.never_decides(rule):
            yield Hint(rule.span[1], shown(never(document, rule)))


def lenses(document: Document) -> list[Lens]:
    """Return a summary of each group: *applies to 3 crawlers · 12 rules · 1 shadowed*."""
    return [
        Lens(document.text.line_span(first - 1), " · ".join(_lens(document, group)))
        for group, first, _ in document.extents[:MOST]
    ]


def _lens(document: Document, group: Group) -> Iterator[str]:
    yield document.of_all(document.followers(group), count_of)
    if others := together(document, group):
        yield others
    yield counted(len(group.rules), "rule")
    shadowed = sum(map(document.is_shadowed, group.rules))
    if shadowed:
        yield f"{shadowed:,} shadowed"
