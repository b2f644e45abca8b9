"""The tables of a report: found, and checked.

In: paths of Parquet files, folders of them, glob patterns. Out: `ReportInput`s, each a table of
schema `verger.scan/1` or `verger.changes/1`. A table without `verger.schema`, as from other tools,
is recognised by its columns.
Knows nothing of what is counted.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from glob import glob, has_magic
from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa
from pyarrow import types

from verger.captures.column_names import CHANGES_SCHEMA, RECORDS_SCHEMA, SCAN_SCHEMA
from verger.crawlers.purposes import USES as ALL_USES
from verger.errors import InvalidTable, UnusableOutput
from verger.files.addresses import state_of
from verger.files.input_errors import damaged, no_column
from verger.files.parquet import is_bytes, is_text, metadata_of, open_parquet, other_kind
from verger.files.paths import is_address, is_stream, real_path
from verger.files.same_file import HINT as OTHER_OUTPUT, expect_no_overwriting
from verger.untrusted_text import quoted

HINT = "`verger scan` and `verger diff` write tables that a report can be made of"


@dataclass(frozen=True, slots=True)
class ReportInput:
    """One file, and the content of its footer."""

    path: str
    modified: int | str | None
    """When the file was written, in nanoseconds; of an object its version."""
    layout: bytes
    """The columns and their types."""
    fields: tuple[str, ...]
    """The fields that it counts."""
    crawlers: tuple[str, ...]
    """The product tokens that it has columns for."""
    has_uses: bool
    """Whether it has the columns about use, which older versions of verger do not write."""
    dialect: str | None
    version: str | None
    is_of_changes: bool = False

    def expect_unchanged(self) -> None:
        """Raise `InvalidTable` if the file is another one by now."""
        if _modified(self.path) != self.modified:
            raise InvalidTable(f"`{self.path}` changed while it was read", "run it again")


def _modified(path: str) -> int | str | None:
    """Return what changes with the content of a file; None if it is gone."""
    return state_of(path)[1] if is_address(path) or Path(path).exists() else None


def sources_of(paths: "Sequence[str | PathLike[str]]") -> list[ReportInput]:
    """Return every table that the paths name, each once, in their order.

    Raises `InvalidTable` for a missing file, or one that is not a table of a scan.
    """
    found: dict[str, ReportInput] = {}
    for path in paths:
        try:
            for file, is_named in _files(fspath(path)):
                # which resolves a loop to itself
                place = file if is_address(file) else os.path.realpath(file)
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
    expect_no_overwriting([output], inputs=[source.path for source in sources])
    if is_stream(fspath(output)):
        return
    place = Path(real_path(fspath(output)))
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


def _files(word: str) -> Iterator[tuple[str, bool]]:
    """Yield files, and whether the path names each directly."""
    path = Path(word)
    if is_address(word):
        yield word, True
    elif path.is_dir():
        yield from ((str(file), False) for file in _files_below(path))
    elif not path.exists() and has_magic(word):
        # Path.glob takes no absolute pattern
        matches = [Path(match) for match in sorted(glob(word, recursive=True))]  # noqa: PTH207
        if not matches:
            raise InvalidTable(f"no file is named like `{word}`", HINT)
        for match in matches:
            yield from (
                (str(file), False) for file in (_files_below(match) if match.is_dir() else [match])
            )
    else:
        yield str(path), True


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


def _check(path: str, *, is_named: bool) -> ReportInput | None:
    """Return the table of a file; None for one of records that the path does not name."""
    with open_parquet(path) as file:
        schema, modified = file.schema_arrow, _modified(path)
    told = metadata_of(schema)
    layout = schema.remove_metadata().serialize().to_pybytes()
    name = told.get("verger.schema")
    if name == RECORDS_SCHEMA and not is_named:
        return None  # it may be in the same folder as a scan
    if name not in (SCAN_SCHEMA, CHANGES_SCHEMA, None):
        raise InvalidTable(f"`{path}` holds `{name}`, not `{SCAN_SCHEMA}`", HINT)
    if name == CHANGES_SCHEMA or (name is None and "severity" in schema.names):
        _check_columns(path, schema, COLUMNS_OF_CHANGES)
        return ReportInput(path, modified, layout, (), (), False, None, None, is_of_changes=True)
    has_uses = not COLUMNS_ABOUT_USE.keys().isdisjoint(schema.names)
    _check_columns(path, schema, COLUMNS | (COLUMNS_ABOUT_USE if has_uses else {}))
    return ReportInput(
        path=path,
        modified=modified,
        layout=layout,
        fields=_members(schema.field("fields")),
        crawlers=_members(schema.field("crawlers")),
        has_uses=has_uses,
        dialect=told.get("verger.dialect"),
        version=told.get("verger.version"),
    )


def _members(field: pa.Field) -> tuple[str, ...]:
    return tuple(member.name for member in field.type)


# The columns

Fits = Callable[[pa.DataType], bool]


def _check_columns(path: str, schema: pa.Schema, needed: dict[str, tuple[str, Fits]]) -> None:
    folded = [name.lower() for name in schema.names]  # SQL ignores the case of names
    for name, (what, fits) in needed.items():
        if name not in schema.names:
            raise no_column(quoted(path), name, schema.names, needs=HINT)
        if folded.count(name) > 1:
            raise InvalidTable(f"several columns `{name}` in `{path}`", HINT)
        found = schema.field(name).type
        if not fits(found):
            raise other_kind(path, name, found, what, hint=HINT)


def _is_list(found: pa.DataType, fits: Fits) -> bool:
    is_list = types.is_list(found) or types.is_large_list(found)
    return bool(is_list) and fits(found.value_type)


def _is_struct(found: pa.DataType, fits: Fits) -> bool:
    """Whether all members fit, and differ in more than case."""
    if not types.is_struct(found):
        return False
    members = {member.name.lower(): member.type for member in found}
    return len(members) == found.num_fields and all(map(fits, members.values()))


def _has(found: pa.DataType, **members: Fits) -> bool:
    if not _is_struct(found, lambda _: True):
        return False
    own = {each.name: each.type for each in found}
    return all(name in own and fits(own[name]) for name, fits in members.items())


USES = tuple(use.replace("-", "_") for use in ALL_USES)

COLUMNS: dict[str, tuple[str, Fits]] = {
    "origin": ("text", is_text),
    "time": ("a time", types.is_timestamp),
    "status": ("a whole number", types.is_integer),
    "access": ("text", is_text),
    "bytes": ("a whole number", types.is_integer),
    "digest": ("bytes", lambda found: is_bytes(found) or types.is_fixed_size_binary(found)),
    "truncated": ("true or false", types.is_boolean),
    "fields": ("a struct of whole numbers", lambda found: _is_struct(found, types.is_integer)),
    "findings": (
        "a list of structs with `code` and `count`",
        lambda found: _is_list(
            found, lambda each: _has(each, code=is_text, count=types.is_integer)
        ),
    ),
    "sitemaps": ("a list of text", lambda found: _is_list(found, is_text)),
    "content_signals": (
        "a struct with `search`, `ai_input` and `ai_train`",
        lambda found: _has(found, **dict.fromkeys(USES, types.is_boolean)),
    ),
    "posture": ("text", is_text),
    "crawlers": (
        "a struct of structs with `posture`",
        lambda found: _is_struct(found, lambda each: _has(each, posture=is_text)),
    ),
}
"""The columns of a scan, what they hold, and the types that can have it."""

MECHANISMS = ("crawl_rules", "policy_token", "content_signal", "content_usage")


def _is_use(found: pa.DataType) -> bool:
    """Whether it is what a scan says of one use."""
    pair = partial(_has, allows=is_text, disallows=is_text)
    counts = partial(_has, allows=types.is_integer, disallows=types.is_integer)
    said = dict.fromkeys(MECHANISMS, counts)
    return _has(found, conflicts=lambda each: _is_list(each, pair), **said)


COLUMNS_ABOUT_USE: dict[str, tuple[str, Fits]] = {
    "licenses": ("a list of text", lambda found: _is_list(found, is_text)),
    "uses": (
        "a struct with `search`, `ai_input` and `ai_train`, each as `verger scan` writes it",
        lambda found: _has(found, **dict.fromkeys(USES, _is_use)),
    ),
}
"""The columns about use: both are there, or neither."""

COLUMNS_OF_CHANGES: dict[str, tuple[str, Fits]] = {
    "origin": ("text", is_text),
    "severity": ("text", is_text),
    "agents": ("a list of text", lambda found: _is_list(found, is_text)),
    "purposes": ("a list of text", lambda found: _is_list(found, is_text)),
}
