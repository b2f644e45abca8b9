"""Parquet files read in small pieces, whatever their row groups, pages and values are like.

In: a path, and columns. Out: record batches of few rows. Parquet bounds neither a text nor how
small it is packed: what a thousand rows hold may be more than the memory has. One page is read
whole; which size those have, the program that wrote the file has decided.
"""

import os
from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyarrow.parquet import FileMetaData, ParquetFile

PAGE = 1 << 20
"""Bytes of a column that are read at once; without it, those of a whole row group."""

MOST_ROWS = 64
"""Rows of a piece: a dictionary, which may have a million bytes, counts once in the sizes."""

MOST_BYTES = 16 << 20
"""Bytes of a piece, by what rows have on average."""


def opened(path: str | os.PathLike[str]) -> ParquetFile:
    """Open a file. Raises OSError and ArrowException, for what is none too.

    Arrow takes a path as text for UTF-8 and perhaps for a URL, which names of files need not be.
    """
    return ParquetFile(pa.OSFile(os.fsencode(path)), buffer_size=PAGE)


def pieces(file: ParquetFile, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Yield the rows in their order, few at a time. Raises OSError and ArrowException."""
    rows = _rows_of_a_piece(file.metadata)
    yield from file.iter_batches(rows, columns=list(columns))


def _rows_of_a_piece(metadata: FileMetaData) -> int:
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    largest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(MOST_ROWS, MOST_BYTES // max(largest, 1)))
