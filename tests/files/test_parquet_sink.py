"""Parquet files written: row groups of one size, compressed."""

import pyarrow as pa
import pytest
from pyarrow.parquet import FileMetaData, ParquetFile

from verger.files.parquet_sink import ParquetSink

SCHEMA = pa.schema([("n", pa.int64())])


def batch(rows: int) -> pa.RecordBatch:
    return pa.record_batch([list(range(rows))], schema=SCHEMA)


def written(*sizes: int, is_ended: bool = False) -> FileMetaData:
    """Return what a file says of itself that batches of these sizes went into."""
    output = pa.BufferOutputStream()
    with ParquetSink(output, SCHEMA, group_rows=10) as sink:
        for size in sizes:
            sink.write(batch(size))
            if is_ended:
                sink.end_group()
    return ParquetFile(pa.BufferReader(output.getvalue())).metadata


def groups(metadata: FileMetaData) -> list[int]:
    return [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)]


@pytest.mark.parametrize("sizes", [(25,), (1,) * 25, (9, 9, 7)])
def test_groups_depend_on_the_number_of_rows(sizes: tuple[int, ...]) -> None:
    """However rows come in batches, row groups have the same borders."""
    assert [10, 10, 5] == groups(written(*sizes))


def test_a_group_can_be_ended() -> None:
    """The next rows are in another; without rows there is none."""
    assert [3, 4] == groups(written(3, 0, 4, is_ended=True))


def test_columns_are_compressed_by_zstd() -> None:
    """So are those of every command."""
    assert "ZSTD" == written(5).row_group(0).column(0).compression
