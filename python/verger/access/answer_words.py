"""Answers in words, as `verger check` prints them.

In: a decision, what is known about fetching its file, and what is said of it in another dialect.
Out: lines for a person: those of the file that decided, or what the fetch of the file means.
"""

from collections.abc import Iterator

from verger._core import _REASONS, Decision, UseDecision
from verger.options import UseName
from verger.showing.palette import Palette, verdict
from verger.untrusted_text import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.access.site import SiteAccess


def unanswered(message: str, hint: str | None, palette: Palette) -> Iterator[str]:
    """Yield why there is no answer, and what to do."""
    yield palette.paint("unanswered", "yellow")
    yield printable(message)
    yield from [printable(f"hint: {hint}")] if hint else []


def with_rules(
    decision: Decision,
    site: "SiteAccess | None",
    now: float,
    own: list[str],
    palette: Palette,
    *,
    verbose: bool,
    kept_in_part: bool,
) -> Iterator[str]:
    """Yield the explanation of a decision, and what is known about fetching its file."""
    from verger.showing.excerpt import DecisionExcerpt

    excerpt = DecisionExcerpt(palette, decision)
    yield from excerpt.lines(verbose=verbose, is_kept_in_part=kept_in_part)
    if site is not None:
        from verger.access.words import measures, provenance  # files have no need of these

        yield from map(excerpt.remark, provenance(site, now))
        yield from [excerpt.remark(measures(site.result or site.last))] if verbose else []
    yield from map(excerpt.remark, own)


def without_rules(
    decision: Decision | None,
    site: "SiteAccess",
    now: float,
    own: list[str],
    palette: Palette,
    *,
    verbose: bool,
) -> Iterator[str]:
    """Yield the explanation of an answer without rules; a decision is that of an exempt URL."""
    from verger.access.words import because, explanation, measures

    allowed = site.access.effect == "allow_all" if decision is None else decision.allowed
    word, colour = verdict(allowed=allowed)
    why = because(site)
    remarks = list(explanation(site, now))
    if verbose and site.entry is not None:
        remarks.append(measures(site.last))
    if decision is not None:
        remarks.insert(0, why)
        why = f"{_REASONS[decision.reason]} ({decision.section})"
    yield f"{palette.paint(word, 'bold', colour)}: {why}"
    yield from _remarks([*remarks, *own], palette)


def about_use(
    decision: UseDecision | None,
    purpose: UseName,
    site: "SiteAccess | None",
    now: float,
    own: list[str],
    palette: Palette,
    *,
    verbose: bool,
) -> Iterator[str]:
    """Yield the explanation of an answer about use, for a site that is not closed."""
    from verger.showing.uses import lines, silence

    known: list[str] = []
    if site is not None:
        from verger.access.words import because, explanation, provenance

        known = [because(site)] if decision is None else []
        known += (explanation if decision is None else provenance)(site, now)
    if decision is None:
        yield silence(purpose, palette)
        yield from _remarks([*known, *own], palette)
    else:
        yield from lines(decision, palette, verbose=verbose, more=[*known, *own])


def _remarks(remarks: list[str], palette: Palette) -> Iterator[str]:
    for remark in remarks:
        yield f"{palette.paint('  =', 'cyan')} {remark}"
