"""Formats: decided rows as URLs, JSON Lines, CSV or Parquet.

In: rows of a block with the ruling of their origin. Out: the octets of a finished block. Tables
follow `schemas/filter-1.schema.json`. URLs come back octet for octet; where a format cannot hold
octets that are no UTF-8, it says how it writes them.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import compress

from verger.cli.csv_table import quoted
from verger.cli.filtering.blocks import Block, Problem
from verger.cli.filtering.rulings import Ending, Facts, Ruling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from pyarrow import Schema, Table

    class Format(Protocol):
        """Decides rows as far as its output needs, and renders them."""

        header: bytes
        """What stands before the first block."""

        def take(self, block: Block, rows: Sequence[int], ruling: Ruling) -> None:
            """Decide rows of one origin."""
            ...

        def finish(self, block: Block) -> bytes:
            """Count and render a block of which every row is decided or a problem."""
            ...


FORMATS = ("urls", "jsonl", "csv", "parquet")
SCHEMA = "verger.filter/1"

COLUMNS = ("row", "input", "url", *Facts._fields)


def format_named(name: str) -> "Format":
    """Return the format of that name."""
    formats: dict[str, Callable[[], Format]]
    formats = {"urls": Urls, "jsonl": JsonLines, "csv": Csv, "parquet": Parquet}
    return formats[name]()


class Urls:
    """The allowed URLs, one a line; what else there is stands in the closing table."""

    header = b""

    def take(self, block: Block, rows: Sequence[int], ruling: Ruling) -> None:
        """Decide rows of one origin; of all of a block in one call."""
        urls = block.urls
        if not block.kept:
            block.kept = bytearray(len(urls))
        is_all = len(rows) == len(urls)
        answers = ruling.allowed_many(urls if is_all else [urls[row] for row in rows])
        allowed = sum(answers)
        if is_all:
            block.kept[:] = bytes(answers)
        elif allowed:
            kept = block.kept
            for row, answer in zip(rows, answers, strict=True):
                kept[row] = answer
        _count(block, ruling.kind(allowed=True), allowed)
        _count(block, ruling.kind(allowed=False), len(rows) - allowed)

    def finish(self, block: Block) -> bytes:
        """Return the URLs that are allowed."""
        for problem in block.problems.values():
            _count(block, (None, problem.kind), 1)
        text = "\n".join(compress(block.urls, block.kept))
        return f"{text}\n".encode("utf-8", "surrogateescape") if text else b""


class _Table(ABC):
    """What the formats share that write every decision."""

    header = b""

    def take(self, block: Block, rows: Sequence[int], ruling: Ruling) -> None:
        """Decide rows of one origin."""
        if not block.endings:
            block.endings = [None] * len(block.urls)
        endings = block.endings
        found = ruling.endings(block.urls, rows, self.text_of)
        for row, ending in zip(rows, found, strict=True):
            endings[row] = ending

    def finish(self, block: Block) -> bytes:
        """Return the rows."""
        if not block.endings:
            block.endings = [None] * len(block.urls)
        for row, problem in block.problems.items():
            block.endings[row] = self._refusal(problem)
        endings = [ending for ending in block.endings if ending is not None]
        for ending, number in Counter(endings).items():
            _count(block, ending.kind, number)
        return self.rows(block, endings)

    def _refusal(self, problem: Problem) -> Ending:
        facts = Facts(error=problem.kind, message=problem.message)
        return Ending(facts, (None, problem.kind), self.text_of(facts))

    @abstractmethod
    def text_of(self, facts: Facts) -> str:
        """Return facts as they stand behind a URL."""

    @abstractmethod
    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the octets of a block."""


class JsonLines(_Table):
    """One object a row, in ASCII; octets that are no UTF-8 are lone surrogates, as in Python."""

    def __init__(self) -> None:
        from json import JSONEncoder

        self._encode = JSONEncoder().encode

    def text_of(self, facts: Facts) -> str:
        """Return the members behind the URL."""
        return f", {self._encode(facts._asdict())[1:]}\n"

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the objects."""
        from json.encoder import encode_basestring_ascii as quote

        head = f'{{"schema": "{SCHEMA}", "row": '
        middle = f', "input": {quote(block.input)}, "url": '
        rows = zip(block.numbers, block.urls, endings, strict=True)
        objects = [f"{head}{number}{middle}{quote(url)}{end.text}" for number, url, end in rows]
        return "".join(objects).encode("ascii")


class Csv(_Table):
    """A header and one record a row (RFC 4180 section 2), octet for octet."""

    header = (",".join(COLUMNS) + "\n").encode()

    def text_of(self, facts: Facts) -> str:
        """Return the fields behind the URL."""
        return f",{','.join(map(_field, facts))}\n"

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the records."""
        middle = f",{quoted(block.input)},"
        rows = zip(block.numbers, block.urls, endings, strict=True)
        records = [f"{number}{middle}{quoted(url)}{end.text}" for number, url, end in rows]
        return "".join(records).encode("utf-8", "surrogateescape")


class Parquet(_Table):
    """Columns; octets that are no UTF-8, which Parquet's text is, as `\\xff`.

    A block is an Arrow stream until `ParquetFile` puts it behind the others.
    """

    def __init__(self) -> None:
        require_pyarrow("writing Parquet")

    def text_of(self, facts: Facts) -> str:
        """Return nothing: columns are made of the facts themselves."""
        del facts
        return ""

    def rows(self, block: Block, endings: Sequence[Ending]) -> bytes:
        """Return the columns."""
        import pyarrow as pa

        facts: Iterable[Sequence[object]] = zip(*(end.facts for end in endings), strict=True)
        columns = [
            list(block.numbers),
            [_utf8(block.input)] * len(endings),
            [_utf8(url) for url in block.urls],
            *([_utf8(value) for value in column] for column in facts),
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


def table_of(octets: bytes) -> "Table":
    """Return the table that a block of Parquet rows holds."""
    import pyarrow as pa

    with pa.ipc.open_stream(octets) as stream:
        return stream.read_all()


def require_pyarrow(what: str) -> None:
    """Raise `MissingExtra` where Parquet cannot be handled."""
    from verger.errors import MissingExtra

    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra.named("parquet", what) from None


def _count(block: Block, kind: tuple[bool | None, str], number: int) -> None:
    if number:
        block.counts[kind] += number


def _field(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return quoted(str(value))


def _utf8(value: object) -> object:
    if isinstance(value, str) and not value.isascii():
        octets = value.encode("utf-8", "surrogateescape")
        return octets.decode("utf-8", "backslashreplace")
    return value
