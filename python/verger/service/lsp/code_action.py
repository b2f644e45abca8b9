"""Code actions and formatting: the fixes that an editor can apply, one by one or all together.

In: a `Document`. Out: actions in the form of the protocol; edits as spans of the file, in order and
without overlaps.
"""

from collections.abc import Iterable, Iterator

from verger.analysis import Edit
from verger.files.json_text import Json
from verger.lint import Diagnostic, fixed, formatted, proved
from verger.service.lsp.diagnostics import diagnostic
from verger.service.lsp.document import Document
from verger.service.lsp.text import Span, Text

MOST_PROVED = 8
"""How many fixes of one menu are checked for safety; each proof takes some milliseconds."""

QUICK_FIX = "quickfix"
FIX_ALL = "source.fixAll.verger"


def edits(text: Text, those: Iterable[Edit]) -> list[Json]:
    """Return edits of a file in the protocol's form."""
    return [
        {
            "range": text.range(edit.span),
            "newText": edit.replacement.decode("utf-8", "surrogatepass"),
        }
        for edit in those
    ]


def actions(document: Document, span: Span, only: tuple[str, ...]) -> list[Json]:
    """Return the changes of some kinds that an editor offers for a span; of all if none is given.

    That which applies all safe fixes is offered only if it is asked for.
    """
    found: list[Json] = []
    if _is_wanted(QUICK_FIX, only):
        found += [_quick_fix(document, each) for each in fixable(document, span)]
    if only and _is_wanted(FIX_ALL, only) and (safe := all_safe(document)):
        title = "Fix all that verger can fix safely"
        found.append({"title": title, "kind": FIX_ALL, "edit": _changes(document, safe)})
    return found


def _is_wanted(kind: str, only: tuple[str, ...]) -> bool:
    """Whether an editor requests actions of a kind; `source.fixAll` includes all kinds below it."""
    return not only or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _quick_fix(document: Document, problem: Diagnostic) -> Json:
    fix = problem.fix
    assert fix is not None, "only those with a fix are passed"
    is_safe = fix.applicability == "safe"
    return {
        "title": fix.title if is_safe else f"{fix.title} (changes what the file says)",
        "kind": QUICK_FIX,
        "isPreferred": is_safe,
        "diagnostics": [diagnostic(document, problem)],
        "edit": _changes(document, fix.edits),
    }


def _changes(document: Document, those: Iterable[Edit]) -> Json:
    return {"changes": {document.uri: edits(document.text, those)}}


def fixable(document: Document, span: Span) -> Iterator[Diagnostic]:
    """Yield the problems in a span that have a fix; only proved fixes are safe."""
    near = (
        problem
        for problem in document.problems
        if problem.span[0] <= span[1] and span[0] <= problem.span[1]
        if problem.fix is not None and problem.fix.applicability != "display"
    )
    yield from proved(document.text.body, near, most=MOST_PROVED)


def all_safe(document: Document) -> list[Edit]:
    """Return the changes of all safe fixes together, as `verger lint --fix` applies them."""
    if document.is_too_long:
        return []
    return _between(document.text.body, fixed(document.text.body, settings=document.settings).body)


def formatting(document: Document) -> list[Json]:
    """Return the changes of formatting, in the form of the protocol."""
    return edits(document.text, reformatted(document))


def reformatted(document: Document) -> list[Edit]:
    """Return the changes of formatting."""
    if document.is_too_long:
        return []
    return _between(document.text.body, formatted(document.text.body))


def _between(old: bytes, new: bytes) -> list[Edit]:
    """Return one edit, of whole lines, that covers all differences."""
    if old == new:
        return []
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    start = len(b"".join(before[:first]))
    stop = len(old) - len(b"".join(before[len(before) - last :]))
    return [Edit((start, stop), new[start : len(new) - len(old) + stop])]


def _common(one: list[bytes], other: list[bytes]) -> int:
    """Return the number of lines that two lists have in common at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (a, b) in pairs if a != b), min(len(one), len(other)))
