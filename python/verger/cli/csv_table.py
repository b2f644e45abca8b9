"""Answers as CSV: a header first, then a record for each answer as soon as it is ready.

In: rows of answers. Out: the fields of the JSON objects, flattened, under the same names. URLs,
rules and file names are written byte for byte, after an apostrophe if a spreadsheet would run them
(see `verger.files.csv_text`); on a terminal, control characters are escaped.
"""

from verger.answers.answer import CheckAnswer, Row
from verger.answers.times import timestamp, timestamp_if
from verger.files.csv_text import Value, record
from verger.plain import printable, rule_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from verger.cli.writers import TextStream

HEADER: tuple[str, ...] = (
    "url",
    "tokens",
    "dialect",
    "allowed",
    "reason",
    "section",
    "line",
    "rule",
    "target",
    "file",
    "truncated",
    "error",
    "bound",
)

HEADER_OF_FETCHES = ("effect", "status", "failure", "fetched_at", "age", "fresh_until", "source")
"""More columns if files are fetched, or a snapshot records fetches."""


class Records:
    """Writes records of CSV; on a terminal, control characters are escaped."""

    def __init__(self, stream: "TextStream") -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def write(self, fields: "Iterable[Value]") -> None:
        """Write a record."""
        line = record(fields)
        self._stream.write(f"{printable(line) if self._is_terminal else line}\n")


class CsvTable:
    """Writes answers as CSV.

    of_fetches:  whether to add the result of fetching each file.
    """

    def __init__(self, stream: "TextStream", *, of_fetches: bool = False) -> None:
        self._records = Records(stream)
        self._of_fetches = of_fetches
        # a table without rows has columns as well
        self._records.write((*HEADER, *HEADER_OF_FETCHES) if of_fetches else HEADER)

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for answer in row:
            fields = _fields(answer)
            self._records.write((*fields, *_fetch_fields(answer)) if self._of_fetches else fields)


def _fields(answer: CheckAnswer) -> "Iterable[Value]":
    return (
        answer.url,
        answer.question.crawler,
        answer.question.dialect,
        *_decision_fields(answer),
        answer.file_name,
        answer.truncated,
        answer.problem.message if answer.problem else None,
        answer.bound,
    )


def _decision_fields(answer: CheckAnswer) -> "Iterable[Value]":
    decision, fetched = answer.decision, answer.fetched
    if decision is None and fetched is not None:
        policy = fetched.policy
        return (fetched.allowed, policy.reason, policy.section, None, None, None)
    if decision is None:
        return (None,) * 6
    rule = decision.rule
    return (
        decision.allowed,
        decision.reason,
        decision.section,
        rule.line if rule else None,
        rule_text(rule.allow, rule.pattern) if rule else None,
        decision.target,
    )


def _fetch_fields(answer: CheckAnswer) -> "Iterable[Value]":
    fetched = answer.fetched
    if fetched is None:
        return (None,) * len(HEADER_OF_FETCHES)
    last, is_old = fetched.last, fetched.source == "snapshot"
    return (
        fetched.policy.effect,
        last.status,
        last.failure,
        timestamp_if(fetched.fetched_at),
        None if is_old else round(fetched.age),
        None if is_old else timestamp(fetched.site.fresh_until),
        fetched.source,
    )
