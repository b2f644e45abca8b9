"""Rows of URLs from text, JSON Lines, CSV and Parquet, in blocks that are decided as a whole.

In: the paths of files and streams. Out: blocks of some thousands of rows with their line numbers
(row numbers in Parquet), the same for the same input however it arrives, so that a second run
recognises the blocks that the first one finished. A row without a URL is a problem of that row. A
missing column, or a file of another format, is an error: none of its rows could be read.
"""

# ruff: noqa: PTH116

import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeAlias

from verger._core import origin
from verger.access.answer import Unanswered
from verger.bulk.filter.answers import Kind, Written
from verger.errors import InvalidOption, InvalidTable, InvalidTarget, MissingExtra, UnusableInput
from verger.files.csv_records import BLANKS, CsvLines, read_header, read_records
from verger.files.formats import input_format
from verger.files.json_text import NotAnObject, read_object
from verger.files.lines import is_longer, lines_of, read_bytes
from verger.files.reading import damaged, no_column
from verger.files.stdio import LONGEST
from verger.plain import quoted, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import Array

FORMATS = ("text", "jsonl", "csv", "parquet")
STDIN = "stdin"

ROWS = 4_096
"""Rows of a full block."""

CHARACTERS = 1 << 20
"""A block with longer URLs ends earlier."""

