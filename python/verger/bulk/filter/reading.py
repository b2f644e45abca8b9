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
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import TypeAlias

from verger._core import origin
from verger.access.answer import Unanswered
from verger.bulk.filter.answers import Kind, Written
from verger.errors import InvalidOption, InvalidTable, InvalidTarget, UnusableInput
from verger.files.columns import no_column
from verger.files.csv_records import BLANKS, CsvLines, read_header, read_records
from verger.files.formats import input_format
from verger.files.json_text import NotAnObject, read_object
from verger.files.lines import is_longer, lines_of, read_bytes
from verger.files.reading import damaged
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


class Block:
    """Consecutive rows of one input."""

    __slots__ = (
        "answers",
        "counts",
        "digest",
        "input",
        "number",
        "numbers",
        "problems",
        "size",
        "undecided",
        "urls",
        "weight",
    )

    def __init__(
        self,
        source: str,
        numbers: Sequence[int],
        urls: list[str],
        problems: dict[int, Unanswered],
        *,
        size: int,
    ) -> None:
        self.number = 0  # among all blocks of the run; set by whoever counts them
        self.input = source
        self.numbers = numbers
        self.urls = urls
        self.problems = problems
        self.size = size
        """Characters of the URLs: what the block takes in memory."""
        self.weight = 0
        """Bytes of the input that it was read from, for the progress of the run."""
        self.digest = ""
        self.undecided = len(urls)
        self.answers: list[Written] = []
        """What is written after the URL of each row, once all rows are decided."""
        self.counts: Counter[Kind] = Counter()

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
        pieces = READERS[source.format](source, column)
        for rows in _cut(pieces, prompt=prompt and not source.is_plain):
            block = _block(source, *rows)
            block.number, number = number, number + 1
            block.weight, position = source.position - position, source.position
            yield block


def check_column(source: UrlInput, column: str) -> None:
    """Raise the error, if any, of reading the first rows of a plain file."""
    if source.is_plain and source.format != "text":
        next(READERS[source.format](UrlInput(source.path, source.format), column), None)


Piece: TypeAlias = tuple[Sequence[int], list[str], dict[int, Unanswered]]
"""The numbers and URLs of some rows, and the problems of those without a URL."""


def _cut(pieces: Iterator[Piece], *, prompt: bool) -> Iterator[Piece]:
    """Yield rows in full blocks; only the last may be smaller.

    Where blocks end depends only on the rows, unless `prompt` is given.
    """
    numbers, urls, problems = _nothing()
    for more_numbers, more_urls, more_problems in pieces:
        problems |= {len(urls) + row: problem for row, problem in more_problems.items()}
        numbers += more_numbers
        urls += more_urls
        while end := _end_of_block(urls) or (prompt and len(urls)):
            first = {row: problem for row, problem in problems.items() if row < end}
            yield numbers[:end], urls[:end], first
            del numbers[:end], urls[:end]
            problems = {row - end: why for row, why in problems.items() if row >= end}
    if urls:
        yield numbers, urls, problems


def _end_of_block(urls: list[str]) -> int:
    """Return how many rows make a full block; 0 if there are not enough."""
    head = urls[:ROWS]
    if sum(map(len, head)) < CHARACTERS:
        return ROWS if len(head) == ROWS else 0
    characters = 0
    for end, url in enumerate(head, start=1):
        characters += len(url)
        if characters >= CHARACTERS:
            return end
    return 0


# Text and JSON Lines: a row is a line


def _read_text(source: UrlInput, _column: str) -> Iterator[Piece]:
    first = 1
    for lines in source.lines():
        urls = _stripped(lines)
        numbers: Sequence[int] = range(first, first + len(urls))
        first += len(urls)
        if "" in urls:
            numbers = [number for number, url in zip(numbers, urls, strict=True) if url]
            urls = [url for url in urls if url]
        yield numbers, urls, {}


def _read_json_lines(source: UrlInput, column: str) -> Iterator[Piece]:
    has_column, last = False, 0
    for lines in source.lines():
        numbers, urls, problems = _nothing()
        for number, line in enumerate(_stripped(lines), start=last + 1):
            if not line:
                continue
            try:
                url = _url_in(line, column)
                has_column = True
            except _NoUrl as why:
                if why.columns and not has_column:
                    raise _unknown_column(source, column, why.columns) from None
                problems[len(urls)] = Unanswered("invalid-row", str(why))
                url = shortened(line, SHOWN)
            urls.append(url)
            numbers.append(number)
        last += len(lines)
        yield numbers, urls, problems


class _NoUrl(Exception):
    """Why a row has no URL; `columns` are those of a row without the right one."""

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = columns


