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

HEADER = (
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


class CsvTable:
    """Writes answers as CSV."""

    def __init__(self, stream: "TextIO") -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._write_record(HEADER)  # a table without rows has columns, too

    def write(self, row: Row) -> None:
        """Write the answers to one URL."""
        for answer in row:
            self._write_record(_fields(answer))

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
        answer.file.name if answer.file else "",
        "true" if answer.truncated else "false",
        answer.problem.message if answer.problem else "",
    )


def _decision_fields(answer: Answer) -> Iterable[str]:
    decision = answer.decision
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
