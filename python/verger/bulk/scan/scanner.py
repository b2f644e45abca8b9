"""The scanner: batches of captures in, batches of rows out, in the same order.

In: captures with the columns of `captures.SCHEMA`, from any reader. Out: rows of `verger.scan/1`
and, on request, records of `verger.records/1`. A pure function of each capture, the dialect and the
list of crawlers: the source of rows and the number of threads change nothing.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter

import pyarrow as pa
import pyarrow.compute as pc

from verger._core import Table, __version__, _CaptureScanner, _dialect_of, _opened
from verger.access.policy import bytes_read
from verger.access.table import access_table
from verger.bulk.scan.known import SUCCESSFUL, Known, digests_of
from verger.captures.batches import SEEN, batches_from, grouped
from verger.captures.column_names import (
    NAMES,
    RECORDS_SCHEMA,
    SCAN_SCHEMA,
    Columns,
    find_columns,
    is_export,
)
from verger.captures.tables import CAPTURES, batches_in, in_memory, observations
from verger.crawlers import LISTED, binding_of
from verger.crawlers.uses import uses_asked
from verger.errors import InvalidOption
from verger.fetching.decode import kept_file
from verger.options import AnyDialect, AnyPath, expect_tokens, expect_whole
from verger.untrusted_text import counted

CODED = frozenset(("length", "coding", "truncated"))
"""Columns that say what a body is cut to, or packed with: it is not yet the file."""

AT_ONCE, MOST_BYTES = 4_000, 16 << 20
"""Captures, and their bytes, of which the rows of an earlier scan are taken over at once."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """The rows of one batch of captures.

    rows:     batches of `verger.scan/1`: a row for each capture.
    records:  batches of `verger.records/1`: a row for each record; empty unless they were asked
              for.
    """

    rows: list[pa.RecordBatch]
    records: list[pa.RecordBatch]


class Scanner:
    """Reads captures in one dialect, for one list of crawlers.

    dialect:   its name, or one of your own.
    crawlers:  product tokens; each has a column of its own: what a file says to the crawler in the
               groups that it follows (`verger.crawlers.agent_of`).
    threads:   how many threads to use; by default as many as there are cores.
    fingerprints:  whether rows have a column with what `RobotsTxt.fingerprint` returns.
    known:     the table of an earlier scan with the same crawlers, dialect and version: what it
               says of a body is not determined again, unless records are wanted as well.
    The attribute `uses` has, for each use, the crawlers that fetch for it: what a file says of it
    to them, and to those that no group names, is in the column of that name.
    Raises InvalidProductToken, UnknownName, InvalidOption.
    """

    def __init__(
        self,
        *,
        dialect: AnyDialect = "rfc9309",
        crawlers: Sequence[str] = LISTED,
        threads: int | None = None,
        fingerprints: bool = False,
        known: AnyPath | None = None,
    ) -> None:
        expect_whole("threads", threads, optional=True)
        expect_tokens("crawlers", crawlers)
        self.dialect = _dialect_of(dialect)
        self.crawlers = _without_repetitions(crawlers)
        self.threads, self.fingerprints, self.known = threads, fingerprints, known
        table, _ = access_table(self.dialect)
        bindings = list(map(binding_of, self.crawlers))
        uses = uses_asked(self.crawlers)
        self.uses = {
            use: tuple(self.crawlers[place] for place, _, _ in asked) for use, _, asked in uses
        }
        self._judge = partial(kept_file, enough=bytes_read(self.dialect))
        self._native = _CaptureScanner(
            self.dialect, self.crawlers, table, bindings, uses, fingerprints
        )
        self.schema = self._described(self._native.rows_schema(), SCAN_SCHEMA)
        self.records_schema = self._described(self._native.records_schema(), RECORDS_SCHEMA)
        self._earlier = None if known is None else Known(known, self.schema)

    def __repr__(self) -> str:
        crawlers = counted(len(self.crawlers), "crawler")
        return f"Scanner({crawlers}, dialect={self.dialect.name!r})"

    def _described(self, empty: Table, name: str) -> pa.Schema:
        return pa.RecordBatchReader.from_stream(empty).schema.with_metadata(
            {
                "verger.schema": name,
                "verger.version": __version__,
                "verger.dialect": self.dialect.name,
                "verger.crawlers": ",".join(self.crawlers),
                **{f"verger.use.{use}": ",".join(tokens) for use, tokens in self.uses.items()},
            }
        )

    @property
    def recalled(self) -> int:
        """How many bodies repeat an earlier one, and were not read again."""
        return self._native.recalled

    def scan(self, captures: Columns, *, with_records: bool = False) -> Scanned:
        """Return the rows of some captures, and their records. Raises InvalidTable.

        Columns have one of their usual names, as in every table of files. The captures of an
        exported cache are the copy of each entry, and the last attempt.
        """
        names, opened = _opened(captures, "captures")
        if is_export(names, "the table"):
            entries = batches_in(captures, opened)
            opened = pa.Table.from_batches(observations(entries, "in the table", CAPTURES), SEEN)
        else:
            columns = find_columns("the table", names, NAMES, {}, needed=("url",))
            if any(role != column for role, column in columns.items()):
                found = in_memory(captures, opened).select(list(columns.values()))
                opened = found.rename_columns(list(columns))
        if self._earlier is not None and not with_records:
            opened = opened if isinstance(opened, pa.Table) else in_memory(captures, opened)
            said = CODED.intersection(opened.column_names)
            is_plain = not any(pc.any(opened.column(name).is_valid()).as_py() for name in said)
            if "body" in opened.column_names and is_plain:
                return Scanned(self._scan_new(opened, self._earlier), [])
        return self._scan(opened, with_records=with_records)

    def _scan(self, opened: Columns, *, with_records: bool = False) -> Scanned:
        threads = self.threads or os.cpu_count() or 1
        rows, records = self._native.scan(
            opened, self._judge, threads=threads, with_records=with_records
        )
        return Scanned(_batches(rows, self.schema), _batches(records, self.records_schema))

    def _scan_new(self, captures: pa.Table, earlier: Known) -> list[pa.RecordBatch]:
        """Return the rows of captures; those of bodies that are known have an empty body while they
        are scanned, and then the columns of an earlier scan."""
        bodies = captures.column("body").cast(pa.large_binary())
        digests = digests_of(bodies)
        which, known = earlier.rows(digests)
        is_known = pa.array([place is not None for place in which])
        emptied = pc.if_else(is_known, pa.scalar(b"", pa.large_binary()), bodies)
        place = captures.column_names.index("body")
        scanned = self._scan(captures.set_column(place, "body", emptied)).rows
        rows = pa.Table.from_batches(scanned, self.schema).combine_chunks()
        is_body = pc.and_(is_known, rows.column("origin").is_valid())
        lengths = pc.binary_length(bodies).cast(pa.int64())
        columns = {
            "bytes": pc.if_else(is_body, lengths, rows.column("bytes")),
            "digest": pc.if_else(is_body, pa.array(digests, pa.binary()), rows.column("digest")),
        }
        files = pc.equal(rows.column("access"), SUCCESSFUL).to_pylist()
        takes = pa.array(
            at if place is None or not is_file else rows.num_rows + place
            for at, (place, is_file) in enumerate(zip(which, files, strict=True))
        )
        facts = known.drop_columns("digest")
        both = pa.concat_tables([rows.select(facts.column_names).replace_schema_metadata(), facts])
        both = both.combine_chunks().take(takes)
        columns |= {name: both.column(name) for name in both.column_names}
        for name, column in columns.items():
            rows = rows.set_column(rows.column_names.index(name), rows.field(name), column)
        return [each for each in rows.combine_chunks().to_batches() if each.num_rows]

    def larger(self, captures: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield captures in the batches that are best for `scan`: where rows are taken over from an
        earlier scan, which takes as long for a few as for many, several at once."""
        if self._earlier is None:
            yield from captures
            return
        for _, alike in groupby(captures, attrgetter("schema")):
            for some in grouped(alike, attrgetter("num_rows", "nbytes"), AT_ONCE, MOST_BYTES):
                yield from pa.Table.from_batches(some).combine_chunks().to_batches()

    def scan_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of batch after batch; Spark's `mapInArrow` takes it as it is."""
        for batch in batches:
            yield from self.scan(batch).rows

    def __reduce__(self) -> tuple[object, ...]:
        options = ("dialect", "crawlers", "threads", "fingerprints", "known")
        given = {name: getattr(self, name) for name in options}
        again = partial(Scanner, **given)
        return again, ()


def _without_repetitions(crawlers: Sequence[str]) -> tuple[str, ...]:
    """Return each crawler once: some readers ignore case in the names of columns."""
    if not crawlers:
        raise InvalidOption("`crawlers` is empty", "name one, or leave it out")
    return tuple({token.lower(): token for token in reversed(crawlers)}.values())[::-1]


def _batches(table: Table | None, schema: pa.Schema) -> list[pa.RecordBatch]:
    if table is None:
        return []
    return [each.replace_schema_metadata(schema.metadata) for each in batches_from(table)]
