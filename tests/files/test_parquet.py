"""Parquet: a column of another type is named, with what it holds; files are written compressed,
in row groups of one size.
"""

from itertools import accumulate

import pyarrow as pa
import pytest
from pyarrow.parquet import FileMetaData, ParquetFile

from verger.errors import InvalidTable
from verger.files.parquet import ParquetSink, expect_kind, in_step

SCHEMA = pa.schema([("n", pa.int64())])


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.string(), "text"),
        (pa.large_binary(), "text or bytes"),
        (pa.dictionary(pa.int32(), pa.string()), "text"),
        (pa.uint8(), "numbers"),
        (pa.timestamp("ms", "UTC"), "times or numbers"),
        (pa.date32(), "times or numbers"),
        (pa.string(), "times or numbers"),
        (pa.float64(), "times or numbers"),
        (pa.float64(), "numbers"),
        (pa.null(), "numbers"),
    ],
    ids=str,
)
def test_columns_that_fit(kind: pa.DataType, wanted: str) -> None:
    """Columns count, not how a tool stores them."""
    expect_kind("t.parquet", "x", kind, wanted)


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (pa.int64(), "text"),
        (pa.string(), "numbers"),
        (pa.bool_(), "times or numbers"),
        (pa.list_(pa.string()), "text or bytes"),
        (pa.dictionary(pa.int32(), pa.int64()), "text"),
    ],
    ids=str,
)
def test_columns_that_do_not_fit(kind: pa.DataType, wanted: str) -> None:
    """The file, the column and both types are named."""
    with pytest.raises(InvalidTable) as caught:
        expect_kind("t.parquet", "x", kind, wanted)

    assert f"the column `x` of `t.parquet` holds `{kind}`, not {wanted}" == caught.value.message


# Written


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


@pytest.mark.parametrize("sizes", [(3, 3, 3), (3, 1, 3, 3, 2), (1,) * 7, (2, 0, 3, 3, 1), ()])
def test_pieces_have_the_same_rows_wherever_groups_end(sizes: tuple[int, ...]) -> None:
    """All but the last have three, and each row comes once, in order."""
    rows = pa.record_batch([pa.array(range(sum(sizes)))], ["n"])
    starts = accumulate(sizes, initial=0)
    given = [rows[start : start + size] for start, size in zip(starts, sizes, strict=False)]
    pieces = list(in_step(iter(given), 3))

    assert [3] * len(pieces[1:]) == [len(piece) for piece in pieces[:-1]]
    assert list(range(len(rows))) == [n for piece in pieces for n in piece["n"].to_pylist()]
