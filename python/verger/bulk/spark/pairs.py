"""What runs in Spark's Python workers to compare two snapshots.

In: files sorted by origin, each with its snapshot. Out: batches of `verger.changes/1`. Only the
files of some origins are in memory.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

import pyarrow as pa

from verger._core import Dialect
from verger.access.entry import binding_body, policy_of
from verger.access.observation import Observation, entry_observed, place_without_order
from verger.bulk.change_rows import ChangeRow, Comparison, batch_of
from verger.bulk.spark.workers import canonical

PAIRS_AT_ONCE = 128

File = tuple[str, Observation, bool]
"""Origin, observation, and whether it belongs to the new snapshot."""


@dataclass(frozen=True, slots=True)
class PlaceSide:
    """Gives files canonical origins, and notes which snapshot they belong to."""

    is_new: bool

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            side = pa.repeat(pa.scalar(self.is_new), batch.num_rows)
            yield canonical(batch).append_column("is_new", side)


@dataclass(frozen=True, slots=True)
class CompareByOrigin:
    """Compares the files of each origin, which are consecutive."""

    dialect: Dialect
    crawlers: tuple[str, ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        comparison = Comparison(self.dialect, self.crawlers, threads=1)
        pairs: list[tuple[str, bytes, bytes]] = []
        for origin, files in groupby(_files(batches), key=lambda file: file[0]):
            old, new = self._bodies(origin, list(files))
            if old is not None and new is not None and old != new:
                pairs.append((origin, old, new))
            if len(pairs) == PAIRS_AT_ONCE:
                yield _batch(comparison.rows(pairs))
                pairs = []
        yield _batch(comparison.rows(pairs))

    def _bodies(self, origin: str, files: list[File]) -> list[bytes | None]:
        """Return the file that applies in each snapshot; None if it is unknown."""
        files.sort(key=lambda file: place_without_order(file[1]))
        found: list[bytes | None] = []
        for is_new in (False, True):
            seen = [seen for _, seen, is_of in files if is_of is is_new]
            found.append(self._body(origin, seen) if seen else None)
        return found

    def _body(self, origin: str, seen: list[Observation]) -> bytes | None:
        entry = entry_observed(origin, seen)
        return binding_body(entry, policy_of(entry, self.dialect))


def _files(batches: Iterator[pa.RecordBatch]) -> Iterator[File]:
    for batch in batches:
        columns = (column.to_pylist() for column in batch.columns)
        for origin, body, status, time, failure, is_new in zip(*columns, strict=True):
            yield origin, Observation(time, status, failure, body), is_new


def _batch(rows: list[list[ChangeRow]]) -> pa.RecordBatch:
    return batch_of([row for some in rows for row in some])
