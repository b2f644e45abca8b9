"""CSV: how every command reads and writes a table of text (RFC 4180).

Reading. In: lines. Out: records with the number of their first line. A record that cannot be read
is reported with the reason, and the next one begins where its quotes say that it ends: the content
of a cell must never become a record.

Writing. In: values. Out: records.

A spreadsheet runs a cell that begins with `=`, `+`, `-` or `@`, or with white space that it drops
(OWASP, CSV Injection), so text that begins with one of these or with an apostrophe is written after
an extra apostrophe. Other readers of the table remove one leading apostrophe to get the text byte
for byte; numbers, times and booleans never have one.

A spreadsheet that splits records at `;` or tabs cuts text in the middle, where an apostrophe would
change the text: open such a table with the comma as the separator.
"""

import re
from collections.abc import Iterable, Iterator

from verger.errors import InvalidTable
from verger.plain import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.files.lines import LineReader

Value = str | int | float | bool | None

GUARD = "'"
FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of a cell that a spreadsheet would run; the last four are full-width forms."""

_GUARDED = FORMULA | {GUARD}

BLANKS = " \t\r\n\v\f"


MOST_FIELDS = 8
"""How many fields of the maximum length a record may have; more would not fit in memory."""


def read_records(lines: "LineReader", longest: int) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of the first line, the fields, and the problem of each record.

    longest:  how many characters a field may have.
    A record with a problem has no fields; for a line that is too long, the number is that of the
    line. Empty lines are skipped. The header is a record like any other.
    """
    import csv

    from verger.files.lines import LongLine

    # The limit of the standard library is one for the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), MOST_FIELDS * longest))
    record = _Record(MOST_FIELDS * longest)
    # A reader that is not strict takes quotes that the end of the file cuts off, and text behind
    # quotes, for a part of the field: half a robots.txt file would then allow what the rest closes.
    records = csv.reader(map(record.take, lines), strict=True)
    while True:
        number, record.length = lines.number + 1, 0
        try:
            fields = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            why = f"the record is not CSV: {error}"
            yield number, [], f"{why}{_skip_record(lines, record.begun + record.line)}"
        except _LongRecord as error:
            yield number, [], f"{error}{_skip_record(lines, record.begun + record.line)}"
        except LongLine as error:
            begun = _QUOTED if record.length else ""
            number = lines.number
            yield number, [], f"{error}{_skip_record(lines, begun + error.beginning)}"
        else:
            if record.length > longest and max(map(len, fields)) > longest:
                yield number, [], f"a field has more than {longest:,} characters"
            elif fields:
                yield number, fields, ""


class _LongRecord(Exception):
    """A record that is too long."""


class _Record:
    """The last line of a record that a reader took, and how many characters the record has."""

    def __init__(self, most: int) -> None:
        """Take at most so many characters for a record."""
        self._most = most
        self.begun = self.line = ""
        self.length = 0

    def take(self, line: str) -> str:
        """Return a line that the reader takes: only in quotes, it takes more than one."""
        self.begun = _QUOTED if self.length else ""
        self.line = line
        self.length += len(line)
        if self.length > self._most:
            raise _LongRecord(f"the record has more than {self._most:,} characters")
        return line


# After an error the reader of the standard library has forgotten whether it was in quotes.

_QUOTED = '"x'
"""The beginning of a field in quotes."""

_QUOTES = r'"[^"]*+(?:""[^"]*+)*+'
_IN_QUOTES = re.compile(rf'(?:(?:{_QUOTES}"(?:[^,"][^,]*+)?+|[^",][^,]*+|),)*+{_QUOTES}\Z')
"""Fields, of which the last is in quotes that do not end."""


def _skip_record(lines: "LineReader", text: str) -> str:
    """Read to the end of a record that cannot be read; return what more to say of it.

    text:  what the reader took of the last line; before it, `_QUOTED` if the line is not the first.
    """
    while _IN_QUOTES.match(_whole_line(lines, text)):
        following = _line_with_quotes(lines)
        if following is None:
            return ", and its quotes never end"
        text = _QUOTED + following
    return ""


def _whole_line(lines: "LineReader", text: str) -> str:
    """Return a line, or a shorter one that leaves a reader in the same place."""
    for piece in lines.rest():
        head = text.rstrip('"')  # the next piece may begin with quotes, too
        quotes = text[len(head) :]
        text = _place_after(head) + quotes[: 2 - len(quotes) % 2] + piece
    return text


def _place_after(text: str) -> str:
    """Return a short text that leaves a reader in the same place."""
    if _IN_QUOTES.match(text):
        return _QUOTED
    return "," if not text or text.endswith(",") else "x"


def _line_with_quotes(lines: "LineReader") -> str | None:
    """Return the next line with quotes: without them, a record in quotes goes on."""
    from verger.files.lines import LongLine

    try:
        return next((line for line in lines if '"' in line), None)
    except LongLine as error:
        return error.beginning


def read_header(name: str, records: Iterator[tuple[int, list[str], str]]) -> list[str]:
    """Return the names of the columns; none if there is no header. Raises InvalidTable."""
    _, header, problem = next(records, (1, [], ""))
    if problem:
        raise InvalidTable(f"{quoted(name)} is not CSV: {problem}")
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
