"""CSV: how every command reads and writes a table of text (RFC 4180).

Reading. In: lines. Out: records with the number of their first line. A record that cannot be read
is reported with the reason, and reading goes on.

Writing. In: values. Out: records.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, or with white space that it drops
(OWASP, CSV Injection), so text that begins with one of these or with an apostrophe is written after
an extra apostrophe. Other readers of the table remove one leading apostrophe to get the text byte
for byte; numbers, times and booleans never have one.

A spreadsheet that splits records at `;` or tabs cuts text in the middle, where an apostrophe would
change the text: open such a table with the comma as the separator.
"""

from collections.abc import Iterable, Iterator

from verger.errors import InvalidTable
from verger.plain import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.files.lines import Lines

Value = str | int | float | bool | None

GUARD = "'"
FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of a cell that a spreadsheet would run; the last four are full-width forms."""

_GUARDED = FORMULA | {GUARD}

BLANKS = " \t\r\n\v\f"


def read_records(lines: "Lines", longest: int) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of the first line, the fields, and the problem of each record.

    longest:  how many characters a field may have.
    A record with a problem has no fields; for a line that is too long, the number is that of the
    line. Empty lines are skipped. The header is a record like any other.
    """
    import csv

    from verger.files.lines import LongLine

    csv.field_size_limit(longest)
    records = csv.reader(lines, strict=False)
    while True:
        number = lines.number + 1
        try:
            fields = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, [], f"the record is not CSV: {error}"
        except LongLine as error:
            yield lines.number, [], str(error)
        else:
            if fields:
                yield number, fields, ""


def read_header(name: str, records: Iterator[tuple[int, list[str], str]]) -> list[str]:
    """Return the names of the columns; none if there is no header. Raises InvalidTable."""
    _, header, problem = next(records, (1, [], ""))
    if problem:
        raise InvalidTable(f"`{printable(name)}` is not CSV: {problem}")
    return [column.strip(BLANKS) for column in header]


def record(values: Iterable[Value]) -> str:
    """Return a record as a line without its end."""
    return ",".join(map(cell, values))


def cell(value: Value) -> str:
    """Return a value as it is written between two commas; nothing for None."""
    if isinstance(value, str):
        return text_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text_cell(text: str) -> str:
    """Return text as it is written between two commas.

    The standard library's writer would take as long as everything else in `verger check`.
    """
    if text[:1] in _GUARDED:
        text = GUARD + text
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
