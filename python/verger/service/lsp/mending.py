"""Fixes that an editor can apply, and the changes of formatting a file.

In: a `Document`. Out: edits as spans of the file, in order and without overlaps.
"""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.service.lsp.document import Document
from verger.service.lsp.problems import Diagnostic, fixed, formatted, proved
from verger.service.lsp.text import Span

MOST_PROVED = 8
"""How many fixes of one menu are checked for safety; each proof takes some milliseconds."""


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


def formatting(document: Document) -> list[Edit]:
    """Return the changes of formatting."""
    if document.is_too_long:
        return []
    return _between(document.text.body, formatted(document.text.body))


def _between(old: bytes, new: bytes) -> list[Edit]:
    """Return one edit that covers all differences."""
    if old == new:
        return []
    start = _common(old, new)
    most = min(len(old), len(new)) - start
    stop = min(most, _common(old[::-1], new[::-1]))
    while start and (_splits(old, start) or _splits(new, start)):
        start -= 1
    while stop and (_splits(old, len(old) - stop) or _splits(new, len(new) - stop)):
        stop -= 1
    return [Edit((start, len(old) - stop), new[start : len(new) - stop])]


def _common(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix of two texts, in bytes."""
    size = min(len(one), len(other))
    low = 0
    while low < size:
        half = (size - low + 1) // 2
        if one[low : low + half] == other[low : low + half]:
            low += half
        elif half == 1:
            break
        else:
            size = low + half - 1
    return low


def _splits(body: bytes, at: int) -> bool:
    """Whether an offset is inside a character, or between CR and LF."""
    if at >= len(body):
        return False
    return body[at] & 0xC0 == 0x80 or body[at - 1 : at + 1] == b"\r\n"
