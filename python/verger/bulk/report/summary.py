"""The content of a report, as numbers.

Every count comes with its total, so that shares can be computed when it is shown. A *site* is an
origin with the one capture that counts (see `counting.sql`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from verger.bulk.report.snapshots import Snapshot
from verger.plain import counted

STANDINGS = ("closed", "closed without a file", "partly", "open without a file", "open")
"""What a crawler may fetch of a site, by rules or without a file."""

NAMINGS = ("closed", "partly", "open", "default")
"""What the groups that name a crawler say; `default` if no group names it."""

OTHERS = "*"
"""The crawlers that no group names; `*` is not a product token."""

EVERYBODY = "any crawler"
"""The name of all changes, for any crawler."""

SEVERITIES = ("site-closed", "closed", "unproved", "opened", "site-opened")
"""The severities of changes, from closed to opened."""


@dataclass(frozen=True, slots=True)
class CrawlerCounts:
    """One crawler, by its product token, or `*` for those that no group names."""

    token: str
    standings: tuple[Mapping[str, int], ...]
    """For each snapshot, sites by what may be fetched."""
    namings: Mapping[str, int]
    """Files of the latest snapshot by what they say about it by name; empty for `*`."""


NO_STATUS = -1
"""Replaces numbers that are not a status."""


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Sites with the same response for robots.txt."""

    status: int | None
    """None if there was no answer, or its status is not known."""
    access: str
    sites: int


@dataclass(frozen=True, slots=True)
class Use:
    """How many files have a field or a finding, and how often: in lines, or times."""

    name: str
    files: int
    times: int


@dataclass(frozen=True, slots=True)
class Signal:
    """Files by their content signals for crawlers that no group names."""

    name: str
    yes: int
    no: int
    unsaid: int


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Files of at least `least` bytes, and fewer than `less`."""

    least: int
    less: int
    files: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """One file that several sites share, byte for byte."""

    digest: str
    files: int
    size: int
    posture: str | None
    sitemaps: int
    first: str
    last: str
    """Two of the sites, the first and the last by alphabet."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The numbers of the files of the latest snapshot that were read."""

    files: int = 0
    size: int = 0
    truncated: int = 0
    different: int = 0
    """Files that differ from each other; the others repeat one of them."""
    sizes: Sequence[SizeBin] = ()
    fields: Sequence[Use] = ()
    signals: Sequence[Signal] = ()
    findings: Sequence[Use] = ()
    repeated: Sequence[Repeated] = ()


@dataclass(frozen=True, slots=True)
class Changes:
    """The numbers of tables of changes."""

    rows: int
    groups: Mapping[str, Mapping[str, int]]
    """Sites that changed for some crawlers, by severity. The first are `EVERYBODY`, and `OTHERS`,
    those that no group names; then come purposes."""

    @property
    def sites(self) -> int:
        """How many sites changed for any crawler."""
        return sum(self.groups.get(EVERYBODY, {}).values())


@dataclass(frozen=True, slots=True)
class Summary:
    """All numbers of a report.

    tables:     how many tables were read.
    captures:   how many captures they have.
    strays:     captures whose URL has no origin.
    undated:    captures without a plausible time; they count only if no capture has one.
    first:      the time of the first capture, in UTC; None if none has one.
    last:       the time of the last capture, in UTC.
    snapshots:  the snapshots, in order of time; the last is the latest.
    crawlers:   what is allowed to each crawler: first `*`, then by the share of sites that are
                closed to them.
    answers:    sites of the latest snapshot, by status.
    contents:   what the files of the latest snapshot hold.
    dialects:   the names of the dialects that the tables were made with.
    versions:   the versions of verger that made them.
    changes:    the numbers of tables of changes; None if none was read.
    """

    tables: int
    captures: int
    strays: int
    undated: int
    first: datetime | None
    last: datetime | None
    snapshots: Sequence[Snapshot]
    crawlers: Sequence[CrawlerCounts]
    answers: Sequence[AnswerCounts]
    contents: Contents
    dialects: Sequence[str] = ()
    versions: Sequence[str] = ()
    changes: Changes | None = None

    @property
    def latest(self) -> Snapshot:
        """The latest snapshot, which all charts show except those over time."""
        return self.snapshots[-1]

    def __repr__(self) -> str:
        parts = [
            counted(self.tables, "table"),
            counted(self.captures, "capture"),
            counted(len(self.snapshots), "snapshot"),
            counted(len(self.crawlers), "crawler"),
        ]
        return f"Summary({', '.join(parts)})"
