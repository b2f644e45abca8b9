"""Columns: what is missing or of another type is named, with what to do."""

import pyarrow as pa
import pytest

from verger.errors import InvalidTable
from verger.files.columns import expect_kind, no_column


def test_column_that_is_not_there() -> None:
    """The nearest name is proposed, else all are told; what a table needs may be said instead."""
    asked = [
        no_column("`t.csv`", "ulr", ["id", "url"], option="--column "),
        no_column("`t.csv`", "page", ["id", "x\x1b"]),
        no_column("`t.csv`", "page", []),
        no_column("`t.csv`", "page", ["pages"], needs="a page is needed"),
    ]

    assert {"no column `ulr` in `t.csv`", "no column `page` in `t.csv`"} == {
        error.message for error in asked
    }
    assert [
        "did you mean `--column url`?",
        "the columns are `id`, `x\\x1b`",
        "it has no columns",
        "a page is needed",
    ] == [error.hint for error in asked]


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
