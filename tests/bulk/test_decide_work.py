"""How the work is done: lazily, without copies, in threads that change nothing, beside Python."""

import gc
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import verger
from bulk.conftest import FILE, SITE, TOKEN, Row, answer, column, rows_of
from meanwhile import others_run_within
from patience import LONG
from programs import printed
from verger.bulk import Snapshot, decide_stream, decide_table

ROBOTS = verger.parse(FILE)
SITES = [f"https://site{n}.example" for n in range(60)]
SNAPSHOT = Snapshot(
    {site: f"User-agent: *\nDisallow: /p{n}\n".encode() for n, site in enumerate(SITES)}
)
MIXED = [f"{SITES[n * 7 % 61 % 60]}/p{n % 60}/{n}" for n in range(30_000)]
BOTH = pytest.mark.parametrize("robots", [ROBOTS, SNAPSHOT], ids=["file", "snapshot"])


# Lazily


class Endless:
    """Batches without end, and how many of them were asked for."""

    def __init__(self, url: str = f"{SITE}/private") -> None:
        self.asked = 0
        self._batch = column([url] * 3).to_batches()[0]

    def reader(self) -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(self._batch.schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        for self.asked in count(1):
            yield self._batch


@BOTH
def test_endless_stream(robots: verger.RobotsTxt | Snapshot) -> None:
    """A stream asks for no batch before its own is asked for, so that the source may be endless."""
    source = Endless()
    decisions = decide_stream(source.reader(), robots, TOKEN)
    asked = [source.asked]
    reader = pa.RecordBatchReader.from_stream(decisions)
    asked.append(source.asked)
    for _ in range(3):
        assert 3 == reader.read_next_batch().num_rows
        asked.append(source.asked)

    assert [0, 0, 1, 2, 3] == asked


def test_batches_are_let_go() -> None:
    """A batch that was read is held by nobody, however many there were."""
    source = Endless("https://example.com/" + "a" * 100_000)
    reader = pa.RecordBatchReader.from_stream(decide_stream(source.reader(), ROBOTS, TOKEN))
    reader.read_next_batch()
    before = pa.total_allocated_bytes()
    for _ in range(50):
        reader.read_next_batch()

    assert before + 100_000 > pa.total_allocated_bytes()


# Without copies

GROWTH = """
import sys
from pathlib import Path
import pyarrow as pa
import verger
from verger.bulk import Snapshot, decide_table


def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


def urls(kind, rows):
    return pa.repeat(pa.scalar("https://example.com/" + "a" * 380, kind), rows)


robots = verger.parse(b"User-agent: *\\nDisallow: /private\\n")
snapshot = Snapshot({{"https://example.com": robots.body}})
table = pa.table({{"url": urls({kind}, 300_000)}})
decide_table(table.slice(0, 10), robots, "a")
before = peak()
for judge in (robots, snapshot):
    assert len(decide_table(table, judge, "a", threads=2)) == len(table)
print(table.nbytes, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
@pytest.mark.parametrize("kind", ["pa.string()", "pa.large_string()", "pa.binary()"])
def test_urls_are_not_copied(kind: str) -> None:
    """Peak memory grows by the decisions, some 14 bytes a row, not by the URLs."""
    data, growth = map(int, printed(GROWTH.format(kind=kind)).split())

    assert data >= 120_000_000
    assert growth < data / 4


BODIES = """
import pyarrow as pa
from pathlib import Path
from verger.bulk import Snapshot


def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM:"))


body = pa.repeat(pa.scalar(b"#" * 99_999 + b"\\n", pa.binary()), 1_000)
table = pa.table({"origin": [f"https://h{n}.example" for n in range(1_000)], "body": body})
before = peak()
snapshot = Snapshot.from_table(table)
print(table.nbytes, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc")
def test_bodies_are_not_copied() -> None:
    """A snapshot of a table refers to its bodies."""
    data, growth = map(int, printed(BODIES).split())

    assert data >= 100_000_000
    assert growth < data / 10


# Beside its source


@BOTH
def test_decisions_outlive_their_source(robots: verger.RobotsTxt | Snapshot) -> None:
    """Whatever a stream or a snapshot was made of may be let go before it is read."""
    urls = column(MIXED)
    expected = rows_of(decide_table(urls, robots, TOKEN))
    stream = decide_stream(urls, robots, TOKEN)
    del urls
    gc.collect()
    rubbish = [b"\xff" * 1_000_000 for _ in range(20)]

    assert expected == rows_of(stream)
    assert len(rubbish) == 20


def test_snapshot_outlives_its_table() -> None:
    """The bodies of a table stay as long as the snapshot that refers to them."""
    bodies = [f"User-agent: *\nDisallow: /p{n}\n" for n in range(len(SITES))]
    table = pa.table({"origin": SITES, "body": bodies})
    snapshot = Snapshot.from_table(table)
    del table, bodies
    gc.collect()
    rubbish = [b"\xff" * 1_000_000 for _ in range(20)]
    urls = column(MIXED)

    assert rows_of(decide_table(urls, SNAPSHOT, TOKEN)) == rows_of(
        decide_table(urls, snapshot, TOKEN)
    )
    assert len(rubbish) == 20


def test_decisions_outlive_file_and_snapshot() -> None:
    """A stream keeps what it asks."""
    snapshot = Snapshot({SITE: FILE})
    streams = [
        decide_stream(column([f"{SITE}/private"]), robots, TOKEN)
        for robots in (snapshot, verger.parse(FILE))
    ]
    del snapshot
    gc.collect()

    assert [[False], [False]] == [[row[0] for row in rows_of(stream)] for stream in streams]


# In threads


@BOTH
def test_threads_change_nothing(robots: verger.RobotsTxt | Snapshot) -> None:
    """One worker, two and four write the same bytes."""
    urls = column(MIXED)
    first, *others = (
        bytes_of(decide_table(urls, robots, TOKEN, threads=threads)) for threads in (1, 2, 4)
    )

    assert [first, first] == others


def bytes_of(table: Any) -> list[bytes | None]:
    """Return all buffers of a table, in order."""
    batches = pa.table(table).to_batches()
    buffers = [part for batch in batches for array in batch for part in array.buffers()]
    return [None if buffer is None else buffer.to_pybytes() for buffer in buffers]


def test_snapshot_row_by_row() -> None:
    """Many workers over shuffled origins say what each file alone says."""
    files = {
        site: verger.parse(f"User-agent: *\nDisallow: /p{n}\n") for n, site in enumerate(SITES)
    }
    expected: list[Row] = [answer(files[verger.origin(url)], TOKEN, url) for url in MIXED[:6_000]]

    assert expected == rows_of(decide_table(column(MIXED[:6_000]), SNAPSHOT, TOKEN, threads=4))


def test_many_calls_at_once() -> None:
    """One snapshot and one file answer many Python threads, for several crawlers at once."""
    urls = column(MIXED)
    jobs = [(robots, token) for robots in (SNAPSHOT, ROBOTS) for token in ("a", "b", "c")] * 3
    expected = {
        id(robots): bytes_of(decide_table(urls, robots, "a", threads=1))
        for robots in (SNAPSHOT, ROBOTS)
    }
    start = threading.Barrier(len(jobs))

    def ask(job: tuple[Any, str]) -> bool:
        robots, token = job
        start.wait(LONG)
        found = bytes_of(decide_table(urls, robots, token, threads=2))
        return found == expected[id(robots)]

    with ThreadPoolExecutor(len(jobs)) as pool:
        assert [True] * len(jobs) == list(pool.map(ask, jobs))


def test_one_stream_many_readers() -> None:
    """Of many threads that read one stream, one gets all of it, and the others are told."""
    stream = decide_stream(column(MIXED), SNAPSHOT, TOKEN)
    start = threading.Barrier(8)

    def read(_: int) -> int:
        start.wait(LONG)
        try:
            return len(stream.read_all())
        except verger.errors.InvalidTable:
            return 0

    with ThreadPoolExecutor(8) as pool:
        assert [0] * 7 + [len(MIXED)] == sorted(pool.map(read, range(8)))


@pytest.mark.parametrize("threads", [1, 2])
@BOTH
def test_python_goes_on_meanwhile(robots: verger.RobotsTxt | Snapshot, threads: int) -> None:
    """Another thread runs while a table is decided about: the GIL is released."""
    urls = column(MIXED * 20)

    assert others_run_within(lambda: decide_table(urls, robots, TOKEN, threads=threads))


def test_source_in_python_among_workers() -> None:
    """A source that is a Python generator, and other threads that want the GIL, stop nobody."""
    table = column(MIXED)

    def source() -> Iterator[pa.RecordBatch]:
        for batch in table.to_batches(max_chunksize=5_000):
            assert len(decide_table(table.slice(0, 10), SNAPSHOT, "other")) == 10
            yield batch

    def ask(_: int) -> list[bytes | None]:
        reader = pa.RecordBatchReader.from_batches(table.schema, source())
        return bytes_of(pa.table(decide_table(reader, SNAPSHOT, TOKEN)).combine_chunks())

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(ask, range(4))

    assert [first] * 3 == others


FORKED = """
import os
import pyarrow as pa
import verger
from verger.bulk import Snapshot, decide_table

urls = pa.table({"url": [f"https://h{n % 50}.example/p{n % 7}" for n in range(20_000)]})
file = b"User-agent: *\\nDisallow: /p3\\n"
snapshot = Snapshot({f"https://h{n}.example": file for n in range(50)})
robots = verger.parse(file)


def bytes():
    tables = [pa.table(decide_table(urls, judge, "a", threads=4)) for judge in (snapshot, robots)]
    return [b.to_pybytes() for t in tables for c in t for a in c.chunks for b in a.buffers() if b]


expected = bytes()
child = os.fork()
if child == 0:
    os._exit(0 if bytes() == expected else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), bytes() == expected)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_after_use() -> None:
    """A child of a process that has decided with threads decides with threads as well."""
    # Python 3.12 warns of any fork of a process with threads.
    assert "0 True\n" == printed(FORKED, PYTHONWARNINGS="ignore::DeprecationWarning")


MANY = """
import resource
from pathlib import Path
import pyarrow as pa
import verger
from verger.bulk import decide_table

urls = pa.repeat("/" + "a" * 200, 3_000_000)
robots = verger.parse(b"User-agent: *\\nDisallow: /x\\n")
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (1_000 << 20),) * 2)
print(len(decide_table(urls, robots, "a", threads=1_000_000)))
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc")
def test_more_threads_than_the_system_gives() -> None:
    """A thousand threads are not started because somebody allows a million."""
    assert "3000000\n" == printed(MANY)
