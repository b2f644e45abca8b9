"""Parquet files: opened, read in small pieces, the types of their columns checked; and written.

In: a path, and columns. Out: record batches of few rows; InvalidTable for a file that is damaged or
not Parquet, or a column of another type. In: batches of one schema. Out: the bytes of a file in row
groups of one size, compressed by zstd. Parquet limits neither the size of a text nor how well it
is compressed: a thousand rows may not fit in memory. A page is always read whole; the program that
wrote the file chose its size. Imported within `MissingExtra.unless_installed`.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from typing import Self

import pyarrow as pa
from pyarrow import types
from pyarrow.parquet import FileMetaData, ParquetFile, ParquetWriter

from verger.errors import InvalidTable
from verger.files.addresses import open_input
from verger.files.input_errors import damaged
from verger.files.paths import is_address
from verger.files.writing import Output
from verger.untrusted_text import quoted, reason_of

Kind = Callable[[pa.DataType], bool]

HINT = "is it a whole Parquet file?"

PAGE = 1 << 20
"""Bytes of a column to read at once; without it, Arrow reads a whole row group."""

MOST_ROWS = 64
"""The most rows in a piece: sizes count a dictionary only once, which may have a megabyte."""

MOST_BYTES = 16 << 20
"""The most bytes in a piece, by the average size of a row."""


def open_parquet(path: str | os.PathLike[str]) -> ParquetFile:
    """Open a Parquet file. Raises InvalidTable if it is not one.

    Paths are passed as bytes: Arrow takes text for UTF-8, and perhaps for a URL.
    """
    name = os.fspath(path)
    if not os.path.isfile(name) and os.path.exists(name):  # noqa: PTH110, PTH113
        raise InvalidTable(f"{quoted(name)} is not a regular file", "pass the path of a file")
    try:
        # Arrow takes a read of fewer bytes than it asked for as the end
        source = open_input(name) if is_address(name) else pa.OSFile(os.fsencode(name))
        file = ParquetFile(
            source,
            buffer_size=PAGE,
            # whole row groups: it takes their memory, and saves a request for each page
            pre_buffer=is_address(name),
            page_checksum_verification=True,
        )
        _expect_names(file)
    except FileNotFoundError as error:
        raise damaged(name, error) from None
    except UnicodeDecodeError:
        why = f"cannot read {quoted(name)}: the name of a column is not UTF-8"
        raise InvalidTable(why, "is it damaged, or cut off?") from None
    except (pa.ArrowInvalid, EOFError) as error:
        why = reason_of(error).partition(". ")[0].removesuffix(".")
        raise InvalidTable(f"{quoted(name)} is not a Parquet file: {why}", HINT) from None
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None
    else:
        return file


def _expect_names(file: ParquetFile) -> None:
    """Raise UnicodeDecodeError if the name of a column, or of a field within one, is damaged.

    Arrow decodes a name only when it is asked for, which may be anywhere.
    """
    schema = file.schema
    for number in range(len(schema)):
        schema.column(number).path  # noqa: B018


def read_pieces(name: str, file: ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in order, a few at a time. Raises InvalidTable.

    For a damaged file, Arrow often raises an OSError that names no file.
    """
    rows = _rows_of_a_piece(file.metadata)
    try:
        # each thread of Arrow would keep memory of its own
        read = partial(file.iter_batches, rows, columns=list(columns), use_threads=False)
        if is_address(name):  # what is read ahead is kept until all that was asked for is read
            groups = ([group] for group in range(file.num_row_groups))
            batches = in_step(chain.from_iterable(read(row_groups=each) for each in groups), rows)
        else:
            batches = read()
        yield from map(_without_views, batches)
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None


