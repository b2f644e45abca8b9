"""Outline: the groups of a file with their rules, and the ranges that can be folded.

In: a `Document`. Out: values with spans and lines of the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from verger._core import Group, Rule
from verger.plain import MOST_NAMED, rule_text
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span
from verger.service.lsp.words import count_of, shown

MOST = 10_000
"""The maximum number of groups, rules or blocks that are listed."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A group, a rule or a sitemap."""

    name: str
    kind: Literal["group", "allow", "disallow", "sitemap"]
    span: Span
    name_span: Span
    detail: str = ""
    children: tuple["Symbol", ...] = ()


@dataclass(frozen=True, slots=True)
class Fold:
    """Lines that can be folded: the first and the last, counted from 1."""

    first: int
    last: int
    kind: Literal["group", "comment"]


def symbols(document: Document) -> list[Symbol]:
    """Return the groups with their rules, and the sitemaps, in the order of the file."""
    groups = [_group(document, *each) for each in document.extents[:MOST]]
    found = [*groups, *_sitemaps(document)]
    return sorted(found, key=lambda symbol: symbol.span)


def _group(document: Document, group: Group, first: int, last: int) -> Symbol:
    tokens = [shown(name) for name in group.product_tokens[:MOST_NAMED]]
    more = len(group.product_tokens) - len(tokens)
    name = ", ".join([*tokens, f"{more:,} more"] if more else tokens) or "(no name)"
    rules = tuple(_rule(document, rule) for rule in group.rules[:MOST])
    start, stop = _span(document, first)[0], _span(document, last)[1]
    detail = count_of(document.followers(group))
    return Symbol(name, "group", (start, stop), _span(document, first), detail, rules)


def _rule(document: Document, rule: Rule) -> Symbol:
    span = _span(document, rule.line)
    name = shown(rule_text(rule.allow, rule.pattern))
    return Symbol(name, "allow" if rule.allow else "disallow", span, span)


def _sitemaps(document: Document) -> Iterator[Symbol]:
    for record in document.robots.records[:MOST]:
        if record.field == "sitemap":
            span = _span(document, record.line)
            yield Symbol(shown(record.raw) or "(no URL)", "sitemap", span, span)


def _span(document: Document, line: int) -> Span:
    return document.text.line_span(line - 1)


def folds(document: Document) -> list[Fold]:
    """Return the groups and the comments of more than one line."""
    groups = (Fold(first, last, "group") for _, first, last in document.extents if last > first)
    found = [*groups, *_comments(document)]
    return sorted(found, key=lambda fold: fold.first)[:MOST]


def _comments(document: Document) -> Iterator[Fold]:
    first: int | None = None
    for line in (*document.lines, None):
        if line is not None and line.kind == "comment":
            first = first or line.number
            continue
        last = line.number - 1 if line else len(document.lines)
        if first and last > first:
            yield Fold(first, last, "comment")
        first = None
