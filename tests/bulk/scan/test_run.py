"""Whole scans: files in, Parquet out, complete or not at all, the same whatever the threads."""

import gzip
import io
import re
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import verger
from bulk.scan.archives import archive, body, packed, record, response, url
from cli.conftest import Run, folder, run
from patience import LONG, until
from verger import __version__
from verger.bulk.scan import Scanner, read_warc, scan
from verger.captures import batches as captures_module
from verger.cli.app import main
from verger.crawlers import LISTED
from verger.fetching.decode import zstd_module
from verger.files.parquet import ROW_GROUP

__all__ = ["folder", "run"]

linux = pytest.mark.skipif(sys.platform != "linux", reason="tells of open files")


@pytest.fixture
def warc(folder: Path) -> Path:
    path = folder / "a.warc.gz"
    path.write_bytes(archive(20).data)
    return path


def sites(number: int) -> bytes:
    """Return an archive of so many sites, a third of them with the same file."""
    member = packed(record(response(body(0)), target=url(0)))
    others = (packed(record(response(body(n)), target=url(n))) for n in range(1, number // 3))
    return b"".join(others) + member * (number - number // 3 + 1)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("name", ["seen", "seen.csv", "seen.dat.gz"])
def test_parquet_is_known_by_its_beginning(name: str, run: Run) -> None:
    """Whatever it is called, as to `filter --snapshot`."""
    rows = pa.table({"origin": ["https://a.example"], "body": ["User-agent: *\n"]})
    parquet.write_table(rows, name)
    done = run("scan", name, "--output", "out.parquet")
    as_snapshot = ("check", "--snapshot", name, "--agent", "A", "https://a.example/")

    assert 0 == done.code, done.err
    assert ["https://a.example"] == parquet.read_table("out.parquet")["origin"].to_pylist()
    assert 0 == run(*as_snapshot).code


def test_an_archive_from_stdin(warc: Path, run: Run) -> None:
    """The rows are those of the file."""
    done = run("scan", "-", "--output", "piped.parquet", stdin=warc.read_bytes())
    scan(warc, "named.parquet")

    assert 0 == done.code, done.err
    assert Path("named.parquet").read_bytes() == Path("piped.parquet").read_bytes()


def test_stdin_is_read_once(run: Run) -> None:
    """Given twice, the second would be empty."""
    done = run("scan", "-", "-", "--output", "out.parquet")

    assert 2 == done.code
    assert "`-` is given twice" in done.err


@pytest.mark.parametrize("name", ["a.warc.zst", "a.wacz"])
def test_snapshots_in_other_packings(name: str, warc: Path, run: Run) -> None:
    """What `scan` reads is a snapshot, too."""
    data = gzip.decompress(warc.read_bytes())
    if name.endswith(".zst"):
        Path(name).write_bytes(zstd_module().compress(data))
    else:
        with zipfile.ZipFile(name, "w") as whole:
            whole.writestr("archive/a.warc", data)
    urls = f"{url(3)}\n{url(19)}\n".encode()
    done = run("filter", "--snapshot", name, "--agent", "A", "--quiet", stdin=urls)

    assert (0, urls) == (done.code, done.data), done.err


@pytest.mark.usefixtures("warc")
def test_the_table_says_what_it_is(run: Run) -> None:
    """Rows in order, its schema by name, compression, and nothing beside it."""
    done = run("scan", "a.warc.gz", "--output", "out.parquet", "--records", "records.parquet")
    table = parquet.read_table("out.parquet")
    records = parquet.read_table("records.parquet")
    described = {name.decode(): text.decode() for name, text in table.schema.metadata.items()}
    chunk = parquet.ParquetFile("out.parquet").metadata.row_group(0).column(0)

    assert 0 == done.code, done.err
    assert [url(n).removesuffix("/robots.txt") for n in range(20)] == table["origin"].to_pylist()
    assert "ZSTD" == chunk.compression
    assert (
        described.items()
        >= {
            "verger.schema": "verger.scan/1",
            "verger.version": __version__,
            "verger.dialect": "rfc9309",
            "verger.crawlers": ",".join(LISTED),
        }.items()
    )
    assert b"verger.records/1" == records.schema.metadata[b"verger.schema"]
    assert ["GPTBot"] * 2 == records["tokens"].combine_chunks().flatten().to_pylist()[:2]
    assert {"a.warc.gz", "out.parquet", "records.parquet"} == {
        path.name for path in Path().iterdir()
    }


def test_neither_threads_nor_batches_change_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do the batches that captures come in; the records among it."""
    path = folder / "a.warc.gz"
    path.write_bytes(sites(5_000))
    made = []
    for threads, rows in ((1, 2_048), (2, 2_048), (3, 100), (2, 1_777), (1, 9_999)):
        monkeypatch.setattr(captures_module, "ROWS", rows)
        scanner = Scanner(threads=threads)
        scan([path, path], "out.parquet", records="records.parquet", scanner=scanner)
        made.append([parquet.read_table(name) for name in ("out.parquet", "records.parquet")])
    (rows_made, records_made), *others = made

    assert 10_000 == rows_made.num_rows
    for again in others:
        assert rows_made.equals(again[0])
        assert records_made.equals(again[1])


def test_row_groups_have_their_size(folder: Path) -> None:
    """32,768 rows each, however they came."""
    path = folder / "a.warc.gz"
    path.write_bytes(
        packed(record(response(b"", "404 Not Found"), target=url(0))) * (ROW_GROUP + 9)
    )
    report = scan([path], "out.parquet", scanner=Scanner(crawlers=["GPTBot"]))
    metadata = parquet.ParquetFile("out.parquet").metadata
    groups = [metadata.row_group(n).num_rows for n in range(metadata.num_row_groups)]

    assert [ROW_GROUP, 9] == groups
    assert {"unavailable": ROW_GROUP + 9} == dict(report.access)


def test_the_kernel_stands_alone(warc: Path) -> None:
    """`scan_batches` is from batches to batches, as Spark wants it."""
    scanner = Scanner(crawlers=["GPTBot"])
    rows = list(scanner.scan_batches(read_warc(warc)))
    table = pa.Table.from_batches(rows, scanner.schema)

    assert ["some"] * 20 == [row["GPTBot"]["posture"] for row in table["crawlers"].to_pylist()]


def test_strict_runs_fail_where_something_was_skipped(run: Run, warc: Path) -> None:
    """Others tell it, and end well; the table is there either way."""
    warc.write_bytes(warc.read_bytes()[:-5])
    lenient = run("scan", "a.warc.gz", "--output", "a.parquet")
    strict = run("scan", "a.warc.gz", "--output", "b.parquet", "--strict", "--quiet")

    assert (0, 1) == (lenient.code, strict.code)
    assert "skipped: `a.warc.gz` at " in strict.err
    assert "the file ends within a gzip member" in lenient.err
    assert parquet.read_table("a.parquet").equals(parquet.read_table("b.parquet"))


def test_folders_are_scanned_as_they_are_filtered(run: Run, folder: Path) -> None:
    """A file named by host is a success; whatever else lies there is told of."""
    sites = folder / "sites"
    (sites / "folder.example").mkdir(parents=True)
    (sites / "a.example").write_text("User-agent: *\nDisallow: /\n")
    (sites / "a.example.txt").write_text("")
    (sites / "broken.example").symlink_to("nowhere")
    (sites / "b.example_8443.txt").write_text("User-agent: *\nAllow: /\n")
    (sites / "Not A Host").write_text("x")
    (sites / ".hidden").write_text("x")
    (sites / "crawl.warc.gz").write_text("x")
    done = run("scan", "sites", "--output", "o.parquet", "--strict")
    rows = parquet.read_table(folder / "o.parquet").to_pylist()

    assert 1 == done.code
    assert [line for line in done.err.splitlines() if "skipped:" in line] == [
        "skipped: `sites/Not A Host`: it is not named by a host",
        "skipped: `sites/a.example.txt`: another file of the same host comes first",
        "skipped: `sites/crawl.warc.gz`: it is named as an archive or a table: pass it by itself",
        "skipped: `sites/folder.example`: it is not a file that can be read",
        "skipped: `sites/broken.example`: no such file or directory",
    ]
    assert [("https://a.example", "successful"), ("https://b.example:8443", "successful")] == [
        (row["origin"], row["access"]) for row in rows
    ]
    assert [(None, None)] * 2 == [(row["status"], row["time"]) for row in rows]


def test_a_folder_of_archives_is_refused(run: Run, folder: Path) -> None:
    """They are read one by one."""
    (folder / "crawl").mkdir()
    (folder / "crawl" / "a.warc.gz").write_bytes(b"x")
    done = run("scan", "crawl", "--output", "o.parquet")

    assert 2 == done.code
    assert done.err == (
        "error: `crawl` holds no robots.txt files named by host\n"
        "hint: pass the archives or tables in it: `crawl/*.warc.gz`\n"
    )
    assert not (folder / "o.parquet").exists()


def test_progress_is_shown_on_a_terminal(warc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And gone when the run ends."""
    stderr = io.StringIO()
    monkeypatch.setattr(stderr, "isatty", lambda: True)
    monkeypatch.setattr("verger.cli.progress.INTERVAL", 0.0)
    monkeypatch.setattr(sys, "stderr", stderr)
    assert 0 == main(["scan", str(warc), "--output", "o.parquet"])

    assert re.match(r"\r20 captures  [\d,]+/s\x1b\[K\r\x1b\[Kcaptures +20\n", stderr.getvalue())


@pytest.mark.parametrize(
    "words",
    [
        *(("scan", "days", "--output", "o.parquet"), ("diff", "days", "days", "--output=o.csv")),
        ("check", "--snapshot", "days", "--agent", "A", "https://a.example/"),
        ("filter", "--snapshot", "days", "--agent", "A", "urls.txt"),
    ],
    ids=lambda words: words[0],
)
def test_a_folder_of_dated_files_is_no_snapshot(
    run: Run, folder: Path, words: Sequence[str]
) -> None:
    """Its files are versions of one, and not those of hosts named `2023-07-01`."""
    (folder / "days").mkdir()
    (folder / "urls.txt").write_text("https://a.example/\n")
    names = ("2023-07-01", "20230703", ".hidden", "robots-2023-07-02.txt", "a.example-2023-07-04")
    for name in names:
        (folder / "days" / name).write_bytes(b"User-agent: *\nDisallow: /\n")
    done = run(*words)

    assert (2, "") == (done.code, done.out)
    assert done.err == (
        "error: the files in `days` are named by date: versions of one site's file\n"
        "hint: judge by them: `verger audit --history days`\n"
    )
    (folder / "days" / "a.example").write_bytes(b"User-agent: *\nDisallow: /\n")
    assert 2 != run("scan", "days", "--output", "o.parquet").code
    assert ["https://a.example"] == parquet.read_table("o.parquet")["origin"].to_pylist()


def test_tables_are_scanned_by_their_columns(run: Run, folder: Path) -> None:
    """Several files, in their order."""
    (folder / "a.csv").write_text("host,robots_txt\na.example,Disallow: /\nb.example,\n")
    (folder / "b.jsonl").write_text('{"host": "c.example", "robots_txt": "x", "code": 404}\n')
    done = run("scan", "a.csv", "b.jsonl", "--output", "o.parquet", "--columns", "body=robots_txt")
    table = parquet.read_table("o.parquet", columns=["origin", "access"])

    assert 0 == done.code, done.err
    assert ["https://a.example", "https://b.example", "https://c.example"] == table[
        "origin"
    ].to_pylist()
    assert ["successful", "unreachable", "unavailable"] == table["access"].to_pylist()


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "no file given"),
        (["a.warc.gz"], "no `--output` given"),
        (["none.warc.gz", "--output", "o.parquet"], "no such file: `none.warc.gz`"),
        (["-", "--output", "o.parquet", "--input-format", "csv"], "a WARC archive, not csv"),
        (["-", "--output", "o.parquet"], "`stdin` is not a WARC file: it is empty"),
        ([".", "--output", "o.parquet"], "`o.parquet` lies in `.`, which is read"),
        (["a.warc.gz", "--output", "a.warc.gz"], "both input and output"),
        (["a.warc.gz", "--output", "no/o.parquet"], "there is no folder `no`"),
        (["a.warc.gz", "--output", "."], "cannot write `.`: it is a folder"),
        (["a.warc.gz", "--output", "o", "--records", "./o"], "are the same file"),
        (["a.warc.gz", "--output", "o", "--dialect", "rfc9308"], "unknown dialect `rfc9308`"),
        (["a.warc.gz", "--output", "o", "--agent", "a b"], "`a b` is not a product token"),
        (["a.warc.gz", "--output", "o", "--threads", "0"], "is not a number from 1"),
        (["a.warc.gz", "--output", "o", "--input-format", "arc"], "unknown input format `arc`"),
        (["a.warc.gz", "--output", "o", "--columns", "urk=a"], "`--columns` does not know `urk`"),
        (["a.warc.gz", "--output", "o", "--columns", "url"], "`url` names no column"),
        (["a.txt", "--output", "o"], "does not say its format"),
        (["a.txt", "--output", "o", "--input-format", "warc"], "is not a WARC file"),
        (["a.txt", "--output", "o", "--input-format", "csv"], "no column `origin` in `a.txt`"),
    ],
)
def test_bad_usage_is_told_and_leaves_nothing(
    words: list[str], why: str, run: Run, warc: Path
) -> None:
    """Exit code 2, one message, no file."""
    (warc.parent / "a.txt").write_text("some text\n")
    done = run("scan", *words)

    assert 2 == done.code
    assert why in done.err
    assert done.err.startswith("error: ")
    assert {"a.warc.gz", "a.txt"} == {path.name for path in Path().iterdir()}


