"""Formats: decided rows as URLs, JSON Lines or CSV; `parquet_rows` has Parquet.

In: a block with the answers of its rows. Out: its bytes; and from the bytes of all blocks in their
final order one output, in which blocks of Parquet become row groups. Tables follow
`schemas/filter-1.schema.json`. URLs come back byte for byte; where a format cannot hold bytes that
are not UTF-8, it says how it writes them.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from gzip import GzipFile
from itertools import compress
from json.encoder import encode_basestring_ascii as quote
from typing import Any, Protocol

from verger.bulk.filter.blocks import AskedUse, Block, BlockColumns, Written
from verger.bulk.filter.columns import COLUMNS, OtherColumns, as_bytes
from verger.files.csv_text import Value, cell, record, text_cell
from verger.files.json_text import escaped, json_text
from verger.files.stdio import plain_on
from verger.files.writing import Output


class Sink(Protocol):
    """Takes the blocks in their final order."""

    def write(self, data: bytes, /) -> object:
        """Write the bytes of the next block."""
        ...

    def close(self) -> None:
        """Write what comes after the last block; the output stays open."""
        ...


SCHEMA = "verger.filter/1"

OF_A_ROW = 4
"""How many columns, number, input, URL and origin, rows of one ending do not share."""


class RowFormat(ABC):
    """Renders blocks in which every row is decided or a problem."""

    tells_rules = True
    """Whether rows say which rule decided."""
    end = "\n"
    """How the text of a row ends."""

    def __init__(
        self,
        others: OtherColumns | None = None,
        use: AskedUse | None = None,
        crawlers: Sequence[str] = (),
    ) -> None:
        self.others = others
        self.use = use
        self.crawlers = [crawler_column(crawler) for crawler in crawlers]
        """The columns of further crawlers."""
        self.names = (*COLUMNS, use.column) if use else COLUMNS

    @property
    def header(self) -> bytes:
        """What is written before the first block."""
        return b""

    def values(self, columns: BlockColumns) -> tuple[Value, ...]:
        """Return the values of the columns after the origin, in the order of `names`."""
        return columns[1:] if self.use else columns[1:-1]

    def sink_on(self, output: Output, *, is_packed: bool) -> Sink:
        """Return what takes the blocks in their order; text has no effect on a terminal."""
        # without a time and a name, so that the same rows are the same file
        sink = GzipFile("", "wb", 6, output, mtime=0) if is_packed else plain_on(output)
        if self.header:
            sink.write(self.header)
        return sink

    def finish(self, block: Block) -> bytes:
        """Count and render a block."""
        if block.problems:
            block.sites, block.answers = [*block.sites], [*block.answers]
        for row, problem in block.problems.items():
            columns = BlockColumns(error=problem.kind, message=problem.message)
            block.answers[row] = Written((None, problem.kind), self.text_of(columns))
            block.sites[row] = self.site_text(None)
        for written, number in Counter(block.answers).items():
            block.counts[written.kind] += number
        return self.rows(block, block.answers)

    def ends(self, block: Block, answers: Sequence[Written]) -> Sequence[str]:
        """Return what is written after the origin of each row."""
        if not block.also:
            return [written.text for written in answers]
        rows = list(zip(*block.also, strict=True))
        more = {allowed: f"{self.more_of(allowed)}{self.end}" for allowed in set(rows)}
        behind = len(self.end)
        return [
            f"{written.text[:-behind]}{more[row]}"
            for written, row in zip(answers, rows, strict=True)
        ]

    def more_of(self, allowed: Sequence[bool | None]) -> str:
        """Return the columns of further crawlers, as they are written after those of a row."""
        return f",{record(allowed)}"

    def site_text(self, origin: str | None) -> str:
        """Return an origin as it is written after a URL."""
        del origin
        return ""

    @abstractmethod
    def text_of(self, columns: BlockColumns) -> Any:
        """Return the other columns as they are written after an origin."""

    @abstractmethod
    def rows(self, block: Block, answers: Sequence[Written]) -> bytes:
        """Return the bytes of a block."""


class AllowedUrls(RowFormat):
    """The allowed URLs, one per line; everything else is only in the summary."""

    tells_rules = False

    def text_of(self, columns: BlockColumns) -> str:
        """Return a text for URLs that are written, and an empty one for others."""
        used = columns.used
        if used is None:
            used = self.use is None or self.use.silent
        return "\n" if columns.allowed and used else ""

    def rows(self, block: Block, answers: Sequence[Written]) -> bytes:
        """Return the URLs that are allowed."""
        text = "\n".join(compress(block.urls, [written.text for written in answers]))
        return f"{text}\n".encode("utf-8", "surrogateescape") if text else b""


class JsonLines(RowFormat):
    """One object per row, in ASCII; bytes that are not UTF-8 are lone surrogates, as in Python."""

    end = "}\n"

    def more_of(self, allowed: Sequence[bool | None]) -> str:
        """Return the members of further crawlers."""
        return f", {json_text(dict(zip(self.crawlers, allowed, strict=True)))[1:-1]}"

    def text_of(self, columns: BlockColumns) -> str:
        """Return the members after the origin."""
        members = zip(self.names[OF_A_ROW:], self.values(columns), strict=True)
        return f", {json_text(dict(members))[1:]}\n"

    def site_text(self, origin: str | None) -> str:
        """Return the member of the origin."""
        return f', "origin": {json_text(origin)}'

    def around(self, source: str) -> tuple[str, str]:
        """Return what is written before and after the number of a row of an input."""
        return f'{{"schema": "{SCHEMA}", "row": ', f', "input": {quote(source)}, "url": '

    def rows(self, block: Block, answers: Sequence[Written]) -> bytes:
        """Return the objects."""
        head, middle = self.around(block.input)
        ends = self.ends(block, answers)
        rows = zip(block.numbers, block.urls, block.sites, ends, strict=True)
        objects = [f"{head}{row}{middle}{quote(url)}{site}{end}" for row, url, site, end in rows]
        if block.others:
            more = zip(objects, block.others, strict=True)
            objects = [f"{text[:-2]}{other}}}\n" for text, other in more]
        return escaped("".join(objects)).encode("ascii")


class Csv(RowFormat):
    """A header and one record per row (RFC 4180 section 2), byte for byte."""

    @property
    def header(self) -> bytes:
        """The names of the columns."""
        names = [*self.names, *self.crawlers, *(self.others.types if self.others else ())]
        return as_bytes(f"{record(names)}\n").encode("utf-8", "surrogateescape")

    def text_of(self, columns: BlockColumns) -> str:
        """Return the fields after the origin."""
        return f",{record(self.values(columns))}\n"

    def site_text(self, origin: str | None) -> str:
        """Return the field of the origin."""
        return f",{cell(origin)}"

    def rows(self, block: Block, answers: Sequence[Written]) -> bytes:
        """Return the records."""
        middle = f",{text_cell(block.input)},"
        ends = self.ends(block, answers)
        rows = zip(block.numbers, block.urls, block.sites, ends, strict=True)
        records = [f"{row}{middle}{text_cell(url)}{site}{end}" for row, url, site, end in rows]
        if block.others:
            more = zip(records, block.others, strict=True)
            records = [f"{text[:-1]}{other}\n" for text, other in more]
        return "".join(records).encode("utf-8", "surrogateescape")


def crawler_column(crawler: str) -> str:
    """Return the name of the column that says what a further crawler may fetch."""
    return f"allowed_{crawler}"


FORMATS = ("text", "jsonl", "csv", "parquet")
