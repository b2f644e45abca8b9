"""Changes: how the robots.txt files of many sites differ in a later snapshot.

In: two snapshots: folders, tables, archives or caches (`verger.snapshots`). Out: a table with a row
for each crawler, or set of equal crawlers, for which a site changed, each with a URL that proves
it. Snapshots are compared by their meaning for a crawler that asks now: a file that could
not be fetched is not compared.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from verger._core import Dialect, _Comparer, _dialect_of, _special_bindings
from verger.access.answer import Unanswered
from verger.access.entry import Entry, binding_body, policy_of
from verger.analysis.file_diff import SEVERITIES, Severity, severity_of
from verger.captures.column_names import CHANGES_SCHEMA
from verger.crawlers import find
from verger.errors import MissingExtra
from verger.files.csv_text import record
from verger.files.formats import TABLES, TableFormat, output_format
from verger.files.json_text import json_text
from verger.files.same_file import expect_no_overwriting
from verger.files.stdio import plain_on
from verger.files.writing import Output, writing
from verger.grouping import by_key
from verger.options import AnyDialect, expect_tokens, expect_whole
from verger.snapshots.opening import open_stored
from verger.snapshots.stored import Stored
from verger.untrusted_text import unicode_text

if TYPE_CHECKING:
    import pyarrow as pa

    from verger._core import _Changed
    from verger.snapshots.stored import Found

__all__ = ["ChangesReport", "diff_snapshots"]

ORIGINS_AT_ONCE = 64
"""Origins of a batch. Few are in memory at the same time: a file has up to a megabyte if the
dialect has a limit, and some tens of kilobytes on the web."""

BATCHES = 2
"""Batches that are compared at the same time."""


STEPS = 1 << 22
"""Steps for one crawler of one site: some tens of milliseconds at most."""

MOST_PAIRS = 1024
"""The most pairs of files that are remembered."""

FEW = 8
"""The most rows of a pair that is remembered."""
FEW_TOKENS = 64
"""The most product tokens in these rows."""


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


class ChangeRow(NamedTuple):
    """What changes for a set of crawlers with the same rules, before and after.

    `agents` are product tokens, with `*` for crawlers that neither file names; `purposes` are those
    in the registry, each once. `closed` and `opened` count regions; `region`, `witness`,
    `witness_opened` and the lines of the deciding rules are those of the region with the shortest
    witness, closed before opened.
    """

    origin: str
    severity: Severity
    agents: list[str]
    purposes: list[str]
    named_before: bool
    named_after: bool
    closed: int
    opened: int
    region: str | None
    witness: str | None
    witness_opened: bool | None
    line_before: int | None
    line_after: int | None
    is_exact: bool


@cache
def changes_schema() -> "pa.Schema":
    """Return the columns of `ChangeRow`, also named `SCHEMA`; needs pyarrow, as Parquet does."""
    with MissingExtra.unless_installed("parquet", "a table of changes as Parquet"):
        import pyarrow as pa
    texts = pa.list_(pa.string())
    return pa.schema(
        [
            pa.field("origin", pa.string(), nullable=False),
            pa.field("severity", pa.string(), nullable=False),
            pa.field("agents", texts, nullable=False),
            pa.field("purposes", texts, nullable=False),
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
        metadata={"verger.schema": CHANGES_SCHEMA},
    )


if TYPE_CHECKING:
    SCHEMA: "pa.Schema"
else:  # made when asked for: the rest of the module needs no extra

    def __getattr__(name: str) -> object:
        if name == "SCHEMA":
            return changes_schema()
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Comparison:
    """Compares pairs of files in one dialect, for some crawlers or all that the files name; several
    threads may use it at the same time.

    crawlers:  product tokens; if empty, all that either file names, and `*`.
    threads:   how many pairs are compared at the same time; by default as many as there are cores.
    Raises InvalidProductToken, UnknownName, InvalidOption.
    """

    def __init__(
        self, dialect: AnyDialect, crawlers: Sequence[str] = (), threads: int | None = None
    ) -> None:
        expect_whole("threads", threads, optional=True)
        expect_tokens("crawlers", crawlers)
        self.dialect = _dialect_of(dialect)
        self._threads = threads or os.cpu_count() or 1
        # which groups crawlers follow, by their names in the registry
        bindings = [
            (crawler.token, *each[1:]) for each in _special_bindings() if (crawler := find(each[0]))
        ]
        self._native = _Comparer(self.dialect, list(crawlers), bindings, STEPS)
        self._known: dict[bytes, list[_Changed]] = {}

    def rows(self, pairs: Sequence[tuple[str, bytes, bytes]]) -> list[list[ChangeRow]]:
        """Return the rows of each origin, with its files before and after."""
        keys = [sha256(old).digest() + sha256(new).digest() for _, old, new in pairs]
        by_key = {key: pair[1:] for key, pair in zip(keys, pairs, strict=True)}
        known = self._known  # another thread may replace it meanwhile
        unknown = {key: files for key, files in by_key.items() if key not in known}
        found = self._native.compare(list(unknown.values()), threads=self._threads)
        changed = known | dict(zip(unknown, found, strict=True))
        # Thousands of shops share a file, and change it together.
        last = list(changed.items())[-MOST_PAIRS:]
        self._known = {
            key: rows
            for key, rows in last
            if len(rows) <= FEW and sum(len(tokens) for tokens, *_ in rows) <= FEW_TOKENS
        }
        return [
            [self._row(origin, *each) for each in changed[key]]
            for key, (origin, _, _) in zip(keys, pairs, strict=True)
        ]

    def _row(
        self,
        origin: str,
        tokens: list[str],
        named: tuple[bool, bool],
        posture: str,
        regions: tuple[int, int],
        first: tuple[bool, str, str, int | None, int | None] | None,
        is_exact: bool,
    ) -> ChangeRow:
        closed, opened = regions
        directions = [False] * min(closed, 1) + [True] * min(opened, 1)
        severity = severity_of(directions, is_exact=is_exact, posture=posture)
        is_opened, region, witness, before, after = first or (None,) * 5
        return ChangeRow(
            origin,
            severity,
            tokens,
            sorted({name for token in tokens if (known := find(token)) for name in known.purposes}),
            *named,
            closed,
            opened,
            region and unicode_text(region),
            witness and unicode_text(witness),
            is_opened,
            before,
            after,
            is_exact,
        )


def diff_snapshots(
    old: str | os.PathLike[str],
    new: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    format: TableFormat | None = None,
    crawlers: Sequence[str] = (),
    dialect: AnyDialect = "rfc9309",
    threads: int | None = None,
) -> ChangesReport:
    """Write what a later snapshot of many sites changes, and return a report.

    old, new:  folders of robots.txt files named by host, tables (Parquet, CSV, JSON Lines), WARC
               archives, or caches of verger.
    output:    a table of the schema `verger.bulk.changes.SCHEMA`, sorted by origin, written
               when it is complete. `-` is stdout.
    format:    `parquet`, `csv` or `jsonl`; by default as the name of the output says, else Parquet.
    crawlers:  the product tokens to compare; if empty, all that either file names, and `*`.
    threads:   how many sites are compared at the same time; by default as many as there are cores.
    Raises:    UnusableInput, InvalidTable, CacheError, MissingExtra, UnknownName, InvalidOption,
               InvalidProductToken; UnusableOutput for an output that cannot be written or is an
               input.
    """
    comparison = Comparison(dialect, crawlers, threads)
    written_as = format_of(os.fspath(output), format)
    folders = [path for path in (old, new) if Path(path).is_dir()]
    files = [path for path in (old, new) if path not in folders]
    expect_no_overwriting([output], inputs=files, folders=folders)
    report = ChangesReport()
    with (
        writing(output) as file,  # first: what cannot be written is told before hours of reading
        closing(open_stored(old)) as before,
        closing(open_stored(new)) as after,
        rows_written(written_as, file) as write,
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
    by_purpose = by_key((purpose, row.severity) for row in rows for purpose in row.purposes)
    for purpose, severities in by_purpose.items():
        report.by_purpose[purpose, gravest(severities)] += 1


# Rows


def gravest(severities: Iterable[object]) -> Severity:
    """Return the gravest of some."""
    said = set(severities)
    return next(severity for severity in SEVERITIES if severity in said)


def batch_of(rows: Sequence[ChangeRow]) -> "pa.RecordBatch":
    """Return rows as a batch."""
    schema = changes_schema()
    import pyarrow as pa

    columns = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.record_batch(list(columns), schema=schema)


# Files


@contextmanager
def rows_written(format: str, output: Output) -> Iterator[Callable[[Sequence[ChangeRow]], object]]:
    """Give a function that writes rows in a format; text has no effect on a terminal."""
    if format == "parquet":
        schema = changes_schema()
        from verger.files.parquet import ParquetSink

        with ParquetSink(output, schema) as sink:
            yield lambda rows: sink.write(batch_of(rows))
        return
    stream, line_of = plain_on(output), {"csv": _csv, "jsonl": _json}[format]
    if format == "csv":
        stream.write(f"{record(ChangeRow._fields)}\n".encode())
    yield lambda rows: stream.write("".join(map(line_of, rows)).encode("utf-8", "backslashreplace"))


def _csv(row: ChangeRow) -> str:
    """Return a line; lists are words, and no product token or purpose has two."""
    values = (" ".join(value) if isinstance(value, list) else value for value in row)
    return f"{record(values)}\n"


def _json(row: ChangeRow) -> str:
    return f"{json_text({'schema': CHANGES_SCHEMA, **row._asdict()})}\n"
