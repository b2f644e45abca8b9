"""Columns of tables: whether they exist and have the right type.

In: the name of a file, the names or Arrow types of its columns, and what is wanted. Out: nothing,
or an `InvalidTable` that names the file, the column, and what to do. Arrow is imported when types
are checked.
"""

from collections.abc import Sequence

from verger.errors import InvalidTable
from verger.plain import closest, printable, quoted, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from pyarrow import DataType

    Fits = Callable[[DataType], bool]

SHOWN = 20
"""The most columns that a hint lists."""

WIDEST = 40
"""The most characters of a name in a hint."""


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


def expect_kind(file: str, column: str, found: "DataType", wanted: str) -> None:
    """Raise InvalidTable unless a column is of a kind; a column of nulls is of every kind.

    wanted:  one of the kinds of `kinds()`, in words.
    """
    if not has_kind(found, wanted):
        raise other_kind(file, column, found, wanted)


def has_kind(found: "DataType", wanted: str) -> bool:
    """Whether a column of this type holds what is wanted, or only nulls."""
    from pyarrow import types

    plain = found.value_type if types.is_dictionary(found) else found
    return bool(types.is_null(plain) or kinds()[wanted](plain))


def other_kind(
    file: str,
    column: str,
    found: object,
    wanted: str,
    *,
    hint: str = "name another column, or cast it",
) -> InvalidTable:
    """Return the error for a column that holds something else."""
    where = f"the column {quoted(column)} of {quoted(file)}"
    return InvalidTable(f"{where} holds `{found}`, not {wanted}", hint)


def is_text(found: "DataType") -> bool:
    """Whether a column of this type holds text."""
    from pyarrow import types

    return bool(
        types.is_string(found) or types.is_large_string(found) or types.is_string_view(found)
    )


def is_bytes(found: "DataType") -> bool:
    """Whether a column of this type holds bytes."""
    from pyarrow import types

    return bool(
        types.is_binary(found) or types.is_large_binary(found) or types.is_binary_view(found)
    )


def kinds() -> "dict[str, Fits]":
    """Return the kinds of values that columns may hold, and a check of the type for each."""
    from pyarrow import types

    def is_written(found: "DataType") -> bool:
        return is_text(found) or is_bytes(found)

    def is_time(found: "DataType") -> bool:
        return bool(types.is_timestamp(found) or types.is_date(found)) or is_written(found)

    def is_number(found: "DataType") -> bool:
        return bool(types.is_integer(found) or types.is_floating(found))

    return {
        "text": is_written,
        "text or bytes": is_written,
        # pandas writes a column without any text as floats
        "words or nothing": lambda found: is_written(found) or bool(types.is_floating(found)),
        "numbers": is_number,
        "times or numbers": lambda found: is_time(found) or is_number(found),
    }
