"""What runs in Spark's Python workers: iterators of Arrow batches in, iterators of batches out.

Callables here are pickled by name and with few fields. A worker has one core and reads one
partition at a time; only the current batch and the files of the last origin are in memory.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import pyarrow as pa
import pyarrow.compute as pc

from verger._core import Dialect, _dialect_of, _origins, check_product_token
from verger.access.observation import Observation, place_without_order
from verger.access.result import FAILURES
from verger.bulk.decide import decide_table
from verger.captures.tables import expect_failures, observations
from verger.crawlers.binding import Bindings, expect_bindings
from verger.errors import InvalidTable
from verger.snapshots.snapshot import Snapshot

FILES = pa.schema(
    [
        ("origin", pa.string()),
        ("body", pa.binary()),
        ("status", pa.int64()),
        ("time", pa.float64()),
        ("failure", pa.string()),
    ]
)
"""The files of a snapshot: fetch times in seconds since the epoch."""
PLACED_FILES = FILES.insert(0, pa.field("place", pa.int64()))


@dataclass(frozen=True, slots=True)
class Asker:
    """The crawler that asks, and the dialect of files."""

    tokens: tuple[str, ...]
    bindings: Bindings
    dialect: Dialect

    @classmethod
    def checked(
        cls, token: str | Sequence[str], bindings: Bindings, dialect: str | Dialect
    ) -> "Asker":
        """Return the asker. Raises InvalidProductToken and UnknownName."""
        check_product_token(token, dialect=dialect)
        expect_bindings(bindings)
        tokens = (token,) if isinstance(token, str) else tuple(token)
        return cls(tokens, bindings, _dialect_of(dialect))

    def snapshot(self, files: pa.Table) -> Snapshot:
        """Return a snapshot of these files."""
        return Snapshot.from_table(files, dialect=self.dialect)


@dataclass(frozen=True, slots=True)
class Answering:
    """Adds answers to rows; the last column has the URLs and is not kept."""

    asker: Asker
    names: tuple[str, ...]
    """The names of the other columns."""

    def answered(self, batch: pa.RecordBatch, snapshot: Snapshot) -> pa.RecordBatch:
        """Return the rows of a batch with `allowed`, `reason` and `line`, in Spark's types."""
        *kept, urls = batch.columns
        asker = self.asker
        decided = decide_table(urls, snapshot, asker.tokens, bindings=asker.bindings, threads=1)
        table = pa.table(decided)
        allowed, reason, line = (_one_array(column) for column in table.columns)
        columns = [*kept, allowed, reason.cast(pa.string()), line]
        return pa.RecordBatch.from_arrays(columns, [*self.names, "allowed", "reason", "line"])


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def origins(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield the origins of the URLs in the first column."""
    for batch in batches:
        yield pa.RecordBatch.from_arrays([origins_of(batch.column(0))], ["origin"])


@dataclass(frozen=True, slots=True)
class Place:
    """Prepends to each row its origin, and how many tasks share it."""

    busy: dict[str, int]
    name: str
    """The name of the rest of the row."""
    parts: Callable[[pa.RecordBatch], tuple[pa.Array, pa.Array]]
    """Returns the origins of a batch, and the rest."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        shares = TaskShares(self.busy)
        for batch in batches:
            origin, rest = self.parts(batch)
            columns = [origin, shares.column(origin), rest]
            yield pa.RecordBatch.from_arrays(columns, ["origin", "shares", self.name])


def url_parts(batch: pa.RecordBatch) -> tuple[pa.Array, pa.Array]:
    """Return the origins of the URLs in the last column, and whole rows."""
    row = pa.StructArray.from_arrays(batch.columns, batch.schema.names)
    return origins_of(batch.column(-1)), row


def file_parts(batch: pa.RecordBatch) -> tuple[pa.Array, pa.Array]:
    """Return the origins of files in canonical form, and the files with them."""
    files = canonical(batch)
    return files.column("origin"), pa.StructArray.from_arrays(files.columns, FILES.names)


def origins_of(urls: pa.Array, *, with_hosts: bool = False) -> pa.Array:
    """Return the origin of each URL, in canonical form; null for those without one.

    with_hosts:  whether a bare host such as `example.com` is the origin `https://example.com`.
    """
    found = pa.table(_origins(urls, "origin", with_hosts=with_hosts))
    return found.column("origin").combine_chunks()


class TaskShares:
    """How many tasks share an origin: one, except for busy ones."""

    __slots__ = ("_names", "_shares")

    def __init__(self, busy: dict[str, int]) -> None:
        self._names = pa.array(busy.keys(), pa.string())
        self._shares = pa.array(busy.values(), pa.int32())

    def column(self, origins: pa.Array) -> pa.Array:
        """Return a number for each origin."""
        if not len(self._names):
            return pa.repeat(pa.scalar(1, pa.int32()), len(origins))
        return self._shares.take(pc.index_in(origins, self._names)).fill_null(1)


def canonical(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return files with canonical origins, and with statuses, times and failures, or nulls.

    Raises InvalidTable for a row without an origin, or with an unknown failure.
    """
    given, body = batch.column("origin"), batch.column("body")
    origin = origins_of(given, with_hosts=True)
    if origin.null_count:
        row = pc.index(origin.is_null(), True).as_py()
        _refuse(given[row].as_py())
    columns = batch.schema.names
    nothing = pa.nulls(len(body))
    status = batch.column("status") if "status" in columns else nothing
    time = batch.column("time") if "time" in columns else nothing
    failure = batch.column("failure") if "failure" in columns else nothing
    return _files([origin, body, status, time, failure])


def observed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Turn entries of an exported cache into their observations. Raises InvalidTable."""
    for seen in observations(batches, "in the data frame"):
        columns = ("url", "body", "status", "time", "failure")
        yield _files([seen.column(name) for name in columns])


def _files(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    origin, body, status, time, failure = columns
    failure = failure.cast(pa.string())
    try:
        expect_failures(pc.unique(failure).to_pylist())
    except ValueError as why:
        hint = f"it is null, or one of {', '.join(FAILURES)}"
        raise InvalidTable(f"a row of the snapshot: {why}", hint) from None
    return pa.RecordBatch.from_arrays(
        [origin, body.cast(pa.binary()), status.cast(pa.int64()), _seconds(time), failure],
        schema=FILES,
    )


def _seconds(time: pa.Array) -> pa.Array:
    """Return times in seconds, to the microsecond, as `Snapshot.from_table` reads them."""
    if not pa.types.is_timestamp(time.type):
        seconds = time.cast(pa.float64(), safe=False)
        return pc.divide(pc.round(pc.multiply(seconds, 1e6)), 1e6)
    micros = time.cast(pa.timestamp("us", time.type.tz), safe=False).cast(pa.int64())
    return pc.divide(micros.cast(pa.float64(), safe=False), 1e6)


def _refuse(given: str | bytes | None) -> None:
    if given is None:
        raise InvalidTable(
            "the snapshot has a row without origin", "each row of a snapshot has an origin"
        )
    shown = given if isinstance(given, str) else given.decode("utf-8", "replace")
    raise InvalidTable(
        f"the snapshot has a row for `{shown[:200]}`, which is not an origin",
        "an origin looks like `https://example.com`",
    )


def ordered(files: pa.Table, by: Sequence[str] = ("origin",)) -> pa.Table:
    """Return files with those of one origin in the order in which they count."""
    keys = list(zip(*(files.column(name).to_pylist() for name in by), strict=True))
    if len(set(keys)) == len(keys):
        return files
    columns = (files.column(name).to_pylist() for name in ("time", "status", "failure", "body"))
    places = [place_without_order(Observation(*row)) for row in zip(*columns, strict=True)]
    return files.take(pa.array(sorted(range(len(keys)), key=places.__getitem__), pa.int64()))


@dataclass(frozen=True, slots=True)
class Packed:
    """A snapshot as bytes, the same in every task."""

    data: bytes = field(repr=False, compare=False)
    digest: bytes


def pack(snapshot: pa.Table) -> Packed:
    """Pack the columns of a snapshot. Raises InvalidTable for a row without an origin."""
    files = [canonical(batch) for batch in snapshot.to_batches()]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, FILES, options=options) as writer:
        writer.write_table(ordered(pa.Table.from_batches(files, FILES)))
    data = sink.getvalue().to_pybytes()
    return Packed(data, hashlib.sha256(data).digest())


@lru_cache(maxsize=1)
def unpacked(packed: Packed, asker: Asker) -> Snapshot:
    """Return the snapshot, made once in each process: Spark reuses its workers."""
    return asker.snapshot(pa.ipc.open_stream(packed.data).read_all())


@dataclass(frozen=True, slots=True)
class DecideBySnapshot:
    """Decides every row with one snapshot, which all workers have."""

    answering: Answering
    packed: Packed

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        snapshot = unpacked(self.packed, self.answering.asker)
        for batch in batches:
            yield self.answering.answered(batch, snapshot)


@dataclass(frozen=True, slots=True)
class DecideByPlace:
    """Decides rows that come after the files of their origins.

    In: batches of `place`, `robots` and `row`, one of the last two null, sorted so that the files
    of a place come first. Several origins may share a place.
    """

    answering: Answering

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        met = FilesMet(self.answering.asker)
        for batch in batches:
            if not batch.num_rows:
                continue
            row = batch.column("row")
            met.take(batch.column("place"), batch.column("robots"))
            row = row.filter(row.is_valid()) if row.null_count else row
            if len(row):
                yield self.answering.answered(pa.RecordBatch.from_struct_array(row), met.snapshot)


class FilesMet:
    """The files for the current rows: those of this batch and of the last place before."""

    __slots__ = ("_asker", "_files", "_place", "snapshot")

    def __init__(self, asker: Asker) -> None:
        self._asker = asker
        self._files = PLACED_FILES.empty_table()
        self._place: int | None = None
        self.snapshot = asker.snapshot(self._files)

    def take(self, places: pa.Array, robots: pa.StructArray) -> None:
        """Take the files of one batch; `places` are those of all its rows."""
        is_file = robots.is_valid()
        # Without new files the snapshot is kept, and with it the files that it has compiled.
        if is_file.true_count:
            files = [places.filter(is_file), *robots.filter(is_file).flatten()]
            self._add(pa.Table.from_arrays(files, schema=PLACED_FILES))
        self._place = places[-1].as_py()

    def _add(self, files: pa.Table) -> None:
        last = self._files.filter(pc.field("place") == pa.scalar(self._place, pa.int64()))
        self._files = ordered(pa.concat_tables([last, files]), by=("place", "origin"))
        self.snapshot = self._asker.snapshot(self._files)
