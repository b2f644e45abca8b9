"""CSV: how every command reads and writes a table of text (RFC 4180).

In: lines; values. Out: records with the number of their first line; records. A record that cannot
be read is told with why, and is not the end.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, or with white space that it drops
(OWASP, CSV Injection): text that begins so, or with an apostrophe, gets an apostrophe in front. Who
reads the table otherwise takes one leading apostrophe away, and has the text byte for byte;
numbers, times and truth values never have one.

A spreadsheet that splits records at `;` or tabs cuts a text in the middle, where no apostrophe can
stand without changing the text: open such a table with the comma as the separator.
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
"""How a cell begins that a spreadsheet would run; the last four are the wide forms of the first."""

_GUARDED = FORMULA | {GUARD}

BLANKS = " \t\r\n\v\f"


def read_records(lines: "Lines", longest: int) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of the first line, the fields, and what is wrong, of each record.

    longest:  how many characters a field may have.
    A record with something wrong has no fields, and the number of a line that is too long. An
    empty line is passed over. The header is a record like others.
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
    """Return the names of the columns; nothing where there is no header. Raises InvalidTable."""
    _, header, problem = next(records, (1, [], ""))
    if problem:
        raise InvalidTable(f"`{printable(name)}` is not CSV: {problem}")
    return [column.strip(BLANKS) for column in header]


def record(values: Iterable[Value]) -> str:
    """Return a line without its end."""
    return ",".join(map(cell, values))


def cell(value: Value) -> str:
    """Return a value as it stands between two commas; nothing for None."""
    if isinstance(value, str):
        return text_cell(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def text_cell(text: str) -> str:
    """Return text as it stands between two commas.

    The writer of the standard library takes as long as all else that `verger check` does.
    """
    if text[:1] in _GUARDED:
        text = GUARD + text
    if "," in text or '"' in text or "\n" in text or "\r" in text:
        return '"' + text.replace('"', '""') + '"'
    return text
