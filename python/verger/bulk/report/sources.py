"""The tables of a report: found, checked, and read batch by batch.

In: paths of Parquet files, folders of them, glob patterns. Out: `ReportInput`s, each a table of
schema `verger.scan/1` or `verger.changes/1`, and their columns in batches, so that no whole table
is in memory. A table without `verger.schema`, as from other tools, is recognised by its columns.
Knows nothing of what is counted.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING

from verger.bulk.columns import CHANGES_SCHEMA, RECORDS_SCHEMA, SCAN_SCHEMA, metadata_of
from verger.errors import InvalidTable, UnusableOutput
from verger.files.apart import HINT as OTHER_OUTPUT
from verger.files.apart import expect_apart
from verger.files.columns import is_bytes, is_text, no_column, other_kind
from verger.files.parquet import open_parquet, read_batches
from verger.files.places import is_stream
from verger.files.reading import damaged
from verger.files.writing import real_path
from verger.plain import quoted

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 65_536
"""The most rows of a batch."""

HINT = "`verger scan` and `verger diff` write tables that a report can be made of"


@dataclass(frozen=True, slots=True)
class ReportInput:
    """One file, and the content of its footer."""

    path: Path
    rows: int
    fields: tuple[str, ...]
    """The fields that it counts."""
    crawlers: tuple[str, ...]
    """The product tokens that it has columns for."""
    dialect: str | None
    version: str | None
    is_of_changes: bool = False

    def batches(self, columns: Sequence[str]) -> "Iterator[pa.RecordBatch]":
        """Yield these columns of all rows, in their order; dots lead into structs."""
        read = 0
        with open_parquet(self.path) as file:
            for batch in read_batches(str(self.path), file, columns, BATCH):
                read += batch.num_rows
                yield batch
        if read != self.rows:
            raise InvalidTable(f"`{self.path}` changed while it was read", "run it again")


def sources_of(paths: "Sequence[str | PathLike[str]]") -> list[ReportInput]:
    """Return every table that the paths name, each once, in their order.

    Raises `InvalidTable` for a missing file, or one that is not a table of a scan.
    """
    found: dict[Path, ReportInput] = {}
    for path in paths:
        try:
            for file, is_named in _files(fspath(path)):
                place = Path(os.path.realpath(file))  # which resolves a loop to itself
                if place not in found and (source := _check(file, is_named=is_named)):
                    found[place] = source
        except OSError as error:
            raise damaged(fspath(path), error) from None
    return list(found.values())


def expect_unread(
    output: "str | PathLike[str]",
    paths: "Sequence[str | PathLike[str]]",
    sources: Sequence[ReportInput],
) -> None:
    """Refuse an output that is a table, or that the next run would read as one.

    Raises `UnusableOutput`.
    """
    expect_apart([output], inputs=[source.path for source in sources])
    if is_stream(fspath(output)):
        return
    place = Path(real_path(output))
    for path in paths:
        word = fspath(path)
        if any(_would_read(folder, pattern, place) for folder, pattern in _looked_in(word)):
            why = f"`{fspath(output)}` is where tables are read: `{word}`"
            raise UnusableOutput(why, OTHER_OUTPUT)


def _looked_in(word: str) -> Iterator[tuple[Path, str]]:
    """Yield the folders in which a path finds tables, and the pattern of their names."""
    path = Path(word)
    if path.is_dir():
        yield path, "**/*.parquet"
    elif not path.exists() and has_magic(word):
        above = str(path.parent)
        folders = glob(above, recursive=True) if has_magic(above) else [above]  # noqa: PTH207
        yield from ((Path(folder), path.name) for folder in folders)
        matches = map(Path, glob(word, recursive=True))  # noqa: PTH207
        yield from ((match, "**/*.parquet") for match in matches if match.is_dir())


def _would_read(folder: Path, pattern: str, place: Path) -> bool:
    is_below = pattern.startswith("**")
    around = place.parents if is_below else [place.parent]
    return folder.resolve() in around and fnmatch(place.name, pattern.rpartition("/")[2])


def _files(word: str) -> Iterator[tuple[Path, bool]]:
    """Yield files, and whether the path names each directly."""
    path = Path(word)
    if path.is_dir():
        yield from ((file, False) for file in _files_below(path))
    elif not path.exists() and has_magic(word):
        # Path.glob takes no absolute pattern
        matches = [Path(match) for match in sorted(glob(word, recursive=True))]  # noqa: PTH207
        if not matches:
            raise InvalidTable(f"no file is named like `{word}`", HINT)
        for match in matches:
            yield from (
                (file, False) for file in (_files_below(match) if match.is_dir() else [match])
            )
    else:
        yield path, True


def _files_below(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, without those that other tools hide there."""
    files = [
        file
        for file in sorted(folder.rglob("*.parquet"))
        if file.is_file()
        and not any(part.startswith((".", "_")) for part in file.relative_to(folder).parts)
    ]
    if not files:
        raise InvalidTable(f"no Parquet file in the folder `{folder}`", HINT)
    return files


