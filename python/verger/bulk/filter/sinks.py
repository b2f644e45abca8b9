"""Sinks: a header and blocks become the bytes of one output.

In: the bytes of blocks in their final order. Out: the same on a stream; blocks of Parquet become
row groups. Knows nothing of files, names and journals.
"""

from verger.bulk.filter.formats import parquet_schema, table_of
from verger.files.stdio import plain_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gzip import GzipFile

    from verger.bulk.filter.formats import RowFormat
    from verger.bulk.filter.window import Sink
    from verger.files.stdio import Stream
    from verger.files.writing import Output


ROW_GROUP = 131_072
"""Rows of a row group."""


def sink_on(output: "Output", format_name: str, format_: "RowFormat") -> "Sink":
    """Return a sink for blocks of a format; text has no effect on a terminal."""
    if format_name == "parquet":
        return ParquetFile(output)
    return Bytes(plain_on(output), format_.header)


def packed_sink_on(output: "Output", format_: "RowFormat") -> "Sink":
    """Return a sink that compresses blocks of text, without a time or a name in the header."""
    from gzip import GzipFile

    return _Packed(GzipFile("", "wb", 6, output, mtime=0), format_.header)


class _Packed:
    """Block after block, compressed."""

    def __init__(self, file: "GzipFile", header: bytes) -> None:
        self._file = file
        file.write(header)

    def write(self, data: bytes) -> None:
        """Write a block."""
        self._file.write(data)

    def close(self) -> None:
        """Write the footer; the stream stays open."""
        self._file.close()


class Bytes:
    """Block after block."""

    def __init__(self, stream: "Stream", header: bytes) -> None:
        self._stream = stream
        if header:
            self.write(header)

    def write(self, data: bytes) -> None:
        """Write a block."""
        self._stream.write(data)

    def close(self) -> None:
        """Write nothing: there is no footer."""


class ParquetFile:
    """Blocks as row groups."""

    def __init__(self, output: "Output") -> None:
        from verger.files.parquet_sink import ParquetSink

        self._sink = ParquetSink(output, parquet_schema(), group_rows=ROW_GROUP)

    def write(self, data: bytes) -> None:
        """Put a block into row groups."""
        for batch in table_of(data).to_batches():
            self._sink.write(batch)

    def close(self) -> None:
        """Write the last row group and the footer."""
        self._sink.close()
