"""`verger filter` from a snapshot: rows in, rows out, and what is said of rows that are none."""

import os
import sys
import threading
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from patience import LONG

from .conftest import Run, instead, objects, validator
from .console import talking_to

VALIDATOR = validator("filter")

ROBOTS = b"User-agent: A\nAllow: /private/press\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n"
URLS = [
    "https://a.example/private/press/1",
    "https://a.example/private",
    "https://b.example/private",
    "https://a.example/",
]
ASK = ("filter", "--snapshot", "sites", "--agent", "A")


@pytest.fixture(autouse=True)
def sites(folder: Path) -> Path:
    """Lay down a snapshot of two sites."""
    sites = folder / "sites"
    sites.mkdir()
    (sites / "a.example").write_bytes(ROBOTS)
    (sites / "b.example:8080").write_bytes(ROBOTS)
    return sites


def lines(*urls: str) -> bytes:
    return "".join(f"{url}\n" for url in urls).encode("utf-8", "surrogateescape")


def test_decisions(run: Run) -> None:
    """Every row, with the line and the rule that decided."""
    done = run(*ASK, "--format", "jsonl", stdin=lines(*URLS))
    found = objects(done)

    assert [True, False, None, True] == [each["allowed"] for each in found]
    assert [2, 3, None, None] == [each["line"] for each in found]
    assert "Allow: /private/press" == found[0]["rule"]
    assert "NOT_IN_SNAPSHOT" == found[2]["reason"]
    assert [1, 2, 3, 4] == [each["row"] for each in found]
    assert {"stdin"} == {each["input"] for each in found}
    assert [] == [error.message for each in found for error in VALIDATOR.iter_errors(each)]


def test_existing_output_is_replaced(run: Run, folder: Path) -> None:
    """By the complete new one, with the permissions of the old one; a link stays a link."""
    (folder / "out.txt").write_bytes(b"before")
    (folder / "out.txt").chmod(0o640)
    (folder / "link.txt").symlink_to("out.txt")
    done = run(*ASK, "--output", "link.txt", stdin=lines(*URLS))

    assert (2, b"") == (done.code, done.data)
    assert lines(URLS[0], URLS[3]) == (folder / "out.txt").read_bytes()
    assert 0o640 == (folder / "out.txt").stat().st_mode & 0o777
    assert (folder / "link.txt").is_symlink()


def test_a_line_that_is_no_url(run: Run) -> None:
    """It has a row with its number, is counted, and ends nothing."""
    rows = lines(URLS[0]) + b"\nrubbish\n" + lines(URLS[3])
    done = run(*ASK, "--format", "jsonl", stdin=rows)
    found = objects(done)

    assert (2, [1, 3, 4]) == (done.code, [each["row"] for each in found])
    assert [None, "invalid-url", None] == [each["error"] for each in found]
    assert "unanswered              1" in done.err
    assert [] == [error.message for each in found for error in VALIDATOR.iter_errors(each)]


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
@pytest.mark.usefixtures("folder")
def test_pipe_is_answered_as_it_comes() -> None:
    """A row is answered although no other follows: whoever writes may be waiting for it."""
    with talking_to([sys.executable, "-m", "verger", *ASK, "--quiet"]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(LONG, process.kill)
        watchdog.start()
        for url in (URLS[0], URLS[3]):
            process.stdin.write(lines(url))
            process.stdin.flush()
            assert lines(url) == process.stdout.readline()
        process.stdin.close()

        assert 0 == process.wait(timeout=LONG)
        watchdog.cancel()


def test_missing_pyarrow(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow Parquet names the extra, and all else works."""
    pq.write_table(pa.table({"url": URLS}), folder / "urls.parquet")
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.lib"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in (
        *("verger.files.parquet", "verger.captures.tables", "verger.snapshots.table"),
        "verger.bulk.filter.parquet_rows",
    ):
        monkeypatch.delitem(sys.modules, name, raising=False)  # other tests may have imported it
    for words in (("urls.parquet",), ("--format", "parquet"), ("--snapshot", "urls.parquet")):
        done = run(*instead(ASK, words), stdin=lines(*URLS))

        assert (2, b"") == (done.code, done.data)
        assert "verger[parquet]" in done.err
    assert lines(URLS[0], URLS[3]) == run(*ASK, stdin=lines(*URLS)).data


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("begin", ["{begin}", "id,{begin}", "\n{begin}"])
def test_tables_on_stdin(run: Run, begin: str) -> None:
    """Their beginning says what they are, however little of it comes at once."""
    table = f'url\n"{URLS[0]}"\n' if "," not in begin else f'url\n7,"{URLS[0]}"\n'
    done = run(*ASK, stdin=begin.format(begin=table).encode())

    assert (0, lines(URLS[0])) == (done.code, done.data)


@pytest.mark.usefixtures("folder")
def test_domains_on_stdin(run: Run) -> None:
    """A list of domains is an error with a hint; a stream has got the reason of each row."""
    done = run(*ASK, "--format", "jsonl", stdin=b"a.example\nb.example/x\n")

    assert (2, ["invalid-url"] * 2) == (done.code, [each["error"] for each in objects(done)])
    assert "error: no row of `stdin` has a URL" in done.err
    assert "hint: `https://` is missing" in done.err
