"""Rows as Parquet: the columns of blocks, and the file of all blocks.

In: a block with the answers of its rows. Out: an Arrow stream, with texts in dictionaries, of which
`verger.files.parquet.ArrowSink` makes row groups. Text in Parquet is UTF-8: other bytes are written
as `\\xff`. Imported within `MissingExtra.unless_installed`.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa

from verger.bulk.filter.blocks import Block, BlockColumns, TextColumn, Written
from verger.bulk.filter.columns import COLUMNS, OtherColumns, as_bytes, numbered
from verger.bulk.filter.writing import OF_A_ROW, SCHEMA, RowFormat, Sink
from verger.files.parquet import ArrowSink
from verger.files.writing import Output
from verger.untrusted_text import unicode_value

ROW_GROUP = 131_072
"""Rows of a row group."""


class Parquet(RowFormat):
    """Columns."""

    def sink_on(self, output: Output, *, is_packed: bool) -> Sink:
        """Return what takes the blocks in their order."""
        del is_packed
        return ArrowSink(output, self.schema, group_rows=ROW_GROUP)

    def site_text(self, origin: str | None) -> Any:
        """Return the origin."""
        return unicode_value(origin)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the decisions, that of a use, those of crawlers, and the other ones."""
        kinds = {"row": pa.int64(), "allowed": pa.bool_(), "line": pa.int64(), "status": pa.int32()}
        fields = [pa.field(name, kinds.get(name, pa.string())) for name in COLUMNS]
        answers = [*self.names[len(COLUMNS) :], *self.crawlers]
        fields += [pa.field(name, pa.bool_()) for name in answers]
        fields += _fields_of(self.others) if self.others else []
        return pa.schema(fields, metadata={"verger.schema": SCHEMA})

    def text_of(self, columns: BlockColumns) -> Any:
        """Return the values of the columns."""
        return tuple(map(unicode_value, self.values(columns)))

    def rows(self, block: Block, answers: Sequence[Written]) -> bytes:
        """Return the columns."""
        of_row, known = numbered(answers)
        source = unicode_value(block.input)
        values = zip(*(each.text for each in known), strict=True)
        kinds = self.schema.types[OF_A_ROW:]
        columns = [
            pa.array(block.numbers, pa.int64()),
            _by_number(pa.nulls(len(answers), pa.int32()).fill_null(0), [source], pa.string()),
            _texts(block.urls),
            _by_number(*numbered(block.sites), pa.string()),
            *(_by_number(of_row, each, kind) for each, kind in zip(values, kinds, strict=False)),
            *(pa.array(each, pa.bool_()) for each in block.also),
        ]
        if self.others and block.others:
            columns += _other_columns(self.others, block.others)
        batch = pa.record_batch(columns, names=self.schema.names)
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        return bytes(sink.getvalue())


def _fields_of(others: OtherColumns) -> list[pa.Field]:
    """Return the fields of the other columns."""
    return [
        pa.field(unicode_value(as_bytes(name)), kind or pa.string())
        for name, kind in others.types.items()
    ]


def _texts(texts: Sequence[str]) -> pa.Array:
    """Return texts as a column."""
    if isinstance(texts, TextColumn):
        return texts.column
    return pa.array(map(unicode_value, texts), pa.string(), size=len(texts))


def _by_number(numbers: pa.Array, values: Sequence[object], kind: pa.DataType) -> pa.Array:
    """Return a column of values by their places: texts in a dictionary."""
    known = pa.array(values, kind)
    is_text = pa.types.is_string(kind)
    return pa.DictionaryArray.from_arrays(numbers, known) if is_text else known.take(numbers)


def _other_columns(others: OtherColumns, rows: Any) -> list[pa.Array]:
    """Return the other columns of a block: of `Carried` rows, or of a record batch."""
    schema = pa.schema(_fields_of(others))
    if not isinstance(rows, pa.RecordBatch):
        columns = [[row[at] if row else None for row in rows] for at in range(len(schema))]
        texts = [[value and unicode_value(as_bytes(value)) for value in each] for each in columns]
        return [pa.array(each, kind) for each, kind in zip(texts, schema.types, strict=True)]
    present = dict(zip(rows.schema.names, rows.columns, strict=True))
    return [
        present[each.name] if each.name in present else pa.nulls(rows.num_rows, each.type)
        for each in schema
    ]
