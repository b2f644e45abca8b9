"""Columns: tables of any library with the Arrow PyCapsule interface, and the schemas of verger's.

In: the names of columns. Out: whether they are those of an exported cache; names and types that
several modules share.
"""

from collections.abc import Iterable
from typing import Protocol, TypeAlias, runtime_checkable

from verger.errors import InvalidTable

SCAN_SCHEMA = "verger.scan/1"
"""A row for each capture, from `scan`."""
RECORDS_SCHEMA = "verger.records/1"
"""A row for each record of these captures."""
CHANGES_SCHEMA = "verger.changes/1"
"""A row for each change of a site, from `diff`."""


@runtime_checkable
class ArrowStream(Protocol):
    """A table, or a column in pieces."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule named `arrow_array_stream`."""
        ...


class ArrowArray(Protocol):
    """A batch, or a column in one piece."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return capsules named `arrow_schema` and `arrow_array`."""
        ...


Columns: TypeAlias = ArrowStream | ArrowArray
"""A table, a batch, or one column."""

EXPORTED = ("origin", "fetched_at", "status", "failure", "body", "unreachable_since", "copy")
"""The columns of an exported cache that are read (`verger.cache.export`)."""
COPIED = ("fetched_at", "status", "body")
"""The fields of a copy that are read."""
FROM_CACHE = "export the cache again, or leave out the columns `unreachable_since` and `copy`"
"""The hint for a table that is only like an exported cache."""


def is_export(names: Iterable[str], shown: str) -> bool:
    """Whether a table with these columns is an exported cache, or rows of one that another program
    wrote.

    Raises InvalidTable if only some of its columns are there: read row by row, it would lose what
    is known of sites that cannot be reached.
    """
    present = set(names)
    lacking = [name for name in EXPORTED if name not in present]
    if lacking and resembles_export(present):
        why = f"{shown} looks like an exported cache without `{lacking[0]}`"
        raise InvalidTable(why, FROM_CACHE)
    return not lacking


def resembles_export(names: Iterable[str]) -> bool:
    """Whether there are columns that only an exported cache has, in any case of letters."""
    return {name.lower() for name in names} >= {"unreachable_since", "copy"}
