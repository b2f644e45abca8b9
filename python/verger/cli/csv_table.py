"""Answers as CSV: a header at once, and one record for each answer as soon as there is one.

In: rows of answers. Out: the fields of the JSON objects, flattened, under the same names. A
rule has its field before its pattern, so that no cell of a spreadsheet begins with the `=` of
a stranger's pattern. URLs, rules and file names come back octet for octet; on a terminal
nothing of a stranger acts.
"""

from collections.abc import Iterable

from verger.cli.answers import Answer, Row
from verger.cli.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

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
)

HEADER_OF_FETCHES = ("effect", "status", "failure", "fetched_at", "age", "fresh_until", "source")
"""What follows where files are fetched."""


class CsvTable:
    """Writes answers as CSV.

    of_fetches:  whether what became of fetching each file is to be told.
    """

    def __init__(self, stream: "TextIO", *, of_fetches: bool = False) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._of_fetches = of_fetches
        # a table without rows has columns, too
        self._write_record((*HEADER, *HEADER_OF_FETCHES) if of_fetches else HEADER)

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for answer in row:
            fields = _fields(answer)
            self._write_record((*fields, *_fetch_fields(answer)) if self._of_fetches else fields)

    def _write_record(self, fields: Iterable[str]) -> None:
        record = ",".join(map(quoted, fields))
        self._stream.write(f"{printable(record) if self._is_terminal else record}\n")


def quoted(field: str) -> str:
    """Return a field as it stands between two commas (RFC 4180 section 2).

    The writer of the standard library takes as long as all else this command does.
    """
    if "," in field or '"' in field or "\n" in field or "\r" in field:
        return '"' + field.replace('"', '""') + '"'
    return field


def _fields(answer: Answer) -> Iterable[str]:
    return (
        answer.url,
        answer.question.crawler,
        answer.question.dialect,
        *_decision_fields(answer),
        answer.file_name or "",
        "true" if answer.truncated else "false",
        answer.problem.message if answer.problem else "",
    )


def _decision_fields(answer: Answer) -> Iterable[str]:
    decision, fetched = answer.decision, answer.fetched
    if decision is None and fetched is not None:
        policy = fetched.policy
        return ("true" if fetched.allowed else "false", policy.reason, policy.section, "", "", "")
    if decision is None:
        return ("",) * 6
    rule = decision.rule
    return (
        "true" if decision.allowed else "false",
        decision.reason,
        decision.section,
        str(rule.line) if rule else "",
        f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" if rule else "",
        decision.target,
    )


def _fetch_fields(answer: Answer) -> Iterable[str]:
    fetched = answer.fetched
    if fetched is None:
        return ("",) * len(HEADER_OF_FETCHES)
    last = fetched.last
    return (
        fetched.policy.effect,
        "" if last.status is None else str(last.status),
        last.failure or "",
        fetched.fetched_at,
        f"{fetched.age:.0f}",
        fetched.fresh_until,
        fetched.source,
    )
