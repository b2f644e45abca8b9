"""Sinks: blocks become the octets of one output, behind its header.

In: the octets of blocks in their final order. Out: the same on a stream; Parquet's blocks become
row groups. Knows nothing of files, names and journals.
"""

import os
import sys

from verger.cli.exit import Failure
from verger.cli.filtering.formats import parquet_schema, table_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gzip import GzipFile
    from typing import IO, Protocol

    from pyarrow import Table

    from verger.cli.filtering.formats import Format
    from verger.cli.filtering.window import Sink

    class Stream(Protocol):
        """Where octets go."""

        def write(self, octets: bytes | memoryview, /) -> int | None:
            """Write octets; return how many were."""
            ...


ROW_GROUP = 131_072
"""Rows after which a row group is complete: the same for the same blocks."""


def sink_on(stream: "Stream", format_name: str, format_: "Format") -> "Sink":
    """Return what writes blocks of a format to a stream."""
    if format_name == "parquet":
        return ParquetFile(stream)
    return Octets(stream, format_.header)


def packed_sink_on(stream: "IO[bytes]", format_: "Format") -> "Sink":
    """Return what writes blocks of text to a stream, compressed; without a time or a name."""
    from gzip import GzipFile

    return _Packed(GzipFile("", "wb", 6, stream, mtime=0), format_.header)


class _Packed:
    """Blocks one behind the other, compressed."""

    def __init__(self, file: "GzipFile", header: bytes) -> None:
        self._file = file
        file.write(header)

    def write(self, octets: bytes) -> None:
        """Write a block."""
        self._file.write(octets)

    def close(self) -> None:
        """Write the footer; the stream stays open."""
        self._file.close()


class Octets:
    """Blocks one behind the other."""

    def __init__(self, stream: "Stream", header: bytes) -> None:
        self._stream = stream
        self.write(header)

    def write(self, octets: bytes) -> None:
        """Write all of it, which takes more than one call where the stream is a full pipe."""
        rest = memoryview(octets)
        while rest:
            rest = rest[self._stream.write(rest) or 0 :]

    def close(self) -> None:
        """Write nothing: there is no footer."""


class ParquetFile:
    """Blocks as row groups."""

    def __init__(self, stream: "Stream") -> None:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter

        self._sink = pa.PythonFile(_Counting(stream), mode="w")
        self._writer = ParquetWriter(self._sink, parquet_schema())
        self._tables: list[Table] = []
        self._rows = 0

    def write(self, octets: bytes) -> None:
        """Put a block into the row group."""
        table = table_of(octets)
        self._tables.append(table)
        self._rows += table.num_rows
        if self._rows >= ROW_GROUP:
            self._write_group()

    def close(self) -> None:
        """Write the last row group and the footer."""
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        import pyarrow as pa

        self._writer.write_table(pa.concat_tables(self._tables), row_group_size=self._rows)
        self._tables, self._rows = [], 0


class _Counting:
    """A stream that knows how far it is: Parquet asks, and a pipe does not say."""

    closed = False

    def __init__(self, stream: "Stream") -> None:
        self._octets = Octets(stream, b"")
        self._at = 0

    def write(self, octets: bytes) -> int:
        self._octets.write(octets)
        self._at += len(octets)
        return len(octets)

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """Do nothing: nothing waits here."""

    def close(self) -> None:
        """Leave the stream open; it is not ours."""


def stdout_for(format_name: str) -> "Stream":
    """Return stdout as octets; a thread that waits in it holds no lock of the interpreter's."""
    if format_name == "parquet" and sys.stdout.isatty():
        raise Failure("Parquet is no text for a terminal", "pass `--output FILE`")
    sys.stdout.flush()
    try:
        return _Descriptor(sys.stdout.fileno())
    except (OSError, ValueError):  # a test's, without a descriptor
        return sys.stdout.buffer


class _Descriptor:
    """An open file of the system."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, octets: bytes | memoryview) -> int:
        return os.write(self._descriptor, octets)
