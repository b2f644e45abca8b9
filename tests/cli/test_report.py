"""`verger report`: words in, a page out, and what it says where there is none."""

from pathlib import Path

import pytest

from bulk.report.scans import Capture, unavailable, write

from .conftest import Run


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