def _check(path: Path, *, is_named: bool) -> ReportInput | None:
    """Return the table of a file; None for one of records that the path does not name."""
    with open_parquet(path) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
    told = metadata_of(schema)
    name = told.get("verger.schema")
    if name == RECORDS_SCHEMA and not is_named:
        return None  # it may be in the same folder as a scan
    if name not in (SCAN_SCHEMA, CHANGES_SCHEMA, None):
        raise InvalidTable(f"`{path}` holds `{name}`, not `{SCAN_SCHEMA}`", HINT)
    if name == CHANGES_SCHEMA or (name is None and "severity" in schema.names):
        _check_columns(path, schema, _needed_of_changes())
        return ReportInput(path, rows, (), (), None, None, is_of_changes=True)
    _check_columns(path, schema, _needed())
    return ReportInput(
        path=path,
        rows=rows,
        fields=_members(schema.field("fields")),
        crawlers=_members(schema.field("crawlers")),
        dialect=told.get("verger.dialect"),
        version=told.get("verger.version"),
    )


# The columns


def _check_columns(path: Path, schema: "pa.Schema", needed: "dict[str, tuple[str, Fits]]") -> None:
    for name, (what, fits) in needed.items():
        if schema.names.count(name) > 1:
            raise InvalidTable(f"several columns `{name}` in `{path}`", HINT)
        if name not in schema.names:
            raise no_column(quoted(str(path)), name, schema.names, needs=HINT)
        found = schema.field(name).type
        if not fits(found):
            raise other_kind(str(path), name, found, what, hint=HINT)


Fits = Callable[["pa.DataType"], bool]


def _needed_of_changes() -> dict[str, tuple[str, Fits]]:
    from pyarrow import types

    def texts(found: "pa.DataType") -> bool:
        is_list = bool(types.is_list(found) or types.is_large_list(found))
        return is_list and is_text(found.value_type)

    return {
        "origin": ("text", is_text),
        "severity": ("text", is_text),
        "agents": ("a list of text", texts),
        "purposes": ("a list of text", texts),
    }


def _needed() -> dict[str, tuple[str, Fits]]:
    """Return the columns that are read, their content, and the types that can have it."""
    from pyarrow import types

    def digest(found: "pa.DataType") -> bool:
        return is_bytes(found) or bool(types.is_fixed_size_binary(found))

    def several(found: "pa.DataType") -> bool:
        return bool(types.is_list(found) or types.is_large_list(found))

    def counts(found: "pa.DataType") -> bool:
        return bool(types.is_struct(found)) and all(types.is_integer(each.type) for each in found)

    def has(found: "pa.DataType", **members: Fits) -> bool:
        if not types.is_struct(found):
            return False
        own = {each.name: each.type for each in found}
        return all(name in own and fits(own[name]) for name, fits in members.items())

    return {
        "origin": ("text", is_text),
        "time": ("a time", types.is_timestamp),
        "status": ("a whole number", types.is_integer),
        "access": ("text", is_text),
        "bytes": ("a whole number", types.is_integer),
        "digest": ("bytes", digest),
        "truncated": ("true or false", types.is_boolean),
        "fields": ("a struct of whole numbers", counts),
        "findings": (
            "a list of structs with `code` and `count`",
            lambda found: (
                several(found) and has(found.value_type, code=is_text, count=types.is_integer)
            ),
        ),
        "sitemaps": ("a list of text", lambda found: several(found) and is_text(found.value_type)),
        "content_signals": (
            "a struct with `search`, `ai_input` and `ai_train`",
            lambda found: has(
                found,
                search=types.is_boolean,
                ai_input=types.is_boolean,
                ai_train=types.is_boolean,
            ),
        ),
        "posture": ("text", is_text),
        "crawlers": (
            "a struct of structs with `posture`",
            lambda found: (
                bool(types.is_struct(found))
                and all(has(each.type, posture=is_text) for each in found)
            ),
        ),
    }


def _members(field: "pa.Field") -> tuple[str, ...]:
    return tuple(member.name for member in field.type)
