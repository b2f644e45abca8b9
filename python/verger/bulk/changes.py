"""Changes: what the robots.txt files of many sites say otherwise in a later snapshot.

In: two snapshots: folders, tables, archives or caches (`verger.bulk.on_disk`). Out: a Parquet table
with a row for each crawler, or set of crawlers alike, for which a site changed, each with a URL
that proves it. What is compared is what each snapshot means for a crawler that asks now: where a
file could not be fetched, nothing is said of it.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from verger._core import Dialect, _changes, _dialect_of
from verger.access.entry import Entry, policy_of
from verger.analysis.diff import SEVERITIES, Severity, severity_of
from verger.bulk.on_disk import open_snapshot
from verger.bulk.scan.sink import ParquetSink
from verger.crawlers import find
from verger.files.apart import expect_apart
from verger.files.folder import Folder
from verger.files.writing import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.bulk.on_disk import Entries

STEPS = 1 << 22
"""Steps for one crawler of one site: some tens of milliseconds at most."""

ORIGINS_AT_ONCE = 256

SCHEMA = pa.schema(
    [
        pa.field("origin", pa.string(), nullable=False),
        pa.field("severity", pa.string(), nullable=False),
        pa.field("agents", pa.list_(pa.string()), nullable=False),
        pa.field("purposes", pa.list_(pa.string()), nullable=False),
        pa.field("named_before", pa.bool_(), nullable=False),
        pa.field("named_after", pa.bool_(), nullable=False),
        pa.field("closed", pa.int32(), nullable=False),
        pa.field("opened", pa.int32(), nullable=False),
        pa.field("region", pa.string()),
        pa.field("witness", pa.string()),
        pa.field("witness_opened", pa.bool_()),
        pa.field("line_before", pa.int32()),
        pa.field("line_after", pa.int32()),
        pa.field("is_exact", pa.bool_(), nullable=False),
    ],
    metadata={"verger.schema": "verger.changes/1"},
)
"""A row for each set of crawlers to which a site's file says the same before, and after.

