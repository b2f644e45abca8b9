"""Rows of changes: pairs of files become rows, and these a table.

In: the files of an origin before and after. Out: a row for each set of crawlers for which the site
changed; batches, and files of them. Knows nothing of snapshots.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple

from verger._core import Dialect, _Comparer, _dialect_of
from verger.analysis.differing import SEVERITIES, Severity, severity_of
from verger.captures.columns import CHANGES_SCHEMA
from verger.crawlers import find
from verger.crawlers.binding import special_bindings
from verger.errors import MissingExtra
from verger.files.csv_text import record
from verger.files.json_text import json_text
from verger.files.stdio import plain_on
from verger.files.writing import Output
from verger.options import expect_tokens, expect_whole
from verger.plain import unicode_text

with MissingExtra.unless_installed("parquet", "comparing snapshots"):
    import pyarrow as pa

    from verger.files.parquet_sink import ParquetSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger._core import _Changed

STEPS = 1 << 22
"""Steps for one crawler of one site: some tens of milliseconds at most."""


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
    metadata={"verger.schema": CHANGES_SCHEMA},
)
"""The columns of `ChangeRow`."""


class Comparison:
    """Compares pairs of files in one dialect, for some crawlers or all that the files name; several
    threads may use it at the same time.

    crawlers:  product tokens; if empty, all that either file names, and `*`.
    threads:   how many pairs are compared at the same time; by default as many as there are cores.
    Raises InvalidProductToken, UnknownName, InvalidOption.
    """

    def __init__(
        self, dialect: str | Dialect, crawlers: Sequence[str] = (), threads: int | None = None
    ) -> None:
        if threads is not None:
            expect_whole("threads", threads)
        expect_tokens("crawlers", crawlers)
        self.dialect = _dialect_of(dialect)
        self._threads = threads or os.cpu_count() or 1
        self._native = _Comparer(self.dialect, list(crawlers), _bindings(), STEPS)
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
        self._known = {key: rows for key, rows in last if _is_short(rows)}
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


def _bindings() -> list[tuple[str, tuple[str, ...], bool]]:
    """Return which groups crawlers follow, by their names in the registry."""
    return [(crawler.token, *each[1:]) for each in special_bindings() if (crawler := find(each[0]))]


MOST_PAIRS = 1024
"""The most pairs of files that are remembered."""

FEW = 8
"""The most rows of a pair that is remembered."""


def _is_short(rows: "list[_Changed]") -> bool:
    return len(rows) <= FEW and sum(len(each[0]) for each in rows) <= 64


def gravest(severities: Iterable[object]) -> Severity:
    """Return the gravest of some."""
    said = set(severities)
    return next(severity for severity in SEVERITIES if severity in said)


def batch_of(rows: Sequence[ChangeRow]) -> pa.RecordBatch:
    """Return rows as a batch."""
    columns = zip(*rows, strict=True) if rows else [()] * len(SCHEMA)
    arrays = [pa.array(list(c), f.type) for c, f in zip(columns, SCHEMA, strict=True)]
    return pa.record_batch(arrays, schema=SCHEMA)


# Files


@contextmanager
def rows_written(format: str, output: Output) -> Iterator[Callable[[Sequence[ChangeRow]], object]]:
    """Give a function that writes rows in a format; text has no effect on a terminal."""
    if format == "parquet":
        with ParquetSink(output, SCHEMA) as sink:
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
