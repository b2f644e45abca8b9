"""Every form of a column, and every library that offers one, gives the same rows."""

from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import verger
from bulk.conftest import FILE, SITE, TOKEN, URLS, Row, answer, column, rows_of
from verger.bulk import DecisionStream, Table, decide_stream, decide_table

ROBOTS = verger.parse(FILE, url=f"{SITE}/robots.txt")
TEXTS: list[str | None] = [*URLS, None, *URLS[:3], None]
EXPECTED = [answer(ROBOTS, TOKEN, url) for url in TEXTS]
INDEX_TYPES = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint64()]


def decided(urls: Any) -> list[Row]:
    return rows_of(decide_table(urls, ROBOTS, TOKEN))


# Types


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text(kind: pa.DataType) -> None:
    """Text with short and with long offsets, and views."""
    assert EXPECTED == decided(column(TEXTS, kind))


@pytest.mark.parametrize("kind", INDEX_TYPES, ids=str)
def test_dictionary(kind: pa.DataType) -> None:
    """A dictionary may be numbered by any type of integer."""
    values = list(dict.fromkeys(url for url in TEXTS if url is not None))
    keys = [None if url is None else values.index(url) for url in TEXTS]
    urls = pa.DictionaryArray.from_arrays(pa.array(keys, kind), values)

    assert EXPECTED == decided(pa.table({"url": urls}))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary()])
def test_dictionary_values(kind: pa.DataType) -> None:
    """A dictionary may hold any form of text; keys and values may be null."""
    urls = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 2, 0], pa.int32()), pa.array(["/private", None, "/x"], kind)
    )

    assert [False, None, None, True, False] == [allowed for allowed, _, _ in decided(urls)]
    assert ["NULL_URL", "NULL_URL"] == [reason for _, reason, _ in decided(urls)][1:3]


def test_dictionary_without_values() -> None:
    """Nothing but null keys, and no value at all: all rows are null."""
    urls = pa.DictionaryArray.from_arrays(pa.array([None, None], pa.int8()), pa.array([], "str"))

    assert [(None, "NULL_URL", None)] * 2 == decided(urls)


def test_nothing_but_nulls() -> None:
    """A column of type null, and one of text without any: all rows are null."""
    for kind in (pa.null(), pa.string(), pa.string_view(), pa.large_string()):
        assert [(None, "NULL_URL", None)] * 3 == decided(column([None] * 3, kind))


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), "str")]
)
@pytest.mark.parametrize(("start", "count"), [(0, 3), (1, 4), (7, 9), (5, 0), (len(TEXTS) - 1, 1)])
def test_slices(kind: pa.DataType, start: int, count: int) -> None:
    """A slice begins where it begins, as a column, a batch, a table, and a struct."""
    urls = pa.array(TEXTS, "str").cast(kind)
    batch = pa.RecordBatch.from_arrays([pa.nulls(len(TEXTS)), urls], ["other", "url"])
    struct = pa.StructArray.from_arrays([urls, urls], ["other", "url"])
    for whole in (urls, batch, pa.table(batch), struct):
        assert EXPECTED[start : start + count] == decided(whole.slice(start, count))


def test_slice_of_a_slice_of_a_struct() -> None:
    """Offsets of a struct and of its column add up."""
    urls = pa.array(["/x", "/x", *TEXTS], "str").slice(2)
    struct = pa.StructArray.from_arrays([urls], ["url"]).slice(3).slice(2, 6)

    assert EXPECTED[5:11] == decided(struct)


# Pieces


def test_pieces() -> None:
    """A column in pieces, some of them empty, is one column."""
    pieces = [TEXTS[:1], [], TEXTS[1:5], TEXTS[5:5], TEXTS[5:]]
    urls = pa.chunked_array([pa.array(piece, "str") for piece in pieces])

    assert EXPECTED == decided(urls)
    assert EXPECTED == decided(pa.table({"url": urls}))


def test_pieces_with_dictionaries_of_their_own() -> None:
    """Every piece of a dictionary column may number its values anew."""
    urls = pa.chunked_array(
        [
            pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["/private", "/x"]),
            pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), ["/x", "/private"]),
        ]
    )

    assert [False, True, True, False] == [allowed for allowed, _, _ in decided(urls)]


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.null(), pa.binary()], ids=str)
def test_no_rows(kind: pa.DataType) -> None:
    """No piece, or an empty one: a table without rows, with all its columns."""
    for urls in (pa.chunked_array([], kind), pa.array([], kind), column([], kind)):
        found = pa.table(decide_table(urls, ROBOTS, TOKEN))

        assert 0 == found.num_rows
        assert ["allowed", "reason", "line"] == found.column_names


def test_more_rows_than_a_worker_takes_at_once() -> None:
    """Rows keep their places over the borders of pieces and blocks."""
    urls = [f"/{'private' if n % 3 == 0 else 'x'}/{n}" for n in range(10_001)]
    pieces = pa.chunked_array([urls[:4_095], urls[4_095:4_097], urls[4_097:]])

    found = [allowed for allowed, _, _ in decided(pieces)]

    assert [n % 3 != 0 for n in range(10_001)] == found


