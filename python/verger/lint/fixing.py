"""Fixes: apply the fixes of diagnostics to a file.

In: a file. Out: a `LintReport` on the fixed file. Safe fixes are applied only if it is proved that
no decision changes; unsafe ones only on request. Of fixes that touch the same bytes, one is
applied; the file is then checked again, in another round.
"""

from bisect import bisect, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Literal, TypeAlias

from verger._core import parse
from verger.analysis.edits import Edit, apply, compose
from verger.analysis.proof import says_the_same
from verger.analysis.rules import Budget
from verger.lint.diagnostic import Applicability, Diagnostic
from verger.lint.run import DEFAULT, LintReport, checks_of, guard, lint
from verger.lint.settings import Settings
from verger.options import body_of

MOST_ROUNDS = 12
"""The most rounds. A fix may expose what another check reports, and so on."""

LEAST_PROOFS, MOST_PROOFS = 2, 64
"""The proofs for one file, fewer for large ones; fixes without a proof are not applied. If all
fixes are not proved together, halves of them are tried, down to single fixes."""

MOST_PROVED = 800_000
"""The most bytes of all proofs, except for the fewest."""

Key: TypeAlias = tuple[str, bytes, str]


def fixed(
    body: bytes | str,
    *,
    settings: Settings = DEFAULT,
    url: str | None = None,
    name: str | None = None,
    unsafe: bool = False,
) -> LintReport:
    r"""Return the report on a file with the fixes of its diagnostics applied.

    unsafe:  whether to apply fixes that change decisions as well.
    A file over the parsing limit is not changed, and its fixes are refused: with a byte less,
    crawlers would read one more rule.

    >>> fixed(b"User-agent: *\nDisallow: /a\nDisallow: /a\n").body
    b'User-agent: *\nDisallow: /a\n'
    """
    lint_again = partial(lint, settings=settings, url=url, name=name)
    stages = _stages(lint_again(body_of("body", body)), lint_again, url)
    report, made = next(islice(stages, 1 + unsafe, None))
    return replace(
        report,
        made=tuple(sorted(made, key=lambda each: each.span)),
        refused=tuple(_wanted(report, unsafe=unsafe)),
    )


def _stages(
    report: LintReport, lint_again: Callable[[bytes], LintReport], url: str | None
) -> Iterator[tuple[LintReport, list[Diagnostic]]]:
    """Apply fixes round by round; yield the report with the safe ones that can all be made at once,
    then the report after all safe ones, then after all, each with what was made of those that the
    first report had."""
    first = report
    edits: tuple[Edit, ...] = ()
    made: dict[Diagnostic, None] = {}
    refused: set[Key] = set()
    proofs = Budget(max(LEAST_PROOFS, _affordable(report.body, MOST_PROOFS)))
    most = 0 if parse(report.body).truncated else MOST_ROUNDS
    safe = _wanted(first, unsafe=False) if most else []
    begun = _accepted(first.body, url, [], list(_without_overlaps(safe)), proofs) if safe else None
    yield first, begun or []
    for unsafe in (False, True):
        for _ in range(most):
            body = report.body
            wanted = _wanted(report, unsafe=unsafe)
            wanted = [each for each in wanted if _key(body, each) not in refused]
            if not wanted:
                break
            safe = [each for each in wanted if each.fix and each.fix.applicability == "safe"]
            tried = list(_without_overlaps(safe or wanted))  # unsafe ones may prevent a proof
            if begun is None:
                begun = _accepted(body, url, [], tried, proofs) if safe else tried
            done, begun = _edits_of(begun), None
            new = apply(body, done)
            if new == body:
                refused |= {_key(body, each) for each in tried}
                continue
            refused.clear()  # their proofs may succeed now
            edits = compose(edits, done, len(first.body))
            report = lint_again(new)
            # Of each round: a later one may bring the same finding to the same place, for another
            # rule.
            wanted, rest = (_wanted(each, unsafe=True) for each in (first, report))
            made |= dict.fromkeys(_without(wanted, rest, edits))
        wanted = _wanted(first, unsafe=unsafe)
        yield report, [each for each in wanted if each in made]


Mode: TypeAlias = Literal["lint", "guard", "fix", "fix-unsafe"]

Tried: TypeAlias = Literal["as-checked", "one-by-one", "together"]


def run_on(
    body: bytes,
    settings: Settings = DEFAULT,
    *,
    url: str | None = None,
    name: str | None = None,
    mode: Mode = "lint",
    fixes: Tried = "as-checked",
) -> LintReport:
    """Return the report on a file, after what `mode` says, for programs that let users choose.

    mode:       `lint` or `guard`, which change nothing; `fix` with safe fixes, or `fix-unsafe`
                with all of them.
    fixes:      how far the fixes in a report are tried: `as-checked`: not at all; `one-by-one`:
                for a program that applies single fixes, so that only proved ones are marked safe;
                `together`: marked as what the modes `fix` and `fix-unsafe` do with them.
    """
    if mode in ("lint", "guard"):
        find = guard if mode == "guard" else lint
        report = find(body, settings=settings, url=url, name=name)
    else:
        report = fixed(body, settings=settings, url=url, name=name, unsafe=mode == "fix-unsafe")
    if fixes == "as-checked" or not any(each.fix for each in report.diagnostics):
        return report
    if fixes == "one-by-one":
        found = proved(report.body, report.diagnostics, url=url)
    elif mode == "lint":
        found = offered(report, settings=settings, url=url, name=name)
    else:
        left = set(report.refused)  # to a person
        found = (_marked(each, "display") if each in left else each for each in report.diagnostics)
    return replace(report, diagnostics=tuple(found))


