"""What an earlier scan said: files that have not changed since are not read again.

In: the table of a scan with the same crawlers, dialect and version; digests of bodies. Out: the
columns that follow from a body alone, as that scan wrote them. They lie in a temporary file, and in
memory are 16 bytes for each: most sites change nothing in a month.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory
from weakref import finalize

import pyarrow as pa
import pyarrow.compute as pc

from verger.errors import InvalidOption
from verger.files.parquet import metadata_of, open_parquet
from verger.files.writing import temporary_files
from verger.options import AnyPath, path_of
from verger.untrusted_text import quoted

AT_ONCE = 1 << 14
"""The most rows of a piece of the temporary file."""

FIRST = "truncated"
"""The first column that follows from a body; so do all behind it."""

SUCCESSFUL = "successful"


class Known:
    """The rows of an earlier scan, by the digests of their files.

    schema:  that of the rows that are wanted.
    Raises InvalidTable, InvalidOption if the table is not of the same kind, UnusableOutput.
    """

    def __init__(self, path: AnyPath, schema: pa.Schema) -> None:
        name = path_of("known", path)
        self._names = schema.names[schema.names.index(FIRST) :]
        fields = [schema.field(each) for each in ("digest", *self._names)]
        with open_parquet(name) as file, temporary_files():
            _expect_alike(name, file.schema_arrow, schema)
            folder = TemporaryDirectory(prefix="verger-known-")
            finalize(self, folder.cleanup)
            place = str(Path(folder.name) / "rows")
            kept, keys = pa.schema(fields), []
            with pa.OSFile(place, "wb") as out, pa.ipc.new_file(out, kept) as writer:
                wanted = ["access", *kept.names]
                for batch in file.iter_batches(AT_ONCE, columns=wanted, use_threads=False):
                    is_file = pc.equal(batch.column("access"), SUCCESSFUL)
                    keys.append(pc.if_else(is_file, _keys(batch.column("digest")), None))
                    writer.write_batch(batch.select(kept.names).cast(kept))
        opened = pa.ipc.open_file(pa.memory_map(place))
        self._pieces = [opened.get_batch(at) for at in range(opened.num_record_batches)]
        self._starts = [0, *accumulate(piece.num_rows for piece in self._pieces)]
        all_keys = pa.chunked_array(keys, _KEY)
        order = pc.sort_indices(all_keys)[: len(all_keys) - all_keys.null_count]  # nulls are last
        self._keys, self._order = _numbers(all_keys.take(order).combine_chunks()), _numbers(order)
        pa.default_memory_pool().release_unused()

    def rows(self, digests: Sequence[bytes | None]) -> tuple[list[int | None], pa.Table]:
        """Return, for each digest, which of the rows of a table is that of its file; None if it is
        new."""
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for number, digest in enumerate(digests):
            at = self._place(digest)
            if at is not None:
                piece = bisect_right(self._starts, at) - 1
                found[piece].append((at - self._starts[piece], number))
        taken = [
            self._pieces[piece].take(pa.array([at for at, _ in places]))
            for piece, places in found.items()
        ]
        table = pa.Table.from_batches(taken, self._pieces[0].schema if self._pieces else None)
        numbers = [number for places in found.values() for _, number in places]
        which: list[int | None] = [None] * len(digests)
        for row, (number, digest) in enumerate(
            zip(numbers, table.column("digest").to_pylist(), strict=True)
        ):
            which[number] = row if digest == digests[number] else None
        return which, table

    def _place(self, digest: bytes | None) -> int | None:
        """Return the row of a file whose digest begins as this one."""
        if digest is None:
            return None
        key = int.from_bytes(digest[:8], "little")
        at = bisect_left(self._keys, key)
        return self._order[at] if at < len(self._keys) and self._keys[at] == key else None


_KEY = pa.uint64()


def _keys(digests: pa.Array) -> pa.Array:
    """Return the first eight bytes of each digest as a number."""
    return pc.binary_slice(digests, 0, 8).cast(pa.binary(8)).view(_KEY)


def _numbers(of: pa.Array) -> memoryview:
    return memoryview(of.buffers()[1] or b"").cast("Q")[of.offset : of.offset + len(of)]


def _expect_alike(name: str, old: pa.Schema, new: pa.Schema) -> None:
    """Refuse a table whose rows are other ones than this scan would write."""
    said, wanted = metadata_of(old), metadata_of(new)
    differs = next((key for key, value in wanted.items() if said.get(key) != value), None)
    if differs is None and old.names != new.names:
        differs = "columns"
    if differs is not None:
        what = differs.removeprefix("verger.")
        differ = "differ" if what.endswith("s") else "differs"
        why = f"{quoted(name)} is not the table of such a scan: its {what} {differ}"
        raise InvalidOption(why, "scan with the same options and version, or leave it out")


def digests_of(bodies: pa.ChunkedArray) -> list[bytes | None]:
    """Return the digest of each body."""
    return [None if body is None else sha256(body).digest() for body in bodies.to_pylist()]