def in_step(batches: Iterable[pa.RecordBatch], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield batches of so many rows each, the last one of fewer, from those of up to so many: who
    reads on counts on them, wherever row groups end."""
    left: list[pa.RecordBatch] = []
    for batch in batches:
        left.append(batch)
        if sum(map(len, left)) >= rows:
            whole = batch if len(left) == 1 else joined(left)
            yield whole[:rows]
            left = [whole[rows:]] if len(whole) > rows else []
    if any(map(len, left)):
        yield joined(left)


def plain_type(found: pa.DataType) -> pa.DataType:
    """Return the type in which `read_pieces` gives a column of this type."""
    return _PLAIN.get(found, found)


_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}

_AS_TEXT = (types.is_timestamp, types.is_date, types.is_time, types.is_decimal)


def values_of(name: str, column: pa.Array) -> list[object]:
    """Return the values of a column as JSON can hold them. Raises InvalidTable."""
    try:
        kind = column.type
        plain = column.cast(pa.string()) if any(has(kind) for has in _AS_TEXT) else column
        return [_unpacked(value) for value in plain.to_pylist()]
    except (pa.ArrowException, ValueError, OverflowError) as error:
        raise damaged(name, error) from None


def _unpacked(value: object) -> object:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _without_views(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows without view types, for which Arrow lacks `filter` and `take`."""
    if _PLAIN.keys().isdisjoint(rows.schema.types):
        return rows
    columns = [column.cast(plain_type(column.type)) for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, names=rows.schema.names)


def metadata_of(schema: pa.Schema) -> dict[str, str]:
    """Return the metadata of a schema as text."""
    return {
        name.decode("utf-8", "replace"): text.decode("utf-8", "replace")
        for name, text in (schema.metadata or {}).items()
    }


def _rows_of_a_piece(metadata: FileMetaData) -> int:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    largest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(MOST_ROWS, MOST_BYTES // max(largest, 1)))


def joined(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Return the rows of batches of one schema as one."""
    table = pa.Table.from_batches(batches).unify_dictionaries()
    return table.combine_chunks().to_batches()[0]


# Types of columns


def expect_kind(file: str, column: str, found: pa.DataType, wanted: str) -> None:
    """Raise InvalidTable unless a column is of a kind; a column of nulls is of every kind.

    wanted:  one of the `KINDS`, in words.
    """
    if not has_kind(found, wanted):
        raise other_kind(file, column, found, wanted)


def has_kind(found: pa.DataType, wanted: str) -> bool:
    """Whether a column of this type holds what is wanted, or only nulls."""
    plain = found.value_type if types.is_dictionary(found) else found
    return bool(types.is_null(plain) or KINDS[wanted](plain))


def other_kind(
    file: str,
    column: str,
    found: object,
    wanted: str,
    *,
    hint: str = "name another column, or cast it",
) -> InvalidTable:
    """Return the error for a column that holds something else."""
    return InvalidTable(
        f"the column {quoted(column)} of {quoted(file)} holds `{found}`, not {wanted}", hint
    )


def _any_of(*kinds: Kind) -> Kind:
    """Return a check that a type is of one of these kinds."""
    return lambda found: any(is_kind(found) for is_kind in kinds)


is_text = _any_of(types.is_string, types.is_large_string, types.is_string_view)
"""Whether a column of this type holds text."""
is_bytes = _any_of(types.is_binary, types.is_large_binary, types.is_binary_view)
"""Whether a column of this type holds bytes."""

KINDS: dict[str, Kind] = {
    "text": _any_of(is_text, is_bytes),
    "text or bytes": _any_of(is_text, is_bytes),
    # pandas writes a column without any text as floats
    "words or nothing": _any_of(is_text, is_bytes, types.is_floating),
    "numbers": _any_of(types.is_integer, types.is_floating),
    "numbers, text or flags": _any_of(
        *(types.is_integer, types.is_floating, types.is_boolean), *(is_text, is_bytes)
    ),
    "times or numbers": _any_of(
        *(types.is_timestamp, types.is_date, types.is_integer, types.is_floating),
        *(is_text, is_bytes),
    ),
}
"""The kinds of values that columns may hold, and a check of the type for each."""


# Written

ROW_GROUP = 32_768
MANY = 16
"""Batches that are copied into one."""


class ParquetSink:
    """One Parquet file in the making.

    group_rows:  rows of a row group, unless it is ended earlier.
    """

    def __init__(
        self,
        output: Output | pa.BufferOutputStream,
        schema: pa.Schema,
        *,
        group_rows: int = ROW_GROUP,
    ) -> None:
        self._group_rows = group_rows
        self._writer = ParquetWriter(output, schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self.total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Complete the file; after an error only release it."""
        if kind is None:
            self.close()
        else:
            with suppress(pa.ArrowException, OSError, ValueError):
                self._writer.close()

    def close(self) -> None:
        """Complete the file; the output stays open."""
        self.end_group()
        self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        """Take a batch; the borders of row groups depend on the number of rows alone."""
        self.total += batch.num_rows
        while self._rows + batch.num_rows >= self._group_rows:
            room = self._group_rows - self._rows
            self._batches.append(batch.slice(0, room))
            self.end_group()
            batch = batch.slice(room)
        if batch.num_rows:
            self._batches.append(batch)
            self._rows += batch.num_rows
        if len(self._batches) > MANY:  # as they come, a third of each is air
            self._batches = pa.Table.from_batches(self._batches).combine_chunks().to_batches()

    def end_group(self) -> None:
        """Write the rows so far as a row group, if there are any."""
        if not self._batches:
            return
        table = pa.Table.from_batches(self._batches)
        self._batches, self._rows = [], 0
        self._writer.write_table(table, row_group_size=self._group_rows)
        del table
        pa.default_memory_pool().release_unused()


class ArrowSink:
    """Streams of Arrow, one after the other, as one Parquet file.

    packed:  how each stream is compressed as a whole, if it is.
    """

    def __init__(
        self,
        output: Output,
        schema: pa.Schema,
        *,
        group_rows: int = ROW_GROUP,
        packed: str | None = None,
    ) -> None:
        self._schema, self._packed = schema, packed
        self._sink = ParquetSink(output, schema, group_rows=group_rows)
        self.close = self._sink.close

    def write(self, data: bytes) -> None:
        """Write the rows of the next stream, without dictionaries; nothing of no bytes."""
        if not data:
            return
        source = pa.BufferReader(data)
        stream = pa.CompressedInputStream(source, self._packed) if self._packed else source
        with stream, pa.ipc.open_stream(stream) as rows:
            for batch in rows:
                self._sink.write(batch.cast(self._schema))
