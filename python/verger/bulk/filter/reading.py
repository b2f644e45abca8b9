"""Rows of URLs from text, JSON Lines, CSV and Parquet, in blocks that are decided as a whole.

In: the paths of files and streams. Out: blocks of some thousands of rows with their line numbers
(row numbers in Parquet), the same for the same input however it arrives, so that a second run
recognises the blocks that the first one finished. A row without a URL is a problem of that row. A
missing column, or a file of another format, is an error: none of its rows could be read.
"""

# ruff: noqa: PTH116

import csv
import os
import re
import stat
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, compress
from select import select
from typing import Any

from verger._core import _are_lines
from verger.access.answer import Unanswered
from verger.bulk.filter.blocks import Block, TextColumn
from verger.bulk.filter.columns import (
    Carried,
    OtherColumns,
    as_bytes,
    distinct,
    renamed,
    size_of,
)
from verger.captures.column_names import expect_one
from verger.errors import InvalidOption, InvalidTable, MissingExtra, UnusableInput
from verger.files.addresses import state_of
from verger.files.csv_records import BLANKS, CsvLines, read_rows
from verger.files.formats import TABLES, UrlsFormat, format_begun, input_format
from verger.files.input_errors import damaged, no_column
from verger.files.json_text import NotAnObject, Number, read_object
from verger.files.lines import CHUNK, expect_text, is_longer, lines_of, read_bytes
from verger.files.paths import is_address
from verger.files.stdio import LONGEST
from verger.untrusted_text import quoted, shortened, without_secrets

FORMATS: tuple[UrlsFormat, ...] = ("text", *TABLES)
STDIN = "stdin"

ROWS = 4_096
"""Rows of a full block."""

CHARACTERS = 1 << 20
"""A block with longer URLs ends earlier."""

EARLY = 16 * ROWS
LATER = 4
"""Behind so many rows, and in Parquet, a block has so many times as many: a site whose rows are in
many blocks takes longer, and what a kill loses stays a small part of the run."""

