"""Values in the form of the protocol: plain JSON objects.

In: values of the features, with the `Document` of their spans. Out: dictionaries and lists with the
names and numbers of the Language Server Protocol 3.17.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from verger.analysis import Edit
from verger.files.json_text import Json
from verger.service.lsp.completion import Completion
from verger.service.lsp.document import Document
from verger.service.lsp.hints import Hint, Lens
from verger.service.lsp.hover import Hover
from verger.service.lsp.outline import Fold, Symbol
from verger.service.lsp.problems import Diagnostic
from verger.service.lsp.text import Span, Text
from verger.service.lsp.tokens import MODIFIERS, TYPES, Token

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.verger"

SEVERITIES = {"error": 1, "warning": 2, "note": 3}

UNNECESSARY, DEPRECATED = 1, 2
TAGS = {
    "shadowed-rule": UNNECESSARY,
    "repeated-rule": UNNECESSARY,
    "redundant-rule": UNNECESSARY,
    "repeated-sitemap": UNNECESSARY,
    "retired-field": DEPRECATED,
}
"""Problems that editors show by fading or striking out the text."""

# CompletionItemKind: Keyword, Class, Property, EnumMember
COMPLETION_KINDS = {"field": 14, "crawler": 7, "signal": 10, "word": 20}
# SymbolKind: Class, Key, Null, File
SYMBOL_KINDS = {"group": 5, "allow": 20, "disallow": 21, "sitemap": 1}

PLAIN, MARKDOWN = "plaintext", "markdown"


def capabilities(unit: str, *, pulls: bool) -> Json:
    """Return the capabilities of the server.

    pulls:  whether the editor requests diagnostics, instead of waiting for notifications.
    """
    can: Json = {
        "positionEncoding": unit,
        "textDocumentSync": {"openClose": True, "change": 2},
        "hoverProvider": True,
        "completionProvider": {"triggerCharacters": [":", " ", "=", ",", "*"]},
        "documentFormattingProvider": True,
        "documentSymbolProvider": True,
        "foldingRangeProvider": True,
        "semanticTokensProvider": {
            "legend": {"tokenTypes": list(TYPES), "tokenModifiers": list(MODIFIERS)},
            "full": True,
        },
        "inlayHintProvider": True,
        "codeLensProvider": {"resolveProvider": False},
        "codeActionProvider": {"codeActionKinds": [QUICK_FIX, FIX_ALL]},
    }
    if pulls:
        can["diagnosticProvider"] = {
            "identifier": "verger",
            "interFileDependencies": False,
            "workspaceDiagnostics": False,
        }
    return can


def span_of(text: Text, span: Span) -> Json:
    """Return a span as a range."""
    start, stop = span
    return {"start": position(text, start), "end": position(text, stop)}


def position(text: Text, offset: int) -> Json:
    """Return an offset as a position."""
    line, character = text.place(offset)
    return {"line": line, "character": character}


def edits(text: Text, those: Iterable[Edit]) -> list[Json]:
    """Return edits of a file in the protocol's form."""
    return [
        {
            "range": span_of(text, edit.span),
            "newText": edit.replacement.decode("utf-8", "surrogatepass"),
        }
        for edit in those
    ]


def diagnostics(document: Document) -> list[Json]:
    """Return the problems of a file."""
    return [diagnostic(document, problem) for problem in document.problems]


def diagnostic(document: Document, problem: Diagnostic) -> Json:
    """Return a problem of a file."""
    item: Json = {
        "range": span_of(document.text, problem.span),
        "severity": SEVERITIES[problem.severity],
        "code": problem.code,
        "source": "verger",
        "message": _message(problem),
        "data": {"name": problem.name},
    }
    if problem.name in TAGS:
        item["tags"] = [TAGS[problem.name]]
    if problem.related:
        item["relatedInformation"] = [
            {"location": _location(document, related.line), "message": related.message}
            for related in problem.related
        ]
    return item


def _message(problem: Diagnostic) -> str:
    """Return the problem, why it matters, and a URL that shows it."""
    why = f"{problem.why[:1].upper()}{problem.why[1:]}."[: 1 << 10] if problem.why else ""
    shows = f"For example: {problem.witness}" if problem.witness else ""
    return "\n".join(filter(None, (f"{problem.message} ({problem.name})", why, shows)))


