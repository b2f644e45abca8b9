"""Readers: rows of URLs out of text, JSON Lines, CSV and Parquet, in blocks.

In: inputs. Out: blocks of rows with their line numbers (row numbers in Parquet), where a row that
holds no URL is a problem and not the end. A column that is not there, and a file that is not of
its format, are failures: then none of its rows would be read.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from verger.bulk.filter.blocks import CHARACTERS, ROWS, Block, Problem
from verger.bulk.filter.inputs import Input
from verger.errors import MissingExtra, UnusableInput
from verger.files.standard import LONGEST
from verger.plain import closest, printable, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _csv import Reader

    from pyarrow import Array, DataType, RecordBatch
    from pyarrow.parquet import ParquetFile

BLANKS = " \t\r\n\v\f"

TEXT = {"string", "large_string", "string_view", "binary", "large_binary", "binary_view", "null"}

SHOWN = 200
"""Characters of a row that holds no URL."""

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What no URL has (RFC 3986 section 2): HTTP clients leave tabs out, and ask for another page;
readers of lines end one at U+0085, U+2028 and U+2029, and begin a URL that nobody judged."""


def blocks_of(inputs: Sequence[Input], column: str, *, prompt: bool) -> Iterator[Block]:
    """Yield the blocks of all inputs, numbered from 0.

    prompt:  end a block where a pipe has no more just now, so that an answer waits for no other
             row. The borders of blocks then depend on who writes into the pipe.
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


def check_column(source: Input, column: str) -> None:
    """Raise the failure, if any, that reading the first rows of a plain file would be."""
    if source.is_plain and source.format != "text":
        next(READERS[source.format](Input(source.path, source.format), column, prompt=False), None)


# Text and JSON Lines: a row is a line


def _read_text(source: Input, _column: str, *, prompt: bool) -> Iterator[Block]:
    for first, lines in _cut(source.lines(), prompt=prompt):
        urls = _stripped(lines)
        numbers: Sequence[int] = range(first, first + len(urls))
        if "" in urls:
            numbers = [number for number, url in zip(numbers, urls, strict=True) if url]
            urls = [url for url in urls if url]
        if urls:
            yield _block(source, numbers, urls, {})


def _read_json_lines(source: Input, column: str, *, prompt: bool) -> Iterator[Block]:
    from json import JSONDecoder

    decode = JSONDecoder().decode
    has_column = False
    for first, lines in _cut(source.lines(), prompt=prompt):
        numbers, urls, problems = _nothing()
        for number, line in enumerate(_stripped(lines), start=first):
            if not line:
                continue
            try:
                url = _url_in(line, decode, column)
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
    """Why a row holds no URL; `columns` are those of a row that lacks the one."""

    def __init__(self, message: str, columns: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.columns = columns


def _url_in(line: str, decode: Callable[[str], object], column: str) -> str:
    if _is_too_long(line):
        raise _NoUrl(f"the line has more than {LONGEST:,} bytes")
    try:
        value = decode(line)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise _NoUrl(f"the line is not JSON: {why}") from None
    if not isinstance(value, dict):
        raise _NoUrl("the line is not a JSON object")
    if column not in value:
        raise _NoUrl(f"the object has no `{column}`", list(value) or ["nothing"])
    url = value[column]
    if not isinstance(url, str):
        raise _NoUrl(f"the value of `{column}` is not a string")
    return url.strip(BLANKS)


def _cut(pieces: Iterator[list[str]], *, prompt: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield lines in full blocks with the number of the first; each block but the last is full.

    Borders depend on the lines alone, unless `prompt` asks for what there is.
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
    """Return how many lines make a full block; 0 where there are not enough."""
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


# CSV: a row is a record, and has the number of its first line


def _read_csv(source: Input, column: str, *, prompt: bool) -> Iterator[Block]:
    import csv

    csv.field_size_limit(LONGEST)
    lines = _Lines(source)
    records = csv.reader(lines, strict=False)
    at = _column_of(source, column, _header(source, records))
    (numbers, urls, problems), characters = _nothing(), 0
    for number, url, problem in _fields(lines, records, at, column):
        if problem:
            problems[len(urls)] = problem
        numbers.append(number)
        urls.append(url)
        characters += len(url)
        if len(urls) == ROWS or characters >= CHARACTERS or (prompt and lines.is_drained):
            yield _block(source, numbers, urls, problems)
            (numbers, urls, problems), characters = _nothing(), 0
    if urls:
        yield _block(source, numbers, urls, problems)


class _LongLine(Exception):
    """A line of which the beginning alone was read: its fields are not those of the record."""


class _Lines:
    """Lines with their ends, one by one; knows whether the next has to be waited for.

    In place of a line that is too long `_LongLine` is raised; whoever goes on gets the next.
    """

    def __init__(self, source: Input) -> None:
        self._pieces = source.lines()
        self._piece: Iterator[str] = iter(())
        self._left = 0
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        while not self._left:
            lines = next(self._pieces)
            self._piece, self._left = iter(lines), len(lines)
        self._left -= 1
        self.number += 1
        line = next(self._piece)
        if _is_too_long(line):
            raise _LongLine(f"the line has more than {LONGEST:,} bytes")
        return line + "\n"

    @property
    def is_drained(self) -> bool:
        """Whether the next line has yet to be read."""
        return not self._left


def _header(source: Input, records: Iterator[list[str]]) -> list[str]:
    import csv

    try:
        return next(records, [])
    except (csv.Error, _LongLine) as error:
        raise UnusableInput(f"`{printable(source.name)}` is not CSV: {error}") from None


def _column_of(source: Input, column: str, header: list[str]) -> int:
    names = [name.strip(BLANKS) for name in header]
    if column not in names and names:
        raise _unknown_column(source, column, names)
    return names.index(column) if names else 0


def _fields(
    lines: _Lines, records: "Reader", at: int, column: str
) -> Iterator[tuple[int, str, Problem | None]]:
    """Yield the line, the URL and the problem of each record that is not empty."""
    import csv

    while True:
        number = lines.number + 1
        try:
            record = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, "", Problem("invalid-row", f"the record is not CSV: {error}")
            continue
        except _LongLine as error:
            yield lines.number, "", Problem("invalid-row", str(error))
            continue
        if len(record) > at:
            yield number, record[at].strip(BLANKS), None
        elif record:
            yield number, "", Problem("invalid-row", f"the record has no field `{column}`")


# Parquet: a row has its number in the file


def _read_parquet(source: Input, column: str, *, prompt: bool) -> Iterator[Block]:
    del prompt  # files alone are read
    with opened_parquet(source.path) as file:
        names = file.schema_arrow.names
        if column not in names:
            raise _unknown_column(source, column, names)
        expect_text(source.name, file, column)
        first, share = 1, source.size / max(file.metadata.num_rows, 1)
        batches = parquet_batches(source.name, file, [column])
        for values in _grouped(values_of(batch.column(0)) for batch in batches):
            block = _parquet_block(source, first, values, column)
            block.weight = round(share * len(values))
            first += len(values)
            yield block


def _grouped(pieces: Iterator[list[str | bytes | None]]) -> Iterator[list[str | bytes | None]]:
    """Yield values in full blocks, whose borders depend on the values alone."""
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


def opened_parquet(path: str) -> "ParquetFile":
    """Open a Parquet file. Raises UnusableInput for what is not one, MissingExtra."""
    try:
        from pyarrow.lib import ArrowException

        from verger.bulk.parquet import opened
    except ImportError:
        raise MissingExtra.named("parquet", "reading Parquet") from None
    try:
        return opened(path)
    except (ArrowException, OSError) as error:
        why = str(error).partition("\n")[0]
        raise UnusableInput(f"`{printable(path)}` is not a Parquet file: {why}") from None


def expect_text(name: str, file: "ParquetFile", column: str) -> None:
    """Raise the failure that a column of something else is."""
    kind = file.schema_arrow.field(column).type
    if str(_values_in(kind)) not in TEXT:
        raise UnusableInput(
            f"the column `{column}` of `{printable(name)}` holds `{kind}`, not text"
        )


def _values_in(kind: "DataType") -> "DataType":
    from pyarrow.types import is_dictionary

    return kind.value_type if is_dictionary(kind) else kind


def parquet_batches(
    name: str, file: "ParquetFile", columns: Sequence[str]
) -> "Iterator[RecordBatch]":
    """Yield the rows of a file; what a damaged one makes Arrow raise is a failure to read it."""
    from pyarrow.lib import ArrowException

    from verger.bulk.parquet import pieces

    try:
        yield from pieces(file, columns)
    except (ArrowException, OSError) as error:
        why = str(error).partition("\n")[0]
        raise UnusableInput(f"cannot read `{printable(name)}`: {why}") from None


def values_of(column: "Array") -> list[str | bytes | None]:
    """Return what a column of text or bytes holds: text that is not UTF-8 as bytes."""
    try:
        values: list[str | bytes | None] = column.to_pylist()
    except UnicodeDecodeError:
        scalars = (getattr(scalar, "value", scalar) for scalar in column)
        return [each.as_buffer().to_pybytes() if each.is_valid else None for each in scalars]
    return values


def _parquet_block(
    source: Input, first: int, values: list[str | bytes | None], column: str
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


# All of them


def _block(
    source: Input, numbers: Sequence[int], urls: list[str], problems: dict[int, Problem]
) -> Block:
    """Return a block whose URLs are each one line of at most `LONGEST` bytes."""
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
    """Return the numbers, URLs and problems of a block that begins."""
    return [], [], {}


def _as_bytes(url: str) -> str:
    """Return a URL; one with surrogates that stand for no byte as the bytes of their codes."""
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
            # Escapes of a whole line of rubbish would take a hundred times its bytes.
            shown = shortened(printable(shortened(url, SHOWN)), SHOWN)
            problems[row] = Problem(kind, f"`{shown}` is no URL: {why}")
            urls[row] = shortened(url, SHOWN)


def _is_several_lines(url: str) -> bool:
    return "\n" in url or "\r" in url


def _has_control(url: str) -> bool:
    """Whether there is what clients leave out of a URL, or what ends a line for some readers."""
    return CONTROL.search(url) is not None


def _is_too_long(url: str) -> bool:
    return len(url) > LONGEST // 4 and len(url.encode("utf-8", "surrogateescape")) > LONGEST


def _unknown_column(source: Input, column: str, names: Sequence[str]) -> UnusableInput:
    near = closest(column, names)
    shown = ", ".join(f"`{shortened(printable(name), 40)}`" for name in names[:20])
    hint = f"did you mean `--column {near}`?" if near else f"the columns are {shown}"
    return UnusableInput(f"no column `{column}` in `{printable(source.name)}`", hint)


READERS = {
    "text": _read_text,
    "jsonl": _read_json_lines,
    "csv": _read_csv,
    "parquet": _read_parquet,
}
