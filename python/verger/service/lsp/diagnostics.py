"""Diagnostics: the problems of a file, published after each change, or pulled by the editor.

In: a `Document`. Out: diagnostics in the form of the protocol.
"""

from verger.files.json_text import Json
from verger.lint import Diagnostic
from verger.service.lsp.document import Document

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


def report(document: Document) -> Json:
    """Return the problems of a file, for an editor that asks for them."""
    return {"kind": "full", "items": diagnostics(document)}


def diagnostics(document: Document) -> list[Json]:
    """Return the problems of a file."""
    return [diagnostic(document, problem) for problem in document.problems]


def diagnostic(document: Document, problem: Diagnostic) -> Json:
    """Return a problem of a file."""
    item: Json = {
        "range": document.text.range(problem.span),
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
            {
                "location": {
                    "uri": document.uri,
                    "range": document.text.range(document.text.line_span(related.line - 1)),
                },
                "message": related.message,
            }
            for related in problem.related
        ]
    return item


def _message(problem: Diagnostic) -> str:
    """Return the problem, why it matters, and a URL that shows it."""
    why = f"{problem.why[:1].upper()}{problem.why[1:]}."[: 1 << 10] if problem.why else ""
    shows = f"For example: {problem.witness}" if problem.witness else ""
    return "\n".join(filter(None, (f"{problem.message} ({problem.name})", why, shows)))
