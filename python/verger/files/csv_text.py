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
from itertools import chain

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

LOOK = 1 << 16
"""After how many characters of a record its length is looked at, at the latest."""


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
    taken = _Taken(lines, longest)
    # A reader that is not strict takes quotes that the end of the file cuts off, and text behind
    # quotes, for a part of the field: half a robots.txt file would then allow what the rest closes.
    records = csv.reader(taken, strict=True)
    while True:
        number = taken.begin()
        try:
            fields = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, [], f"the record is not CSV: {error}{taken.skip_record()}"
        except _LongRecord as error:
            yield number, [], f"{error}{taken.skip_record()}"
        except LongLine as error:
            number = lines.number
            yield number, [], f"{error}{taken.skip_record(error.beginning)}"
        else:
            if taken.length > longest and max(map(len, fields)) > longest:
                yield number, [], f"a field has more than {longest:,} characters"
            elif fields:
                yield number, fields, ""


class _LongRecord(Exception):
    """A record that is too long."""


class _Taken:
    """The lines of one record at a time, as a reader takes them, and a way to its end.

    After an error the reader of the standard library has forgotten whether it was in quotes. Lines
    are kept only until there are enough of them to find out how far the record has come: a quote
    that nobody ends makes a record of all lines that follow.
    """

    def __init__(self, lines: "LineReader", longest: int) -> None:
        """Take lines; `longest` is how many characters a field may have."""
        self._lines = lines
        self._longest = longest
        self._most = MOST_FIELDS * longest
        self._stride = min(LOOK, longest)
        self._kept: list[str] = []
        self._place = _BEGIN
        self._field = 0
        """How many characters in quotes the field has that goes on behind the kept lines."""
        self._next_look = self._stride
        self.length = 0
        """How many characters the lines of this record have."""

    def begin(self) -> int:
        """Forget the record before; return the number of the next line."""
        self._kept.clear()
        self._place, self._field, self._next_look, self.length = _BEGIN, 0, self._stride, 0
        return self._lines.number + 1

    def __iter__(self) -> "_Taken":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._kept.append(line)
        self.length += len(line)
        if self.length > self._next_look:
            self._look()
        return line

    def _look(self) -> None:
        """Find out how far the record has come. Raises _LongRecord."""
        self._next_look = self.length + self._stride
        text = "".join(self._kept)
        self._kept.clear()
        self._place, begin = _place_after(text, self._place)
        self._field = len(text) - begin if begin >= 0 else self._field + len(text)
        if self.length > self._most:
            raise _LongRecord(f"the record has more than {self._most:,} characters")
        if self._place == _QUOTED and self._field > 2 * self._longest:  # if all of it is quotes
            raise _LongRecord(f"a field has more than {self._longest:,} characters")

    def skip_record(self, beginning: str = "") -> str:
        """Read to the end of a record that cannot be read; return what more to say of it.

        beginning:  that of a line that was too long.
        """
        for text in chain(self._kept, (beginning,), self._lines.rest()):
            self._place, _ = _place_after(text, self._place)
        while self._place == _QUOTED:
            next_line = self._next_line()
            if next_line is None:
                return ", and its quotes never end"
            for piece in chain((next_line,), self._lines.rest()):
                self._place, _ = _place_after(piece, self._place)
        return ""

    def _next_line(self) -> str | None:
        """Return the next line with quotes: without them, a record in quotes goes on."""
        from verger.files.lines import LongLine

        try:
            return next(filter(_QUOTES.search, self._lines), None)
        except LongLine as error:
            return error.beginning


_QUOTES = re.compile('"+')

_BEGIN, _PLAIN, _QUOTED, _QUOTE = range(4)
"""Where a reader is: before a field, in one without quotes, in one with quotes, or behind a quote
in that, which either ends it or is the first of two."""


def _place_after(text: str, place: int) -> tuple[int, int]:
    """Return where a reader is behind a text, in linear time, and where the last field in quotes
    begins in it; -1 if none does.
    """
    at, begin = 0, -1
    while at < len(text):
        if place == _QUOTED:
            quotes = _QUOTES.search(text, at)
            if quotes is None:
                return _QUOTED, begin
            at = quotes.end()
            place = _QUOTE if (at - quotes.start()) % 2 else _QUOTED
        elif place == _QUOTE:
            place = {'"': _QUOTED, ",": _BEGIN}.get(text[at], _PLAIN)
            at += 1
        elif place == _BEGIN and text[at] == '"':
            place, at = _QUOTED, at + 1
            begin = at
        else:
            at = text.find(',"', at) + 2
            if at < 2:
                return _BEGIN if text.endswith(",") else _PLAIN, begin
            place, begin = _QUOTED, at
    return place, begin


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
