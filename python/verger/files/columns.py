"""Columns of tables: the one that is missing, and the packages that Parquet needs.

In: what a table is called, and the names of its columns. Out: an `InvalidTable` that names the
table, the column, and what to do. Nothing here needs Arrow; `parquet` checks types.
"""

from collections.abc import Sequence

from verger.errors import InvalidTable, MissingExtra
from verger.plain import closest, printable, quoted, shortened

SHOWN = 20
"""The most columns that a hint lists."""

WIDEST = 40
"""The most characters of a name in a hint."""


def require_pyarrow(what: str) -> None:
    """Raise `MissingExtra` for `what` if pyarrow is not installed."""
    with MissingExtra.unless_installed("parquet", what):
        import pyarrow.parquet  # noqa: F401


def no_column(
    shown: str, column: str, present: Sequence[str], *, option: str = "", needs: str | None = None
) -> InvalidTable:
    """Return the error for a missing column.

    shown:   what the message calls the table, such as `` `urls.csv` ``.
    option:  the option that names another column on the command line, such as `--column `.
    needs:   a hint that says which columns are needed, instead of listing those present.
    """
    message = f"no column {quoted(column)} in {shown}"
    if needs is not None:
        return InvalidTable(message, needs)
    near = closest(column, present)
    if near is not None:
        return InvalidTable(message, f"did you mean `{option}{printable(near)}`?")
    names = ", ".join(f"`{shortened(printable(name), WIDEST)}`" for name in present[:SHOWN])
    return InvalidTable(message, f"the columns are {names}" if names else "it has no columns")
