"""Parquet files read in small pieces, whatever their row groups, pages and values are like.

In: a path, and columns. Out: record batches of few rows; InvalidTable for what is not a Parquet
file, or is damaged. Parquet bounds neither a text nor how small it is packed: what a thousand rows
hold may be more than the memory has. One page is read whole; which size those have, the program
that wrote the file has decided. Arrow is imported when it is used.
"""

import os
from collections.abc import Iterator, Sequence

from verger.errors import InvalidTable, MissingExtra
from verger.files.reading import damaged
from verger.plain import printable, reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyarrow import RecordBatch
    from pyarrow.parquet import FileMetaData, ParquetFile

HINT = "is it a whole Parquet file?"

PAGE = 1 << 20
"""Bytes of a column that are read at once; without it, those of a whole row group."""

MOST_ROWS = 64
"""Rows of a piece: a dictionary, which may have a million bytes, counts once in the sizes."""

MOST_BYTES = 16 << 20
"""Bytes of a piece, by what rows have on average."""


def require_pyarrow(what: str) -> None:
    """Raise `MissingExtra` for `what` where Parquet cannot be handled."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise MissingExtra.named("parquet", what) from None


def open_parquet(path: str | os.PathLike[str]) -> "ParquetFile":
    """Open a Parquet file. Raises InvalidTable for what is not one, MissingExtra.

    Arrow takes a path as text for UTF-8 and perhaps for a URL, which names of files need not be.
    """
    require_pyarrow("reading Parquet")
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    name = os.fspath(path)
    if not os.path.isfile(name) and os.path.exists(name):  # noqa: PTH110, PTH113
        raise InvalidTable(f"`{printable(name)}` is not a regular file", "pass the path of a file")
    try:
        return ParquetFile(pa.OSFile(os.fsencode(name)), buffer_size=PAGE)
    except FileNotFoundError as error:
        raise damaged(name, error) from None
    except (pa.ArrowInvalid, EOFError) as error:
        why = reason_of(error).partition(". ")[0].removesuffix(".")
        raise InvalidTable(f"`{printable(name)}` is not a Parquet file: {why}", HINT) from None
    except (pa.ArrowException, OSError) as error:
        raise damaged(name, error) from None


def read_pieces(name: str, file: "ParquetFile", columns: Sequence[str]) -> "Iterator[RecordBatch]":
    """Yield the rows of a file in their order, few at a time. Raises InvalidTable."""
    rows = _rows_of_a_piece(file.metadata)
    return read_batches(name, file, columns, rows)


def read_batches(
    name: str, file: "ParquetFile", columns: Sequence[str], rows: int
) -> "Iterator[RecordBatch]":
    """Yield the rows of a file in their order, so many at a time. Raises InvalidTable.

    What a damaged file makes Arrow raise is often an OSError that names no file.
    """
    from pyarrow import ArrowException

    try:
        yield from map(_without_views, file.iter_batches(rows, columns=list(columns)))
    except (ArrowException, OSError) as error:
        raise damaged(name, error) from None


def _without_views(rows: "RecordBatch") -> "RecordBatch":
    """Return rows whose text and bytes are not views, which Arrow neither filters nor takes."""
    import pyarrow as pa

    plain = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
    if plain.keys().isdisjoint(rows.schema.types):
        return rows
    columns = [column.cast(plain.get(column.type, column.type)) for column in rows.columns]
    return pa.RecordBatch.from_arrays(columns, names=rows.schema.names)


def _rows_of_a_piece(metadata: "FileMetaData") -> int:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    largest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(MOST_ROWS, MOST_BYTES // max(largest, 1)))