SHOWN = 200
"""Characters that are shown of a row without a URL."""

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Not allowed in URLs (RFC 3986 section 2): HTTP clients drop tabs, and so request another page;
some readers end a line at U+0085, U+2028 and U+2029, and begin a URL that was not decided."""

LINE = re.compile(rb"[^\s\xef\xbb\xbf][^\r\n]*[\r\n]")
"""A line with something in it, and its end."""

SEPARATORS = re.compile("[;\t]")
"""What stands for the comma of CSV in other tables."""

COLUMN = re.compile(r"(?:[^\W\d][\w .-]*)?")
"""The name of a column, which an index may lack."""

REFUSED: tuple[tuple[Callable[[str], object], str, str], ...] = (
    (re.compile("[\r\n]").search, "invalid-url", "it has a line break in it"),
    (CONTROL.search, "invalid-url", "it has a control character in it"),
    (
        lambda url: is_longer(url, LONGEST),
        "url-too-long",
        f"it has more than {LONGEST:,} bytes",
    ),
)
"""What is not a URL: a test, the kind of the problem, and why; the first counts."""


class UrlInput:
    """One file or stream of rows."""

    def __init__(self, path: str, format_name: str | None, *, option: str = "format") -> None:
        self.path = path
        self.name = STDIN if path == "-" else without_secrets(path)
        self._said = input_format(path, format_name, FORMATS, option=option)
        self._ahead: Iterator[bytes] | None = None
        self.begins_after = 0
        """How many of its rows were read before: of JSON Lines that come in pieces."""
        self.wanted: tuple[str, ...] = ()
        """Its columns, besides that of the URL, which are written again."""
        self.size = 0
        self.mtime_ns: int | str = 0
        self.is_plain = False
        """Whether it is a file that can be read again, and whose size is known."""
        self.position = 0
        """Roughly how many bytes of such a file were read so far."""
        if path != "-":
            self._look()
        elif self._said == "parquet":
            raise UnusableInput("Parquet cannot be read from stdin", "pass the path of the file")

    def _look(self) -> None:
        if is_address(self.path):
            self.size, self.mtime_ns = state_of(self.path)
            self.is_plain = True
            return
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
        elif self._said == "parquet":
            raise UnusableInput(
                f"{quoted(self.path)} is a pipe; Parquet is only read from files",
                "write it to a file first",
            )

    @cached_property
    def format(self) -> str:
        """What the option or the name says, else what the first bytes tell. Raises UnusableInput.

        The first line of a pipe is waited for.
        """
        return self._said or self._format_begun()

    def _format_begun(self) -> str:
        if self.is_plain and self._begins_as_parquet():
            return "parquet"
        chunks, begun = self._read("jsonl"), b""  # whatever it is, its first bytes are text
        for chunk in chunks:
            begun += chunk
            if len(begun) > CHUNK or LINE.search(begun):
                break
        format = format_of_rows(begun.decode("utf-8", "surrogateescape"))
        if not self.is_plain:
            expect_text(self.name, begun, format)
            self._ahead = chain([begun], chunks)
        return format

    def _begins_as_parquet(self) -> bool:
        try:
            return format_begun(self.path) == "parquet"
        except OSError as error:
            raise damaged(self.name, error) from None

    def is_ready(self) -> bool:
        """Whether more can be read without waiting for another program, as far as can be known."""
        if self.is_plain:
            return True
        with suppress(OSError, ValueError):  # Windows asks sockets alone
            return self.path == "-" and select([0], [], [], 0)[0] != []
        return False

    def columns(self) -> dict[str, Any] | None:
        """Return its columns, and their Arrow types, or None for text; of JSON Lines those of the
        first object. None for rows without columns. Raises UnusableInput.
        """
        if self.format == "parquet":
            return _columns_of_parquet(self.path)
        if self.format == "text":
            return None
        seen: list[bytes] = []
        names = _columns_begun(self.name, self.format, _noting(self.chunks(), seen))
        if not self.is_plain and self._ahead is not None:
            self._ahead = chain(seen, self._ahead)
        return dict.fromkeys(names)

    def lines(self) -> Iterator[list[str]]:
        """Yield the lines as they come, some at a time, without line ends.

        A line of more than `LONGEST` bytes is cut; the rest is skipped.
        """
        return lines_of(self.chunks(), LONGEST)

    def chunks(self) -> Iterator[bytes]:
        """Yield the unpacked bytes. Raises UnusableInput."""
        format = self.format
        if self.is_plain:
            return self._read(format)
        self._ahead = self._ahead or self._read(format)
        return self._ahead

    def _read(self, format: str) -> Iterator[bytes]:
        return read_bytes(
            self.path,
            what="URLs",
            format=format,
            on_read=self._note if self.is_plain else None,
        )

    def _note(self, position: int) -> None:
        self.position = position


def format_of_rows(beginning: str) -> str:
    """Return the format of rows that begin like this: JSON Lines, CSV with a header, or text.

    Nothing that is a URL makes a header: taken for one, its row would be lost. A header with other
    separators is one, too: reading CSV says what is wrong with it.
    """
    text = beginning.removeprefix("\ufeff")
    if text.lstrip(BLANKS).startswith("{"):
        return "jsonl"
    line, *_ = text.lstrip("\r\n").splitlines() or [""]
    try:
        names = [name.strip(BLANKS) for name in next(csv.reader([SEPARATORS.sub(",", line)]), [])]
    except csv.Error:  # longer than a field may be
        return "text"
    is_named = len(names) > 1 and all(COLUMN.fullmatch(name) for name in names)
    is_header = is_named or ("url" in names and "://" not in line)
    return "csv" if is_header else "text"


def _noting(chunks: Iterator[bytes], seen: list[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        seen.append(chunk)
        yield chunk


def _columns_begun(name: str, format: str, chunks: Iterator[bytes]) -> list[str]:
    """Return the columns of a table of text by its beginning."""
    if format == "csv":
        return distinct(read_rows(name, CsvLines(chunks, LONGEST))[0])
    for line in chain.from_iterable(lines_of(chunks, LONGEST)):
        if line.strip(BLANKS):
            with suppress(NotAnObject):
                return [*read_object(line)]
            return []
    return []


def _columns_of_parquet(path: str) -> dict[str, Any]:
    with MissingExtra.unless_installed("parquet", "reading Parquet"):
        from verger.files.parquet import open_parquet, plain_type

    with open_parquet(path) as file:
        names = distinct(file.schema_arrow.names)
        return dict(zip(names, map(plain_type, file.schema_arrow.types), strict=True))


def others_of(
    inputs: Sequence[UrlInput], column: str, wanted: str | Sequence[str], format: str
) -> OtherColumns | None:
    """Return the other columns that are written, and note with each input which of them it has.

    wanted:  `all`, `none`, or names.
    format:  that of the output.
    Raises InvalidOption for text, which has no columns; InvalidTable for a column that is missing.
    """
    if wanted == "none" or not wanted:
        return None
    tables = [(each, found) for each in inputs if (found := each.columns()) is not None]
    if not tables:
        if wanted == "all":
            return None
        why = "columns are chosen, and a list of URLs has none"
        raise InvalidOption(why, "leave `--columns` (in Python `columns`) out")
    others = OtherColumns(format, wanted == "all" and format == "jsonl")
    for source, found in tables:
        names = [name for name in (found if wanted == "all" else wanted) if name != column]
        for name in names:
            if name not in found:
                raise no_column(quoted(source.name), name, [*found], option="--columns ")
        source.wanted = tuple(names)
        others.add(source.name, {name: found[name] for name in names})
    return others if others.types or others.is_open else None


def inputs_of(words: Sequence[str], format_name: str | None) -> list[UrlInput]:
    """Return the inputs that the command line names; stdin if it names none."""
    paths = list(words) or ["-"]
    if paths.count("-") > 1:
        raise InvalidOption("stdin can be read once: `-` is given twice")
    return [UrlInput(path, format_name, option="--input-format") for path in paths]


@dataclass(eq=False, slots=True)
class Rows:
    """Rows of one input that were read, and are in no block yet."""

    numbers: list[int] = field(default_factory=list)
    urls: list[str] = field(default_factory=list)
    problems: dict[int, str] = field(default_factory=dict)
    """Why rows have no URL, by their numbers."""
    columns: OtherColumns | None = None
    """The other columns that are written, if there are any."""
    wanted: tuple[str, ...] = ()
    """Which columns of this input they are."""
    others: list[Carried] = field(default_factory=list)
    """Their values, for each row."""
    taken: int = 0
    """How many rows are in blocks."""

    def carry(self, values: Mapping[str, Any]) -> None:
        """Take the other values of a row."""
        if self.columns is not None:
            self.others.append(self.columns.carried(values, self.wanted))

    def end_of_block(self) -> int:
        """Return how many rows make a full block; 0 if there are not enough."""
        times = LATER if self.taken >= EARLY else 1
        lengths: Iterable[int] = map(len, self.urls[: times * ROWS])
        if self.others:
            lengths = map(sum, zip(lengths, map(size_of, self.others), strict=False))
        sizes = list(accumulate(lengths))
        end = bisect_left(sizes, times * CHARACTERS) + 1
        if end <= len(sizes):
            return end
        return len(sizes) if len(sizes) == times * ROWS else 0


def blocks_of(
    inputs: Sequence[UrlInput],
    column: str,
    others: OtherColumns | None = None,
    *,
    prompt: bool,
) -> Iterator[Block | None]:
    """Yield the blocks of all inputs, numbered from 0, and None where the next row of a pipe may
    have to be waited for.

    others:  the other columns that are written.
    prompt:  end a block if a pipe has no more bytes now, so that no answer waits for another row.
             Where blocks end then depends on the program that writes to the pipe.
    """
    number = 0
    for source in inputs:
        position = 0
        for block in _cut(source, column, others, prompt=prompt and not source.is_plain):
            if block is None:
                yield block
                continue
            block.number, number = number, number + 1
            block.weight, position = source.position - position, source.position
            yield block


def check_column(source: UrlInput, column: str) -> None:
    """Raise the error, if any, of reading the first rows of a plain file."""
    if source.is_plain and source.format != "text":
        next(READERS[source.format](UrlInput(source.path, source.format), column, Rows()), None)


def _cut(
    source: UrlInput, column: str, others: OtherColumns | None, *, prompt: bool
) -> Iterator[Block | None]:
    """Yield the rows of an input in full blocks; only the last may be smaller. Yield None where the
    next row may have to be waited for.

    Where blocks end depends only on the rows, unless `prompt` is given.
    """
    rows = Rows(columns=others, wanted=source.wanted)
    for block in READERS[source.format](source, column, rows):
        if block is not None:
            yield block
        while end := rows.end_of_block() or (prompt and len(rows.urls)):
            yield _block(source, rows, end)
        if not source.is_ready():
            yield None
    if rows.urls:
        yield _block(source, rows, len(rows.urls))


# Readers add rows, and yield when the next ones may have to be waited for; that of Parquet yields
# blocks. In text and JSON Lines a row is a line.


def _read_text(source: UrlInput, _column: str, rows: Rows) -> Iterator[None]:
    last = 0
    for lines in source.lines():
        urls = _stripped(lines)
        rows.numbers += compress(range(last + 1, last + 1 + len(urls)), urls)
        rows.urls += filter(None, urls)
        for _ in range(len(rows.urls) - len(rows.others) if rows.columns else 0):
            rows.carry({})
        last += len(lines)
        yield


def _read_json_lines(source: UrlInput, column: str, rows: Rows) -> Iterator[None]:
    last, is_carried = source.begins_after, rows.columns is not None
    has_column = last > 0
    for lines in source.lines():
        for number, line in enumerate(_stripped(lines), start=last + 1):
            if not line:
                continue
            values: dict[str, object] = {}
            try:
                url, has_column = _url_in(line, column, values, is_carried=is_carried), True
            except NotAnObject as error:
                why, *columns = error.args
                if columns and not has_column:
                    raise _unknown_column(source, column, columns) from None
                url, rows.problems[number] = shortened(line, SHOWN), why
            rows.numbers.append(number)
            rows.urls.append(url)
            try:
                rows.carry(values)
            except (RecursionError, NotAnObject) as error:
                is_deep = isinstance(error, RecursionError)
                rows.problems[number] = "the object is nested too deeply" if is_deep else str(error)
                rows.carry({})
        last += len(lines)
        yield


def _url_in(line: str, column: str, others: dict[str, object], *, is_carried: bool) -> str:
    """Return the URL of a row; its other members are added to `others`.

    Raises NotAnObject: why there is none, and the columns of an object without the right one.
    is_carried:  whether these are written again.
    """
    value = read_object(line, longest=LONGEST, exactly=is_carried)
    if column not in value:
        raise NotAnObject(f"the object has no `{column}`", *(value or ["nothing"]))
    url = value.pop(column)
    others |= value
    if not isinstance(url, str) or isinstance(url, Number):
        raise NotAnObject(f"the value of `{column}` is not a string")
    return url.strip(BLANKS)


def _stripped(lines: list[str]) -> list[str]:
    text = "".join(lines)
    if any(blank in text for blank in BLANKS):
        return [line.strip(BLANKS) for line in lines]
    return lines


# CSV: a row is a record, with the number of its first line


def _read_csv(source: UrlInput, column: str, rows: Rows) -> Iterator[None]:
    lines = CsvLines(source.chunks(), LONGEST)
    header, records = read_rows(source.name, lines)
    at = _place(source, column, header) if header else 0
    names = distinct(header)
    for number, record, problem in records:
        rows.numbers.append(number)
        rows.urls.append("" if problem else record[at].strip(BLANKS))
        if problem:
            rows.problems[number] = problem
        if rows.columns:
            values = {} if problem else dict(zip(names, record, strict=True))
            values.pop(names[at], None)
            rows.carry(values)
        if lines.is_drained:
            yield
    yield


# Parquet: a row has its number in the file


def _read_parquet(source: UrlInput, column: str, rows: Rows) -> Iterator[Block]:
    with MissingExtra.unless_installed("parquet", "reading Parquet"):
        from verger.captures.batches import grouped
        from verger.files.parquet import expect_kind, joined, open_parquet, read_pieces

    with open_parquet(source.path) as file:
        names = file.schema_arrow.names
        at = _place(source, column, names)
        expect_kind(source.name, column, file.schema_arrow.types[at], "text")
        new = distinct(names)
        places = [at, *map(new.index, rows.wanted)]
        read, last = dict.fromkeys(names[place] for place in places), 0
        pieces = read_pieces(source.name, file, [*read])
        for some in grouped(pieces, _size_of_piece, LATER * ROWS, LATER * CHARACTERS):
            batch = joined(some)
            urls, *others = (_column_at(batch, names, place) for place in places)
            numbers = range(last + 1, last + 1 + batch.num_rows)
            last += batch.num_rows
            source.position = source.size * last // file.metadata.num_rows
            block = _block_of_column(source, column, numbers, urls)
            block.others = _carried(source, rows, len(numbers), others)
            yield block


def _size_of_piece(piece: Any) -> tuple[int, int]:
    return piece.num_rows, piece.nbytes


def _block_of_column(source: UrlInput, name: str, numbers: range, urls: Any) -> Block:
    """Return the block of a column: as a column if each row is a URL on a line."""
    if str(urls.type) == "string" and _are_lines(urls):
        return Block(source.name, numbers, TextColumn(urls), {}, urls.nbytes)
    texts = _texts_of(urls)
    rows = Rows([*numbers], [(url or "").strip(BLANKS) for url in texts])
    nulls = (number for number, url in zip(numbers, texts, strict=True) if url is None)
    rows.problems = dict.fromkeys(nulls, f"`{name}` is null")
    return _block(source, rows, len(texts))


def _carried(source: UrlInput, rows: Rows, count: int, columns: Sequence[Any]) -> Any:
    """Return the other columns of so many rows as they are written: for Parquet as they are."""
    import pyarrow as pa

    from verger.files.parquet import values_of

    if rows.columns is None:
        return ()
    if rows.columns.format == "parquet" and rows.wanted:
        return pa.record_batch([*columns], names=[*renamed(rows.wanted).values()])
    lists = (values_of(source.name, values) for values in columns)
    for _, *values in zip(range(count), *lists, strict=True):
        rows.carry(dict(zip(rows.wanted, values, strict=True)))
    carried, rows.others = rows.others, []
    return carried


def _column_at(batch: Any, names: Sequence[str], at: int) -> Any:
    """Return a column by its place in the file, of which the batch has all columns of its name."""
    same = batch.schema.get_all_field_indices(names[at])
    return batch.column(same[names[:at].count(names[at])])


def _texts_of(column: Any) -> list[str | None]:
    """Return the values of a column of text or bytes, whether or not they are UTF-8."""
    try:
        values: list[str | bytes | None] = column.to_pylist()
    except UnicodeDecodeError:
        scalars = (getattr(scalar, "value", scalar) for scalar in column)
        values = [each.as_buffer().to_pybytes() if each.is_valid else None for each in scalars]
    return [
        value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
        for value in values
    ]


# All formats


def _block(source: UrlInput, rows: Rows, end: int) -> Block:
    """Return the block of the first rows, and drop them; each URL is one line of at most `LONGEST`
    bytes.
    """
    numbers, urls = rows.numbers[:end], rows.urls[:end]
    others = rows.others[:end]
    del rows.numbers[:end], rows.urls[:end], rows.others[:end]
    rows.taken += end
    problems = {
        row: Unanswered("invalid-row", rows.problems.pop(number))
        for row, number in enumerate(numbers if rows.problems else ())
        if number in rows.problems
    }
    joined = "".join(urls)
    size = len(joined) + sum(map(size_of, others))
    try:
        joined.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        urls = [as_bytes(url) for url in urls]
    # what is printable has no control character, and is known in less time
    is_long = size > LONGEST // 4 and max(map(len, urls)) > LONGEST // 4  # four bytes a character
    if is_long or (not joined.isprintable() and CONTROL.search(joined)):
        _refuse(urls, problems)
    return Block(source.name, numbers, urls, problems, size=size, others=others)


def _refuse(urls: list[str], problems: dict[int, Unanswered]) -> None:
    """Make problems of rows that are not one line, or too long."""
    for row, url in enumerate(urls):
        refused = next((each for each in REFUSED if each[0](url)), None)
        if refused and row not in problems:
            _, kind, why = refused
            # Escaping a whole line of garbage could take a hundred times its bytes.
            shown = quoted(shortened(url, SHOWN), SHOWN)
            problems[row] = Unanswered(kind, f"{shown} is not a URL: {why}")
            urls[row] = shortened(url, SHOWN)


def _place(source: UrlInput, column: str, names: Sequence[str]) -> int:
    """Return the place of the column with the URLs. Raises InvalidTable."""
    if column not in names:
        raise _unknown_column(source, column, names)
    expect_one(quoted(source.name), column, names)
    return names.index(column)


def _unknown_column(source: UrlInput, column: str, names: Sequence[str]) -> InvalidTable:
    return no_column(quoted(source.name), column, names, option="--column ")


READERS = {
    "text": _read_text,
    "jsonl": _read_json_lines,
    "csv": _read_csv,
    "parquet": _read_parquet,
}
