"""The sum of a run: what the exit code says, and the table that closes a long one.

In: rows of answers. Out: counts, and lines of text. Shares are of what was answered; a site
without a file has no share.
"""

from collections.abc import Iterator, Sequence

from verger.cli.answers import CheckAnswer, Question, Row, labels
from verger.cli.exit import DISALLOWED, FAILED, FINE
from verger.cli.plain import columns, padded, printable, share, shortened

RESTRICTIVE_SITES = 10
"""How many of the most restrictive sites are named."""

NAME_WIDTH = 60
"""Columns; longer site names are shortened."""


class CheckTotals:
    """Counts over rows; those of single sites only where a summary will tell them."""

    def __init__(
        self, questions: Sequence[Question], *, by_site: bool, of_folder: bool = True
    ) -> None:
        self.questions = questions
        self.urls = 0
        self.allowed = [0] * len(questions)
        self.disallowed = [0] * len(questions)
        self.problems: dict[str, ProblemCount] = {}
        self.sites: dict[str, SiteCount] = {}
        self.sites_without_file: set[str] = set()
        self.without_rules = 0
        self.truncated: list[str] = []
        self.of_folder = of_folder
        self._by_site = by_site

    def add(self, row: Row) -> None:
        """Count the answers to one URL."""
        self.urls += 1
        for index, answer in enumerate(row):
            allowed = answer.allowed
            if allowed is None:
                self._add_problem(answer)
            elif allowed:
                self.allowed[index] += 1
            else:
                self.disallowed[index] += 1
        if self._by_site and row[0].file is not None:
            self._site(row).add(row)

    def _add_problem(self, answer: CheckAnswer) -> None:
        problem = answer.problem
        if problem is None:
            return
        seen = self.problems.get(problem.kind)
        if seen is None:
            seen = self.problems[problem.kind] = ProblemCount(problem.message)
        seen.number += 1
        if self._by_site and problem.site:
            self.sites_without_file.add(problem.site)

    def _site(self, row: Row) -> "SiteCount":
        """Return the count of the row's site; the first row of a site looks at its file."""
        file = row[0].file
        name = (file and file.site) or ""
        count = self.sites.get(name)
        if count is None:
            count = self.sites[name] = SiteCount()
            if any(answer.truncated for answer in row):
                self.truncated.append(name)
            self.without_rules += all(answer.file_name is None for answer in row)
        return count

    @property
    def decisions(self) -> int:
        """How many questions were answered."""
        return sum(self.allowed) + sum(self.disallowed)

    @property
    def unanswered(self) -> int:
        """How many were not."""
        return sum(problem.number for problem in self.problems.values())

    @property
    def exit_code(self) -> int:
        """0 for all allowed, 1 for any disallowed, 2 for any unanswered."""
        if self.problems:
            return FAILED
        return DISALLOWED if any(self.disallowed) else FINE


class ProblemCount:
    """How many answers are missing for one reason, and the words for the first of them."""

    __slots__ = ("first", "number")

    def __init__(self, first: str) -> None:
        self.first = first
        self.number = 0


class SiteCount:
    """The answers of one site."""

    __slots__ = ("allowed", "answered")

    def __init__(self) -> None:
        self.allowed = 0
        self.answered = 0

    def add(self, row: Row) -> None:
        """Count the answers to one URL; a problem is none."""
        for answer in row:
            allowed = answer.allowed
            if allowed is not None:
                self.answered += 1
                self.allowed += allowed


def summary_lines(tally: CheckTotals, seconds: float) -> Iterator[str]:
    """Yield the closing table, a line at a time."""
    yield from _totals(tally, seconds)
    yield from _shares(tally)
    if tally.of_folder:
        yield from _restrictive_sites(tally)
    yield from _problems(tally)


def _totals(tally: CheckTotals, seconds: float) -> Iterator[str]:
    rate = tally.decisions / max(seconds, 1e-9)
    if tally.of_folder:
        yield f"sites       {len(tally.sites) + len(tally.sites_without_file):>10,}"
    cut = f"  {len(tally.truncated):,} cut at the parsing limit" if tally.truncated else ""
    yield f"files       {len(tally.sites) - tally.without_rules:>10,}{cut}"
    yield f"URLs        {tally.urls:>10,}"
    yield f"decisions   {tally.decisions:>10,}"
    if tally.unanswered:
        yield f"unanswered  {tally.unanswered:>10,}"
    yield f"time        {seconds:>8.2f} s  {rate:,.0f} decisions a second"


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
