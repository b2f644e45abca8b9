"""Sinks: batches become a Parquet file.

In: batches of one schema. Out: the bytes of a file in row groups of 32,768 rows, compressed by
zstd. Knows nothing of paths.
"""

from contextlib import suppress
from typing import Self

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from verger.files.writing import Output

ROW_GROUP = 32_768
MANY = 16
"""Batches that are copied into one."""


class ParquetSink:
    """One Parquet file in the making."""

    def __init__(self, output: Output, schema: pa.Schema) -> None:
        self._writer = ParquetWriter(output, schema, compression="zstd")
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._compacted = 0
        """How many of the batches are of exact size."""
        self.total = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Complete the file; where it will not be there, that it cannot be ended is nothing new."""
        if kind is None:
            if self._batches:
                self._write_group()
            self._writer.close()
        else:
            with suppress(pa.ArrowException, OSError, ValueError):
                self._writer.close()

    def write(self, batch: pa.RecordBatch) -> None:
        """Take a batch; the borders of row groups depend on the number of rows alone."""
        self.total += batch.num_rows
        while self._rows + batch.num_rows >= ROW_GROUP:
            room = ROW_GROUP - self._rows
            self._batches.append(batch.slice(0, room))
            self._write_group()
            batch = batch.slice(room)
        if batch.num_rows:
            self._batches.append(batch)
            self._rows += batch.num_rows
            self._compact()

    def _compact(self) -> None:
        """Copy many small batches into one of exact size: as they come, a third of each is air."""
        if len(self._batches) - self._compacted >= MANY:
            loose = pa.Table.from_batches(self._batches[self._compacted :])
            self._batches[self._compacted :] = loose.combine_chunks().to_batches()
            self._compacted = len(self._batches)

    def _write_group(self) -> None:
        table = pa.Table.from_batches(self._batches)
        self._batches, self._rows, self._compacted = [], 0, 0
        self._writer.write_table(table, row_group_size=ROW_GROUP)
        del table
        pa.default_memory_pool().release_unused()