SHOWN = 200
"""Characters that are shown of a row without a URL."""

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Not allowed in URLs (RFC 3986 section 2): HTTP clients drop tabs, and so request another page;
some readers end a line at U+0085, U+2028 and U+2029, and begin a URL that was not decided."""


class UrlInput:
    """One file or stream of rows."""

    __slots__ = ("format", "is_plain", "mtime_ns", "name", "path", "position", "size")

    def __init__(self, path: str, format_name: str | None, *, option: str = "format") -> None:
        self.path = path
        self.name = STDIN if path == "-" else path
        self.format = input_format(path, format_name, FORMATS, option=option) or "text"
        self.size = self.mtime_ns = 0
        self.is_plain = False
        """Whether it is a file that can be read again, and whose size is known."""
        self.position = 0
        """Roughly how many bytes of such a file were read so far."""
        if path != "-":
            self._look()
        elif self.format == "parquet":
            raise UnusableInput("Parquet cannot be read from stdin", "pass the path of the file")

    def _look(self) -> None:
        try:
            status = os.stat(self.path)
            if stat.S_ISDIR(status.st_mode):
                why = f"{quoted(self.path)} is a folder, not a file of URLs"
                raise UnusableInput(why, "name a file in it")
            if not os.access(self.path, os.R_OK):
                raise PermissionError(13, "permission denied")
        except OSError as error:
            raise damaged(self.name, error) from None
        self.is_plain = stat.S_ISREG(status.st_mode)
        if self.is_plain:
            self.size, self.mtime_ns = status.st_size, status.st_mtime_ns
        elif self.format == "parquet":
            raise UnusableInput(
                f"{quoted(self.path)} is a pipe; Parquet is only read from files",
                "write it to a file first",
            )

    def lines(self) -> Iterator[list[str]]:
        """Yield the lines as they come, some at a time, without line ends.

        A line of more than `LONGEST` bytes is cut; the rest is skipped.
        """
        return lines_of(self.chunks(), LONGEST)

    def chunks(self) -> Iterator[bytes]:
        """Yield the unpacked bytes. Raises UnusableInput."""
        on_read = self._note if self.is_plain else None
        return read_bytes(self.path, what="URLs", format=self.format, on_read=on_read)

    def _note(self, position: int) -> None:
        self.position = position


def inputs_of(words: Sequence[str], format_name: str | None) -> list[UrlInput]:
    """Return the inputs that the command line names; stdin if it names none."""
    paths = list(words) or ["-"]
    if paths.count("-") > 1:
        raise InvalidOption("stdin can be read once: `-` is given twice")
    return [UrlInput(path, format_name, option="--input-format") for path in paths]


@dataclass(eq=False, slots=True)
class Block:
    """Consecutive rows of one input."""

    input: str
    numbers: Sequence[int]
    urls: list[str]
    problems: dict[int, Unanswered]
    size: int
    """Characters of the URLs: what the block takes in memory."""
    number: int = 0
    """Its number among all blocks of the run."""
    weight: int = 0
    """Bytes of the input that it was read from, for the progress of the run."""
    digest: str = ""
    undecided: int = 0
    answers: list[Written] = field(default_factory=list)
    """What is written after the URL of each row, once all rows are decided."""
    counts: Counter[Kind] = field(default_factory=Counter)

    def readable_urls(self) -> list[str]:
        """Return the URLs; an empty text for rows with a problem."""
        if not self.problems:
            return self.urls
        problems = self.problems
        return ["" if row in problems else url for row, url in enumerate(self.urls)]


def blocks_of(inputs: Sequence[UrlInput], column: str, *, prompt: bool) -> Iterator[Block]:
    """Yield the blocks of all inputs, numbered from 0.

    prompt:  end a block if a pipe has no more bytes now, so that no answer waits for another row.
             Where blocks end then depends on the program that writes to the pipe.
    """
    number = 0
    for source in inputs:
        position = 0
        some = READERS[source.format](source, column)
        for rows in _cut(some, prompt=prompt and not source.is_plain):
            block = _block(source, rows)
            block.number, number = number, number + 1
            block.weight, position = source.position - position, source.position
            yield block


def check_column(source: UrlInput, column: str) -> None:
    """Raise the error, if any, of reading the first rows of a plain file."""
    if source.is_plain and source.format != "text":
        next(READERS[source.format](UrlInput(source.path, source.format), column), None)


Row: TypeAlias = tuple[int, str, Unanswered | None]
"""The number of a row, its URL, and the problem of one without a URL."""


def _cut(some: Iterator[list[Row]], *, prompt: bool) -> Iterator[list[Row]]:
    """Yield rows in full blocks; only the last may be smaller.

    Where blocks end depends only on the rows, unless `prompt` is given.
    """
    waiting: list[Row] = []
    for rows in some:
        waiting += rows
        while end := _end_of_block(waiting) or (prompt and len(waiting)):
            yield waiting[:end]
            del waiting[:end]
    if waiting:
        yield waiting


def _end_of_block(rows: list[Row]) -> int:
    """Return how many rows make a full block; 0 if there are not enough."""
    characters = 0
    for end, (_, url, _) in enumerate(rows[:ROWS], start=1):
        characters += len(url)
        if characters >= CHARACTERS:
            return end
    return ROWS if len(rows) >= ROWS else 0


# Text and JSON Lines: a row is a line


def _read_text(source: UrlInput, _column: str) -> Iterator[list[Row]]:
    last = 0
    for lines in source.lines():
        numbered = enumerate(_stripped(lines), start=last + 1)
        yield [(number, url, None) for number, url in numbered if url]
        last += len(lines)


def _read_json_lines(source: UrlInput, column: str) -> Iterator[list[Row]]:
    has_column, last = False, 0
    for lines in source.lines():
        rows: list[Row] = []
        for number, line in enumerate(_stripped(lines), start=last + 1):
            if not line:
                continue
            try:
                rows.append((number, _url_in(line, column), None))
                has_column = True
            except _NoUrl as error:
                why, columns = error.args
                if columns and not has_column:
                    raise _unknown_column(source, column, columns) from None
                rows.append((number, shortened(line, SHOWN), Unanswered("invalid-row", why)))
        last += len(lines)
        yield rows


class _NoUrl(Exception):
    """Why a row has no URL, and the columns of a row without the right one."""


def _url_in(line: str, column: str) -> str:
    if is_longer(line, LONGEST):
        raise _NoUrl(f"the line has more than {LONGEST:,} bytes", [])
    try:
        value = read_object(line)
    except NotAnObject as why:
        raise _NoUrl(str(why), []) from None
    if column not in value:
        raise _NoUrl(f"the object has no `{column}`", list(value) or ["nothing"])
    url = value[column]
    if not isinstance(url, str):
        raise _NoUrl(f"the value of `{column}` is not a string", [])
    return url.strip(BLANKS)


def _stripped(lines: list[str]) -> list[str]:
    text = "".join(lines)
    if any(blank in text for blank in BLANKS):
        return [line.strip(BLANKS) for line in lines]
    return lines


# CSV: a row is a record, with the number of its first line


def _read_csv(source: UrlInput, column: str) -> Iterator[list[Row]]:
    lines = CsvLines(source.chunks(), LONGEST)
    records = read_records(lines)
    header = read_header(source.name, records)
    if header and column not in header:
        raise _unknown_column(source, column, header)
    at = header.index(column) if header else 0
    rows: list[Row] = []
    for number, record, problem in records:
        if len(record) > at:
            rows.append((number, record[at].strip(BLANKS), None))
        else:
            why = problem or f"the record has no field `{column}`"
            rows.append((number, "", Unanswered("invalid-row", why)))
        if lines.is_drained:
            yield rows
            rows = []
    yield rows


# Parquet: a row has its number in the file


def _read_parquet(source: UrlInput, column: str) -> Iterator[list[Row]]:
    with MissingExtra.unless_installed("parquet", "reading Parquet"):
        from verger.files.parquet import expect_kind, open_parquet, read_pieces

    with open_parquet(source.path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise _unknown_column(source, column, names)
        expect_kind(source.name, column, file.schema_arrow.field(column).type, "text")
        rows = 0
        for batch in read_pieces(source.name, file, [column]):
            values = _values_of(batch.column(0))
            numbered = enumerate(values, start=rows + 1)
            yield [_row_of(number, value, column) for number, value in numbered]
            rows += len(values)
            source.position = source.size * rows // file.metadata.num_rows


def _values_of(column: "Array") -> list[str | bytes | None]:
    """Return the values of a column of text or bytes; text that is not UTF-8 as bytes."""
    try:
        values: list[str | bytes | None] = column.to_pylist()
    except UnicodeDecodeError:
        scalars = (getattr(scalar, "value", scalar) for scalar in column)
        return [each.as_buffer().to_pybytes() if each.is_valid else None for each in scalars]
    return values


def _row_of(number: int, value: str | bytes | None, column: str) -> Row:
    if value is None:
        return number, "", Unanswered("invalid-row", f"`{column}` is null")
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    return number, value.strip(BLANKS), None


# All formats


def _block(source: UrlInput, rows: list[Row]) -> Block:
    """Return a block; each URL is one line of at most `LONGEST` bytes."""
    numbers = [number for number, _, _ in rows]
    urls = [url for _, url, _ in rows]
    problems = {row: problem for row, (_, _, problem) in enumerate(rows) if problem}
    size = sum(map(len, urls))
    joined = "".join(urls)
    try:
        joined.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        urls = [_as_bytes(url) for url in urls]
    if CONTROL.search(joined) or size > LONGEST // 4:
        _refuse(urls, problems)
    return Block(source.name, numbers, urls, problems, size=size)


def _as_bytes(url: str) -> str:
    """Return a URL; surrogates that escape no byte become the bytes of their code points."""
    try:
        url.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return url.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    return url


def _refuse(urls: list[str], problems: dict[int, Unanswered]) -> None:
    """Make problems of rows that are not one line, or too long."""
    for row, url in enumerate(urls):
        kind, why = ("", "") if row in problems else _why_refused(url)
        if kind:
            # Escaping a whole line of garbage could take a hundred times its bytes.
            shown = quoted(shortened(url, SHOWN), SHOWN)
            problems[row] = Unanswered(kind, f"{shown} is not a URL: {why}")
            urls[row] = shortened(url, SHOWN)


def _why_refused(url: str) -> tuple[str, str]:
    """Return the kind of problem that a URL has, and why; nothing if it has none."""
    if "\n" in url or "\r" in url:
        return "invalid-url", "it has a line break in it"
    if CONTROL.search(url):
        return "invalid-url", "it has a control character in it"
    if is_longer(url, LONGEST):
        return "url-too-long", f"it has more than {LONGEST:,} bytes"
    return "", ""


def _unknown_column(source: UrlInput, column: str, names: Sequence[str]) -> InvalidTable:
    return no_column(quoted(source.name), column, names, option="--column ")


READERS = {
    "text": _read_text,
    "jsonl": _read_json_lines,
    "csv": _read_csv,
    "parquet": _read_parquet,
}


def digest_of(block: Block) -> str:
    """Return a digest, which is the same for blocks with the same rows at the same places."""
    refused = [(row, problem.kind) for row, problem in block.problems.items()]
    text = "\n".join([block.input, repr(list(block.numbers)), repr(refused), *block.urls])
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


# Origins


def by_origin(block: Block) -> dict[str, list[int]]:
    """Return the rows of each origin; rows without one become problems of the block.

    An authority ends at the first `/` after those of the scheme, or before (RFC 3986 section 3.2):
    URLs with the same text up to there have the same origin, and are resolved once.
    """
    rows_of: dict[str, list[int]] = {}
    known: dict[str, list[int]] = {}
    for row, url in enumerate(block.urls):
        if row in block.problems:
            continue
        end = url.find("/", _BEHIND_SCHEME)
        prefix = url if end < 0 else url[:end]
        rows = known.get(prefix)
        if rows is None:
            try:
                rows = known[prefix] = rows_of.setdefault(origin(url), [])
            except InvalidTarget as error:
                block.problems[row] = Unanswered("invalid-url", error.message)
                continue
        rows.append(row)
    return rows_of


_BEHIND_SCHEME = len("https://")
