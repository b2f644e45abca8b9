"""Mending: fixes that an editor can make, and what formatting a file changes.

In: a `Document`. Out: edits as spans of the file, in order, none over another.
"""

from collections.abc import Iterator

from verger.analysis import Edit
from verger.service.lsp.document import Document
from verger.service.lsp.problems import Problem, formatted
from verger.service.lsp.text import Span


def fixable(document: Document, span: Span) -> Iterator[Problem]:
    """Yield the problems in a span that have a fix."""
    for problem in document.problems:
        is_within = problem.span[0] <= span[1] and span[0] <= problem.span[1]
        if is_within and problem.fix and problem.fix.applicability != "display":
            yield problem


def all_safe(document: Document) -> list[Edit]:
    """Return the edits of all safe fixes that do not get in each other's way.

    What an edit of another fix stands in the way of is fixed the next time.
    """
    taken: list[Edit] = []
    for problem in document.problems:
        if problem.fix and problem.fix.applicability == "safe":
            own = sorted(problem.fix.edits, key=lambda edit: edit.span)
            if not any(_collide(edit, other) for edit in own for other in taken):
                taken.extend(own)
    return sorted(taken, key=lambda edit: edit.span)


def _collide(one: Edit, other: Edit) -> bool:
    """Whether two edits change the same bytes, or insert in the same place."""
    if one == other:
        return True
    (start, stop), (first, last) = one.span, other.span
    return (start < last and first < stop) or one.span[0] == other.span[0]


def formatting(document: Document) -> list[Edit]:
    """Return what formatting changes: one edit around everything that differs."""
    old, new = document.text.body, formatted(document.robots)
    if document.is_too_long or old == new:
        return []
    start, stop = _common(old, new), 0
    most = min(len(old), len(new)) - start
    stop = min(most, _common(old[::-1], new[::-1]))
    while start and (_splits(old, start) or _splits(new, start)):
        start -= 1
    while stop and (_splits(old, len(old) - stop) or _splits(new, len(new) - stop)):
        stop -= 1
    return [Edit((start, len(old) - stop), new[start : len(new) - stop])]


def _common(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin with together."""
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
    """Whether an offset stands within a character, or between CR and LF."""
    if at >= len(body):
        return False
    return body[at] & 0xC0 == 0x80 or body[at - 1 : at + 1] == b"\r\n"
