"""The summary at the end of a long run.

In: the totals of the answers. Out: lines of text. Shares are of the answered questions; a site
without a file has no share.
"""

from collections.abc import Iterator
from functools import partial

from verger.answers.answer import labels
from verger.answers.totals import CheckTotals
from verger.cli.columns import columns, padded, share, total
from verger.plain import printable, shortened

RESTRICTIVE_SITES = 10
"""How many of the most restrictive sites are named."""

NAME_WIDTH = 60
"""The most columns of a site's name; longer names are shortened."""


_total = partial(total, width=22)


def summary_lines(tally: CheckTotals, seconds: float) -> Iterator[str]:
    """Yield the summary, a line at a time."""
    yield from _totals(tally, seconds)
    yield from _shares(tally)
    if tally.of_folder:
        yield from _restrictive_sites(tally)
    yield from _problems(tally)


def _totals(tally: CheckTotals, seconds: float) -> Iterator[str]:
    rate = tally.decisions / max(seconds, 1e-9)
    if tally.of_folder:
        yield _total("sites", len(tally.sites) + len(tally.sites_without_file))
    cut = f"{len(tally.truncated):,} cut at the parsing limit" if tally.truncated else ""
    yield _total("files", len(tally.sites) - tally.without_rules, cut)
    yield _total("URLs", tally.urls)
    yield _total("decisions", tally.decisions)
    if tally.unanswered:
        yield _total("unanswered", tally.unanswered)
    yield _total("time", f"{seconds:,.2f} s", f"{rate:,.0f} decisions a second")


def _shares(tally: CheckTotals) -> Iterator[str]:
    names = [shortened(printable(name), NAME_WIDTH) for name in labels(tally.questions)]
    width = max(map(columns, names))
    yield ""
    yield "share allowed"
    for name, allowed, disallowed in zip(names, tally.allowed, tally.disallowed, strict=True):
        of = f"{allowed:,} of {allowed + disallowed:,}"
        yield f"  {share(allowed, allowed + disallowed)}  {padded(name, width)}  {of}"


def _restrictive_sites(tally: CheckTotals) -> Iterator[str]:
    sites = tally.sites.items()
    restrictive = [(name, count) for name, count in sites if count.allowed < count.answered]
    restrictive.sort(key=lambda item: (item[1].allowed / item[1].answered, item[0]))
    shown = restrictive[:RESTRICTIVE_SITES]
    if not shown:
        return
    names = [shortened(printable(name), NAME_WIDTH) for name, _ in shown]
    width = max(map(columns, names))
    yield ""
    yield "most restrictive sites, by share allowed"
    for name, (_, count) in zip(names, shown, strict=True):
        of = f"{count.allowed:,} of {count.answered:,}"
        yield f"  {share(count.allowed, count.answered)}  {padded(name, width)}  {of}"


def _problems(tally: CheckTotals) -> Iterator[str]:
    if tally.problems:
        yield ""
        yield "unanswered"
    for kind, problem in sorted(tally.problems.items()):
        first = shortened(printable(problem.first), 2 * NAME_WIDTH)
        yield f"  {problem.number:>7,}  {kind}; the first: {first}"
