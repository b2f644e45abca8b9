"""What runs in Spark's Python workers to read archives.

In: batches of names. Out: batches of captures, or of `verger.scan/1`. An archive that is not on a
local disk is fetched completely, in one request, before it is read.
"""

import logging
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, cast

import pyarrow as pa
from pyarrow import fs

from verger.bulk.scan import CAPTURES, Scanner, ScanReport, Skip, read_warc
from verger.errors import InvalidTable

IN_MEMORY = 64 << 20
"""The most bytes of an archive that are in memory; a larger one is on disk while it is read."""

log = logging.getLogger("verger")


def open_archive(path: str) -> BinaryIO:
    """Open a file by its path or URL. Raises OSError."""
    if "://" not in path:
        return Path(path).open("rb", buffering=0)
    system, name = fs.FileSystem.from_uri(path)
    if isinstance(system, fs.LocalFileSystem):
        return Path(name).open("rb", buffering=0)
    file = FetchedArchive(path)
    with system.open_input_stream(name) as stream:
        shutil.copyfileobj(stream, file, 1 << 20)
    return cast(BinaryIO, file)


class FetchedArchive(SpooledTemporaryFile[bytes]):
    """A file from another system, with the name that it has there."""

    def __init__(self, path: str) -> None:
        super().__init__(IN_MEMORY)
        self._path = path

    @property
    def name(self) -> str:
        """Return the URL."""
        return self._path


@dataclass(frozen=True, slots=True)
class ReadArchives:
    """Reads the archives named in the first column."""

    scanner: Scanner | None
    """Makes rows of captures; None keeps the captures."""
    opener: Callable[[str], BinaryIO]
    with_skips: bool

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows, without the column of skips."""
        return CAPTURES if self.scanner is None else self.scanner.schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from self.rows(name for name in batch.column(0).to_pylist() if name is not None)

    def rows(self, names: Iterable[str]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of archive after archive."""
        for name in names:
            yield from self._archive(name)

    def _archive(self, name: str) -> Iterator[pa.RecordBatch]:
        report = ScanReport()
        skips: list[Skip] = []
        with self.opener(name) as file:
            try:
                captures = read_warc(file, report)
                read = captures if self.scanner is None else self.scanner.scan_batches(captures)
                yield from map(self._with_skip, read)
            except InvalidTable as error:
                if not self.with_skips:
                    raise
                skips.append(Skip(name, 0, error.message))
        skips += [Skip(name, skip.offset, skip.why) for skip in report.skips]
        for skip in skips:
            log.warning("%s", skip)
        if self.with_skips and skips:
            yield self._of_skips(skips)

    def _with_skip(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        return (
            rows.append_column("skip", pa.nulls(rows.num_rows, SKIP)) if self.with_skips else rows
        )

    def _of_skips(self, skips: Sequence[Skip]) -> pa.RecordBatch:
        schema = self.schema
        column = pa.array(
            [{"archive": skip.file, "offset": skip.offset, "why": skip.why} for skip in skips], SKIP
        )
        nothing = [pa.nulls(len(skips), field.type) for field in schema]
        return pa.RecordBatch.from_arrays([*nothing, column], [*schema.names, "skip"])


SKIP = pa.struct([("archive", pa.string()), ("offset", pa.int64()), ("why", pa.string())])


@dataclass(frozen=True, slots=True)
class Names:
    """A compressed list of names: every task gets all of them, and they are similar."""

    data: bytes

    @classmethod
    def packed(cls, names: Sequence[str | os.PathLike[str]]) -> "Names":
        """Pack a list."""
        return cls(zlib.compress("\0".join(os.fspath(name) for name in names).encode()))

    def names(self) -> list[str]:
        """Return the list."""
        return _unpack(self.data)


@lru_cache(maxsize=1)
def _unpack(data: bytes) -> list[str]:
    return zlib.decompress(data).decode().split("\0")


@dataclass(frozen=True, slots=True)
class ReadNumbered:
    """Reads the archives with the numbers in the first column."""

    task: ReadArchives
    names: Names

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        names = self.names.names()
        for batch in batches:
            yield from self.task.rows(names[number] for number in batch.column(0).to_pylist())
