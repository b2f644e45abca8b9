"""Parquet: a column of another type is named, with what it holds."""

import pyarrow as pa
import pytest

from verger.errors import InvalidTable
from verger.files.parquet import expect_kind


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
