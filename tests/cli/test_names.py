"""Names of files are bytes: those that are not UTF-8 are names like any other."""

import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk.report import scans

from .conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="names that are bytes")

PLAIN, ODD = "plain", os.fsdecode(b"odd\xff")
AGENT = ("--user-agent", "ExampleBot/1.0 (+https://example.com/bot)")

USES = {
    "report": ("report", "{}.scan.parquet", "--output", "{}.out"),
    "report of a folder": ("report", "{}", "--output", "{}.out"),
    "scan": ("scan", "{}.rows.parquet", "--output", "{}.out"),
    "filter": (
        *("filter", *AGENT, "--snapshot", "{}.rows.parquet", "--format", "csv"),
        *("--output", "{}.out", "{}.rows.parquet"),
    ),
    "filter with a cache": (
        *("filter", *AGENT, "--cache", "{}.sqlite", "--connect-to", "::127.0.0.1:1"),
        *("--format", "csv", "--output", "{}.out", "{}.rows.parquet"),
    ),
    "audit": (
        *("audit", "--history", "{}.rows.parquet", "--output", "{}.out", "{}.log"),
        *("--format", "csv"),
    ),
    "cache": ("cache", "export", "--cache", "{}.sqlite", "--output", "{}.out"),
}


@pytest.fixture(autouse=True)
def stage(folder: Path) -> None:
    """Lay down every input under a plain name, and under the other."""
    rows = {
        "url": ["http://a.example/"],
        "time": pa.array([0], pa.timestamp("us", "UTC")),
        "status": [200],
        "body": [b"User-agent: *\nDisallow: /\n"],
    }
    for name in (PLAIN, ODD):
        (folder / name).mkdir()
        for file in (f"{name}.scan.parquet", f"{name}/scan.parquet"):
            with (folder / file).open("wb") as sink:
                scans.write(Path("scan"), [scans.Capture()])
                sink.write(Path("scan").read_bytes())
        with (folder / f"{name}.rows.parquet").open("wb") as sink:
            pq.write_table(pa.table(rows), sink)
        (folder / f"{name}.log").write_bytes(
            b'1.2.3.4 - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1"\n'
        )


@pytest.mark.parametrize("name", USES)
def test_names_that_are_not_utf_8(name: str, run: Run) -> None:
    """A command answers the same under both names."""
    if name == "cache":
        words = [word.replace("{}", PLAIN) for word in USES["filter with a cache"]]
        run(*words)
        Path(f"{ODD}.sqlite").write_bytes(Path(f"{PLAIN}.sqlite").read_bytes())
    codes = [run(*(word.format(file) for word in USES[name])).code for file in (PLAIN, ODD)]

    assert codes[0] in (0, 1)
    assert codes[0] == codes[1]
    odd = Path(f"{ODD}.out").read_bytes().replace(os.fsencode(ODD), PLAIN.encode())
    assert Path(f"{PLAIN}.out").read_bytes() == odd