def _location(document: Document, line: int) -> Json:
    span = document.text.line_span(line - 1)
    return {"uri": document.uri, "range": span_of(document.text, span)}


def action(document: Document, problem: Diagnostic) -> Json:
    """Return the quick fix of a problem."""
    fix = problem.fix
    assert fix is not None, "only those with a fix are passed"
    is_safe = fix.applicability == "safe"
    return {
        "title": fix.title if is_safe else f"{fix.title} (changes what the file says)",
        "kind": QUICK_FIX,
        "isPreferred": is_safe,
        "diagnostics": [diagnostic(document, problem)],
        "edit": {"changes": {document.uri: edits(document.text, fix.edits)}},
    }


def fix_all(document: Document, those: Sequence[Edit]) -> Json:
    """Return the action that applies all safe fixes."""
    return {
        "title": "Fix all that verger can fix safely",
        "kind": FIX_ALL,
        "edit": {"changes": {document.uri: edits(document.text, those)}},
    }


def hover(document: Document, found: Hover | None, *, markdown: bool) -> Json | None:
    """Return the information about a position."""
    if found is None:
        return None
    kind, text = (MARKDOWN, found.markdown) if markdown else (PLAIN, _plain(found.markdown))
    return {
        "contents": {"kind": kind, "value": text},
        "range": span_of(document.text, found.span),
    }


def _plain(markdown: str) -> str:
    """Return a text without the Markdown that hovers use."""
    return _MARKS.sub(lambda found: next(filter(None, found.groups()), ""), markdown)


_MARKS = re.compile(r"^```\w*$|`([^`]*)`|\*\*(.+?)\*\*|^_(.*)_$|^<(.*)>$", re.MULTILINE)
"""Fences, code, strong, emphasis of a whole line, and links."""


def completion(document: Document, found: Sequence[Completion]) -> Json:
    """Return the completions at a position."""
    return {"isIncomplete": False, "items": [_completion(document, each) for each in found]}


def _completion(document: Document, found: Completion) -> Json:
    item: Json = {
        "label": found.label,
        "kind": COMPLETION_KINDS[found.kind],
        "sortText": f"{found.rank:03}{found.label.lower()}",
        "textEdit": {"range": span_of(document.text, found.span), "newText": found.text},
    }
    if found.detail:
        item["detail"] = found.detail
    if found.documentation:
        item["documentation"] = found.documentation
    return item


def symbol(document: Document, found: Symbol) -> Json:
    """Return a group, a rule or a sitemap."""
    return {
        "name": found.name,
        "kind": SYMBOL_KINDS[found.kind],
        "detail": found.detail,
        "range": span_of(document.text, found.span),
        "selectionRange": span_of(document.text, found.name_span),
        "children": [symbol(document, child) for child in found.children],
    }


def fold(found: Fold) -> Json:
    """Return lines that can be folded."""
    lines: Json = {"startLine": found.first - 1, "endLine": found.last - 1}
    return lines | ({"kind": "comment"} if found.kind == "comment" else {"kind": "region"})


def tokens(document: Document, found: Iterable[Token]) -> Json:
    """Return tokens as numbers, with positions relative to the previous token."""
    return {"data": list(_numbers(document.text, found))}


def _numbers(text: Text, found: Iterable[Token]) -> Iterator[int]:
    line, character = 0, 0
    for token in found:
        at_line, start = text.place(token.span[0])
        _, stop = text.place(token.span[1])
        yield at_line - line
        yield start - character if at_line == line else start
        yield stop - start
        yield TYPES.index(token.kind)
        yield sum(1 << MODIFIERS.index(each) for each in token.modifiers)
        line, character = at_line, start


def hint(document: Document, found: Hint) -> Json:
    """Return an inlay hint."""
    return {
        "position": position(document.text, found.offset),
        "label": found.text,
        "paddingLeft": True,
    }


def lens(document: Document, found: Lens) -> Json:
    """Return a text above a line as a command that does nothing: the protocol has no other text."""
    return {
        "range": span_of(document.text, found.span),
        "command": {"title": found.text, "command": ""},
    }
