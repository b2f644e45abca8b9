"""Tables of URLs in the forms in which people have them, and results as data frames.

In: a list of URLs, a lazy frame, or a table that is one already. Out: what has the Arrow PyCapsule
interface; `polars.DataFrame`, `pandas.DataFrame`.
"""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from verger._core import DecisionStream, Table, _opened, _stream_kept
from verger.captures.column_names import Columns
from verger.errors import InvalidTable, MissingExtra
from verger.files.input_errors import no_column
from verger.options import expect_several
from verger.untrusted_text import octets_of, quoted

if TYPE_CHECKING:
    import numpy
    import polars

Urls: TypeAlias = (
    "Columns | Sequence[str | None] | numpy.ndarray[Any, Any] | Mapping[str, Any]"
    " | polars.LazyFrame"
)
"""URLs as `decide_table` takes them."""

READ_FIRST = (
    "read it first, such as `polars.read_parquet(path)`; `verger.bulk.filter` reads files itself"
)


def to_polars(table: Table) -> Any:
    """Return a table as a `polars.DataFrame`. Raises MissingExtra."""
    with _needing("polars", "Table.to_polars"):
        import polars
    return polars.DataFrame(table)


def to_pandas(table: Table) -> Any:
    """Return a table as a `pandas.DataFrame`. Raises MissingExtra."""
    with _needing("pandas pyarrow", "Table.to_pandas"):
        import pandas
        import pyarrow
    nullable = {pyarrow.bool_(): pandas.BooleanDtype(), pyarrow.int32(): pandas.Int32Dtype()}
    return pyarrow.table(table).to_pandas(types_mapper=nullable.get)


def as_columns(urls: Urls) -> Columns:
    """Return a list or an array of URLs, a mapping of columns, or a lazy frame of polars as a
    column or a table; others unchanged.

    Raises: TypeError for a path, and for a list of anything but text; MissingExtra.
    """
    if isinstance(urls, str | bytes | PathLike):
        kind = type(urls).__name__
        said = f"`urls` must be a table, a column or a list of URLs, not {kind}"
        raise TypeError(f"{said}: a path is not opened; {READ_FIRST}")
    if isinstance(urls, list | tuple):
        for each in urls:
            if not isinstance(each, str | None):
                kind = type(each).__name__
                raise TypeError(f"`urls` must be a list of text, and one item is {kind}")
    is_array = hasattr(urls, "__array__") and not hasattr(urls, "__arrow_c_stream__")
    if is_array or isinstance(urls, list | tuple | Mapping):
        return _arrow(urls)
    if type(urls).__name__ == "LazyFrame" and type(urls).__module__.startswith("polars"):
        return cast("polars.LazyFrame", urls).collect()
    return cast(Columns, urls)


def _arrow(values: Any) -> Columns:
    """Return a list, or an array of numpy or pandas, as a column; a mapping of them as a table."""
    with _needing("pyarrow", "a list, an array or a mapping"):
        import pyarrow
    try:
        if isinstance(values, Mapping):
            return cast(
                Columns, pyarrow.table({name: _arrow(each) for name, each in values.items()})
            )
        return cast(Columns, pyarrow.array(values, from_pandas=True))
    except UnicodeEncodeError:
        # bytes that are not UTF-8 are lone surrogates, as in `decide`
        encoded = (value if value is None else octets_of(value) for value in values)
        return cast(Columns, pyarrow.array(encoded, pyarrow.large_binary()))
    except (pyarrow.ArrowException, TypeError) as error:
        said = f"`urls` cannot be read as columns: {error}"
        raise InvalidTable(said, "pass texts, one for each row") from None


def keep_columns(
    urls: Columns, keep: Sequence[str], column: str, decide: Callable[[Columns], Table]
) -> DecisionStream:
    """Decide a table batch by batch, and put columns of it before its decisions.

    Raises: InvalidTable, MissingExtra.
    """
    expect_several("keep", keep, "names of columns")
    with _needing("pyarrow", "keep"):
        import pyarrow
    names, opened = _opened(urls, "urls")
    for name in (column, *keep):
        if names.count(name) != 1:
            raise no_column("`urls`", name, names)
    reader = pyarrow.RecordBatchReader.from_stream(opened)
    decided = pyarrow.schema(decide(reader.schema.empty_table()))
    if twice := set(keep).intersection(decided.names):
        raise InvalidTable(f"{quoted(min(twice))} is a column of the answer", "rename your own")
    schema = pyarrow.schema([*map(reader.schema.field, keep), *decided])
    columns = (
        [*batch.select(keep), *(each.combine_chunks() for each in pyarrow.table(decide(batch)))]
        for batch in reader
    )
    rows = (pyarrow.RecordBatch.from_arrays(each, schema=schema) for each in columns)
    return _stream_kept(pyarrow.RecordBatchReader.from_batches(schema, rows))


def _needing(packages: str, what: str) -> MissingExtra:
    said = f"`{what}` needs packages that are not installed"
    return MissingExtra(said, f"pip install {packages}")
