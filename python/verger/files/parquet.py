"""Parquet files read in small pieces, whatever their row groups, pages and values.

In: a path, and columns. Out: record batches of few rows; InvalidTable for a file that is damaged or
not Parquet. Parquet limits neither the size of a text nor how well it is compressed: a thousand
rows may not fit in memory. A page is always read whole; the program that wrote the file chose its
size. Arrow is imported when it is used.
"""

import os
from collections.abc import Iterator, Sequence

from verger.errors import InvalidTable, MissingExtra
from verger.files.reading import damaged
from verger.plain import quoted, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import RecordBatch, Schema
    from pyarrow.parquet import FileMetaData, ParquetFile

HINT = "is it a whole Parquet file?"

PAGE = 1 << 20
"""Bytes of a column to read at once; without it, Arrow reads a whole row group."""

MOST_ROWS = 64
"""The most rows in a piece: sizes count a dictionary only once, which may have a megabyte."""

MOST_BYTES = 16 << 20
"""The most bytes in a piece, by the average size of a row."""


def require_pyarrow(what: str) -> None:
    """Raise `MissingExtra` for `what` if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra.named("parquet", what) from None


def open_parquet(path: str | os.PathLike[str]) -> "ParquetFile":
    """Open a Parquet file. Raises InvalidTable if it is not one, MissingExtra.

    Paths are passed as bytes: Arrow takes text for UTF-8, and perhaps for a URL.
    """
    require_pyarrow("reading Parquet")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    name = os.fspath(path)
    if not os.path.isfile(name) and os.path.exists(name):  # noqa: PTH110, PTH113
        raise InvalidTable(f"{quoted(name)} is not a regular file", "pass the path of a file")
    try:
        file = ParquetFile(pa.OSFile(os.fsencode(name)), buffer_size=PAGE)
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


def _expect_names(file: "ParquetFile") -> None:
    """Raise UnicodeDecodeError if the name of a column, or of a field within one, is damaged.

    Arrow decodes a name only when it is asked for, which may be anywhere.
    """
    schema = file.schema
    for number in range(len(schema)):
        schema.column(number).path  # noqa: B018


def read_pieces(name: str, file: "ParquetFile", columns: Sequence[str]) -> "Iterator[RecordBatch]":
    """Yield the rows of a file in order, a few at a time. Raises InvalidTable.

    For a damaged file, Arrow often raises an OSError that names no file.
    """
    from pyarrow import ArrowException

    rows = _rows_of_a_piece(file.metadata)
    try:
        yield from map(_without_views, file.iter_batches(rows, columns=list(columns)))
    except (ArrowException, OSError) as error:
        raise damaged(name, error) from None


def _without_views(rows: "RecordBatch") -> "RecordBatch":
    """Return rows without view types, for which Arrow lacks `filter` and `take`."""
    import pyarrow as pa

    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if plain.keys().isdisjoint(rows.schema.types):
        return rows
    columns = [column.cast(plain.get(column.type, column.type)) for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, names=rows.schema.names)


def metadata_of(schema: "Schema") -> dict[str, str]:
    """Return the metadata of a schema as text."""
    pairs = (schema.metadata or {}).items()
    return {
        name.decode("utf-8", "replace"): text.decode("utf-8", "replace") for name, text in pairs
    }


def _rows_of_a_piece(metadata: "FileMetaData") -> int:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    largest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(MOST_ROWS, MOST_BYTES // max(largest, 1)))
