"""Changes: how the robots.txt files of many sites differ in a later snapshot.

In: two snapshots: folders, tables, archives or caches (`verger.snapshots`). Out: a table with a row
for each crawler, or set of equal crawlers, for which a site changed, each with a URL that proves
it. Snapshots are compared by their meaning for a crawler that asks now: a file that could
not be fetched is not compared.
"""

import os
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from verger._core import Dialect
from verger.access.answer import Unanswered
from verger.access.entry import Entry, binding_body, policy_of
from verger.analysis.differing import Severity
from verger.bulk.change_rows import ChangeRow, Comparison, gravest, rows_written
from verger.files.formats import TABLES, output_format
from verger.files.same_file import expect_no_overwriting
from verger.files.writing import writing
from verger.snapshots.opening import open_stored
from verger.snapshots.stored import Stored

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.snapshots.stored import Found

__all__ = ["ChangesReport", "diff_snapshots"]

ORIGINS_AT_ONCE = 64
"""Origins of a batch. Few are in memory at the same time: a file has up to a megabyte if the
dialect has a limit, and some tens of kilobytes on the web."""

BATCHES = 2
"""Batches that are compared at the same time."""


@dataclass(slots=True)
class ChangesReport:
    """The result of a comparison.

    origins:      how many origins are in either snapshot.
    compared:     how many have rules, or no file, in both.
    unknown:      how many were not compared: in only one snapshot, unreachable, or with a file that
                  cannot be read.
    identical:    how many have the same bytes in both.
    changed:      for how many an answer changed, or it is not proved that none did.
    by_severity:  origins by their gravest change.
    by_purpose:   origins by the gravest change for crawlers of each purpose.
    rows:         how many rows the output has.
    notes:        what the snapshots contain that was not used, such as rows that name no site.
    """

    origins: int = 0
    compared: int = 0
    unknown: int = 0
    identical: int = 0
    changed: int = 0
    by_severity: Counter[Severity] = field(default_factory=Counter)
    by_purpose: Counter[tuple[str, Severity]] = field(default_factory=Counter)
    rows: int = 0
    notes: list[str] = field(default_factory=list)


def diff_snapshots(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format: str | None = None,
    crawlers: Sequence[str] = (),
    dialect: str | Dialect = "rfc9309",
    threads: int | None = None,
) -> ChangesReport:
    """Write what a later snapshot of many sites changes, and return a report.

    old, new:  folders of robots.txt files named by host, tables (Parquet, CSV, JSON Lines), WARC
               archives, or caches of verger.
    output:    a table of the schema `verger.bulk.change_rows.SCHEMA`, sorted by origin, written
               when it is complete. `-` is stdout.
    format:    `parquet`, `csv` or `jsonl`; by default as the name of the output says, else Parquet.
    crawlers:  the product tokens to compare; if empty, all that either file names, and `*`.
    threads:   how many sites are compared at the same time; by default as many as there are cores.
    Raises:    UnusableInput, InvalidTable, CacheError, MissingExtra, UnknownName, InvalidOption,
               InvalidProductToken; UnusableOutput for an output that cannot be written or is an
               input.
    """
    comparison = Comparison(dialect, crawlers, threads)
    format = format_of(os.fspath(output), format)
    folders = [path for path in (old, new) if Path(path).is_dir()]
    files = [path for path in (old, new) if path not in folders]
    expect_no_overwriting([output], inputs=files, folders=folders)
    report = ChangesReport()
    with (
        closing(open_stored(old)) as before,
        closing(open_stored(new)) as after,
        writing(Path(output)) as file,
        rows_written(format, file) as write,
    ):
        pairs = _pairs(before, after, comparison.dialect, report)
        for sites in compared(pairs, comparison):
            for rows in filter(None, sites):
                _count(rows, report)
            write([row for rows in sites for row in rows])
        report.notes += [*before.notes, *after.notes]
    return report


Pairs = list[tuple[str, bytes, bytes]]


def compared(pairs: Iterator[Pairs], comparison: Comparison) -> Iterator[list[list[ChangeRow]]]:
    """Yield the rows of each origin, batch by batch; the next files are read meanwhile.

    Two batches are compared at the same time: if the last pairs of one leave a core idle, the other
    has work for it.
    """
    with ThreadPoolExecutor(BATCHES, "verger-compare") as workers:
        waiting: deque[Future[list[list[ChangeRow]]]] = deque()
        for some in pairs:
            waiting.append(workers.submit(comparison.rows, some))
            if len(waiting) > BATCHES:
                yield waiting.popleft().result()
        for last in waiting:
            yield last.result()


def format_of(output: str, format: str | None, *, option: str = "format") -> str:
    """Return the format of an output: the one given, else the one its name implies, else Parquet.

    option:  the name of the option for the format, for messages.
    Raises UnknownName and InvalidOption.
    """
    found = output_format(output, format, TABLES, option=option)
    return "parquet" if found == "text" else found


def _pairs(old: Stored, new: Stored, dialect: Dialect, report: ChangesReport) -> Iterator[Pairs]:
    """Yield the files of some origins that may have changed."""
    origins = sorted({*old.origins(), *new.origins()})
    for start in range(0, len(origins), ORIGINS_AT_ONCE):
        some = origins[start : start + ORIGINS_AT_ONCE]
        before, after = _bodies(old, some, dialect), _bodies(new, some, dialect)
        report.origins += len(some)
        both = [origin for origin in some if origin in before and origin in after]
        report.compared += len(both)
        changed = [(at, before[at], after[at]) for at in both if before[at] != after[at]]
        report.identical += len(both) - len(changed)
        yield changed
    report.unknown = report.origins - report.compared


def _bodies(snapshot: Stored, origins: Sequence[str], dialect: Dialect) -> dict[str, bytes]:
    """Return the file that applies; an empty one if everything may be fetched."""
    found = {name: _body(each, dialect) for name, each in snapshot.find(origins, [dialect])}
    return {name: body for name, body in found.items() if body is not None}


def _body(found: "Found", dialect: Dialect) -> bytes | None:
    """Return the file of an origin; None if there is none, or it cannot be read."""
    match found:
        case Unanswered():
            return None
        case Entry():
            return binding_body(found, policy_of(found, dialect))
        case _, body:
            return body


def _count(rows: Sequence[ChangeRow], report: ChangesReport) -> None:
    """Count a site by its gravest change."""
    report.rows += len(rows)
    report.changed += 1
    report.by_severity[gravest(row.severity for row in rows)] += 1
    by_purpose: dict[str, list[Severity]] = {}
    for row in rows:
        for purpose in row.purposes:
            by_purpose.setdefault(purpose, []).append(row.severity)
    for purpose, severities in by_purpose.items():
        report.by_purpose[purpose, gravest(severities)] += 1
