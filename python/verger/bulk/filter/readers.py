"""Readers: rows of URLs from text, JSON Lines, CSV and Parquet, in blocks.

In: inputs. Out: blocks of rows with their line numbers (row numbers in Parquet). A row without a
URL is a problem of that row. A missing column, or a file of another format, is an error: none of
its rows could be read.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from verger.bulk.filter.blocks import CHARACTERS, ROWS, Block, Problem
from verger.bulk.filter.inputs import UrlInput
from verger.errors import InvalidTable
from verger.files.columns import expect_kind, no_column
from verger.files.csv_text import BLANKS, read_header, read_records
from verger.files.json_text import NotAnObject, read_object
from verger.files.lines import LineReader, is_longer
from verger.files.parquet import open_parquet, read_pieces
from verger.files.stdio import LONGEST
from verger.plain import quoted, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import Array

SHOWN = 200
"""Characters that are shown of a row without a URL."""

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Not allowed in URLs (RFC 3986 section 2): HTTP clients drop tabs, and so request another page;
some readers end a line at U+0085, U+2028 and U+2029, and begin a URL that was not decided."""


def blocks_of(inputs: Sequence[UrlInput], column: str, *, prompt: bool) -> Iterator[Block]:
    """Yield the blocks of all inputs, numbered from 0.

    prompt:  end a block if a pipe has no more bytes now, so that no answer waits for another row.
             Where blocks end then depends on the program that writes to the pipe.
    """
    number = 0
    for source in inputs:
        position = 0
        for block in READERS[source.format](source, column, prompt=prompt and not source.is_plain):
            block.number = number
            number += 1
            if source.format != "parquet":
                block.weight = source.position - position
                position = source.position
            yield block


def check_column(source: UrlInput, column: str) -> None:
    """Raise the error, if any, of reading the first rows of a plain file."""
    if source.is_plain and source.format != "text":
        next(
            READERS[source.format](UrlInput(source.path, source.format), column, prompt=False), None
        )


# Text and JSON Lines: a row is a line


def _read_text(source: UrlInput, _column: str, *, prompt: bool) -> Iterator[Block]:
    for first, lines in _cut(source.lines(), prompt=prompt):
        urls = _stripped(lines)
        numbers: Sequence[int] = range(first, first + len(urls))
        if "" in urls:
            numbers = [number for number, url in zip(numbers, urls, strict=True) if url]
            urls = [url for url in urls if url]
        if urls:
            yield _block(source, numbers, urls, {})


def _read_json_lines(source: UrlInput, column: str, *, prompt: bool) -> Iterator[Block]:
    has_column = False
    for first, lines in _cut(source.lines(), prompt=prompt):
        numbers, urls, problems = _nothing()
        for number, line in enumerate(_stripped(lines), start=first):
            if not line:
                continue
            try:
                url = _url_in(line, column)
                has_column = True
            except _NoUrl as why:
                if why.columns and not has_column:
                    raise _unknown_column(source, column, why.columns) from None
                problems[len(urls)] = Problem("invalid-row", str(why))
                url = shortened(line, SHOWN)
            urls.append(url)
            numbers.append(number)
        if urls:
            yield _block(source, numbers, urls, problems)


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


