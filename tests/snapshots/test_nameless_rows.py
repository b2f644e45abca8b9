"""Rows of a snapshot that name no site: not used, and never without a word."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cli.conftest import Run, folder, run
from verger.bulk.changes import diff_snapshots
from verger.bulk.filter import filter_urls

__all__ = ["folder", "run"]

pytestmark = pytest.mark.usefixtures("folder")

FILE = "User-agent: *\nDisallow: /private\n"
PLACES = [
    None,
    "",
    "a.example/robots.txt",
    "//b.example/",
    "https:a.example",
    "https://a.example:65536/",
    "\ufeffhttps://a.example/",
    "no site",
    "https://good.example/sub/robots.txt",
    "https://good.example/Robots.txt",
    "https://good.example/robots.txt?v=2",
]
COMMANDS = {
    "filter": ("filter", "--snapshot", "{}", "--agent", "A", "urls.txt"),
    "check": ("check", "--snapshot", "{}", "--agent", "A", "https://good.example/"),
    "diff of snapshots": ("diff", "{}", "sites", "--output", "out.csv"),
    "diff of two files": ("diff", "{}::good.example", "sites/good.example"),
    "compare": ("compare", "{}::good.example", "--agent", "A", "--agent", "B"),
}


@pytest.fixture(autouse=True)
def _laid_down(folder: Path) -> None:
    (folder / "urls.txt").write_text("https://good.example/\n")
    (folder / "sites").mkdir()
    (folder / "sites" / "good.example").write_text(FILE)


def table(name: str, places: list[str | None]) -> str:
    """Write a table of a good row, then of these."""
    rows = [{"url": place, "body": FILE} for place in ("https://good.example/", *places)]
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), name)
    else:
        Path(name).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return name


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("name", ["s.parquet", "s.jsonl"])
def test_every_reader_of_a_snapshot_tells_of_them(
    name: str, command: tuple[str, ...], run: Run
) -> None:
    """One note says how many there are, and which is the first; `--quiet` silences it."""
    table(name, PLACES)
    note = (
        f"note: {len(PLACES)} rows of `{name}` name no site and are not used, the first is row 2\n"
    )
    words = [word.format(name) for word in command]
    done = run(*words)

    assert done.code in (0, 1)
    assert 1 == done.err.count(note)
    assert "name no site" not in run(*words, "--quiet").err


@pytest.mark.parametrize("place", PLACES, ids=repr)
def test_one_row(place: str | None, run: Run) -> None:
    """Whatever stands in the place of a site, and is neither a URL nor a host."""
    words = ("filter", "--snapshot", table("s.jsonl", [place]), "--agent", "A", "urls.txt")
    note = "note: 1 row of `s.jsonl` names no site and is not used, it is row 2\n"
    done, strict = run(*words), run(*words, "--strict")

    assert (0, 1) == (done.code, strict.code)
    assert note in done.err
    assert note in strict.err


def test_tables_without_such_rows(run: Run) -> None:
    """They are not noted, and a strict run is content."""
    done = run("filter", "--snapshot", table("s.jsonl", []), "--agent", "A", "urls.txt", "--strict")

    assert (0, False) == (done.code, "note:" in done.err)


def test_rows_are_counted_over_batches(run: Run) -> None:
    """The number is that of the row in the table."""
    table("s.parquet", [*["https://x.example/"] * 4_998, None, None])
    done = run("check", "--snapshot", "s.parquet", "--agent", "A", "https://good.example/")

    assert "note: 2 rows of `s.parquet` name no site and are not used, the first is row 5,000" in (
        done.err
    )


def test_programs_are_told(folder: Path) -> None:
    """The results of a run have the notes."""
    name = table("s.jsonl", [None])
    notes = ["1 row of `s.jsonl` names no site and is not used, it is row 2"]
    filtered = filter_urls(["urls.txt"], tokens=("A",), snapshot=name, output="out.txt")
    report = diff_snapshots(name, folder / "sites", "out.csv")

    assert notes == [*filtered.notes] == [*report.notes]


@pytest.mark.parametrize("name", ["s.parquet", "s.jsonl"])
def test_scan(name: str, run: Run) -> None:
    """They stay in the table, with null for the origin, and a strict run fails for them."""
    words = ("scan", table(name, PLACES), "--output", "out.parquet")
    done, strict = run(*words), run(*words, "--strict")

    assert (0, 1) == (done.code, strict.code)
    assert done.err.startswith(
        f"skipped: `{name}`: {len(PLACES)} rows name no site: their `origin` is null\n"
    )
    assert [len(PLACES)] == [
        int(row.split()[1]) for row in done.err.splitlines() if row[:8] == "skipped "
    ]
    assert len(PLACES) == pq.read_table("out.parquet").column("origin").null_count


def test_scan_of_one_row(run: Run) -> None:
    """Other places that are skipped are counted beside it."""
    Path("s.csv").write_text("url,body\nhttps://a.example/,\nno site,\nhttps://b.example/\n")
    done = run("scan", "s.csv", "--output", "out.parquet", "--strict")

    assert 1 == done.code
    assert done.err.startswith(
        "skipped: `s.csv` at 4: the record has 1 field, and the header has 2\n"
        "skipped: `s.csv`: 1 row names no site: its `origin` is null\n"
    )
    assert "\nskipped                 2\n" in done.err


def test_strict_scan_of_good_rows(run: Run) -> None:
    """It is content."""
    done = run("scan", table("s.jsonl", []), "--output", "out.parquet", "--strict")

    assert (0, False) == (done.code, "skipped" in done.err)