def offered(
    report: LintReport,
    *,
    settings: Settings = DEFAULT,
    url: str | None = None,
    name: str | None = None,
) -> Iterator[Diagnostic]:
    """Return the diagnostics of a report, each fix marked as what `fixed` does with it.

    Of the fixes that checks call safe, those that it leaves out are marked `unsafe` if it makes
    them together with the unsafe ones, else `display`.
    """
    applicabilities: tuple[Applicability, ...] = ("safe", "unsafe")
    safe, wanted = (_wanted(report, unsafe=unsafe) for unsafe in (False, True))
    fixing = tuple(each.code for each in checks_of(settings) if each.fix)
    settings = replace(settings, select=fixing, ignore=())
    stages = _stages(report, partial(lint, settings=settings, url=url, name=name), url)
    _, at_once = next(stages)
    if len(at_once) == len(safe) and not parse(report.body).truncated:
        # Then all unsafe ones are made, too, after them, in one or more rounds.
        hows = {each: each.fix.applicability for each in wanted if each.fix}
    else:
        hows = dict[Diagnostic, Applicability]()
        for how, (_, made) in zip(applicabilities, stages, strict=True):
            hows = dict.fromkeys(made, how) | hows
    return (_marked(each, hows.get(each, "display")) for each in report.diagnostics)


def _marked(each: Diagnostic, how: Applicability) -> Diagnostic:
    fix = each.fix
    if fix is None or fix.applicability == how:
        return each
    return replace(each, fix=replace(fix, applicability=how))


def proved(
    body: bytes | str,
    diagnostics: Iterable[Diagnostic],
    *,
    url: str | None = None,
    most: int = MOST_PROOFS,
) -> Iterator[Diagnostic]:
    """Yield diagnostics for callers who apply single fixes: only proved fixes are marked safe.

    most:  the most proofs to try, fewer for large files; the remaining fixes are marked unsafe.
    """
    body = body_of("body", body)
    most = _affordable(body, most)
    is_cut = parse(body).truncated
    for each in diagnostics:
        fix = each.fix
        if fix is None or fix.applicability != "safe":
            yield each
            continue
        most -= 1
        is_safe = most >= 0 and not is_cut and says_the_same(body, apply(body, fix.edits), url=url)
        yield each if is_safe else _marked(each, "unsafe")


def _affordable(body: bytes, most: int) -> int:
    """Return how many proofs may be tried for a file, at least one."""
    return min(most, max(1, MOST_PROVED // (1 + len(body))))


def _wanted(report: LintReport, *, unsafe: bool) -> list[Diagnostic]:
    """Return the diagnostics whose fixes are to be made."""
    hows = ("safe", "unsafe") if unsafe else ("safe",)
    return [each for each in report.diagnostics if each.fix and each.fix.applicability in hows]


def _without(
    diagnostics: Iterable[Diagnostic], left: Iterable[Diagnostic], edits: Sequence[Edit]
) -> Iterator[Diagnostic]:
    """Yield diagnostics of a file, except those that are still there after edits.

    left:  the diagnostics of the edited file.
    """
    there = {(each.code, each.span[0]) for each in left}
    shift = at = 0
    for each in sorted(diagnostics, key=lambda each: each.span):
        place = each.span[0]
        while at < len(edits) and edits[at].span[1] <= place:
            start, stop = edits[at].span
            shift += len(edits[at].replacement) - (stop - start)
            at += 1
        is_inside = at < len(edits) and edits[at].span[0] <= place
        new = edits[at].span[0] if is_inside else place
        if (is_inside and not edits[at].replacement) or (each.code, new + shift) not in there:
            yield each


def _key(body: bytes, diagnostic: Diagnostic) -> Key:
    """Return what identifies a diagnostic after lines have moved."""
    return diagnostic.code, body[slice(*diagnostic.span)], diagnostic.message


def _without_overlaps(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
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


def _accepted(
    body: bytes,
    url: str | None,
    taken: list[Diagnostic],
    more: list[Diagnostic],
    proofs: Budget,
    is_same: bool | None = None,
) -> list[Diagnostic]:
    """Return those of some fixes that are safe in addition to the taken ones: all together if that
    is proved, otherwise those of each half.

    is_same:  what is known of all together before it is proved.
    """
    if not more or not proofs.left:
        return []
    proofs.take(1)
    if is_same is None:
        before, after = (apply(body, _edits_of(those)) for those in (taken, [*taken, *more]))
        is_same = says_the_same(before, after, url=url)
    if is_same:
        return more
    if len(more) == 1:
        return []
    half = len(more) // 2
    first = _accepted(body, url, taken, more[:half], proofs)
    # What changes an answer in addition to fixes that change none changes one alone.
    is_same = False if is_same is False and len(first) == half else None
    return [*first, *_accepted(body, url, [*taken, *first], more[half:], proofs, is_same)]


def _edits_of(diagnostics: Iterable[Diagnostic]) -> list[Edit]:
    """Return the edits of diagnostics, in the order of the file."""
    edits = [edit for each in diagnostics for edit in (each.fix.edits if each.fix else ())]
    return sorted(edits, key=lambda edit: edit.span)