def _url_in(line: str, column: str) -> str:
    if is_longer(line, LONGEST):
        raise _NoUrl(f"the line has more than {LONGEST:,} bytes")
    try:
        value = read_object(line)
    except NotAnObject as why:
        raise _NoUrl(str(why)) from None
    if column not in value:
        raise _NoUrl(f"the object has no `{column}`", list(value) or ["nothing"])
    url = value[column]
    if not isinstance(url, str):
        raise _NoUrl(f"the value of `{column}` is not a string")
    return url.strip(BLANKS)


def _stripped(lines: list[str]) -> list[str]:
    text = "".join(lines)
    if any(blank in text for blank in BLANKS):
        return [line.strip(BLANKS) for line in lines]
    return lines


# CSV: a row is a record, with the number of its first line


def _read_csv(source: UrlInput, column: str) -> Iterator[Piece]:
    lines = CsvLines(source.chunks(), LONGEST)
    records = read_records(lines)
    at = _place_of(source, column, read_header(source.name, records))
    numbers, urls, problems = _nothing()
    for number, record, problem in records:
        url = ""
        if len(record) > at:
            url = record[at].strip(BLANKS)
        else:
            why = problem or f"the record has no field `{column}`"
            problems[len(urls)] = Unanswered("invalid-row", why)
        numbers.append(number)
        urls.append(url)
        if lines.is_drained:
            yield numbers, urls, problems
            numbers, urls, problems = _nothing()
    yield numbers, urls, problems


def _place_of(source: UrlInput, column: str, header: Sequence[str]) -> int:
    if column not in header and header:
        raise _unknown_column(source, column, header)
    return header.index(column) if header else 0


# Parquet: a row has its number in the file


def _read_parquet(source: UrlInput, column: str) -> Iterator[Piece]:
    from verger.files.parquet import expect_kind, open_parquet, read_pieces

    with open_parquet(source.path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise _unknown_column(source, column, names)
        expect_kind(source.name, column, file.schema_arrow.field(column).type, "text")
        rows = 0
        for batch in read_pieces(source.name, file, [column]):
            values = _values_of(batch.column(0))
            yield range(rows + 1, rows + 1 + len(values)), *_urls_in(values, column)
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


def _urls_in(
    values: list[str | bytes | None], column: str
) -> tuple[list[str], dict[int, Unanswered]]:
    urls, problems = [], {}
    for row, value in enumerate(values):
        if value is None:
            problems[row] = Unanswered("invalid-row", f"`{column}` is null")
            value = ""
        elif isinstance(value, bytes):
            value = value.decode("utf-8", "surrogateescape")
        urls.append(value.strip(BLANKS))
    return urls, problems


# All formats


def _block(
    source: UrlInput, numbers: Sequence[int], urls: list[str], problems: dict[int, Unanswered]
) -> Block:
    """Return a block; each URL is one line of at most `LONGEST` bytes."""
    size = sum(map(len, urls))
    joined = "".join(urls)
    try:
        joined.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        urls = [_as_bytes(url) for url in urls]
    if "\n" in joined or "\r" in joined:
        _refuse(urls, problems, _is_several_lines, "invalid-url", "it has a line break in it")
    if CONTROL.search(joined):
        why = "it has a control character in it"
        _refuse(urls, problems, _has_control, "invalid-url", why)
    if size > LONGEST // 4:
        why = f"it has more than {LONGEST:,} bytes"
        _refuse(urls, problems, _is_too_long, "url-too-long", why)
    return Block(source.name, numbers, urls, problems, size=size)


def _nothing() -> tuple[list[int], list[str], dict[int, Unanswered]]:
    """Return the numbers, URLs and problems of a new block."""
    return [], [], {}


def _as_bytes(url: str) -> str:
    """Return a URL; surrogates that escape no byte become the bytes of their code points."""
    try:
        url.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return url.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    return url


def _refuse(
    urls: list[str],
    problems: dict[int, Unanswered],
    is_wrong: Callable[[str], bool],
    kind: str,
    why: str,
) -> None:
    for row, url in enumerate(urls):
        if row not in problems and is_wrong(url):
            # Escaping a whole line of garbage could take a hundred times its bytes.
            shown = quoted(shortened(url, SHOWN), SHOWN)
            problems[row] = Unanswered(kind, f"{shown} is not a URL: {why}")
            urls[row] = shortened(url, SHOWN)


def _is_several_lines(url: str) -> bool:
    return "\n" in url or "\r" in url


def _has_control(url: str) -> bool:
    """Whether a URL has characters that clients drop, or that end a line for some readers."""
    return CONTROL.search(url) is not None


def _is_too_long(url: str) -> bool:
    return is_longer(url, LONGEST)


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
