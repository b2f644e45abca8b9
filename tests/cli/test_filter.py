"""`verger filter` from a snapshot: rows in, rows out, and what is said of rows that are none."""

import csv
import gzip
import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger

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


def test_control_characters(run: Run) -> None:
    """What HTTP clients leave out of a URL would make it another: such a row is refused."""
    urls = ["http://a.example/pri\tvate", "http://a.example/\x00", "http://a.example/\x7f"]
    done = run(*ASK, "--format", "jsonl", stdin=lines(*urls))

    assert ["invalid-url"] * 3 == [each["error"] for each in objects(done)]


@pytest.mark.parametrize("end", ["\x80", "\x85", "\x9b", "\u2028", "\u2029"])
def test_ends_of_lines_for_some(end: str, run: Run) -> None:
    """A reader that ends lines there would read a URL that was never judged."""
    done = run(*ASK, stdin=lines(f"http://a.example/x{end}http://a.example/private"))

    assert (2, b"") == (done.code, done.data)


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


def test_decisions_are_those_of_the_core(run: Run) -> None:
    """Whatever the rules and the dialect, a row says what `RobotsTxt.decide` says."""
    urls = [f"https://a.example/{path}" for path in ("private", "private/press", "x", "robots.txt")]
    for dialect in verger.DIALECTS:
        done = run(*ASK, "--dialect", dialect, "--format", "jsonl", stdin=lines(*urls))
        robots = verger.parse(ROBOTS, dialect=dialect)
        expected = [robots.decide(url, "A") for url in urls]
        found = objects(done)

        assert [(each.allowed, each.reason, each.line, each.section) for each in expected] == [
            (each["allowed"], each["reason"], each["line"], each["section"]) for each in found
        ]


def test_formats_say_the_same(run: Run, folder: Path) -> None:
    """JSON Lines, CSV and Parquet hold the same rows; `urls` the allowed ones."""
    rows = lines(*URLS, "rubbish", "https://a.example/caf\xe9", 'https://a.example/"a,b"')
    (folder / "urls.txt").write_bytes(rows)
    for name in ("out.jsonl", "out.csv", "out.parquet", "out.txt"):
        assert 2 == run(*ASK, "urls.txt", "--output", name).code
    objects = [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").splitlines()]
    records = list(csv.DictReader(Path("out.csv").read_text("utf-8").splitlines()))
    table = pq.read_table("out.parquet").to_pylist()
    for each in objects:
        del each["schema"]

    assert objects == table
    assert [{name: as_csv(value) for name, value in each.items()} for each in objects] == records
    assert [each["url"] for each in objects if each["allowed"]] == Path("out.txt").read_text(
        "utf-8"
    ).splitlines()


def as_csv(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_bytes_come_back(run: Run) -> None:
    """Bytes that are not UTF-8 are written as they were read."""
    data = b"https://a.example/\xff\xfe\n"

    assert data == run(*ASK, stdin=data).data
    assert data.strip() in run(*ASK, "--format", "csv", stdin=data).data
    assert "/\udcff\udcfe" in objects(run(*ASK, "--format", "jsonl", stdin=data))[0]["url"]


def test_parquet_shows_bytes_that_it_cannot_hold(run: Run) -> None:
    """Parquet's text is UTF-8."""
    run(*ASK, "--output", "out.parquet", stdin=b"https://a.example/\xc3\xa9\xff\n")

    assert ["https://a.example/\xe9\\xff"] == pq.read_table("out.parquet")["url"].to_pylist()


def test_parquet_on_stdout(run: Run) -> None:
    """A stream will do, although it cannot be asked where it is."""
    done = run(*ASK, "--format", "parquet", stdin=lines(*URLS))

    assert URLS == pq.read_table(io.BytesIO(done.data))["url"].to_pylist()


def write_text(path: Path, urls: list[str]) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + lines(*urls).replace(b"\n", b"\r\n"))


def write_jsonl(path: Path, urls: list[str]) -> None:
    path.write_text("".join(json.dumps({"id": 1, "url": url}) + "\n" for url in urls), "utf-8")


def write_csv(path: Path, urls: list[str]) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        csv.writer(file).writerows([["id", "url"], *([1, url] for url in urls)])


def write_parquet(path: Path, urls: list[str], kind: pa.DataType | None = None) -> None:
    column = pa.array(urls, kind or pa.string())
    pq.write_table(pa.table({"id": pa.array([1] * len(urls)), "url": column}), path)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("urls.txt", write_text),
        ("urls.jsonl", write_jsonl),
        ("urls.ndjson", write_jsonl),
        ("urls.csv", write_csv),
        ("urls.parquet", write_parquet),
    ],
)
def test_input_formats(name: str, write: Any, run: Run, folder: Path) -> None:
    """The name of a file says how it is read; `.gz` behind the name of a text file, too."""
    write(folder / name, URLS)
    expected = lines(URLS[0], URLS[3])

    assert expected == run(*ASK, name).data
    if name != "urls.parquet":
        (folder / f"{name}.gz").write_bytes(gzip.compress((folder / name).read_bytes()))

        assert expected == run(*ASK, f"{name}.gz").data


