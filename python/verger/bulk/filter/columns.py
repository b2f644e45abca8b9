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
from typing import Any, TypeAlias

from verger.bulk.filter.blocks import BlockColumns, Numbered, T
from verger.crawlers.purposes import USES, use_column
from verger.errors import InvalidTable
from verger.files.csv_text import cell
from verger.files.json_text import escaped, exact_json
from verger.untrusted_text import octets_of, quoted

COLUMNS = ("row", "input", "url", *(name for name in BlockColumns._fields if name != "used"))
"""The columns of every output."""

TAKEN = frozenset({"schema", *COLUMNS, *map(use_column, USES)})
NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
"""What no spreadsheet runs, although it may begin with a sign."""

Values: TypeAlias = Mapping[str, Any]


Carried: TypeAlias = str | tuple[str | None, ...]
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
    return len(carried) if isinstance(carried, str) else sum(len(each or "") for each in carried)


def _cell(value: Any) -> str:
    if isinstance(value, str) and NUMBER.fullmatch(value):
        return value
    return cell(_text(value) if isinstance(value, dict | list) else value)


def _text(value: Any) -> str | None:
    """Return a value as text; what is not text as JSON."""
    return value if value is None or isinstance(value, str) else exact_json(value)


def numbered(values: Sequence[T]) -> tuple[Any, list[T]]:
    """Return the distinct values, and the place of that of each row among them."""
    import pyarrow as pa

    if isinstance(values, Numbered):
        numbers = pa.py_buffer(values.numbers)
        found = pa.Array.from_buffers(pa.uint32(), len(values), [None, numbers]).dictionary_encode()
        return found.indices, [values.values[number] for number in found.dictionary.to_pylist()]
    places: dict[T, int] = {}
    rows = [places.setdefault(value, len(places)) for value in values]
    return pa.array(rows, pa.int32()), [*places]
