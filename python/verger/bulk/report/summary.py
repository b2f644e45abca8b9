"""What a report says, as numbers.

Shares are left to whoever shows them: every count stands beside the count that it is a part of.
A *site* is an origin with the one capture that counts of it (see `choosing`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from verger.bulk.report.snapshots import CapturePeriod
from verger.plain import counted

Standing = Literal["closed", "closed without a file", "partly", "open without a file", "open"]
"""What a crawler may fetch of a site, and whether rules say so or the lack of a file."""

STANDINGS: tuple[Standing, ...] = (
    "closed",
    "closed without a file",
    "partly",
    "open without a file",
    "open",
)

Naming = Literal["closed", "partly", "open", "default"]
"""What a file says of a crawler by its name; `default` where no group names it."""

NAMINGS: tuple[Naming, ...] = ("closed", "partly", "open", "default")

OTHERS = "*"
"""Stands for the crawlers that no group names: no product token is written so."""

EVERYBODY = "any crawler"
"""Whom a change is about that is about anybody."""

SEVERITIES = ("site-closed", "closed", "unproved", "opened", "site-opened")
"""How grave changes of answers are, from closed to opened."""


@dataclass(frozen=True, slots=True)
class Sites:
    """How many sites a snapshot has, and how many of them had a file to read."""

    snapshot: CapturePeriod
    sites: int
    files: int


@dataclass(frozen=True, slots=True)
class Crawler:
    """One crawler, by its product token, or `*` for those that no group names."""

    token: str
    standings: tuple[Mapping[Standing, int], ...]
    """For each snapshot, sites by what may be fetched of them."""
    namings: Mapping[Naming, int]
    """Files of the latest snapshot by what they say of it by name; nothing for `*`."""


NO_STATUS = -1
"""Stands for numbers that are not a status."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Sites whose robots.txt was answered alike."""

    status: int | None
    """None where there was no answer."""
    access: str
    sites: int


@dataclass(frozen=True, slots=True)
class FieldUse:
    """How many files use a field, and in how many lines."""

    name: str
    files: int
    lines: int


@dataclass(frozen=True, slots=True)
class Signal:
    """Files by what their content signals say to crawlers that no group names."""

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
class FindingUse:
    """How many files have a finding, and how often."""

    code: str
    files: int
    times: int


@dataclass(frozen=True, slots=True)
class Repeated:
    """One file that several sites have, byte for byte."""

    digest: str
    files: int
    size: int
    posture: str | None
    sitemaps: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    """What is told of the files alone: those of the latest snapshot that were read."""

    files: int = 0
    size: int = 0
    truncated: int = 0
    different: int = 0
    """Files that differ from each other; the others repeat one of them."""
    sizes: Sequence[SizeBin] = ()
    fields: Sequence[FieldUse] = ()
    signals: Sequence[Signal] = ()
    findings: Sequence[FindingUse] = ()
    repeated: Sequence[Repeated] = ()


@dataclass(frozen=True, slots=True)
class ChangedFor:
    """Sites that changed for some crawlers, by how gravely."""

    who: str
    """A purpose, `EVERYBODY`, or `OTHERS` for those that no group names."""
    sites: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Changes:
    """What tables of changes say."""

    rows: int
    groups: Sequence[ChangedFor]
    """Everybody first."""

    @property
    def sites(self) -> int:
        """How many sites changed for anybody."""
        return sum(sum(each.sites.values()) for each in self.groups if each.who == EVERYBODY)


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that a report says."""

    tables: int
    captures: int
    strays: int
    """Captures whose URL has no origin."""
    undated: int
    """Captures without a time that can be believed; they count only where none has one."""
    first: datetime | None
    last: datetime | None
    snapshots: Sequence[Sites]
    """In the order of time; the last is the latest."""
    crawlers: Sequence[Crawler]
    """`*`, then those that are closed out of most sites first."""
    answers: Sequence[Answers]
    """Sites of the latest snapshot, by status."""
    contents: Contents
    dialects: Sequence[str] = ()
    versions: Sequence[str] = ()
    changes: Changes | None = None
    """None where no table of changes was read."""

    @property
    def latest(self) -> Sites:
        """The snapshot that all but the charts over time are about."""
        return self.snapshots[-1]

    def __repr__(self) -> str:
        parts = [
            counted(self.tables, "table"),
            counted(self.captures, "capture"),
            counted(len(self.snapshots), "snapshot"),
            counted(len(self.crawlers), "crawler"),
        ]
        return f"Summary({', '.join(parts)})"
