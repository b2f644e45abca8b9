"""Code lenses and inlay hints: whom a group applies to, above it; a rule that never decides.

In: a `Document`. Out: texts beside the lines, in the form of the protocol.
"""

from collections.abc import Iterator

from verger._core import Group
from verger.files.json_text import Json
from verger.service.lsp.document import MOST_LISTED, Document
from verger.service.lsp.text import Span
from verger.service.lsp.words import combined, count_of, never, shown
from verger.untrusted_text import counted


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
        for rule in found[:MOST_LISTED]
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
        for group, first, _ in document.extents[:MOST_LISTED]
    ]


def _lens(document: Document, group: Group) -> Iterator[str]:
    audience = document.audience(group)
    yield count_of(audience)
    if groups := combined(audience):
        yield groups
    yield counted(len(group.rules), "rule")
    if shadowed := sum(map(document.is_shadowed, group.rules)):
        yield f"{shadowed:,} shadowed"
