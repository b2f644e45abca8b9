"""Groups of more rows than fit into memory.

In: tables, and a function that merges rows of equal keys into one. Out: the merged rows, part by
part. Rows are distributed over files by a hash of their key, so that all rows of a key are in one
part, and a part fits into memory. The keys of one part and the rows of a few batches are in memory,
for any number of rows; the rest is on disk.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    import pyarrow as pa

PART = 200_000
"""The rows of a part, roughly; and how many are merged at once."""

PARTS = 200
"""The most files that are open at the same time."""

Merge = Callable[["pa.Table"], "pa.Table"]


def schema_of(**columns: str) -> "pa.Schema":
    """Return a schema of columns, with types by their names in Arrow."""
    import pyarrow as pa

    return pa.schema([(name, pa.type_for_alias(kind)) for name, kind in columns.items()])


class Grouping:
    """Collects rows and gives them back merged by their key."""

    def __init__(
        self, folder: Path, schema: "pa.Schema", *, key: str, rows: int, merge: Merge
    ) -> None:
        """`rows` is the most rows there may be; `key` is the column that is hashed."""
        from pyarrow import ipc

        folder.mkdir()
        self._key = key
        self._merge = merge
        self._files = [folder / f"{part}" for part in range(min(1 + rows // PART, PARTS))]
        options = ipc.IpcWriteOptions(compression="lz4")
        self._writers = [ipc.new_file(file, schema, options=options) for file in self._files]

    def __enter__(self) -> "Grouping":
        return self

    def __exit__(self, *_: object) -> None:
        for writer in self._writers:
            writer.close()
        for file in self._files:
            file.unlink(missing_ok=True)

    def add(self, table: "pa.Table") -> None:
        """Add rows."""
        merged = self._merge(table)
        if len(self._writers) == 1:
            self._writers[0].write_table(merged)
            return
        for part, rows in self._parts(merged):
            self._writers[part].write_table(rows)

    def _parts(self, table: "pa.Table") -> "Iterator[tuple[int, pa.Table]]":
        """Yield the rows of each part that has some."""
        import pyarrow as pa
        import pyarrow.compute as pc

        keys = table[self._key].cast(pa.binary()).to_pylist()
        number = len(self._writers)
        parts = pa.array([crc32(key) % number for key in keys], pa.int32())
        order = pc.sort_indices(parts)
        ordered, start = table.take(order), 0
        for run in pc.value_counts(parts.take(order)).to_pylist():
            yield run["values"], ordered.slice(start, run["counts"])
            start += run["counts"]

    def merged(self) -> "Iterator[pa.Table]":
        """Yield all rows, merged, in tables that share no key; call it once, at the end."""
        for writer in self._writers:
            writer.close()
        for file in self._files:
            yield self._merged_part(file)
            file.unlink()

    def _merged_part(self, file: Path) -> "pa.Table":
        import pyarrow as pa
        from pyarrow import ipc

        with pa.OSFile(os.fsencode(file)) as opened, ipc.open_file(opened) as reader:
            kept = reader.schema.empty_table()
            waiting: list[pa.Table] = []
            for number in range(reader.num_record_batches):
                waiting.append(pa.Table.from_batches([reader.get_batch(number)]))
                if sum(map(len, waiting)) >= PART:
                    kept, waiting = self._merge(pa.concat_tables([kept, *waiting])), []
            return self._merge(pa.concat_tables([kept, *waiting]))
