"""Totals over many answers: how many URLs are allowed, and why some have no answer.

In: rows of answers. Out: counts, by question, by problem and by site.
"""

from collections import Counter
from collections.abc import Sequence

from verger.access.answer import Answer, Question, Row


class CheckTotals:
    """Counts over rows; counts per site only if a summary will show them."""

    def __init__(
        self, questions: Sequence[Question], *, by_site: bool, of_folder: bool = True
    ) -> None:
        self.questions = questions
        self.urls = 0
        self.allowed = [0] * len(questions)
        self.disallowed = [0] * len(questions)
        self.problems: Counter[str] = Counter()
        self.first: dict[str, str] = {}
        """The message of the first problem of each kind."""
        self.answered_of: Counter[str] = Counter()
        self.allowed_of: Counter[str] = Counter()
        """The answers by site."""
        self.sites_without_file: set[str] = set()
        self.without_rules = 0
        self.truncated: list[str] = []
        self.of_folder = of_folder
        self._by_site = by_site

    def add(self, row: Row) -> Row:
        """Count the answers to one URL, and return them."""
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
            self._add_site(row)
        return row

    def _add_problem(self, answer: Answer) -> None:
        problem = answer.problem
        if problem is None:
            return
        self.problems[problem.kind] += 1
        self.first.setdefault(problem.kind, problem.message)
        if self._by_site and problem.site:
            self.sites_without_file.add(problem.site)

    def _add_site(self, row: Row) -> None:
        """Count the row for its site; the first row of a site also inspects its file."""
        name = row[0].site_name or ""
        if name not in self.answered_of:
            if any(answer.truncated for answer in row):
                self.truncated.append(name)
            self.without_rules += all(answer.file_name is None for answer in row)
        self.answered_of[name] += sum(answer.allowed is not None for answer in row)
        self.allowed_of[name] += sum(answer.allowed is True for answer in row)

    @property
    def decisions(self) -> int:
        """How many questions have an answer."""
        return sum(self.allowed) + sum(self.disallowed)

    @property
    def unanswered(self) -> int:
        """How many questions have no answer."""
        return self.problems.total()
