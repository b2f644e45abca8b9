"""`verger cache`: what is kept is told, renewed, exported and removed; nothing else is."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cache.samples import filled
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cli.commands.cache import COMMANDS
from verger.errors import MissingExtra

from .conftest import Done, Run, objects, validator
from .console import after_a_line, environment
from .web import Page, Site, Web, web

STRING = "ExampleBot/1.0 (+https://example.com/bot)"
RULES = b"User-agent: *\nDisallow: /private\n"
HOUR, DAY = 3_600.0, 86_400.0

SITES: dict[str, Site] = {
    "example.com": Page(200, RULES + b"# new\n", {"Content-Type": "text/plain", "ETag": '"2"'}),
    "gone.example": 410,
    "down.example": 500,
    "silent.example": 404,
}


def result(origin: str, *, age: float, now: float | None = None, **facts: Any) -> AccessResult:
    """Return a result of some time ago, or before some time."""
    at = (time.time() if now is None else now) - age
    return AccessResult(f"{origin}/robots.txt", fetched_at=at, **facts)


def entries(now: float | None = None) -> list[Entry]:
    """Return a good file, one that is gone, and one that is down but has a copy."""
    now = time.time() if now is None else now
    text = {"content-type": "text/plain", "etag": '"1"'}
    fine = result(
        "https://example.com",
        age=3 * HOUR,
        now=now,
        status=200,
        body=RULES,
        wire_bytes=len(RULES),
        headers=text,
        redirects=("https://www.example.com/robots.txt",),
        notes=("the media type is `text/html`, not `text/plain`",),
    )
    gone = result("https://gone.example", age=2 * DAY, now=now, status=404)
    down = "https://down.example"
    copy = result(down, age=40 * DAY, now=now, status=200, body=b"\xff\n", headers=text)
    last = result(down, age=30, now=now, failure="refused", detail="connection refused")
    since = now - 10 * DAY
    return [
        Entry(down, last, copy, unreachable_since=since, failures=7, unreachable_for=10 * DAY),
        Entry("https://example.com", fine),
        Entry("https://gone.example", gone),
    ]


def kept_origins(run: Run) -> list[str]:
    return [each["origin"] for each in objects(run("cache", "list", "--format", "jsonl"))]


@pytest.fixture
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the user's own cache, with three entries."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    path = folder / "verger" / "robots.sqlite3"
    filled(path, entries())
    return path


@pytest.fixture
def stage(folder: Path) -> Iterator[Web]:
    """Serve the sites."""
    with web(SITES, folder) as servers:
        yield servers


pytestmark = pytest.mark.usefixtures("cache")

# list


def test_list_follows_its_schema(run: Run) -> None:
    """Every object does, in every dialect."""
    for dialect in ("rfc9309", "google", "yandex", "original-1994"):
        found = objects(run("cache", "list", "--format", "jsonl", "--dialect", dialect))

        assert [] == [
            error.message for each in found for error in validator("cache").iter_errors(each)
        ]
        assert [dialect] * 3 == [each["dialect"] for each in found]


def test_fresh_is_what_a_dialect_says(run: Run) -> None:
    """A file that one asks for again, another keeps for a week."""

    def fresh(dialect: str) -> list[bool]:
        asked = ("cache", "list", "--format", "jsonl", "--dialect", dialect)
        return [each["is_fresh"] for each in objects(run(*asked))]

    assert [True, True, False] == fresh("rfc9309")
    assert [True, True, True] == fresh("original-1994")


def test_damaged_entry_is_told(run: Run, cache: Path) -> None:
    """The others are listed, and stderr says how many are not."""
    with sqlite3.connect(cache) as connection:
        connection.execute("UPDATE entry SET record = x'00' WHERE origin LIKE '%gone%'")
    done = run("cache", "list", "--format", "jsonl")

    assert ["https://down.example", "https://example.com"] == [
        each["origin"] for each in objects(done)
    ]
    assert "note: 1 damaged and left out; they will be fetched again\n" in done.err


# show


def test_show_as_json(run: Run) -> None:
    """The object is that of `list`."""
    (shown,) = objects(run("cache", "show", "https://example.com", "--format", "json"))
    listed = objects(run("cache", "list", "--format", "jsonl"))[1]

    assert listed | {"age": 0} == shown | {"age": 0}


# refresh


def refreshed(run: Run, stage: Web, *words: str) -> Done:
    return run("cache", "refresh", *stage.options, "--user-agent", STRING, *words)


def test_refresh_urls(run: Run, stage: Web) -> None:
    """Their files are fetched, fresh or not, known or not; the crawler says who it is."""
    urls = ("https://example.com/a", "https://example.com/b", "https://silent.example/")
    done = refreshed(run, stage, *urls)

    assert (0, "2 fetched: 1 successful, 1 unavailable\n") == (done.code, done.err)
    assert {"example.com", "silent.example"} == {request.host for request in stage.requests}
    assert {STRING} == {request.headers["User-Agent"] for request in stage.requests}
    assert RULES + b"# new\n" == run("cache", "show", "https://example.com").data
    assert 4 == len(kept_origins(run))


def test_refresh_all(run: Run, stage: Web) -> None:
    """Every origin is asked, and one that cannot be reached makes the exit code 1."""
    done = refreshed(run, stage, "--all", "--format", "jsonl")

    assert (1, "3 fetched: 1 successful, 1 unavailable, 1 unreachable\n") == (done.code, done.err)
    assert {"https://down.example": 8} == {
        each["origin"]: each["failures"] for each in objects(done) if each["failures"]
    }
    assert b"\xff\n" == run("cache", "show", "https://down.example").data


def test_refresh_many(run: Run, stage: Web, folder: Path) -> None:
    """More than are fetched at a time, each once."""
    names = [f"http://site{n}.example" for n in range(350)]
    old = [Entry(name, result(name, age=9 * DAY, status=404)) for name in names]
    filled(folder / "many", old)
    done = refreshed(run, stage, "--all", "--cache", "many")

    assert (0, "350 fetched: 350 unavailable\n") == (done.code, done.err)
    assert 350 == len(stage.requests) == len({request.host for request in stage.requests})


# export


def test_export(run: Run) -> None:
    """A row for each origin, with all that was kept."""
    done = run("cache", "export", "--output", "out.parquet")
    down, fine, gone = pq.read_table("out.parquet").to_pylist()

    assert (0, "3 entries in `out.parquet`\n") == (done.code, done.err)
    assert ("https://example.com", 200, RULES) == (fine["origin"], fine["status"], fine["body"])
    assert ["https://www.example.com/robots.txt"] == fine["redirects"]
    assert [("content-type", "text/plain"), ("etag", '"1"')] == fine["headers"]
    assert (None, 404, "unavailable") == (gone["body"], gone["status"], gone["access"])
    assert ("refused", None, 7) == (down["failure"], down["status"], down["failures"])
    assert b"\xff\n" == down["copy"]["body"]
    assert abs(down["fetched_at"].timestamp() - time.time()) < HOUR
    assert ["out.parquet"] == [path.name for path in Path().glob("*out*")]


def test_export_without_pyarrow(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that brings it is named."""
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    for module in ("verger.cache.export", "verger.files.parquet"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    done = run("cache", "export", "--output", "out.parquet")

    assert (
        "error: writing Parquet needs packages that are not installed\n"
        f"hint: {MissingExtra.remedy('parquet')}\n"
    ) == done.err


def test_failed_export_leaves_the_old_file(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there before stays until all of the new is there."""
    (folder / "out.parquet").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", _disk_full)
    done = run("cache", "export", "--output", "out.parquet")

    assert 2 == done.code
    assert done.err.startswith("error: cannot write `out.parquet`: no space left on device\n")
    assert b"old" == (folder / "out.parquet").read_bytes()
    assert not list(folder.glob("*.part"))


def _disk_full(*_: object) -> None:
    raise OSError(28, "No space left on device")


# What can be wrong


ASKED = [
    ("list",),
    ("show", "https://a.example"),
    ("refresh", "--agent", "A", "--all"),
    ("refresh", "--agent", "A", "https://a.example"),
    ("export", "--output", "out.parquet"),
    ("purge", "--all"),
]


@pytest.mark.parametrize(
    "words", [("list",), ("show", "https://example.com"), ("export", "--output", "out.parquet")]
)
def test_looking_changes_nothing(run: Run, cache: Path, words: tuple[str, ...]) -> None:
    """Who lists, shows or exports leaves the file as it is, and makes none beside it."""
    with sqlite3.connect(cache) as connection:
        connection.execute("UPDATE entry SET record = x'00' WHERE origin LIKE '%gone%'")
    connection.close()

    def seen() -> dict[str, tuple[bytes, int]]:
        return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in files_there()}

    def files_there() -> list[Path]:
        return sorted(cache.parent.iterdir())

    before = seen()
    done = run("cache", *words)

    assert (0, before) == (done.code, seen())


@pytest.mark.parametrize("words", ASKED)
def test_newer_cache(run: Run, cache: Path, words: tuple[str, ...]) -> None:
    """A later verger's cache is not touched."""
    with sqlite3.connect(cache) as connection:
        connection.execute("PRAGMA user_version = 99")
    done = run("cache", *words)

    assert 2 == done.code
    assert "was written by a later verger" in done.err
    assert ["error", "hint"] == [line.partition(":")[0] for line in done.err.splitlines()]


def test_reader_that_goes_away(folder: Path) -> None:
    """`verger cache list | head -1` ends without a word."""
    names = [f"http://site{n}.example" for n in range(3_000)]
    filled(folder / "many", [Entry(n, result(n, age=DAY, status=404)) for n in names])
    command = subprocess.Popen(
        [sys.executable, "-m", "verger", "cache", "list", "--cache", "many"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert (141, b"") == after_a_line(command)


def test_help_names_the_commands(run: Run) -> None:
    """Each with what it does."""
    done = run("cache", "--help")

    assert 0 == done.code
    assert all(f"  {name:<7}  {what}\n" in done.out for name, what in COMMANDS.items())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder(run: Run, folder: Path) -> None:
    """The system's words."""
    folder.joinpath("shut").mkdir(mode=0o500)
    done = run("cache", "export", "--output", "shut/out.parquet")

    assert "cannot write `shut/out.parquet`: permission denied in the folder `shut`" in done.err
