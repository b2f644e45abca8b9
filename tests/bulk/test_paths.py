"""Paths and files as people pass them: one by itself, several, as text or as `Path`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import verger
from memory_store import MemoryStore
from verger import snapshots
from verger.bulk import Snapshot, report
from verger.bulk.audit import audit_logs, history_of, size_of
from verger.bulk.scan import scan
from verger.cache.purging import purge
from verger.crawlers.survey import survey_of
from verger.expectations import Subject, record, subject_of
from verger.lint import Settings, chosen, fixed, formatted, lint
from verger.snapshots.opening import open_stored

FILE = "User-agent: *\nDisallow: private\nDisallow: /\u00e4\nDisallow: /b\nDisallow: /b\n"
LINE = '192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "GPTBot/1.0"\n'

THREE: Any = 3
"""What a type checker would refuse."""

FORMS: dict[str, Callable[[Path], Any]] = {
    "Path": lambda path: path,
    "str": str,
    "Paths": lambda path: [path],
    "strs": lambda path: (str(path),),
    "iterator": lambda path: iter([path]),
}


@pytest.fixture
def robots(tmp_path: Path) -> Path:
    path = tmp_path / "2026-01-05.txt"
    path.write_text(FILE, encoding="utf-8")
    return path


@pytest.mark.parametrize("form", FORMS)
def test_logs_and_their_history(form: str, robots: Path, tmp_path: Path) -> None:
    """One log is not a log for each letter of its name."""
    log = tmp_path / "access.log"
    log.write_text(LINE)
    versions = history_of(FORMS[form](robots))
    audited = audit_logs(FORMS[form](log), versions)

    assert [robots.read_bytes()] == [version.body for version in versions]
    assert (1, ()) == (audited.log.judged, tuple(audited.problems))
    assert len(LINE) == size_of(FORMS[form](log))


@pytest.mark.parametrize("form", FORMS)
def test_scans_and_reports(form: str, tmp_path: Path) -> None:
    """Tables are named alike where they are written and where they are read."""
    table, rows = tmp_path / "snap.csv", tmp_path / "rows.parquet"
    table.write_text("url,status,body\nhttps://example.com/robots.txt,200,x\n")

    assert 1 == scan(FORMS[form](table), rows).captures
    assert 1 == report.summarise(FORMS[form](rows)).captures


def test_one_path(robots: Path) -> None:
    """What takes one path takes a `Path`."""
    assert subject_of(robots).name == str(robots)
    site = robots.rename(robots.with_name("example.com.txt"))
    open_stored(site.parent).close()
    assert "https://example.com" in snapshots.open(site.parent)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("paths", lambda: history_of(3)),  # type: ignore[arg-type]
        ("paths", lambda: history_of([3])),  # type: ignore[list-item]
        ("paths", lambda: scan(b"x", "y")),  # type: ignore[arg-type]
        ("paths", lambda: report.summarise(None)),  # type: ignore[arg-type]
        ("logs", lambda: audit_logs(3, [])),  # type: ignore[arg-type]
        ("logs", lambda: audit_logs([b"x"], [])),  # type: ignore[list-item]
    ],
)
def test_what_is_not_a_path(name: str, call: Callable[[], object]) -> None:
    """The message names the argument."""
    with pytest.raises(TypeError, match=f"`{name}` must "):
        call()


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("hosts", lambda: audit_logs([], [], hosts="example.com")),
        ("hosts", lambda: history_of([], hosts="example.com")),
        ("select", lambda: chosen("RT301")),
        ("ignore", lambda: Settings(ignore="RT301")),  # type: ignore[arg-type]
        ("targets", lambda: Settings(targets="google")),  # type: ignore[arg-type]
        ("urls", lambda: record(Subject.of_bytes(b""), urls="/a")),
        ("urls", lambda: purge(MemoryStore(), "https://a.example").send(None)),
    ],
)
def test_one_text_in_place_of_several(name: str, call: Callable[[], object]) -> None:
    """What is not a path may be several letters: it is refused by the argument's name."""
    with pytest.raises(TypeError, match=f"`{name}` must be a sequence of .*, not one str"):
        call()


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("`hosts` must hold hosts, not int", lambda: audit_logs([], [], hosts=(THREE,))),
        ("`select` must hold checks, not int", lambda: Settings(select=(THREE,))),
        ("`ignore` must be a sequence of checks, not int", lambda: Settings(ignore=THREE)),
        ("`purposes` must hold purposes, not int", lambda: survey_of(None, purposes=(THREE,))),
        ("`files` must be a mapping of files by origin, not int", lambda: Snapshot(THREE)),
    ],
)
def test_what_holds_something_else(message: str, call: Callable[[], object]) -> None:
    """The error names the argument, and what it must be."""
    with pytest.raises(TypeError, match=message):
        call()


def test_text_of_a_file() -> None:
    """It is linted and formatted as it is parsed."""
    data = FILE.encode()

    assert lint(data) == lint(FILE) == lint(verger.parse(FILE))
    assert fixed(data) == fixed(FILE)
    assert formatted(data) == formatted(FILE)


@pytest.mark.parametrize("function", [lint, fixed, formatted])
def test_what_is_not_a_file(function: Callable[[Any], object]) -> None:
    """The message names the argument, as that of `parse` does."""
    with pytest.raises(TypeError, match="must be the bytes or the text of a file, not PosixPath"):
        function(Path("robots.txt"))
