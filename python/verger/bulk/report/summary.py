"""The content of a report, as numbers.

Every count comes with its total, so that shares can be computed when it is shown. A *site* is an
origin with the one capture that counts (see `counting.sql`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from typing import Any, Literal

from verger.untrusted_text import counted

By = Literal["auto", "day", "month", "year"]
"""How captures are grouped into snapshots."""

OTHERS = "*"
"""The crawlers that no group names; `*` is not a product token."""

EVERYBODY = "any crawler"
"""The name of all changes, for any crawler."""

SEVERITIES = ("site-closed", "closed", "unproved", "opened", "site-opened")
"""The severities of changes, from closed to opened."""

Row = Any
"""A row of a view of `counting.sql`, with the names of its columns."""


@dataclass(frozen=True, slots=True)
class Summary:
    """All numbers of a report.

    tables:     how many tables were read.
    captures:   how many captures they have.
    strays:     captures whose URL has no origin.
    undated:    captures without a plausible time; they count only if no capture has one.
    first:      the time of the first capture, in UTC; None if none has one.
    last:       the time of the last capture, in UTC.
    snapshots:  the snapshots, in order of time; the last is the latest. Each has its `first` and
                `last` day, None for captures without a time; a `label`, and how it begins
                (`start`); how many `sites` were captured, and how many had `files` to read.
    crawlers:   what is allowed to each crawler, by its `token`: first `*`, then by the share of
                sites that are closed to them. `standings` counts sites by what may be fetched, by
                rules or without a file, for each snapshot; `namings` the files of the latest by
                what they say about it by name, `default` if no group does, and none for `*`.
    answers:    sites of the latest snapshot with the same `status` and `access`; the status is
                None if there was no answer or it is not known, and -1 if it is not a status. Each
                has the `status_class` (RFC 9110 section 15), and a `label`.
    contents:   the latest snapshot's files that were read: `files`, `size`, how many are
                `truncated`, how many are `licensed`, and how many are `different`; the others
                repeat one of them.
    sizes:      the number of files of at least `least` bytes, and fewer than `less`; each has a
                `label`, and how it begins (`start`).
    fields:     how many files have a field, and in how many lines.
    signals:    files by their content signals for crawlers that no group names.
    uses:       files by what a `mechanism` says of a `use` to the crawlers that were asked about;
                empty if the tables are of older versions, without these columns.
    conflicts:  how many files have a mechanism that allows a use and one that `disallows` it: first
                `any` of them.
    findings:   how many files have a finding, and how many times.
    repeated:   files that several sites share, byte for byte, with the first and the last of these
                sites by alphabet.
    dialects:   the names of the dialects that the tables were made with.
    versions:   the versions of verger that made them.
    changes:    sites that changed for some crawlers, by severity; None if no table of changes was
                read. The first are `EVERYBODY`, and `OTHERS`, those that no group names; then come
                purposes.
    """

    tables: int
    captures: int
    strays: int
    undated: int
    first: datetime | None
    last: datetime | None
    snapshots: Sequence[Row]
    crawlers: Sequence[Row]
    answers: Sequence[Row]
    contents: Row
    sizes: Sequence[Row]
    fields: Sequence[Row]
    signals: Sequence[Row]
    uses: Sequence[Row]
    conflicts: Sequence[Row]
    findings: Sequence[Row]
    repeated: Sequence[Row]
    dialects: Sequence[str] = ()
    versions: Sequence[str] = ()
    changes: Mapping[str, Mapping[str, int]] | None = None

    @property
    def latest(self) -> Row:
        """The latest snapshot, which all charts show except those over time."""
        return self.snapshots[-1]

    @property
    def changed_sites(self) -> int:
        """How many sites changed for any crawler."""
        return sum((self.changes or {}).get(EVERYBODY, {}).values())

    def __repr__(self) -> str:
        parts = [
            counted(self.tables, "table"),
            counted(self.captures, "capture"),
            counted(len(self.snapshots), "snapshot"),
            counted(len(self.crawlers), "crawler"),
        ]
        return f"Summary({', '.join(parts)})"


def resource(name: str) -> str:
    """Return the text of a file of this package."""
    return files("verger.bulk.report").joinpath(name).read_text("utf-8")
