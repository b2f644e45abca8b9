"""Names of columns: what those of a table of fetched files are called, the same for every reader.

In: the names of the columns of a table, and perhaps the names that the caller gave. Out: the column
for each role, or an `InvalidTable` that says which one is missing or ambiguous; whether they are
those of an exported cache. Also the schemas of verger's tables, and the types of those of any
library with the Arrow PyCapsule interface.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, TypeAlias, runtime_checkable

from verger.errors import InvalidTable
from verger.files.input_errors import no_column
from verger.untrusted_text import quoted

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

TRUNCATED = "truncated"
"""The column, and the field of a copy, that says whether a file goes on behind its body."""
EXPORTED = (
    *("origin", "fetched_at", "status", "failure", "body", "unreachable_since", "copy"),
    TRUNCATED,
)
"""The columns of an exported cache that are read (`verger.cache.export`)."""
COUNTED = "unreachable_for"
"""Another one, which exports of earlier versions lack."""
COPIED = ("fetched_at", "status", "body", TRUNCATED)
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


def export_columns(names: Iterable[str]) -> list[str]:
    """Return the columns of an exported cache that are read, of those that it has."""
    return [*EXPORTED, *(name for name in names if name == COUNTED)]


def resembles_export(names: Iterable[str]) -> bool:
    """Whether there are columns that only an exported cache has, in any case of letters."""
    return {name.lower() for name in names} >= {"unreachable_since", "copy"}


# Roles

NAMES = {
    "url": (
        *("origin", "url", "host", "hostname", "domain", "site", "authority", "uri"),
        *("robots_url", "target_uri", "warc-target-uri", "original"),
    ),
    "body": ("body", "robots_txt", "robots", "robotstxt", "content", "text"),
    "status": ("status", "status_code", "http_status", "code", "fetch_status", "statuscode"),
    "failure": ("failure",),
    "time": (
        *("time", "fetched_at", "crawled_at", "fetch_time", "timestamp", "date", "datetime"),
        *("captured", "captured_at", "crawl_date", "warc_date", "warc-date"),
    ),
    "location": ("location", "redirect", "redirect_location"),
    "length": ("content_length", "content-length", "body_length", "body_bytes", "body_size"),
    "coding": ("content_encoding", "content-encoding"),
    "truncated": (
        *("truncated", "body_truncated", "content_truncated"),
        *("warc_truncated", "warc-truncated"),
    ),
}
"""The names that the column of each role may have, in any case; the first one in the table counts.
"""

OBSERVED_NAMES = {role: names for role, names in NAMES.items() if role != "location"}

ROLES = ("url", "body", "status", "time", "failure")
"""The columns that a caller may name, in the order of the arguments."""
BESIDE = ("length", "coding", "truncated")
"""The columns that say whether a body is whole."""

SNAPSHOT_HINT = (
    "a snapshot has the columns `origin` (or `url`, `host`), `body`, and perhaps `status`, "
    "`failure`, `time`"
)


def find_columns(
    shown: str,
    present: Sequence[str],
    names: Mapping[str, Sequence[str]],
    wanted: Mapping[str, str],
    *,
    needed: Collection[str] = ("url", "body"),
    hint: str | None = None,
) -> dict[str, str]:
    """Return the column for each role that the table has. Raises InvalidTable.

    shown:   what messages call the table.
    names:   some of `NAMES`.
    wanted:  the columns that the caller named, by role; an empty name leaves the role out.
    needed:  the roles without which the table is an error.
    hint:    lists the columns that are expected.
    """
    lower = {column.lower(): column for column in reversed(present)}
    found = {}
    for role, usual in names.items():
        if not wanted.get(role, role) and role not in needed:
            continue
        if role in wanted:
            if wanted[role] not in present:
                raise no_column(shown, wanted[role], present)
            found[role] = wanted[role]
        elif (
            column := next((lower[known] for known in usual if known in lower), None)
        ) is not None:
            found[role] = column
        elif role in needed:
            raise no_column(shown, usual[0], present, needs=hint)
    for role, column in found.items():
        expect_one(shown, column, present, is_exact=role in wanted)
    return found


FOLDED = ("url", "body", "status", "time", "failure", COUNTED, TRUNCATED)
"""The columns of observations, the entries of an exported cache."""

Beside: TypeAlias = tuple[str | None, str | None, str | None]
SnapshotNames: TypeAlias = tuple[str, str, str | None, str | None, str | None, str | None, Beside]
"""The columns of a snapshot, in the order of `FOLDED` but for its last, and those of `BESIDE`; None
for those that it does not have."""


def snapshot_columns(
    shown: str, present: Sequence[str], wanted: Sequence[str | None]
) -> SnapshotNames:
    """Return the columns of a snapshot. Raises InvalidTable.

    wanted:  the columns that the caller named, in the order of `ROLES`; None for usual names.
    """
    given = {role: column for role, column in zip(ROLES, wanted, strict=True) if column is not None}
    found = find_columns(shown, present, OBSERVED_NAMES, given, hint=SNAPSHOT_HINT)
    status, time, failure, length, coding, cut = map(found.get, (*ROLES[2:], *BESIDE))
    beside = (length, coding, cut)
    return found["url"], found["body"], status, time, failure, None, beside


def expect_one(shown: str, column: str, present: Sequence[str], *, is_exact: bool = True) -> None:
    """Refuse a column that exists twice; if nobody named it, in any case of letters.

    Raises InvalidTable.
    """
    same = [other for other in present if other == column]
    if not is_exact:
        same += [other for other in present if other != column and other.lower() == column.lower()]
    if len(same) > 1:
        names = " and ".join(quoted(other) for other in dict.fromkeys(same))
        why = f"{shown} has several columns {names}"
        raise InvalidTable(why, "leave all but one out, or rename them")
