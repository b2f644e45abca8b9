"""Formats: decided rows as URLs, JSON Lines, CSV or Parquet.

In: a block with the endings of its rows. Out: its bytes. Tables
follow `schemas/filter-1.schema.json`. URLs come back byte for byte; where a format cannot hold
bytes that are not UTF-8, it says how it writes them.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from verger.bulk.filter.blocks import Block, Problem
from verger.bulk.filter.rulings import Ending, Facts
from verger.files.csv_text import record, text_cell
from verger.files.parquet import require_pyarrow
from verger.plain import unicode_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import Schema, Table


FORMATS = ("text", "jsonl", "csv", "parquet")
SCHEMA = "verger.filter/1"

COLUMNS = ("row", "input", "url", *Facts._fields)


def format_named(name: str) -> "RowFormat":
    """Return the format of that name."""
    formats: dict[str, Callable[[], RowFormat]]
    formats = {"text": AllowedUrls, "jsonl": JsonLines, "csv": Csv, "parquet": Parquet}
    return formats[name]()


class RowFormat(ABC):
    """Renders blocks in which every row is decided or a problem."""

    header = b""
    """What is written before the first block."""
    tells_rules = True
    """Whether rows say which rule decided."""

    def finish(self, block: Block) -> bytes:
        """Count and render a block."""
        endings = block.endings
        for row, problem in block.problems.items():
            endings[row] = self._refusal(problem)
        for ending, number in Counter(endings).items():
            block.counts[ending.kind] += number
        return self.rows(block, endings)

    def _refusal(self, problem: Problem) -> Ending:
        facts = Facts(error=problem.kind, message=problem.message)
        return Ending(facts, (None, problem.kind), self.text_of(facts))

    @abstractmethod
    def text_of(self, facts: Facts) -> str:
        """Return facts as they are written after a URL."""

    @abstractmethod
    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the bytes of a block."""


class AllowedUrls(RowFormat):
    """The allowed URLs, one per line; everything else is only in the summary."""

    tells_rules = False

    def text_of(self, facts: Facts) -> str:
        """Return a text for URLs that are written, and an empty one for others."""
        return "\n" if facts.allowed else ""

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the URLs that are allowed."""
        text = "\n".join(compress(block.urls, [ending.text for ending in endings]))
        return f"{text}\n".encode("utf-8", "surrogateescape") if text else b""


class JsonLines(RowFormat):
    """One object per row, in ASCII; bytes that are not UTF-8 are lone surrogates, as in Python."""

    def __init__(self) -> None:
        from verger.files.json_text import json_text

        self._text = json_text

    def text_of(self, facts: Facts) -> str:
        """Return the members after the URL."""
        return f", {self._text(facts._asdict())[1:]}\n"

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the objects."""
        from json.encoder import encode_basestring_ascii as quote

        from verger.files.json_text import escaped

        head = f'{{"schema": "{SCHEMA}", "row": '
        middle = f', "input": {quote(block.input)}, "url": '
        rows = zip(block.numbers, block.urls, endings, strict=True)
        objects = [f"{head}{number}{middle}{quote(url)}{end.text}" for number, url, end in rows]
        return escaped("".join(objects)).encode("ascii")


class Csv(RowFormat):
    """A header and one record per row (RFC 4180 section 2), byte for byte."""

    header = (",".join(COLUMNS) + "\n").encode()

    def text_of(self, facts: Facts) -> str:
        """Return the fields after the URL."""
        return f",{record(facts)}\n"

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the records."""
        middle = f",{text_cell(block.input)},"
        rows = zip(block.numbers, block.urls, endings, strict=True)
        records = [f"{number}{middle}{text_cell(url)}{end.text}" for number, url, end in rows]
        return "".join(records).encode("utf-8", "surrogateescape")


class Parquet(RowFormat):
    """Columns; bytes that are not UTF-8, as text in Parquet is, are written as `\\xff`.

    A block is an Arrow stream until `ParquetFile` appends it to the others.
    """

    def __init__(self) -> None:
        require_pyarrow("writing Parquet")

    def text_of(self, facts: Facts) -> str:
        """Return nothing: columns are made from the facts themselves."""
        del facts
        return ""

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the columns."""
        import pyarrow as pa

        facts: Iterable[Sequence[object]] = zip(*(end.facts for end in endings), strict=True)
        columns = [
            list(block.numbers),
            [unicode_value(block.input)] * len(endings),
            [unicode_value(url) for url in block.urls],
            *([unicode_value(value) for value in column] for column in facts),
        ]
        batch = pa.record_batch(columns, schema=parquet_schema())
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        return bytes(sink.getvalue())


def parquet_schema() -> "Schema":
    """Return the columns of the decisions."""
    import pyarrow as pa

    kinds = {"row": pa.int64(), "allowed": pa.bool_(), "line": pa.int64(), "status": pa.int32()}
    fields = [pa.field(name, kinds.get(name, pa.string())) for name in COLUMNS]
    return pa.schema(fields, metadata={"verger.schema": SCHEMA})


def table_of(data: bytes) -> "Table":
    """Return the table that a block of Parquet rows holds."""
    import pyarrow as pa

    with pa.ipc.open_stream(data) as stream:
        return stream.read_all()
