"""Tables of URLs in the forms in which people have them, and results as data frames.

In: a list of URLs, a lazy frame, or a table that is one already. Out: what has the Arrow PyCapsule
interface; `polars.DataFrame`, `pandas.DataFrame`.
"""

from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from verger._core import Table
from verger.captures.columns import Columns
from verger.errors import MissingExtra

if TYPE_CHECKING:
    import polars

Urls: TypeAlias = "Columns | list[str] | tuple[str, ...] | polars.LazyFrame"
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
        import pyarrow  # noqa: F401 (pandas reads Arrow with it)
    return pandas.DataFrame.from_arrow(table)


def as_columns(urls: Urls) -> Columns:
    """Return a list of URLs or a lazy frame of polars as a column or a table; others unchanged.

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
        with _needing("pyarrow", "a list of URLs"):
            import pyarrow
        return cast(Columns, pyarrow.array(map(_encoded, urls), pyarrow.large_binary()))
    if type(urls).__name__ == "LazyFrame" and type(urls).__module__.startswith("polars"):
        return cast("polars.LazyFrame", urls).collect()
    return cast(Columns, urls)


def _encoded(url: str | None) -> bytes | None:
    """Return a URL as bytes; those that are not UTF-8 are lone surrogates, as in `decide`."""
    if url is None:
        return None
    try:
        return url.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return url.encode("utf-8", "surrogatepass")


def _needing(packages: str, what: str) -> MissingExtra:
    said = f"`{what}` needs packages that are not installed"
    return MissingExtra(said, f"pip install {packages}")
