"""Memory: a line, a field, a file or a packed body without end does not fill it.

In: each command, in a process of its own, over an input of `HUGE` bytes that is a hole in a file,
or packs into little. Its peak is compared with that of the same command over a small input.
"""

import gzip
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

pytestmark = pytest.mark.slow

HUGE = 160 << 20
ROOM = 96 << 20
"""Bytes that a command may take beyond those that it takes for a small input."""

PROGRAM = """
import resource, sys
from verger.cli.app import main
code = main(sys.argv[1:])
sys.stderr.write(f"\\n{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}")
sys.exit(code)
"""

SNAPSHOT = ("filter", "--snapshot=sites", "--agent=A", "--quiet", "--output=out.csv")
AUDIT = ("audit", "--robots=robots.txt", "--quiet")
SCAN = ("scan", "--output=out.parquet")
CHECK = ("check", "--agent=A")
LOG = b'192.0.2.1 - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1 "-" "a/1"\n'
JSON_LOG = b'{"time": "2026-01-05T10:00:00Z", "request": "GET / HTTP/1.1", "user_agent": "a/1"}\n'
CAPTURE = b'{"url": "https://a.example/robots.txt", "body": ""}\n'
URL = b'{"url": "https://a.example/"}\n'
WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: https://a.example/robots.txt\r\n"
    b"WARC-Date: 2026-01-05T10:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n"
)
TWO = "captures                2\n"
ONE = "captures                1\n"
PAGE = b"x" * 4_096
"""What comes before a hole where the file has to begin as text."""

URLS = b"https://a.example/\n" + PAGE

TOO_LARGE = "it has more than 67,108,864 bytes"
HTTP = b"HTTP/1.1 200 OK\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A command over a file with a hole in it; where the name ends in `.gz`, packed."""

    words: tuple[str, ...]
    file: str
    before: bytes
    behind: bytes
    code: int
    told: str = ""
    """What stderr says."""
    is_stdin: bool = False

    @property
    def small(self) -> "Case":
        return Case(self.words, self.file, self.before, self.behind, 0, is_stdin=self.is_stdin)


def over_rules(*words: str, file: str = "a.txt", told: str = "") -> Case:
    """Return a command over a robots.txt file, which is refused where something is said of it."""
    code = 2 if told else 0
    return Case(words, file, b"User-agent: *\n", b"\n", code, told, is_stdin=file == "-")


def too_large(*words: str, file: str = "a.txt") -> Case:
    """Return a command in a dialect without a limit, which is refused a file that is too long."""
    return over_rules(words[0], "--dialect=googlebot-cpp", *words[1:], file=file, told=TOO_LARGE)


def warc(size: int) -> bytes:
    return WARC % (len(HTTP) + size) + HTTP


CASES: dict[str, Case] = {
    "scan JSON Lines": Case(SCAN, "a.jsonl", CAPTURE, b"\n" + CAPTURE, 0, TWO),
    "scan JSON Lines, packed": Case(SCAN, "a.jsonl.gz", CAPTURE, b"\n" + CAPTURE, 0, TWO),
    "scan a string": Case(SCAN, "a.jsonl", CAPTURE + b'{"url": "', b'"}\n' + CAPTURE, 0, TWO),
    "scan CSV": Case(SCAN, "a.csv", b"url,body\na,\n", b",\nb,\n", 0, TWO),
    "scan CSV, packed": Case(SCAN, "a.csv.gz", b"url,body\na,\n", b",\nb,\n", 0, TWO),
    "scan a quoted field": Case(SCAN, "a.csv", b'url,body\na,\nc,"', b'"\nb,\n', 0, TWO),
    "scan a header": Case(SCAN, "a.csv", b"url,body," + PAGE, b"\n", 2, "`a.csv` is not CSV"),
    "scan a body": Case(SCAN, "a.warc", warc(HUGE), b"\r\n\r\n", 0, ONE),
    "scan a body, packed": Case(SCAN, "a.warc.gz", warc(HUGE), b"\r\n\r\n", 0, ONE),
    "scan a header line": Case(
        SCAN, "a.warc", b"WARC/1.0\r\nX: ", b"\r\n\r\n", 2, "it has no record"
    ),
    "scan a header line, packed": Case(
        SCAN, "a.warc.gz", b"WARC/1.0\r\nX: ", b"\r\n\r\n", 2, "it has no record"
    ),
    "filter text": Case(SNAPSHOT, "a.txt", URLS, b"\nhttps://a.example/\n", 2),
    "filter text, packed": Case(SNAPSHOT, "a.txt.gz", URLS, b"\n", 2),
    "filter JSON Lines": Case(SNAPSHOT, "a.jsonl", URL, b"\n" + URL, 2),
    "filter CSV": Case(SNAPSHOT, "a.csv", b"url\nhttps://a.example/\n", b"\nhttps://b/\n", 2),
    "filter a quoted field": Case(SNAPSHOT, "a.csv", b'url,x\na,"', b'"\nhttps://b/,\n', 2),
    "audit a line": Case(AUDIT, "a.log", LOG, b"\n" + LOG, 0),
    "audit a line, packed": Case(AUDIT, "a.log.gz", LOG, b"\n" + LOG, 0),
    "audit a string": Case(AUDIT, "a.log", JSON_LOG + b'{"request": "', b'"}\n' + JSON_LOG, 0),
    "check a URL": Case(
        (*CHECK, "--robots=robots.txt", "-"), "-", b"", b"\n", 2, "not text", is_stdin=True
    ),
    "check a file": over_rules(*CHECK, "--robots=a.txt", "/"),
    "check stdin": over_rules(*CHECK, "--robots=-", "/", file="-"),
    "check a file without limit": too_large(*CHECK, "--robots=a.txt", "/"),
    "check stdin without limit": too_large(*CHECK, "--robots=-", "/", file="-"),
    "check a folder": too_large(*CHECK, "--snapshot=.", "https://a.txt/"),
    "agents": over_rules("agents", "a.txt"),
    "agents without limit": too_large("agents", "a.txt"),
    "diff": over_rules("diff", "a.txt", "a.txt"),
    "diff without limit": too_large("diff", "a.txt", "a.txt"),
    "compare": over_rules("compare", "--with=google", "a.txt"),
    "test": over_rules("test", "--robots=a.txt", "ok.robots.toml"),
    "test stdin without limit": too_large("test", "--robots=-", "ok.robots.toml", file="-"),
    "test by a long file": Case(
        ("test", "--robots=access.log", "a.robots.toml"),
        *("a.robots.toml", b"#", b"\n", 2, "has more than 16,777,216 bytes"),
    ),
    "audit by a file": over_rules("audit", "--robots=a.txt", "access.log"),
    "audit by stdin": too_large("audit", "--robots=-", "access.log", file="-"),
    "audit by a history": over_rules(
        "audit", "--history=2026-01-01.txt", "access.log", file="2026-01-01.txt", told="67,108,864"
    ),
    "filter by a folder": over_rules(
        *("filter", "--snapshot=.", "--agent=A", "--dialect=googlebot-cpp", "urls.txt"),
        file="a.example",
        told=TOO_LARGE,
    ),
}


