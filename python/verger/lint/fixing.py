"""Fixes: what the checks found, mended.

In: a file. Out: a `Fixed`. Safe fixes are made only where it is proved that no decision changes;
unsafe ones only where somebody asks for them. Fixes that would touch the same bytes wait for the
next round, in which the file is looked at again.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from verger.analysis import Edit
from verger.analysis.draft import apply
from verger.lint.diagnostic import Diagnostic
from verger.lint.run import DEFAULT, Report, lint
from verger.lint.sameness import says_the_same
from verger.lint.settings import Settings

MOST_ROUNDS = 12
"""A fix may bring to light what another check finds, and that a third; then it is enough."""

Key: TypeAlias = tuple[str, bytes, str]


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file that was mended."""

    body: bytes
    made: tuple[Diagnostic, ...]
    """What was mended."""
    refused: tuple[Diagnostic, ...]
    """What was left, since its fix would change a decision."""
    report: Report
    """What is left to report."""


def fixed(
    body: bytes, *, settings: Settings = DEFAULT, url: str | None = None, unsafe: bool = False
) -> Fixed:
    r"""Return a file with the fixes of its diagnostics made.

    unsafe:  whether to make fixes that change decisions, too.

    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\n").body
    b'User-agent: *\nDisallow: /a\n'
    """
    made: list[Diagnostic] = []
    refused: dict[Key, Diagnostic] = {}
    report = lint(body, settings=settings, url=url)
    for _ in range(MOST_ROUNDS):
        wanted = [
            each
            for each in report.diagnostics
            if _is_wanted(each, unsafe=unsafe) and _key(body, each) not in refused
        ]
        done = _Round(body, url).made(list(_apart(wanted)))
        refused |= {_key(body, each): each for each in done.refused}
        if not wanted:
            break
        made += done.made
        body = done.body
        report = lint(body, settings=settings, url=url)
    return Fixed(body, tuple(made), tuple(refused.values()), report)


def _is_wanted(diagnostic: Diagnostic, *, unsafe: bool) -> bool:
    fix = diagnostic.fix
    return fix is not None and fix.applicability in (("safe", "unsafe") if unsafe else ("safe",))


def _key(body: bytes, diagnostic: Diagnostic) -> Key:
    """Return what tells a diagnostic from others when lines have moved."""
    return diagnostic.code, body[slice(*diagnostic.span)], diagnostic.message


def _apart(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics whose edits touch no bytes of those before."""
    taken: list[tuple[int, int]] = []
    for each in diagnostics:
        assert each.fix is not None, "only those with a fix are passed"
        spans = [edit.span for edit in each.fix.edits]
        if not any(_overlap(span, other) for span in spans for other in taken[-MOST_NEAR:]):
            taken += spans
            yield each


MOST_NEAR = 64
"""Edits come in the order of the file: those that may overlap are near."""


def _overlap(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two edits touch the same bytes; where one inserts, its place has to be free."""
    if span[0] == span[1] or other[0] == other[1]:
        return span[0] <= other[1] and other[0] <= span[1]
    return span[0] < other[1] and other[0] < span[1]


@dataclass(frozen=True, slots=True)
class _Done:
    body: bytes
    made: list[Diagnostic]
    refused: list[Diagnostic]


class _Round:
    """One look at a file, and the fixes that can be made at once."""

    def __init__(self, body: bytes, url: str | None) -> None:
        self._body = body
        self._url = url

    def made(self, diagnostics: Sequence[Diagnostic]) -> _Done:
        """Make fixes: the safe ones together where that is proved, else each half of them."""
        safe = [each for each in diagnostics if each.fix and each.fix.applicability == "safe"]
        _, refused = self._proved([], safe)
        left = set(map(id, refused))
        made = [each for each in diagnostics if id(each) not in left]
        return _Done(self._with(made), made, refused)

    def _proved(
        self, taken: list[Diagnostic], more: list[Diagnostic]
    ) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Return which of some fixes can be made beside those that are taken, and which not."""
        if not more:
            return [], []
        if says_the_same(self._body, self._with([*taken, *more]), url=self._url):
            return more, []
        if len(more) == 1:
            return [], more
        half = len(more) // 2
        first, not_first = self._proved(taken, more[:half])
        then, not_then = self._proved([*taken, *first], more[half:])
        return [*first, *then], [*not_first, *not_then]

    def _with(self, diagnostics: Iterable[Diagnostic]) -> bytes:
        edits: list[Edit] = []
        for each in diagnostics:
            edits += each.fix.edits if each.fix else ()
        return apply(self._body, sorted(edits, key=_span_of))


def _span_of(edit: Edit) -> tuple[int, int]:
    return edit.span
