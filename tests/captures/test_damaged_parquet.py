"""Damaged Parquet: whichever bytes of a table are wrong, the file is named, and nothing is left.

In: every command that reads Parquet, and a table with bytes changed, or cut off. Out: an error
with the file's name, or answers where the damage is in what is not read; never a traceback, never
an error of writing.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.conftest import Run, folder, run

__all__ = ["folder", "run"]

pytestmark = pytest.mark.slow

ROWS = 3_000
BODIES = [f"User-agent: *\nDisallow: /{number * 7919}\n".encode() for number in range(ROWS)]
ORIGINS = [f"https://s{number}.example" for number in range(ROWS)]
TIME = datetime(2026, 1, 5, tzinfo=UTC)

COMMANDS: dict[str, tuple[str, ...]] = {
    "scan": ("scan", "t.parquet", "--output", "o.parquet"),
    "filter": ("filter", "t.parquet", "--agent=A", "--snapshot=sites", "--output=o.csv"),
    "filter by it": ("filter", "urls.txt", "--agent=A", "--snapshot=t.parquet", "--output=o.csv"),
    "audit": ("audit", "--history=t.parquet", "access.log", "--output=o.csv"),
    "report": ("report", "t.parquet", "--output=o.html"),
    "check": ("check", "--snapshot=t.parquet", "--agent=A", f"{ORIGINS[0]}/"),
    "diff": ("diff", "t.parquet", "sites", "--output=o.parquet"),
}

NAMES = {"audit": ("time", "body"), "report": ("origin", "digest", "posture")}
"""Columns of the tables that are damaged, also fields within a column and columns not read."""


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], bytes]:
    """Return the bytes of a good table for a command."""
    folder = tmp_path_factory.mktemp("tables")
    captures = pa.table({"url": ORIGINS, "body": BODIES, "status": [200] * ROWS})
    captures = captures.append_column("time", pa.array([TIME] * ROWS, pa.timestamp("us", "UTC")))
    parquet.write_table(captures, folder / "captures.parquet", compression="snappy")
    times = pa.array(range(ROWS), pa.int64()).cast(pa.timestamp("s", "UTC"))
    versions = pa.table({"time": times, "body": BODIES})
    parquet.write_table(versions, folder / "versions.parquet", compression="snappy")
    from verger.bulk.scan import scan

    scan([folder / "captures.parquet"], folder / "scan.parquet")
    names = {"audit": "versions", "report": "scan"}
    return lambda command: (folder / f"{names.get(command, 'captures')}.parquet").read_bytes()


def damages(data: bytes) -> Iterator[bytes]:
    """Yield a table damaged in many places, one by one."""
    size = len(data)
    for share in range(1, 20):
        at = size * share // 20
        yield (data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 64]) + data[at + 64 :])
    for back in (9, 40, 200, 900):
        at = size - back
        yield data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
    for end in (0, 3, 8, 100, size // 2, size - 1):
        yield data[:end]


@pytest.mark.parametrize("command", COMMANDS)
def test_damage_is_told(
    run: Run, folder: Path, tables: Callable[[str], bytes], command: str
) -> None:
    """The input is what is wrong, not the output."""
    (folder / "sites").mkdir()
    (folder / "urls.txt").write_text(f"{ORIGINS[0]}/\n")
    (folder / "access.log").write_text(
        '192.0.2.1 - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a/1"\n'
    )
    refused = 0
    for data in damages(tables(command)):
        (folder / "t.parquet").write_bytes(data)
        done = run(*COMMANDS[command])

        assert done.code in (0, 1, 2)
        assert "cannot write" not in done.err
        if done.err.startswith("error: "):  # not for rows that have no answer
            refused += 1
            assert done.code == 2
            assert "t.parquet" in done.err.partition("\n")[0], done.err
            assert not list(folder.glob("o.*"))
        for left in folder.glob("o.*"):
            left.unlink()
    assert refused >= 8


@pytest.mark.parametrize("command", COMMANDS)
def test_names_of_columns_are_told(
    run: Run, folder: Path, tables: Callable[[str], bytes], command: str
) -> None:
    """A name that is not text is damage like any other, also that of a column that nobody reads."""
    (folder / "sites").mkdir()
    (folder / "urls.txt").write_text(f"{ORIGINS[0]}/\n")
    (folder / "access.log").write_text("")
    data = tables(command)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for name in NAMES.get(command, ("url", "body", "status", "time")):
        begin, end = data[:footer], data[footer:]
        assert name.encode() in end
        (folder / "t.parquet").write_bytes(begin + end.replace(name.encode(), b"\xff" * len(name)))
        done = run(*COMMANDS[command])

        assert (2, "") == (done.code, done.out)
        assert done.err.startswith("error: cannot read `t.parquet`: the name of a column")
        assert not list(folder.glob("o.*"))