def _cut(pieces: Iterator[list[str]], *, prompt: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield lines in full blocks with the number of the first; only the last may be smaller.

    Where blocks end depends only on the lines, unless `prompt` is given.
    """
    first, waiting = 1, list[str]()
    for lines in pieces:
        waiting += lines
        while end := _end_of_block(waiting) or (prompt and len(waiting)):
            yield first, waiting[:end]
            del waiting[:end]
            first += end
    if waiting:
        yield first, waiting


def _end_of_block(lines: list[str]) -> int:
    """Return how many lines make a full block; 0 if there are not enough."""
    head = lines[:ROWS]
    if sum(map(len, head)) < CHARACTERS:
        return ROWS if len(head) == ROWS else 0
    characters = 0
    for end, line in enumerate(head, start=1):
        characters += len(line)
        if characters >= CHARACTERS:
            return end
    return 0


def _stripped(lines: list[str]) -> list[str]:
    text = "".join(lines)
    if any(blank in text for blank in BLANKS):
        return [line.strip(BLANKS) for line in lines]
    return lines


# CSV: a row is a record, with the number of its first line


def _read_csv(source: UrlInput, column: str, *, prompt: bool) -> Iterator[Block]:
    lines = LineReader(source.chunks(), LONGEST)
    records = read_records(lines, LONGEST)
    at = _place_of(source, column, read_header(source.name, records))
    (numbers, urls, problems), characters = _nothing(), 0
    for number, record, problem in records:
        url = ""
        if len(record) > at:
            url = record[at].strip(BLANKS)
        else:
            why = problem or f"the record has no field `{column}`"
            problems[len(urls)] = Problem("invalid-row", why)
        numbers.append(number)
        urls.append(url)
        characters += len(url)
        if len(urls) == ROWS or characters >= CHARACTERS or (prompt and lines.is_drained):
            yield _block(source, numbers, urls, problems)
            (numbers, urls, problems), characters = _nothing(), 0
    if urls:
        yield _block(source, numbers, urls, problems)


def _place_of(source: UrlInput, column: str, header: Sequence[str]) -> int:
    if column not in header and header:
        raise _unknown_column(source, column, header)
    return header.index(column) if header else 0


# Parquet: a row has its number in the file


def _read_parquet(source: UrlInput, column: str, *, prompt: bool) -> Iterator[Block]:
    del prompt  # only files are read
    with open_parquet(source.path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise _unknown_column(source, column, names)
        expect_kind(source.name, column, file.schema_arrow.field(column).type, "text")
        first, share = 1, source.size / max(file.metadata.num_rows, 1)
        batches = read_pieces(source.name, file, [column])
        for values in _grouped(_values_of(batch.column(0)) for batch in batches):
            block = _parquet_block(source, first, values, column)
            block.weight = round(share * len(values))
            first += len(values)
            yield block


def _grouped(pieces: Iterator[list[str | bytes | None]]) -> Iterator[list[str | bytes | None]]:
    """Yield values in full blocks; where these end depends only on the values."""
    waiting: list[str | bytes | None] = []
    size = 0
    for values in pieces:
        for value in values:
            waiting.append(value)
            size += len(value) if value else 0
            if size >= CHARACTERS or len(waiting) == ROWS:
                yield waiting
                waiting, size = [], 0
    if waiting:
        yield waiting


def _values_of(column: "Array") -> list[str | bytes | None]:
    """Return the values of a column of text or bytes; text that is not UTF-8 as bytes."""
    try:
        values: list[str | bytes | None] = column.to_pylist()
    except UnicodeDecodeError:
        scalars = (getattr(scalar, "value", scalar) for scalar in column)
        return [each.as_buffer().to_pybytes() if each.is_valid else None for each in scalars]
    return values


def _parquet_block(
    source: UrlInput, first: int, values: list[str | bytes | None], column: str
) -> Block:
    urls, problems = [], {}
    for row, value in enumerate(values):
        if value is None:
            problems[row] = Problem("invalid-row", f"`{column}` is null")
            value = ""
        elif isinstance(value, bytes):
            value = value.decode("utf-8", "surrogateescape")
        urls.append(value.strip(BLANKS))
    return _block(source, range(first, first + len(urls)), urls, problems)


# All formats


def _block(
    source: UrlInput, numbers: Sequence[int], urls: list[str], problems: dict[int, Problem]
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


def _nothing() -> tuple[list[int], list[str], dict[int, Problem]]:
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
    problems: dict[int, Problem],
    is_wrong: Callable[[str], bool],
    kind: str,
    why: str,
) -> None:
    for row, url in enumerate(urls):
        if row not in problems and is_wrong(url):
            # Escaping a whole line of garbage could take a hundred times its bytes.
            shown = quoted(shortened(url, SHOWN), SHOWN)
            problems[row] = Problem(kind, f"{shown} is not a URL: {why}")
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