def written(folder: Path, case: Case, hole: int) -> None:
    """Lay down what a command reads, with so many bytes in the middle of one file."""
    (folder / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /x\n")
    (folder / "access.log").write_bytes(LOG)
    (folder / "urls.txt").write_bytes(b"https://a.example/\n")
    (folder / "ok.robots.toml").write_text('[[expect]]\nagent = "A"\nurl = "/"\nallowed = true\n')
    (folder / "sites").mkdir()
    (folder / "sites" / "a.example").write_bytes(b"")
    name = "stdin" if case.is_stdin else case.file
    if name.endswith(".gz"):
        with gzip.open(folder / name, "wb", compresslevel=1) as file:
            file.write(case.before)
            for _ in range(hole >> 20):
                file.write(bytes(1 << 20))
            file.write(case.behind)
        return
    with (folder / name).open("wb") as plain:
        plain.write(case.before)
        plain.seek(hole, 1)
        plain.write(case.behind)


def measured(folder: Path, case: Case) -> tuple[int, str, int]:
    """Return the exit code of a command, what stderr says, and its peak in bytes."""
    reads = () if case.is_stdin or case.file in " ".join(case.words) else (case.file,)
    if case.file == "a.example":
        reads = ()
    with (folder / ("stdin" if case.is_stdin else "robots.txt")).open("rb") as stdin:
        done = subprocess.run(
            # A process begins with the peak of the one that it was forked from.
            [
                "sh",
                "-c",
                '"$@"; exit "$?"',
                "sh",
                sys.executable,
                "-c",
                PROGRAM,
                *case.words,
                *reads,
            ],
            cwd=folder,
            stdin=stdin,
            capture_output=True,
            check=False,
        )
    told, _, peak = done.stderr.decode().rpartition("\n")
    return done.returncode, told, int(peak) << 10


@pytest.mark.parametrize("name", CASES)
def test_memory_is_bounded(tmp_path: Path, name: str) -> None:
    """The peak hardly grows, and what was read besides counts."""
    case = CASES[name]
    for folder, hole in ("small", 16), ("huge", HUGE):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, case, hole)
    *_, base = measured(tmp_path / "small", case)
    code, told, peak = measured(tmp_path / "huge", case)
    print(f"{name}: {base >> 20} -> {peak >> 20} MiB\n{told}")

    assert case.code == code, told
    assert case.told in told
    assert peak < base + ROOM


PARQUET: dict[str, tuple[str, ...]] = {
    "scan": (*SCAN, "big.parquet"),
    "filter": (*SNAPSHOT, "urls.parquet"),
    "filter by a table": ("filter", "--snapshot=big.parquet", "--agent=A", "urls.txt"),
}


@pytest.mark.parametrize("name", PARQUET)
def test_memory_is_bounded_in_large_row_groups(tmp_path: Path, name: str) -> None:
    """Neither a row group nor the rows that are read at once fill the memory; pages are small."""
    peaks = []
    for folder, rows in ("small", 1), ("huge", HUGE >> 20):
        here = tmp_path / folder
        here.mkdir()
        (here / "sites").mkdir()
        (here / "urls.txt").write_text("https://s0.example/\n")
        (here / "robots.txt").write_bytes(b"")
        origins = [f"https://s{row}.example" for row in range(rows)]
        captures = pa.table({"url": origins, "body": [b"#" * (1 << 20)] * rows})
        urls = pa.table({"url": [f"{origin}/{'x' * (1 << 20)}" for origin in origins]})
        for table, path in (captures, "big.parquet"), (urls, "urls.parquet"):
            parquet.write_table(table, here / path, write_batch_size=1, use_dictionary=False)
        code, told, peak = measured(here, Case(PARQUET[name], PARQUET[name][-1], b"", b"", 0))
        peaks.append(peak)

        is_too_long = name == "filter"  # the URLs, as long as the rows have to be
        assert code == (2 if is_too_long else 0), told
    print(f"{name}: {peaks[0] >> 20} -> {peaks[1] >> 20} MiB")

    assert peaks[1] < peaks[0] + 2 * ROOM
