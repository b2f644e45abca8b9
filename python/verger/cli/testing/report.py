"""The results of testing files with expectations.

In: the outcome of each expectation, file by file. Out: how many hold, fail or have no answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verger.expectations.judging import Outcome


@dataclass(frozen=True, slots=True)
class TestedFile:
    """The result for one file with expectations.

    error:  message and hint if it could not be tested; None if it was.
    """

    name: str
    robots: str | None
    outcomes: Sequence[Outcome] = ()
    error: tuple[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The results for all files."""

    files: Sequence[TestedFile]

    @property
    def outcomes(self) -> Iterator[Outcome]:
        """The outcomes of all files."""
        return (outcome for file in self.files for outcome in file.outcomes)

    @property
    def passed(self) -> int:
        """How many expectations hold."""
        return sum(outcome.holds for outcome in self.outcomes)

    @property
    def failed(self) -> int:
        """How many do not hold."""
        return sum(not outcome.holds and outcome.error is None for outcome in self.outcomes)

    @property
    def errors(self) -> int:
        """How many files could not be tested, and how many expectations have no answer."""
        unread = sum(file.error is not None for file in self.files)
        return unread + sum(outcome.error is not None for outcome in self.outcomes)