@pytest.mark.parametrize(
    "kind",
    [
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_columns_of_parquet(kind: pa.DataType, run: Run, folder: Path) -> None:
    """Text is text, however it is laid out."""
    if isinstance(kind, pa.DictionaryType):
        table = pa.table({"url": pa.array(URLS).dictionary_encode()})
        pq.write_table(table, folder / "urls.parquet")
    else:
        write_parquet(folder / "urls.parquet", URLS, kind)

    assert lines(URLS[0], URLS[3]) == run(*ASK, "urls.parquet").data


RUBBISH = [
    b"rubbish",
    b"http://",
    b"/path",
    b"mailto:someone@a.example",
    b"https://a b.example/",
    b"\x00\x01",
    b"https://a.example/a\rb",
    b"x" * (1 << 20) + b"y",
]


@pytest.mark.parametrize("rubbish", RUBBISH, ids=lambda rubbish: repr(rubbish[:20]))
def test_rubbish(rubbish: bytes, run: Run) -> None:
    """A line that is not a URL has a row with its number, is counted, and ends nothing."""
    rows = lines(URLS[0]) + b"\n" + rubbish + b"\n" + lines(URLS[3])
    done = run(*ASK, "--format", "jsonl", stdin=rows)
    found = objects(done)

    assert 2 == done.code
    assert [1, 3, 4] == [each["row"] for each in found]
    assert [None, "invalid-url", None] == [
        each["error"] and each["error"].replace("url-too-long", "invalid-url") for each in found
    ]
    assert "unanswered              1" in done.err
    assert [] == [error.message for each in found for error in VALIDATOR.iter_errors(each)]


@pytest.mark.parametrize(
    ("name", "content", "kinds"),
    [
        (
            "urls.jsonl",
            b'{"url": "https://a.example/"}\n{"url": 1}\n[]\n{\n{"u": 2}\n\n'
            + b"[" * 100_000
            + b'\n{"url": "https://a.example/\\ud800"}\n{"url": "https://a.example/\\n"}\n',
            [None, *["invalid-row"] * 5, None, None],
        ),
        (
            "urls.csv",
            b'id,url\n1,https://a.example/\n1\n\n2,"https://a.example/\n2"\n3,https://a.example/\n',
            [None, "invalid-row", "invalid-url", None],
        ),
    ],
)
def test_rubbish_rows(
    name: str, content: bytes, kinds: list[str | None], run: Run, folder: Path
) -> None:
    """A row that has no URL in it ends nothing either."""
    (folder / name).write_bytes(content)
    done = run(*ASK, name, "--format", "jsonl")

    assert (2, kinds) == (done.code, [each["error"] for each in objects(done)])


@pytest.mark.parametrize("letter", ["x", "\u00fc", "\u30c4"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_of_csv_that_is_too_long(run: Run, folder: Path, letter: str, quote: str) -> None:
    """It is told as such, and reading goes on: a URL that is cut would be another."""
    long = letter * ((1 << 20) // len(letter.encode()) - 30)
    cut = f"https://a.example/{quote}{long}{quote},https://b.example/private/{letter * 40}"
    (folder / "urls.csv").write_text(f"x,url\n1,{URLS[0]}\n{cut}\n2,{URLS[1]}\n")
    found = objects(run(*ASK, "urls.csv", "--format", "jsonl"))

    assert [(2, None), (3, "invalid-row"), (4, None)] == [
        (each["row"], each["error"]) for each in found
    ]


def test_a_cell_of_csv_that_is_too_long_forges_no_row(run: Run, folder: Path) -> None:
    """What stands behind a line break in it is not a URL that somebody asked about."""
    page = f"<p>{'x' * (1 << 20)}\nhttps://forged.example/,{'y' * (1 << 20)}\nhttps://z.example/"
    (folder / "urls.csv").write_text(f'url,html\n{URLS[0]},"{page}",\n{URLS[1]},\n')
    found = objects(run(*ASK, "urls.csv", "--format", "jsonl"))

    assert ["invalid-row", None] == [each["error"] for each in found]
    assert [2, 5] == [each["row"] for each in found]


def test_nulls_of_parquet(run: Run, folder: Path) -> None:
    """A null is a row without a URL."""
    pq.write_table(pa.table({"url": pa.array([URLS[0], None])}), folder / "urls.parquet")
    found = objects(run(*ASK, "urls.parquet", "--format", "jsonl"))

    assert [(1, None), (2, "invalid-row")] == [(each["row"], each["error"]) for each in found]


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


def test_packed_output(run: Run, folder: Path) -> None:
    """An output that ends in `.gz` is compressed, and the same each time."""
    for _ in range(2):
        assert 2 == run(*ASK, "--output", "out.csv.gz", stdin=lines(*URLS)).code
    again = (folder / "out.csv.gz").read_bytes()
    run(*ASK, "--output", "two.csv.gz", stdin=lines(*URLS))

    assert again == (folder / "two.csv.gz").read_bytes()
    assert gzip.decompress(again) == run(*ASK, "--format", "csv", stdin=lines(*URLS)).data


def test_no_rows(run: Run, folder: Path) -> None:
    """An empty input gives an empty output, which has a header where the format has one."""
    assert b"" == run(*ASK, stdin=b"").data
    assert b"row,input,url," == run(*ASK, "--format", "csv", stdin=b"\n\n").data[:14]
    assert 0 == run(*ASK, "--output", "out.parquet", stdin=b"").code
    assert 0 == pq.read_table(folder / "out.parquet").num_rows


def test_many_blocks(run: Run, folder: Path) -> None:
    """Blocks are not borders: all rows are there, once, in order, wherever lines are cut."""
    urls = [f"https://a.example/{'x' * (number % 700)}/{number}" for number in range(20_000)]
    (folder / "urls.txt").write_bytes(lines(*urls))

    assert lines(*urls) == run(*ASK, "urls.txt").data
    assert 0 == run(*ASK, "urls.txt", "--output", "out.csv").code
    rows = list(csv.DictReader((folder / "out.csv").open(newline="")))
    assert [(str(number), url) for number, url in enumerate(urls, start=1)] == [
        (row["row"], row["url"]) for row in rows
    ]


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
@pytest.mark.usefixtures("folder")
def test_pipe_is_answered_as_it_comes() -> None:
    """A row is answered although no other follows: whoever writes may be waiting for it."""
    with talking_to([sys.executable, "-m", "verger", *ASK, "--quiet"]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        watchdog = threading.Timer(30, process.kill)
        watchdog.start()
        for url in (URLS[0], URLS[3]):
            process.stdin.write(lines(url))
            process.stdin.flush()
            assert lines(url) == process.stdout.readline()
        process.stdin.close()

        assert 0 == process.wait(timeout=30)
        watchdog.cancel()


def test_missing_pyarrow(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow Parquet names the extra, and all else works."""
    write_parquet(folder / "urls.parquet", URLS)
    for name in ("pyarrow", "pyarrow.parquet", "pyarrow.lib"):
        monkeypatch.setitem(__import__("sys").modules, name, None)
    for words in (("urls.parquet",), ("--format", "parquet"), ("--snapshot", "urls.parquet")):
        done = run(*instead(ASK, words), stdin=lines(*URLS))

        assert (2, b"") == (done.code, done.data)
        assert "verger[parquet]" in done.err
    assert lines(URLS[0], URLS[3]) == run(*ASK, stdin=lines(*URLS)).data
