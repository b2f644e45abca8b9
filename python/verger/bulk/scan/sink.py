"""Sinks: batches become a Parquet file that is there complete or not at all.

In: batches of one schema. Out: a file in row groups of 32,768 rows, compressed by zstd, under a
temporary name beside its own until it is whole, so that a killed run leaves nothing that looks like
a result. What a killed run left is removed by the next one of the same name.
"""

import os
from contextlib import ExitStack, suppress
from pathlib import Path

import pyarrow as pa
from pyarrow.parquet import ParquetWriter

ROW_GROUP = 32_768
MANY = 16
"""Batches that are copied into one."""
SUFFIX = ".part"


class ParquetSink:
    """One Parquet file in the making."""

    def __init__(self, path: str | os.PathLike[str], schema: pa.Schema) -> None:
        self.path = Path(path)
        self._part = self.path.with_name(self.path.name + SUFFIX)
        self._schema = schema
        self._opened = ExitStack()
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._compacted = 0
        """How many of the batches are of exact size."""
        self.total = 0

    def open(self) -> None:
        """Begin the file. Whoever calls this can `abandon` it already, however far it comes."""
        self._file = self._opened.enter_context(self._part.open("wb"))
        self._writer = ParquetWriter(self._file, self._schema, compression="zstd")
        self._opened.callback(self._writer.close)

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

    def finish(self) -> None:
        """Complete the file, and give it its name."""
        if self._batches:
            self._write_group()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._opened.close()
        self._part.replace(self.path)

    def abandon(self) -> None:
        """Leave no file."""
        with suppress(pa.ArrowException, OSError, ValueError):
            self._opened.close()
        self._part.unlink(missing_ok=True)

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
