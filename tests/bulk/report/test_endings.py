"""A report that cannot be finished: a full disk, or a signal; nothing of it stays."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bulk.report.scans import write_many
from cli.conftest import folder
from cli.console import talking_to
from cli.test_report import scan
from patience import LONG

__all__ = ["folder", "scan"]


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

        assert (code, b"") == (command.wait(timeout=LONG), command.stderr.read())
    assert {scan, folder / "temporary"} == {*folder.rglob("*")}


@pytest.mark.usefixtures("folder")
def test_a_report_that_is_ended() -> None:
    """SIGTERM ends the process as it does by itself, and no folder stays."""
    code = """if True:
        import time
        from tempfile import TemporaryDirectory
        from verger.cli.commands.report import ending_cleanly

        with ending_cleanly(), TemporaryDirectory(dir=".") as folder:
            print(folder, flush=True)
            time.sleep(60)
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        assert folder.is_dir()
        process.terminate()

    assert -signal.SIGTERM == process.returncode
    assert not folder.exists()