REFUSED = {
    "none.warc.gz": (verger.UnusableInput, "no such file: `none.warc.gz`"),
    "empty": (verger.UnusableInput, "`empty` holds no robots.txt files named by host"),
    "a.txt": (verger.UnknownName, "hint: pass `format` with one of: `warc`, `parquet`, "),
}


@pytest.mark.parametrize("name", REFUSED)
def test_programs_are_told_before_anything_is_written(name: str, warc: Path) -> None:
    """The same refusals, and hints that name arguments."""
    (warc.parent / "a.txt").write_text("some text\n")
    (warc.parent / "empty").mkdir()
    (warc.parent / "sites").mkdir()
    (warc.parent / "sites" / "a.example").write_text("")
    error, message = REFUSED[name]
    with pytest.raises(error) as raised:
        scan([warc, name], "o.parquet")

    assert message in str(raised.value)
    with pytest.raises(verger.UnknownName, match="`arc` is not a format of captures"):
        scan(warc, "o.parquet", format="arc")
    with pytest.raises(verger.InvalidOption, match="`format` is for files"):
        scan("sites", "o.parquet", format="warc")
    assert not Path("o.parquet").exists()


def test_an_input_may_be_there_twice(warc: Path) -> None:
    """It is read twice."""
    assert 2 * scan(warc, "o.parquet").captures == scan([warc, warc], "p.parquet").captures


