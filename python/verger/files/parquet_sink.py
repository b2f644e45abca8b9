"""Parquet files written: batches become row groups.

In: batches of one schema. Out: the bytes of a file in row groups of one size, compressed by zstd.
Knows nothing of paths.
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
