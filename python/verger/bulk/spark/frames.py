"""Data frames: their columns, checked on the driver before any job runs, and the files in them.

In: a data frame and names of columns. Out: nothing, or `InvalidTable` with the messages of
`verger.bulk`; names are used as written, including dots. What runs in Spark's Python workers turns
batches of files into batches with canonical origins, statuses, times and failures.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, functions
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
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

from verger._core import _origins
from verger.access.observation import Observation, place_without_order
from verger.access.result import FAILURES
from verger.captures.batches import schema_of
from verger.captures.column_names import (
    BESIDE,
    COUNTED,
    FOLDED,
    ROLES,
    TRUNCATED,
    export_columns,
    is_export,
    snapshot_columns,
)
from verger.captures.tables import expect_own_columns, failure_of, observations, whole_rows
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

FILES = schema_of("origin", *FOLDED[1:], status=pa.int64(), time=pa.float64())
"""The files of a snapshot: fetch times in seconds since the epoch, and for how many a file has been
unreachable, if a cache counted that."""
IN_SPARK = {
    pa.string(): StringType(),
    pa.binary(): BinaryType(),
    pa.int64(): LongType(),
    pa.float64(): DoubleType(),
    pa.bool_(): BooleanType(),
}
ROBOTS = StructType([StructField(field.name, IN_SPARK[field.type]) for field in FILES])
"""The files of a snapshot, as `FILES` has them."""

ANSWER = [
    StructField("allowed", BooleanType()),
    StructField("reason", StringType(), nullable=False),
    StructField("line", IntegerType()),
]
"""The columns of a decision."""


def files_of(snapshot: DataFrame, wanted: Sequence[str | None]) -> DataFrame:
    """Return the files of a snapshot: its columns with the names of `verger.bulk`.

    wanted:  the columns that the caller named, in the order of `ROLES`; others have usual names.
    Raises InvalidTable for a column that is missing or of the wrong type.
    """
    check_frame(snapshot, "snapshot")
    shown = "the data frame"
    if is_export(snapshot.columns, shown):
        expect_own_columns(shown, zip(ROLES, wanted, strict=True))
        return snapshot.select(*export_columns(snapshot.columns)).mapInArrow(observed, ROBOTS)
    found = snapshot_columns(shown, snapshot.columns, wanted)
    *names, beside = found
    for name, kind in zip(names, (BYTES, BYTES, NUMBERS, TIMES, TEXT, NUMBERS), strict=True):
        if name is not None:
            check_column(snapshot, name, kind)
    columns = zip(ROBOTS.fields[:-1], names, strict=True)
    said = (
        column_named(name).cast("string").alias(role)
        for role, name in zip(BESIDE, beside, strict=True)
        if name is not None
    )
    return snapshot.select(*(_file_column(snapshot, field, name) for field, name in columns), *said)


def _file_column(snapshot: DataFrame, field: StructField, name: str | None) -> Column:
    """Return a column of files, null if the snapshot has none. NaN, which pandas writes for a null
    among numbers, is null, and a status that is no whole number is -1.
    """
    if name is None:
        return functions.lit(None).cast(field.dataType).alias(field.name)
    column = column_named(name)
    if isinstance(snapshot.schema[name].dataType, FloatType | DoubleType):
        column = functions.when(~functions.isnan(column), column)
        if field.name == "status":
            is_whole = (column % 1 == 0) & (functions.abs(column) < FAR_OUT)
            whole = functions.when(is_whole, column.cast("long"))
            column = whole.when(column.isNotNull(), -1)
    return column.alias(field.name)


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
    twice = _first_repeated([*names, *(field.name for field in ANSWER)])
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


# Files


def origins_of(urls: pa.Array, *, with_hosts: bool = False) -> pa.Array:
    """Return the origin of each URL, in canonical form; null for those without one.

    with_hosts:  whether a bare host such as `example.com` is the origin `https://example.com`.
    """
    found = pa.table(_origins(urls, "origin", with_hosts=with_hosts))
    return found.column("origin").combine_chunks()


def canonical(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return files with canonical origins.

    Raises InvalidTable for a row without an origin, or with an unknown failure.
    """
    origin = origins_of(batch.column("origin"), with_hosts=True)
    if origin.null_count:
        row = pc.index(origin.is_null(), True).as_py()
        _refuse(batch.column("origin")[row].as_py())
    rows = whole_rows(batch)
    return _files([origin, *map(rows.column, FOLDED[1:])])


def observed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn entries of an exported cache into their observations. Raises InvalidTable."""
    for seen in observations(batches, "in the data frame"):
        yield _files([seen.column(name) for name in FOLDED])


def _files(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    origin, body, status, time, failure, *more = columns
    failure = failure.cast(pa.string())
    try:
        for word in pc.unique(failure).to_pylist():
            failure_of(word)
    except ValueError as why:
        hint = f"it is null, or one of {', '.join(FAILURES)}"
        raise InvalidTable(f"a row of the snapshot: {why}", hint) from None
    return pa.RecordBatch.from_arrays(
        [origin, body.cast(pa.binary()), status.cast(pa.int64()), _seconds(time), failure, *more],
        schema=FILES,
    )


def _seconds(time: pa.Array) -> pa.Array:
    """Return times in seconds, to the microsecond, as `Snapshot.from_table` reads them."""
    if not pa.types.is_timestamp(time.type):
        seconds = time.cast(pa.float64(), safe=False)
        return pc.divide(pc.round(pc.multiply(seconds, 1e6)), 1e6)
    micros = time.cast(pa.timestamp("us", time.type.tz), safe=False).cast(pa.int64())
    return pc.divide(micros.cast(pa.float64(), safe=False), 1e6)


def _refuse(given: str | bytes | None) -> None:
    if given is None:
        raise InvalidTable(
            "the snapshot has a row without origin", "each row of a snapshot has an origin"
        )
    shown = given if isinstance(given, str) else given.decode("utf-8", "replace")
    raise InvalidTable(
        f"the snapshot has a row for `{shown[:200]}`, which is not an origin",
        "an origin looks like `https://example.com`",
    )


def ordered(files: pa.Table, *places: str) -> pa.Table:
    """Return files with those of one origin in the order in which they count.

    places:  columns that keep the files of an origin apart.
    """
    keys = list(zip(*(files.column(name).to_pylist() for name in (*places, "origin")), strict=True))
    if len(set(keys)) == len(keys):
        return files
    names = ("time", "status", "failure", "body", COUNTED, TRUNCATED)
    columns = (files.column(name).to_pylist() for name in names)
    order = [place_without_order(Observation(*row)) for row in zip(*columns, strict=True)]
    return files.take(pa.array(sorted(range(len(keys)), key=order.__getitem__), pa.int64()))
