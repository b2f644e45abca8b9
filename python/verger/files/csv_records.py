"""CSV: how every command reads a table of text (RFC 4180).

In: the bytes of a file. Out: records with the number of their first line. A record that cannot be
read is reported with the reason, and the next one begins where its quotes say that it ends: the
content of a cell must never become a record.
"""

import csv
import re
from collections import deque
from collections.abc import Iterator

from verger.errors import InvalidTable
from verger.files.lines import ended_lines_of, is_longer
from verger.untrusted_text import counted, quoted

BLANKS = " \t\r\n\v\f"

MOST_FIELDS = 8
"""How many fields of the maximum length a record may have; more would not fit in memory."""

# After an error the reader of the standard library has forgotten whether it was in quotes.

_QUOTED = '"x'
"""The beginning of a field in quotes."""

_QUOTES = r'"[^"]*+(?:""[^"]*+)*+'
_IN_QUOTES = re.compile(rf'(?:(?:{_QUOTES}"(?:[^,"][^,]*+)?+|[^",][^,]*+|),)*+{_QUOTES}\Z')
"""Fields, of which the last is in quotes that do not end."""


class _TooLong(Exception):
    """Why no more of a record is read, and the number of the line to tell."""


class CsvLines:
    """Lines for a reader of CSV, which in quotes takes more than one for a record."""

    def __init__(self, chunks: Iterator[bytes], longest: int) -> None:
        """Take the bytes of a file.

        longest:  how many bytes a line may have, and how many characters a field.
        """
        self.longest = longest
        self.most = MOST_FIELDS * longest
        """How many characters a record may have."""
        self.size = 0
        """How many of the last record were read."""
        self.first = 1
        """The number of the first line of the last record."""
        self._number = 0
        self._pieces = ended_lines_of(chunks, longest)
        self._waiting: deque[str] = deque()
        self._begun = self._line = ""
        """What the reader took of the last line, behind what leaves it in the same place."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._begun = _QUOTED if self.size else ""
        self._line = line = self._take()
        if not line:
            raise StopIteration
        self._number += 1
        self.size += len(line)
        if is_longer(line, self.longest):
            raise _TooLong(f"the line has more than {self.longest:,} bytes", self._number)
        if self.size > self.most:
            raise _TooLong(f"the record has more than {self.most:,} characters", self.first)
        return line

    @property
    def is_drained(self) -> bool:
        """Whether the next line has yet to be read."""
        return not self._waiting

    @property
    def has_end(self) -> bool:
        """Whether the last record has a line end: else the file may be cut off in it, and a quote
        at its end be the first of two."""
        return self._line.endswith(("\n", "\r"))

    def begin(self) -> None:
        """Begin a record."""
        self.size = 0
        self.first = self._number + 1

    def skip(self) -> str:
        """Read to the end of a record that cannot be read; return what more to say of it."""
        while _IN_QUOTES.match(self._last_line()):
            self._begun, self._line = _QUOTED, self._take()
            if not self._line:
                return ", and its quotes never end"
            self._number += 1
        return ""

    def _last_line(self) -> str:
        """Return the last line, or a shorter one that leaves a reader in the same place."""
        text = self._begun + self._line
        while text and not text.endswith(("\n", "\r")) and (piece := self._take()):
            head = text.rstrip('"')  # the next piece may begin with quotes, too
            quotes = text[len(head) :]
            text = _place_after(head) + quotes[: 2 - len(quotes) % 2] + piece
        return text

    def _take(self) -> str:
        """Return the next line, or a piece of one; nothing at the end."""
        while not self._waiting:
            lines = next(self._pieces, None)
            if lines is None:
                return ""
            self._waiting.extend(lines)
        return self._waiting.popleft()


def _place_after(text: str) -> str:
    """Return a short text that leaves a reader in the same place."""
    if _IN_QUOTES.match(text):
        return _QUOTED
    return "," if not text or text.endswith(",") else "x"


def read_records(lines: CsvLines) -> Iterator[tuple[int, list[str], str]]:
    """Yield the number of the first line, the fields, and the problem of each record.

    A record with a problem has no fields; for a line that is too long, the number is that of the
    line. Empty lines are skipped. The header is a record like any other.
    """
    # The limit of the standard library is one for the whole process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), lines.most))
    # A reader that is not strict takes quotes that the end of the file cuts off, and text behind
    # quotes, for a part of the field: half a robots.txt file would then allow what the rest closes.
    records = csv.reader(lines, strict=True)
    while True:
        lines.begin()
        try:
            fields = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield lines.first, [], f"the record is not CSV: {error}{lines.skip()}"
        except _TooLong as error:
            why, number = error.args
            yield number, [], f"{why}{lines.skip()}"
        else:
            if lines.size > lines.longest and max(map(len, fields)) > lines.longest:
                yield lines.first, [], f"a field has more than {lines.longest:,} characters"
            elif fields:
                yield lines.first, fields, ""


def read_rows(name: str, lines: CsvLines) -> tuple[list[str], Iterator[tuple[int, list[str], str]]]:
    """Return the names of the columns, none if there is no header, and the records below it.

    A record with more or fewer fields than the header has a problem, and no fields: nobody knows
    which of them belongs to which column. Raises InvalidTable.
    """
    records = read_records(lines)
    _, header, problem = next(records, (1, [], ""))
    if problem:
        raise InvalidTable(f"{quoted(name)} is not CSV: {problem}")
    rows = (_fitting(record, len(header)) for record in records)
    return [column.strip(BLANKS) for column in header], rows


def _fitting(record: tuple[int, list[str], str], width: int) -> tuple[int, list[str], str]:
    line, fields, problem = record
    if problem or len(fields) == width:
        return record
    why = f"the record has {counted(len(fields), 'field')}, and the header has {width:,}"
    return line, [], f"{why}: text with a comma stands in quotes" if len(fields) > width else why
