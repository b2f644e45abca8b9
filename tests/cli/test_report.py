"""`verger report`: words in, a page out, and what it says where there is none."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bulk.report.scans import Capture, unavailable, write, write_many

from .conftest import Run
from .console import talking_to


@pytest.fixture
def scan(folder: Path) -> Path:
    return write(folder / "scan.parquet", [Capture(), unavailable("https://gone.example")])


def test_report(run: Run, folder: Path, scan: Path) -> None:
    """The page is written, stdout is empty, and stderr says in a line what it is about."""
    done = run("report", scan.name, "--output", "report.html", "--title", "Who & what")

    assert (0, "") == (done.code, done.out)
    assert "2 captures, 2 sites: `report.html`\n" == done.err
    assert "<h1>Who &amp; what</h1>" in (folder / "report.html").read_text("utf-8")


def test_several_snapshots(run: Run, folder: Path, scan: Path) -> None:
    """Folders and patterns are inputs, and `--every` says what a snapshot is."""
    (folder / "more").mkdir()
    write(folder / "more" / "old.parquet", [Capture(time=Capture().time.replace(day=1))])
    done = run("report", scan.name, "more", "--output", "report.html", "--every", "day")

    assert "3 captures, 2 sites in the latest of 2 snapshots: `report.html`\n" == done.err


def test_quiet(run: Run, scan: Path) -> None:
    """Nothing is said of what went well."""
    done = run("report", scan.name, "--output", "report.html", "--quiet")

    assert (0, "", "") == (done.code, done.out, done.err)


LIMITED = """
import resource, signal, sys
from verger.bulk.report import counting
from verger.cli.app import main
counting.MEMORY = "60MB"
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(["report", "scan.parquet", "--output", "report.html"]))
"""


def limited(size: int) -> str:
    """Return what is said where no file may have more than so many bytes."""
    command = [sys.executable, "-B", "-c", LIMITED, str(size)]  # no half bytecode
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 2 == done.returncode
    return done.stderr


def test_no_room(folder: Path, scan: Path) -> None:
    """A page that finds no room is told of, and is not there by half."""
    expected = r"error: cannot write `report\.html`: file too large\nhint: .+\n"

    assert re.fullmatch(expected, limited(100_000))
    assert [scan] == list(folder.iterdir())


@pytest.mark.slow
def test_no_room_for_temporary_files(folder: Path) -> None:
    """They are told of by their folder."""
    scan = write_many(folder / "scan.parquet", 400_000)
    expected = r"error: cannot write temporary files in `.+`: .+: File too large\nhint: .+\n"

    assert re.fullmatch(expected, limited(50))
    assert [scan] == list(folder.iterdir())


ENDLESS = """
import sys
from verger.bulk.report import counting
from verger.cli.app import main

def summary(database, *_):
    print(flush=True)
    database.execute("SELECT sum(hash(range)) FROM range(1_000_000_000_000)")

counting.THREADS = 1  # DuckDB waits for what other threads do, which does not end here
counting._summary = summary
sys.exit(main(["report", "scan.parquet", "--output", "report.html"]))
"""


@pytest.mark.parametrize(
    ("kind", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)], ids=["INT", "TERM"]
)
def test_signal_while_counting(
    kind: signal.Signals, code: int, folder: Path, scan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB is left at once, without a word, and no temporary file stays."""
    (folder / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(folder / "temporary"))
    with talking_to([sys.executable, "-B", "-c", ENDLESS]) as command:
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdout.readline()
        command.send_signal(kind)

        assert (code, b"") == (command.wait(timeout=60), command.stderr.read())
    assert {scan, folder / "temporary"} == {*folder.rglob("*")}
