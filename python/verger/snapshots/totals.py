"""Totals over many answers: how many URLs are allowed, and why some have no answer.

In: rows of answers. Out: counts, by question, by problem and by site.
"""

from collections.abc import Sequence

from verger.snapshots.answer import CheckAnswer, Question, Row


class CheckTotals:
    """Counts over rows; counts per site only if a summary will show them."""

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
        """Return the count of the row's site; the first row of a site also inspects its file."""
        name = row[0].site or ""
        count = self.sites.get(name)
        if count is None:
            count = self.sites[name] = SiteCount()
            if any(answer.truncated for answer in row):
                self.truncated.append(name)
            self.without_rules += all(answer.file_name is None for answer in row)
        return count

    @property
    def decisions(self) -> int:
        """How many questions have an answer."""
        return sum(self.allowed) + sum(self.disallowed)

    @property
    def unanswered(self) -> int:
        """How many questions have no answer."""
        return sum(problem.number for problem in self.problems.values())


class ProblemCount:
    """How many answers are missing for one reason, and the message of the first."""

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
        """Count the answers to one URL; problems do not count."""
        for answer in row:
            allowed = answer.allowed
            if allowed is not None:
                self.answered += 1
                self.allowed += allowed
