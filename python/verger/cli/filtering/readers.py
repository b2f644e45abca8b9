"""Readers: rows of URLs out of text, JSON Lines, CSV and Parquet, in blocks.

In: inputs. Out: blocks of rows with their line numbers (row numbers in Parquet), where a row that
holds no URL is a problem and not the end. A column that is not there, and a file that is not of
its format, are failures: then none of its rows would be read.
"""

from collections.abc import Callable, Iterator, Sequence

from verger.cli.exit import Failure
from verger.cli.filtering.blocks import CHARACTERS, ROWS, Block, Problem
from verger.cli.filtering.inputs import Input
from verger.cli.options import closest
from verger.cli.plain import printable, shortened
from verger.cli.urls import LONGEST
from verger.errors import MissingExtra

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _csv import Reader

    from pyarrow.parquet import ParquetFile

BLANKS = " \t\r\n\v\f"

SHOWN = 200
"""Characters of a row that holds no URL."""


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
    if len(line) > LONGEST:
        raise _NoUrl(f"the line has more than {LONGEST:,} octets")
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
    for number, url, problem in _fields(records, at, column):
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


class _Lines:
    """Lines with their ends, one by one; knows whether the next has to be waited for."""

    def __init__(self, source: Input) -> None:
        self._pieces = source.lines()
        self._piece: Iterator[str] = iter(())
        self._left = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        while not self._left:
            lines = next(self._pieces)
            self._piece, self._left = iter(lines), len(lines)
        self._left -= 1
        return next(self._piece) + "\n"

    @property
    def is_drained(self) -> bool:
        """Whether the next line has yet to be read."""
        return not self._left


def _header(source: Input, records: Iterator[list[str]]) -> list[str]:
    import csv

    try:
        return next(records, [])
    except csv.Error as error:
        raise Failure(f"`{printable(source.name)}` is not CSV: {error}") from None


def _column_of(source: Input, column: str, header: list[str]) -> int:
    names = [name.strip(BLANKS) for name in header]
    if column not in names and names:
        raise _unknown_column(source, column, names)
    return names.index(column) if names else 0


def _fields(records: "Reader", at: int, column: str) -> Iterator[tuple[int, str, Problem | None]]:
    """Yield the line, the URL and the problem of each record that is not empty."""
    import csv

    while True:
        number = records.line_num + 1
        try:
            record = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            yield number, "", Problem("invalid-row", f"the record is not CSV: {error}")
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
        _expect_text(source, file, column)
        first, share = 1, source.size / max(file.metadata.num_rows, 1)
        for values in _columns(source, file, column):
            block = _parquet_block(source, first, values, column)
            block.weight = round(share * len(values))
            first += len(values)
            yield block


def opened_parquet(path: str) -> "ParquetFile":
    """Open a Parquet file; raise `Failure` for what is none, `MissingExtra` without pyarrow."""
    try:
        from pyarrow.lib import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise MissingExtra.named("parquet", "reading Parquet") from None
    try:
        return ParquetFile(path)
    except (ArrowException, OSError) as error:
        why = str(error).partition("\n")[0]
        raise Failure(f"`{printable(path)}` is not a Parquet file: {why}") from None


def _expect_text(source: Input, file: "ParquetFile", column: str) -> None:
    kind = file.schema_arrow.field(column).type
    text = str(getattr(kind, "value_type", kind))
    if text not in {"string", "large_string", "string_view", "binary", "large_binary"}:
        shown = printable(source.name)
        raise Failure(f"the column `{column}` of `{shown}` holds `{kind}`, not text")


def _columns(source: Input, file: "ParquetFile", column: str) -> Iterator[list[str | bytes | None]]:
    from pyarrow.lib import ArrowException

    try:
        for batch in file.iter_batches(ROWS, columns=[column]):
            yield batch.column(0).to_pylist()
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        shown, why = printable(source.name), str(error).partition("\n")[0]
        raise Failure(f"cannot read `{shown}`: {why}") from None


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
    """Return a block whose URLs are each one line of at most `LONGEST` octets."""
    size = sum(map(len, urls))
    joined = "".join(urls)
    try:
        joined.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        urls = [_as_octets(url) for url in urls]
    if "\n" in joined or "\r" in joined:
        _refuse(urls, problems, _is_several_lines, "invalid-url", "it has a line break in it")
    if size > LONGEST // 4:
        why = f"it has more than {LONGEST:,} octets"
        _refuse(urls, problems, _is_too_long, "url-too-long", why)
    return Block(source.name, numbers, urls, problems, size=size)


def _nothing() -> tuple[list[int], list[str], dict[int, Problem]]:
    """Return the numbers, URLs and problems of a block that begins."""
    return [], [], {}


def _as_octets(url: str) -> str:
    """Return a URL; one with surrogates that stand for no octet as the octets of their codes."""
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
            problems[row] = Problem(kind, f"`{shortened(printable(url), SHOWN)}` is no URL: {why}")
            urls[row] = shortened(url, SHOWN)


def _is_several_lines(url: str) -> bool:
    return "\n" in url or "\r" in url


def _is_too_long(url: str) -> bool:
    return len(url) > LONGEST // 4 and len(url.encode("utf-8", "surrogateescape")) > LONGEST


def _unknown_column(source: Input, column: str, names: Sequence[str]) -> Failure:
    near = closest(column, names)
    shown = ", ".join(f"`{shortened(printable(name), 40)}`" for name in names[:20])
    hint = f"did you mean `--column {near}`?" if near else f"the columns are {shown}"
    return Failure(f"no column `{column}` in `{printable(source.name)}`", hint)


READERS = {
    "text": _read_text,
    "jsonl": _read_json_lines,
    "csv": _read_csv,
    "parquet": _read_parquet,
}
