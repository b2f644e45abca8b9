"""Outline: the groups of a file with their rules, what can be folded, and texts beside the lines.

In: a `Document`. Out: symbols, folding ranges, hints for rules that never decide, and lenses with
the crawlers that groups apply to, in the form of the protocol.
"""

from collections.abc import Iterator

from verger._core import Group, Rule
from verger.files.json_text import Json
from verger.plain import MOST_NAMED, counted, rule_text
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span
from verger.service.lsp.words import count_of, never, shown, together

MOST = 10_000
"""The maximum number of groups, rules, blocks or hints that are listed."""

# SymbolKind: Class, Key, Null, File
GROUP, ALLOW, DISALLOW, SITEMAP = 5, 20, 21, 1


def symbols(document: Document) -> list[Json]:
    """Return the groups with their rules, and the sitemaps, in the order of the file."""
    groups = [_group(document, *each) for each in document.extents[:MOST]]
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
    rules = [_rule(document, rule) for rule in group.rules[:MOST]]
    detail = count_of(document.followers(group))
    return first, _symbol(document, name, GROUP, first, last, detail=detail, children=rules)


def _rule(document: Document, rule: Rule) -> Json:
    name = shown(rule_text(rule.allow, rule.pattern))
    return _symbol(document, name, ALLOW if rule.allow else DISALLOW, rule.line, rule.line)


def _sitemaps(document: Document) -> Iterator[tuple[int, Json]]:
    for record in document.robots.records[:MOST]:
        if record.field == "sitemap":
            name, line = shown(record.raw) or "(no URL)", record.line
            yield line, _symbol(document, name, SITEMAP, line, line)


def folds(document: Document) -> list[Json]:
    """Return the groups and the comments of more than one line."""
    groups = [(first, last, "region") for _, first, last in document.extents if last > first]
    found = sorted([*groups, *_comments(document)], key=lambda fold: fold[0])[:MOST]
    return [
        {"startLine": first - 1, "endLine": last - 1, "kind": kind} for first, last, kind in found
    ]


def _comments(document: Document) -> Iterator[tuple[int, int, str]]:
    first: int | None = None
    for line in (*document.lines, None):
        if line is not None and line.kind == "comment":
            first = first or line.number
            continue
        last = line.number - 1 if line else len(document.lines)
        if first and last > first:
            yield first, last, "comment"
        first = None


def hints(document: Document, span: Span) -> list[Json]:
    """Return a hint for each rule in a span of the file that never decides.

    An empty pattern has none: it is meant to match nothing.
    """
    found = [
        rule
        for rule in document.rule_at.values()
        if span[0] <= rule.span[1] and rule.span[0] <= span[1]
        if rule.pattern and document.never_decides(rule)
    ]
    return [
        {
            "position": document.text.position(rule.span[1]),
            "label": shown(never(document, rule)),
            "paddingLeft": True,
        }
        for rule in found[:MOST]
    ]


def lenses(document: Document) -> list[Json]:
    """Return a summary of each group: *applies to 3 crawlers · 12 rules · 1 shadowed*.

    Each is a command that does nothing: the protocol has no other text above a line.
    """
    return [
        {
            "range": document.text.range(document.text.line_span(first - 1)),
            "command": {"title": " · ".join(_lens(document, group)), "command": ""},
        }
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
