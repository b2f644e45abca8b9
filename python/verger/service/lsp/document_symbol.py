"""Document symbols and folding ranges: the groups of a file with their rules, and its sitemaps.

In: a `Document`. Out: symbols, and ranges that can be folded, in the form of the protocol.
"""

from collections.abc import Iterator
from itertools import groupby

from verger._core import Group, Rule
from verger.files.json_text import Json
from verger.service.lsp.document import MOST_LISTED, Document
from verger.service.lsp.words import count_of, shown
from verger.untrusted_text import MOST_NAMED, rule_text

# SymbolKind: Class, Key, Null, File
GROUP, ALLOW, DISALLOW, SITEMAP = 5, 20, 21, 1


def symbols(document: Document) -> list[Json]:
    """Return the groups with their rules, and the sitemaps, in the order of the file."""
    groups = [_group(document, *each) for each in document.extents[:MOST_LISTED]]
    found = [*groups, *_sitemaps(document)]
    found.sort(key=lambda each: each[0])
    return [symbol for _, symbol in found]


def _symbol(
    document: Document, name: str, kind: int, first: int, last: int, **more: object
) -> Json:
    """Return a symbol of some lines; its name is in the first of them."""
    text = document.text
    start, stop = text.line_span(first - 1)
    _, end = text.line_span(last - 1)
    shape: Json = {"range": text.range((start, end)), "selectionRange": text.range((start, stop))}
    return {"name": name, "kind": kind, "detail": "", **shape, "children": [], **more}


def _group(document: Document, group: Group, first: int, last: int) -> tuple[int, Json]:
    tokens = [shown(name) for name in group.product_tokens[:MOST_NAMED]]
    more = len(group.product_tokens) - len(tokens)
    name = ", ".join([*tokens, f"{more:,} more"] if more else tokens) or "(no name)"
    rules = [_rule(document, rule) for rule in group.rules[:MOST_LISTED]]
    detail = count_of(document.audience(group))
    return first, _symbol(document, name, GROUP, first, last, detail=detail, children=rules)


def _rule(document: Document, rule: Rule) -> Json:
    name = shown(rule_text(rule.allow, rule.pattern))
    return _symbol(document, name, ALLOW if rule.allow else DISALLOW, rule.line, rule.line)


def _sitemaps(document: Document) -> Iterator[tuple[int, Json]]:
    for record in document.robots.records[:MOST_LISTED]:
        if record.field == "sitemap":
            name, line = shown(record.raw) or "(no URL)", record.line
            yield line, _symbol(document, name, SITEMAP, line, line)


def folds(document: Document) -> list[Json]:
    """Return the groups and the comments of more than one line."""
    groups = [(first, last, "region") for _, first, last in document.extents if last > first]
    found = sorted([*groups, *_comments(document)], key=lambda fold: fold[0])[:MOST_LISTED]
    return [
        {"startLine": first - 1, "endLine": last - 1, "kind": kind} for first, last, kind in found
    ]


def _comments(document: Document) -> Iterator[tuple[int, int, str]]:
    for kind, lines in groupby(document.lines, key=lambda line: line.kind):
        numbers = [line.number for line in lines]
        if kind == "comment" and numbers[1:]:
            yield numbers[0], numbers[-1], "comment"
