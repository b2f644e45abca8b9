"""Columns of data frames, checked on the driver before any job runs.

In: a data frame and names of columns. Out: nothing, or `InvalidTable` with the messages of
`verger.bulk`. Names are used as written, including dots.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DoubleType,
    FloatType,
    IntegralType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
)

from verger.bulk.spark import workers
from verger.captures.columns import EXPORTED, is_export
from verger.captures.names import ROLES, snapshot_columns
from verger.captures.tables import expect_own_columns
from verger.errors import InvalidTable

TEXT = (StringType,)
BYTES = (StringType, BinaryType)
NUMBERS = (IntegralType, FloatType, DoubleType)
TIMES = (TimestampType, TimestampNTZType, *NUMBERS)
FAR_OUT = 1e9
"""No status is this large; a cast of larger numbers may fail."""

WORDS: dict[tuple[type[DataType], ...], str] = {
    TEXT: "text",
    BYTES: "text or binary",
    NUMBERS: "numbers",
    TIMES: "timestamps or numbers",
}

ROBOTS = StructType(
    [
        StructField("origin", StringType()),
        StructField("body", BinaryType()),
        StructField("status", LongType()),
        StructField("time", DoubleType()),
        StructField("failure", StringType()),
    ]
)
"""The files of a snapshot, as `workers.FILES` has them."""

DECIDED = ("allowed", "reason", "line")


@dataclass(frozen=True, slots=True)
class SnapshotColumns:
    """The columns of a snapshot; `status`, `time` and `failure` may be None."""

    origin: str
    body: str
    status: str | None = None
    time: str | None = None
    failure: str | None = None
    is_export: bool = False
    """Whether the snapshot is an exported cache, which is read as a whole."""

    @classmethod
    def found(
        cls,
        snapshot: DataFrame,
        wanted: Sequence[str | None],
    ) -> "SnapshotColumns":
        """Return the columns to read.

        wanted:  those that the caller named, in the order of `ROLES`; others have usual names.
        Raises InvalidTable for a column that is missing or of the wrong type.
        """
        check_frame(snapshot, "snapshot")
        shown = "the data frame"
        if is_export(snapshot.columns, shown):
            expect_own_columns(shown, zip(ROLES, wanted, strict=True))
            return cls("origin", "body", is_export=True)
        names = snapshot_columns(shown, snapshot.columns, wanted)
        for name, kind in zip(names, (BYTES, BYTES, NUMBERS, TIMES, TEXT), strict=True):
            if name is not None:
                check_column(snapshot, name, kind)
        return cls(*names)

    def select(self, snapshot: DataFrame) -> DataFrame:
        """Return only these columns, with the names of `verger.bulk`."""
        if self.is_export:
            return snapshot.select(*EXPORTED).mapInArrow(workers.observed, ROBOTS)
        columns = {"origin": column_named(self.origin), "body": column_named(self.body)}
        if self.status is not None:
            columns["status"] = _statuses(snapshot, self.status)
        if self.time is not None:
            columns["time"] = _numbers(snapshot, self.time)
        if self.failure is not None:
            columns["failure"] = column_named(self.failure)
        return snapshot.select(*(column.alias(name) for name, column in columns.items()))


def _statuses(snapshot: DataFrame, name: str) -> Column:
    """Return statuses as whole numbers; -1 for a number that cannot be one."""
    number = _numbers(snapshot, name)
    if isinstance(snapshot.schema[name].dataType, IntegralType):
        return number
    is_whole = (number % 1 == 0) & (functions.abs(number) < FAR_OUT)
    return functions.when(is_whole, number.cast("long")).when(number.isNotNull(), -1)


def _numbers(snapshot: DataFrame, name: str) -> Column:
    """Return a column in which NaN, which pandas writes for a null among numbers, is null."""
    column = column_named(name)
    if not isinstance(snapshot.schema[name].dataType, FloatType | DoubleType):
        return column
    return functions.when(~functions.isnan(column), column)


def check_frame(frame: object, what: Literal["urls", "snapshot", "paths"]) -> None:
    """Raise TypeError unless this is a data frame."""
    if not isinstance(frame, DataFrame):
        raise TypeError(f"`{what}` must be a Spark DataFrame, not {type(frame).__name__}")


def check_column(frame: DataFrame, name: str, kinds: tuple[type[DataType], ...]) -> None:
    """Raise InvalidTable unless exactly one column has this name, and one of these types."""
    fields = [field for field in frame.schema.fields if field.name == name]
    if not fields:
        names = ", ".join(f"`{column}`" for column in frame.columns) or "none"
        raise InvalidTable(
            f"the table has no column `{name}`", f"it has {names}; name the one to read"
        )
    if len(fields) > 1:
        raise InvalidTable(
            f"the table has {len(fields)} columns `{name}`", "rename all of them but one"
        )
    if not isinstance(fields[0].dataType, kinds):
        found = fields[0].dataType.simpleString()
        raise InvalidTable(
            f"the column `{name}` holds {found}, not {WORDS[kinds]}",
            "cast the column, or name another",
        )


def kept_columns(urls: DataFrame, keep: Sequence[str] | None) -> list[StructField]:
    """Return the columns to keep in the result.

    Raises InvalidTable for one that is missing, exists twice, or has the name of a column of the
    answer.
    """
    names = urls.columns if keep is None else list(keep)
    known = {field.name: field for field in urls.schema.fields}
    for name in names:
        if name not in known:
            check_column(urls, name, (DataType,))
    twice = _first_repeated([*names, *DECIDED])
    if twice is not None:
        raise InvalidTable(
            f"the result would have two columns `{twice}`",
            "rename the column, or name the columns to keep with `keep`",
        )
    return [known[name] for name in names]


def _first_repeated(names: Iterable[str]) -> str | None:
    # By default, Spark ignores case in the names of columns.
    seen: set[str] = set()
    for name in names:
        if name.casefold() in seen:
            return name
        seen.add(name.casefold())
    return None


def column_named(name: str) -> Column:
    """Return a column by its name, with any characters."""
    return functions.col("`" + name.replace("`", "``") + "`")


def is_hashable(data_type: DataType) -> bool:
    """Whether Spark can hash values of this type."""
    match data_type:
        case MapType() | VariantType():
            return False
        case ArrayType():
            return is_hashable(data_type.elementType)
        case StructType():
            return all(is_hashable(field.dataType) for field in data_type.fields)
    return True