`agents` are product tokens, `*` those that neither file names; `purposes` those of the registry,
each once. `closed` and `opened` count regions; `region`, `witness`, `witness_opened` and the lines
of the rules that decide it tell of the one with the shortest witness, closed before opened."""


@dataclass(slots=True)
class ChangesReport:
    """What became of a comparison."""

    origins: int = 0
    """How many stand in either snapshot."""
    compared: int = 0
    """How many have rules, or the lack of a file, in both."""
    unknown: int = 0
    """How many could not be compared: they stand in one snapshot alone, or were unreachable."""
    identical: int = 0
    """How many have the same bytes in both."""
    changed: int = 0
    """For how many some answer changed, or it is not proved that none did."""
    by_severity: Counter[Severity] = field(default_factory=Counter)
    """Origins by their gravest change."""
    rows: int = 0


Compared = tuple[str, list[tuple[object, ...]]]


def diff_snapshots(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    dialect: str | Dialect = "rfc9309",
    threads: int | None = None,
) -> ChangesReport:
    """Write what a later snapshot of many sites changes, and return what became of each.

    old, new:  folders of robots.txt files named by host, tables (Parquet, CSV, JSON Lines), WARC
               archives, or caches of verger's.
    output:    a Parquet file of the schema `SCHEMA`, sorted by origin; replaced when it is
               complete. `-` is stdout.
    threads:   how many sites are compared at the same time; by default as there are cores.
    Raises:    UnusableInput, InvalidTable, CacheError, MissingExtra, UnknownName; UnusableOutput
               for an output that cannot be written or is an input.
    """
    meaning = _dialect_of(dialect)
    expect_apart([output], inputs=[old, new])
    report = ChangesReport()
    with (
        closing(open_snapshot(os.fspath(old))) as before,
        closing(open_snapshot(os.fspath(new))) as after,
        writing(Path(output)) as file,
        ParquetSink(file, SCHEMA) as sink,
    ):
        for rows in _compared(before, after, meaning, report, threads or os.cpu_count() or 1):
            if rows:
                columns = [list(column) for column in zip(*rows, strict=True)]
                arrays = [pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)]
                sink.write(pa.record_batch(arrays, schema=SCHEMA))
                report.rows += len(rows)
    return report


def _compared(
    old: "Folder | Entries",
    new: "Folder | Entries",
    dialect: Dialect,
    report: ChangesReport,
    threads: int,
) -> Iterator[list[tuple[object, ...]]]:
    """Yield the rows of some origins at a time."""

    def compare(pair: tuple[str, bytes, bytes]) -> Compared:
        origin, one, other = pair
        return origin, list(_rows(origin, one, other, dialect))

    origins = sorted({*old.origins(), *new.origins()})
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(origins), ORIGINS_AT_ONCE):
            some = origins[start : start + ORIGINS_AT_ONCE]
            pairs = list(_pairs(some, old, new, dialect, report))
            yield [row for _, rows in pool.map(compare, pairs) for row in _counted(rows, report)]


def _pairs(
    origins: Sequence[str],
    old: "Folder | Entries",
    new: "Folder | Entries",
    dialect: Dialect,
    report: ChangesReport,
) -> Iterator[tuple[str, bytes, bytes]]:
    """Yield the files of each origin that may have changed."""
    before, after = _bodies(old, origins, dialect), _bodies(new, origins, dialect)
    for origin in origins:
        report.origins += 1
        one, other = before.get(origin), after.get(origin)
        if one is None or other is None:
            report.unknown += 1
            continue
        report.compared += 1
        if one == other:
            report.identical += 1
        else:
            yield origin, one, other


def _bodies(
    snapshot: "Folder | Entries", origins: Sequence[str], dialect: Dialect
) -> dict[str, bytes]:
    """Return what binds crawlers: a file, or none, which says nothing."""
    if isinstance(snapshot, Folder):
        paths = ((origin, snapshot.find(origin)) for origin in origins)
        return {at: snapshot.read(path, [dialect]) for at, path in paths if path is not None}
    entries = snapshot.load(origins)
    found = ((origin, _body(entry, dialect)) for origin, entry in entries.items())
    return {origin: body for origin, body in found if body is not None}


def _body(entry: Entry, dialect: Dialect) -> bytes | None:
    effect = policy_of(entry, dialect).effect
    if effect == "rules" and entry.good is not None:
        return entry.good.body
    return b"" if effect == "allow_all" else None


def _rows(origin: str, old: bytes, new: bytes, dialect: Dialect) -> Iterator[tuple[object, ...]]:
    for tokens, named, posture, changes, is_exact in _changes(old, new, dialect, STEPS):
        opened = [change[0] for change in changes]
        severity = severity_of(opened, is_exact=is_exact, posture=posture)
        first = changes[0] if changes else (None, None, None, None, None)
        yield (
            origin,
            severity,
            tokens,
            _purposes(tokens),
            *named,
            opened.count(False),
            opened.count(True),
            _text(first[1]),
            _text(first[2]),
            first[0],
            first[3] and first[3].line,
            first[4] and first[4].line,
            is_exact,
        )


def _text(text: str | None) -> str | None:
    """Return text that a column can hold: bytes that are not UTF-8 as `\\xff`."""
    if text is None:
        return None
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _purposes(tokens: Iterable[str]) -> list[str]:
    """Return what crawlers are for, as far as the registry knows."""
    crawlers = (find(token) for token in tokens)
    return sorted({crawler.purpose for crawler in crawlers if crawler is not None})


def _counted(rows: list[tuple[object, ...]], report: ChangesReport) -> list[tuple[object, ...]]:
    """Count a site by its gravest change."""
    if rows:
        report.changed += 1
        said = {row[1] for row in rows}
        gravest = next(severity for severity in SEVERITIES if severity in said)
        report.by_severity[gravest] += 1
    return rows