# What comes out


def test_schema() -> None:
    """Allowed may be null, the reason never, the line may; a dictionary holds the reasons."""
    schema = pa.schema(decide_table(column(TEXTS), ROBOTS, TOKEN))

    assert schema == pa.schema(
        [
            pa.field("allowed", pa.bool_()),
            pa.field("reason", pa.dictionary(pa.int8(), pa.string()), nullable=False),
            pa.field("line", pa.int32()),
        ]
    )


def test_sound() -> None:
    """pyarrow's full validation finds nothing to complain about."""
    table = pa.table(decide_table(column(TEXTS), ROBOTS, TOKEN))
    table.validate(full=True)

    assert 0 == table["reason"].null_count


def test_table_is_read_as_often_as_asked() -> None:
    """A table knows its rows and columns, and can be read again."""
    table = decide_table(column(TEXTS), ROBOTS, TOKEN)

    assert len(TEXTS) == len(table)
    assert ["allowed", "reason", "line"] == table.column_names
    assert EXPECTED == rows_of(table) == rows_of(table)
    assert f"Table({len(TEXTS)} rows, columns=allowed, reason, line)" == repr(table)


# Libraries

SOURCES: dict[str, Callable[[pa.Table], Any]] = {
    "pyarrow table": lambda table: table,
    "pyarrow batch": lambda table: table.to_batches()[0],
    "pyarrow reader": lambda table: table.to_reader(max_chunksize=4),
    "pyarrow pieces": lambda table: table["url"],
    "pyarrow array": lambda table: table["url"].combine_chunks(),
    "pyarrow struct": lambda table: table.to_struct_array(),
    "polars frame": pl.DataFrame,
    "polars series": lambda table: pl.Series(table["url"]),
    "polars categories": lambda table: pl.Series(table["url"], dtype=pl.Categorical),
    "pandas frame": lambda table: table.to_pandas(),
    "pandas series": lambda table: table.to_pandas()["url"],
    "pandas objects": lambda table: table.to_pandas().astype(object),
    "pandas categories": lambda table: table.to_pandas().astype("category"),
    "pandas with another index": lambda table: table.to_pandas().set_index(
        pd.Index(range(len(table), 0, -1), name="n")
    ),
    "duckdb relation": lambda table: duckdb.connect().from_arrow(table),
    "duckdb reader": lambda table: duckdb.connect().from_arrow(table).to_arrow_reader(4),
    "polars through a reader": lambda table: pa.RecordBatchReader.from_stream(pl.DataFrame(table)),
}


@pytest.mark.parametrize("source", SOURCES)
def test_source(source: str) -> None:
    """A table or column of each library gives the rows that it gives in pyarrow."""
    assert EXPECTED == decided(SOURCES[source](column(TEXTS)))


SINKS: dict[str, Callable[[Table | DecisionStream], Any]] = {
    "pyarrow table": lambda result: pa.table(result).to_pylist(),
    "pyarrow reader": lambda result: (
        pa.RecordBatchReader.from_stream(result).read_all().to_pylist()
    ),
    "polars frame": lambda result: pl.DataFrame(result).to_dicts(),
    "pandas frame": lambda result: [
        {key: None if pd.isna(value) else value for key, value in row.items()}
        for row in pd.DataFrame.from_arrow(result).astype(object).to_dict("records")
    ],
    "duckdb": lambda result: [
        dict(zip(("allowed", "reason", "line"), row, strict=True))
        for row in duckdb.connect().from_arrow(result).fetchall()
    ],
}


@pytest.mark.parametrize("decide", [decide_table, decide_stream])
@pytest.mark.parametrize("sink", SINKS)
def test_sink(sink: str, decide: Callable[..., Table | DecisionStream]) -> None:
    """Each library reads tables and streams of decisions, and finds the same rows there."""
    found = SINKS[sink](decide(column(TEXTS), ROBOTS, TOKEN))

    assert EXPECTED == [(row["allowed"], row["reason"], row["line"]) for row in found]


def test_beside_the_urls() -> None:
    """The columns can be put beside those that came: the rows are in order."""
    frame = pl.DataFrame({"url": [url for url in TEXTS if url], "n": range(len(TEXTS) - 3)})
    both = pl.concat([frame, pl.DataFrame(decide_table(frame, ROBOTS, TOKEN))], how="horizontal")

    assert ["url", "n", "allowed", "reason", "line"] == both.columns
    assert all(
        answer(ROBOTS, TOKEN, row["url"]) == (row["allowed"], row["reason"], row["line"])
        for row in both.to_dicts()
    )


def test_column_of_another_name() -> None:
    """`column` names the column; a lone column needs no name."""
    table = pa.table({"n": [1, 2], "page": ["/private", "/x"]})

    assert [False, True] == [
        row[0] for row in rows_of(decide_table(table, ROBOTS, TOKEN, column="page"))
    ]
    assert [False, True] == [
        row[0] for row in rows_of(decide_table(table["page"], ROBOTS, TOKEN, column="other"))
    ]
