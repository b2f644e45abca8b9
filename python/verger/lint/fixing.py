"""Fixes: apply the fixes of diagnostics to a file.

In: a file. Out: a `Fixed`. Safe fixes are applied only if it is proved that no decision changes;
unsafe ones only on request. Of fixes that touch the same bytes, one is applied; the file is then
checked again, in another round.
"""

from bisect import bisect, insort
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from verger._core import parse
from verger.analysis import Edit
from verger.analysis.draft import apply
from verger.lint.diagnostic import Diagnostic
from verger.lint.run import DEFAULT, Fixed, lint
from verger.lint.sameness import says_the_same
from verger.lint.settings import Settings
from verger.options import body_of

MOST_ROUNDS = 12
"""The most rounds. A fix may expose what another check reports, and so on."""

MOST_PROOFS = 64
"""The most proofs for one file, a quarter for large files; fixes without a proof are not applied.
If all fixes are not proved together, halves of them are tried, down to single fixes."""

LARGE = 50_000
"""Size in bytes above which a proof may take a second."""

Key: TypeAlias = tuple[str, bytes, str]


def fixed(
    body: bytes | str,
    *,
    settings: Settings = DEFAULT,
    url: str | None = None,
    name: str | None = None,
    unsafe: bool = False,
) -> Fixed:
    r"""Return a file with the fixes of its diagnostics applied.

    unsafe:  whether to apply fixes that change decisions as well.
    A file over the parsing limit is not changed, and its fixes are refused: with a byte less,
    crawlers would read one more rule.

    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\n").body
    b'User-agent: *\nDisallow: /a\n'
    """
    body = body_of("body", body)
    made: list[Diagnostic] = []
    refused: dict[Key, Diagnostic] = {}
    report = lint(body, settings=settings, url=url, name=name)
    if parse(body).truncated:
        left = (each for each in report.diagnostics if _is_wanted(each, unsafe=unsafe))
        return Fixed(body, (), tuple(left), report)
    proofs = MOST_PROOFS if len(body) < LARGE else MOST_PROOFS // 4
    for _ in range(MOST_ROUNDS):
        wanted = [
            each
            for each in report.diagnostics
            if _is_wanted(each, unsafe=unsafe) and _key(body, each) not in refused
        ]
        if not wanted:
            break
        round_ = _Round(body, url, proofs)
        done = round_.apply(list(_apart(wanted)))
        proofs = round_.proofs
        if done.made:
            refused.clear()  # their proofs may succeed now
            made += done.made
            body = done.body
            report = lint(body, settings=settings, url=url, name=name)
        refused |= {_key(body, each): each for each in done.refused if not done.made}
    left = (each for each in report.diagnostics if _is_wanted(each, unsafe=unsafe))
    return Fixed(body, tuple(made), tuple(left), report)


def proved(
    body: bytes | str,
    diagnostics: Iterable[Diagnostic],
    *,
    url: str | None = None,
    most: int = MOST_PROOFS,
) -> Iterator[Diagnostic]:
    """Yield diagnostics for callers who apply single fixes: only proved fixes are marked safe.

    most:  the most proofs to try; the remaining fixes are marked unsafe.
    """
    body = body_of("body", body)
    is_cut = parse(body).truncated
    for each in diagnostics:
        fix = each.fix
        if fix is None or fix.applicability != "safe":
            yield each
            continue
        most -= 1
        is_safe = most >= 0 and not is_cut and says_the_same(body, apply(body, fix.edits), url=url)
        yield each if is_safe else replace(each, fix=replace(fix, applicability="unsafe"))


def _is_wanted(diagnostic: Diagnostic, *, unsafe: bool) -> bool:
    fix = diagnostic.fix
    return fix is not None and fix.applicability in (("safe", "unsafe") if unsafe else ("safe",))


def _key(body: bytes, diagnostic: Diagnostic) -> Key:
    """Return what identifies a diagnostic after lines have moved."""
    return diagnostic.code, body[slice(*diagnostic.span)], diagnostic.message


def _apart(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics whose edits touch no bytes of earlier ones."""
    taken: list[tuple[int, int]] = []  # sorted, without overlaps
    for each in diagnostics:
        assert each.fix is not None, "only those with a fix are passed"
        spans = [edit.span for edit in each.fix.edits]
        if not any(_is_taken(span, taken) for span in spans):
            for span in spans:
                insort(taken, span)
            yield each


def _is_taken(span: tuple[int, int], taken: Sequence[tuple[int, int]]) -> bool:
    """Whether an edit overlaps one of some others; only its neighbours can."""
    at = bisect(taken, span)
    return any(_overlap(span, other) for other in taken[max(at - 2, 0) : at + 2])


def _overlap(span: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two edits touch the same bytes; an insertion also may not touch their ends."""
    if span[0] == span[1] or other[0] == other[1]:
        return span[0] <= other[1] and other[0] <= span[1]
    return span[0] < other[1] and other[0] < span[1]


@dataclass(frozen=True, slots=True)
class _Done:
    body: bytes
    made: list[Diagnostic]
    refused: list[Diagnostic]


class _Round:
    """One round: a file, and the fixes that can be applied together."""

    def __init__(self, body: bytes, url: str | None, proofs: int) -> None:
        self._body = body
        self._url = url
        self.proofs = proofs
        """How many more proofs may be tried."""

    def apply(self, diagnostics: Sequence[Diagnostic]) -> _Done:
        """Apply fixes: the safe ones together if that is proved, otherwise each half of them."""
        safe = [each for each in diagnostics if each.fix and each.fix.applicability == "safe"]
        _, refused = self._split([], safe)
        left = set(map(id, refused))
        made = [each for each in diagnostics if id(each) not in left]
        return _Done(self._with(made), made, refused)

    def _split(
        self, taken: list[Diagnostic], more: list[Diagnostic]
    ) -> tuple[list[Diagnostic], list[Diagnostic]]:
        """Split fixes into those that are safe in addition to the taken ones, and the others."""
        if not more or not self.proofs:
            return [], more
        self.proofs -= 1
        if says_the_same(self._body, self._with([*taken, *more]), url=self._url):
            return more, []
        if len(more) == 1:
            return [], more
        half = len(more) // 2
        first, not_first = self._split(taken, more[:half])
        then, not_then = self._split([*taken, *first], more[half:])
        return [*first, *then], [*not_first, *not_then]

    def _with(self, diagnostics: Iterable[Diagnostic]) -> bytes:
        edits: list[Edit] = []
        for each in diagnostics:
            edits += each.fix.edits if each.fix else ()
        return apply(self._body, sorted(edits, key=_span_of))


def _span_of(edit: Edit) -> tuple[int, int]:
    return edit.span
