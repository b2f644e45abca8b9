"""Other columns: what a table has besides its URLs goes on to the output.

In: the names and types of the columns of each input, and which of them are wanted. Out: their names
in the output, and for each row the values in the form that the format of the output wants.

A name that the output has itself gets `input_` in front, whatever its case: many readers of tables
see no case.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from verger.bulk.filter.blocks import Columns
from verger.crawlers.purposes import USES, use_column
from verger.errors import InvalidTable
from verger.files.csv_text import cell
from verger.files.json_text import escaped, exact_json
from verger.plain import octets_of, quoted, unicode_value

COLUMNS = ("row", "input", "url", *(name for name in Columns._fields if name != "used"))
"""The columns of every output."""

TAKEN = frozenset({"schema", *COLUMNS, *map(use_column, USES)})
NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""What no spreadsheet runs, although it may begin with a sign."""

Values: TypeAlias = Mapping[str, Any]


class Piece(NamedTuple):
    """A row of a record batch."""

    rows: Any
    at: int
    size: int


Carried: TypeAlias = str | tuple[str | None, ...] | Piece
"""The other values of a row: their text in the output, or those of a row of Parquet."""


@lru_cache(256)
def renamed(names: tuple[str, ...]) -> dict[str, str]:
    """Return the name in the output of each column of an input."""
    found: dict[str, str] = {}
    taken = {name.lower() for name in names} | TAKEN
    for name in names:
        new = name
        while new.lower() in TAKEN or (new != name and new.lower() in taken):
            new = f"input_{new}"
        taken.add(new.lower())
        found[name] = new
    return found


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names of columns; the second of a name is `NAME_2`."""
    found: dict[str, None] = {}
    last: Counter[str] = Counter()
    for name in names:
        new = name
        while new in found:
            last[name] += 1
            new = f"{name}_{last[name] + 1}"
        found[new] = None
    return [*found]


@dataclass
class OtherColumns:
    """The other columns of an output.

    types:    the columns of the output, and their Arrow types; None for text.
    is_open:  whether each object of JSON Lines may have others.
    """

    format: str
    is_open: bool = False
    types: dict[str, Any] = field(default_factory=dict)

    def add(self, name: str, found: Mapping[str, Any]) -> None:
        """Take the columns of an input. Raises InvalidTable if another one has other types."""
        for old, new in renamed(tuple(found)).items():
            kind = found[old] or "string"
            before = self.types.setdefault(new, found[old]) or "string"
            if self.format == "parquet" and str(kind) != str(before):
                why = f"the column {quoted(old)} of {quoted(name)} holds `{kind}`"
                hint = "name the columns to keep with `--columns`, or pass `none`"
                raise InvalidTable(f"{why}, and `{before}` in an input before it", hint)

    def carried(self, values: Values, wanted: tuple[str, ...]) -> Carried:
        """Return the values of a row as they are written.

        wanted:  the columns of the input that are.
        """
        names = renamed(tuple(values) if self.is_open else wanted)
        row = {new: values[old] for old, new in names.items() if old in values}
        if self.format == "jsonl":
            return f", {escaped(exact_json(row))[1:-1]}" if row else ""
        if self.format == "csv":
            return as_bytes("".join(f",{_cell(row.get(name))}" for name in self.types))
        return tuple(_text(row.get(name)) for name in self.types)


def as_bytes(text: str) -> str:
    """Return text; surrogates that escape no byte become the bytes of their code points."""
    return octets_of(text).decode("utf-8", "surrogateescape")


def size_of(carried: Carried) -> int:
    """Return roughly what the values of a row take in memory."""
    if isinstance(carried, Piece):
        return carried.size
    return len(carried) if isinstance(carried, str) else sum(len(each or "") for each in carried)


def _cell(value: Any) -> str:
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return value
    return cell(_text(value) if isinstance(value, dict | list) else value)


def _text(value: Any) -> str | None:
    """Return a value as text; what is not text as JSON."""
    return value if value is None or isinstance(value, str) else exact_json(value)


# Arrow


def arrow_fields(others: OtherColumns) -> list[Any]:
    """Return the fields of the other columns."""
    import pyarrow as pa

    return [
        pa.field(unicode_value(as_bytes(name)), kind or pa.string())
        for name, kind in others.types.items()
    ]


def arrow_columns(others: OtherColumns, rows: Sequence[Carried]) -> list[Any]:
    """Return the other columns of a block."""
    import pyarrow as pa

    schema = pa.schema(arrow_fields(others))
    batches, at = [], 0
    while at < len(rows):
        begun, end = rows[at], at + 1
        if isinstance(begun, Piece):
            while end < len(rows) and _is_next(begun, rows[end], end - at):
                end += 1
            batches.append(_fitted(begun.rows.slice(begun.at, end - at), schema))
        else:
            while end < len(rows) and not isinstance(rows[end], Piece):
                end += 1
            batches.append(_of_texts(rows[at:end], schema))
        at = end
    table = pa.Table.from_batches(batches, schema).unify_dictionaries()
    return list(table.combine_chunks().to_batches()[0].columns)


def _is_next(begun: Piece, row: Carried, distance: int) -> bool:
    return isinstance(row, Piece) and row.rows is begun.rows and row.at == begun.at + distance


def _fitted(batch: Any, schema: Any) -> Any:
    import pyarrow as pa

    present = dict(zip(batch.schema.names, batch.columns, strict=True))
    columns = [
        present[each.name] if each.name in present else pa.nulls(batch.num_rows, each.type)
        for each in schema
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _of_texts(rows: Sequence[Any], schema: Any) -> Any:
    import pyarrow as pa

    columns = [[row[at] if row else None for row in rows] for at in range(len(schema))]
    texts = [[value and unicode_value(as_bytes(value)) for value in each] for each in columns]
    arrays = [pa.array(each, kind) for each, kind in zip(texts, schema.types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