def is_writing(pid: int, folder: Path) -> bool:
    """Whether a process has written to an unfinished file in a folder: not only made it, since what
    comes between making a file and minding it is not an interruption that leaves nothing."""
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                place = link.readlink()
                is_unfinished = place.name.endswith((" (deleted)", ".part"))
                if place.parent == folder and is_unfinished and link.stat().st_size:
                    return True
    return False


SCAN = [sys.executable, "-m", "verger", "scan", "a.warc.gz", "--output", "o.parquet"]


@contextmanager
def scanning(folder: Path, stderr: int) -> "Iterator[subprocess.Popen[bytes]]":
    """Start to scan a large archive, and wait until something is written."""
    (folder / "a.warc.gz").write_bytes(sites(3_000) * 20)
    with subprocess.Popen(SCAN, stderr=stderr) as process:
        until(lambda: is_writing(process.pid, folder))
        yield process


@linux
def test_a_killed_run_leaves_no_output(folder: Path) -> None:
    """Neither a whole file nor a half one under any name; the next run writes it."""
    with scanning(folder, subprocess.DEVNULL) as process:
        process.send_signal(signal.SIGKILL)

    assert not Path("o.parquet").exists()

    (folder / "a.warc.gz").write_bytes(sites(300))
    subprocess.run([*SCAN, "--quiet"], check=True)

    assert parquet.read_table("o.parquet").num_rows == 300
    assert {"a.warc.gz", "o.parquet"} == {path.name for path in Path().iterdir()}


@linux
def test_an_interrupted_run_leaves_nothing(folder: Path) -> None:
    """Ctrl-C ends it with 130."""
    with scanning(folder, subprocess.PIPE) as process:
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=LONG)

    assert (130, b"") == (process.returncode, told)
    assert {"a.warc.gz"} == {path.name for path in Path().iterdir()}


MEMORY = """
import resource, sys
from verger.bulk.scan import Scanner, scan
scan([sys.argv[1]], "o.parquet", scanner=Scanner(crawlers=["GPTBot"]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KiB on Linux")
def test_memory_is_bounded(folder: Path) -> None:
    """Bodies of 2 GiB in all, unpacked, cost what those of 256 MiB cost."""
    huge = packed(record(response(b"Disallow: /a\n" * 80_000), target=url(0)))
    used = []
    for number in (256, 1_024):
        (folder / "a.warc.gz").write_bytes(huge * number)
        command = [sys.executable, "-c", MEMORY, "a.warc.gz"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        used.append(int(done.stdout))

    assert used[1] < used[0] * 1.3
