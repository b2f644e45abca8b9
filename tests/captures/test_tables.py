"""Tables of captures: columns of any usual name, and errors that say which column of which file."""

import gzip
import json
import math
import re
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from support import CHECKOUT
from verger.bulk.scan import Scanner, ScanReport, read_table, scan
from verger.captures import tables
from verger.captures.tables import CAPTURES, HISTORY, SNAPSHOT, Form, Row
from verger.errors import InvalidTable

FILE = "User-agent: *\nDisallow: /ü\n"
TIME = datetime(2026, 6, 1, 12, tzinfo=UTC)


def rows(path: Path, report: ScanReport | None = None, **columns: str) -> list[dict[str, object]]:
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    batches = read_table(path, kind, columns, ScanReport() if report is None else report)
    return [row for batch in batches for row in batch.to_pylist()]


def csv_file(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def json_file(folder: Path, *values: object) -> Path:
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def parquet_file(folder: Path, **columns: pa.Array) -> Path:
    path = folder / "t.parquet"
    parquet.write_table(pa.table(columns), path)
    return path


def test_all_formats_say_the_same(tmp_path: Path) -> None:
    """The same rows as CSV, JSON Lines and Parquet, packed or not."""
    line = {"host": "a.example", "robots_txt": FILE, "code": 200, "crawled_at": TIME.isoformat()}
    table = json_file(tmp_path, line, {**line, "code": None, "robots_txt": None})
    text = f'host,robots_txt,code,crawled_at\na.example,"{FILE}",200,{TIME.isoformat()}\n'
    comma = csv_file(tmp_path, f"{text}a.example,,,{TIME.isoformat()}\n")
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(comma.read_bytes()))
    column = parquet_file(
        tmp_path,
        host=pa.array(["a.example"] * 2),
        robots_txt=pa.array([FILE, None]),
        code=pa.array([200, None], pa.int64()),
        crawled_at=pa.array([TIME, TIME], pa.timestamp("ms")),
    )
    first = {"url": "a.example", "time": TIME, "status": 200, "body": FILE.encode()}
    second = {"url": "a.example", "time": TIME, "status": None, "body": None}
    for path in (table, comma, packed):
        found = [{name: row[name] for name in first} for row in rows(path)]

        assert [first, second] == found
    found = [{name: row[name] for name in first} for row in rows(column)]

    assert [{**first, "body": FILE}, second] == found


@pytest.mark.parametrize("name", ["time", "captured", "Captured_At", "WARC-Date", "datetime"])
def test_usual_names_of_the_time(tmp_path: Path, name: str) -> None:
    """The time of a capture is not lost because of what its column is called."""
    found = rows(json_file(tmp_path, {"host": "a.example", "body": FILE, name: TIME.isoformat()}))

    assert [TIME] == [row["time"] for row in found]


def test_the_columns_of_an_index_of_captures(tmp_path: Path) -> None:
    """As CDX servers call them, with the bodies joined to them."""
    head = "urlkey,timestamp,original,mimetype,statuscode,digest,body"
    path = csv_file(tmp_path, f"{head}\nx,20230615123456,https://a.example/robots.txt,y,404,z,\n")

    [row] = rows(path)
    assert ("https://a.example/robots.txt", 404, 2023) == (
        row["url"],
        row["status"],
        row["time"].year,
    )


def test_columns_can_be_named(tmp_path: Path) -> None:
    """What is named wins over what is usual."""
    path = csv_file(tmp_path, "url,site,text,x\nwrong,a.example,wrong,right\n")

    assert [("a.example", b"right")] == [
        (r["url"], r["body"]) for r in rows(path, url="site", body="x")
    ]


@pytest.mark.parametrize("status", ["200", " 200", "200.", "200.0", "200.00"])
def test_statuses_in_text(status: str, tmp_path: Path) -> None:
    """Programs that keep numbers as floats write a fraction of zeros."""
    comma = csv_file(tmp_path, f"url,body,status\na,x,{status}\nb,,\n")
    lines = json_file(tmp_path, {"url": "a", "body": "x", "status": status})

    assert [200, None] == [row["status"] for row in rows(comma)]
    assert [200] == [row["status"] for row in rows(lines)]


@pytest.mark.parametrize("status", ["200.5", "2e2", "--1", "+200", ".0", "²00", "1234567890"])
def test_statuses_in_text_that_are_none(status: str, tmp_path: Path) -> None:
    """Nothing else stands for a number: the row is skipped, and told."""
    report = ScanReport()

    [row] = rows(csv_file(tmp_path, f"url,body,status\na,x,{status}\nb,y,404\n"), report)
    assert (404, 1) == (row["status"], report.skipped)


def test_a_table_of_which_no_row_can_be_read_is_refused(tmp_path: Path) -> None:
    """A column holds something else; an empty name in place of its own leaves it out."""
    words = [{"url": "a.example", "body": "x", "status": each} for each in ("OK", "GONE")]
    texts = "".join("{url},{body},{status}\n".format(**row) for row in words)
    for path in (csv_file(tmp_path, f"url,body,status\n{texts}"), json_file(tmp_path, *words)):
        with pytest.raises(InvalidTable, match=r"no row of .* can be read; line \d: `status` is"):
            rows(path, ScanReport())
        assert [None, None] == [row["status"] for row in rows(path, status="")]
    assert [] == rows(csv_file(tmp_path, "url,body,status\n"))


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl", "t.parquet"])
@pytest.mark.parametrize("status", [-1, 0, 999, 1000, math.nan])
def test_numbers_that_are_no_status(name: str, status: float, tmp_path: Path) -> None:
    """They are what they are in every format: the policy says what they mean; NaN is null."""
    path = tmp_path / name
    row = {"url": "a.example", "body": "x", "status": status}
    if name == "t.csv":
        path.write_text(f"url,body,status\na.example,x,{status}\n")
    elif name == "t.jsonl":
        path.write_text(json.dumps(row) + "\n")
    else:
        parquet.write_table(pa.Table.from_pylist([row]), path)

    assert [None if math.isnan(status) else status] == [each["status"] for each in rows(path)]


@pytest.mark.parametrize("null", ["nan", "NaN", " NAN "])
@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT, HISTORY])
def test_nan_is_null(null: str, form: Form, tmp_path: Path) -> None:
    """As pandas writes a null among numbers: as text in CSV, as a number in JSON Lines."""
    row = {"url": "a.example", "body": "x", "status": math.nan, "time": math.nan}
    comma = csv_file(tmp_path, f"url,body,status,time\na.example,x,{null},{null}\n")
    for path in (comma, json_file(tmp_path, row)):
        [batch] = tables.read_table(path, path.suffix[1:], form)

        assert [None] == batch.column("status").to_pylist() == batch.column("time").to_pylist()


@pytest.mark.parametrize("null", ["", "nan", " NaN "])
@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT])
def test_failures_that_are_nan(null: str, form: Form, tmp_path: Path) -> None:
    """They are what an empty cell is: an empty body next to a success is an empty file."""
    comma = csv_file(tmp_path, f"url,body,status,failure\na.example,,200,{null}\n")
    [batch] = tables.read_table(comma, "csv", form)

    assert [b""] == batch.column("body").to_pylist()


@pytest.mark.parametrize("null", [None, math.nan, "nan"])
def test_responses_without_body(null: float | str | None, tmp_path: Path) -> None:
    """A success whose failure is NaN has a file, so a table of those has a column for it."""
    lines = json_file(tmp_path, {"url": "a.example", "status": 200, "failure": null})

    with pytest.raises(InvalidTable, match="no column `body`"):
        list(tables.read_table(lines, "jsonl", SNAPSHOT))


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT])
def test_the_text_nan_is_no_failure(form: Form, tmp_path: Path) -> None:
    """In a table with types, a null would be one."""
    table = {"url": ["a.example"], "body": [b""], "status": [200], "failure": ["nan"]}
    path = parquet_file(tmp_path, **{name: pa.array(column) for name, column in table.items()})

    with pytest.raises(InvalidTable, match="`nan` is not a failure"):
        list(tables.read_table(path, "parquet", form))


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT])
def test_bodies_that_are_not_text(form: Form, tmp_path: Path) -> None:
    """A file of one site, whatever it holds, leaves the others readable."""
    odd = bytes([0, 1, 2, 3]) * 20
    comma = tmp_path / "t.csv"
    comma.write_bytes(b"url,body\na.example," + odd + b'\nb.example,"' + FILE.encode() + b'"\n')
    lines = json_file(
        tmp_path,
        {"url": "a.example", "body": odd.decode()},
        {"url": "b.example", "body": FILE},
    )
    for path in (comma, lines):
        [batch] = tables.read_table(path, path.suffix[1:], form)

        assert [odd, FILE.encode()] == batch.column("body").to_pylist()


WRONG_TIMES = {
    "fourteen digits that are no date": 20230631123456,
    "fourteen digits as text": "20230615126056",
    "infinity": math.inf,
    "a year before the first, in UTC": "0001-01-01T00:00:00+14:00",
    "a year behind the last, in UTC": "9999-12-31T23:59:59-14:00",
    "overflow of milliseconds": pa.scalar(1 << 60, pa.timestamp("ms")),
    "years that no calendar has": pa.scalar(1 << 62, pa.timestamp("us")),
}


@pytest.mark.parametrize("wrong", WRONG_TIMES.values(), ids=WRONG_TIMES)
@pytest.mark.parametrize("form", [SNAPSHOT, HISTORY])
def test_times_beyond_the_calendar_are_an_error(wrong: object, form: Form, tmp_path: Path) -> None:
    """They, and what has no room among microseconds, are not a time."""
    value = wrong if isinstance(wrong, pa.Scalar) else pa.scalar(wrong)
    column = pa.array([value.as_py()] if not pa.types.is_timestamp(value.type) else [value.value])
    column = column.cast(value.type)
    paths = [parquet_file(tmp_path, url=pa.array(["a"]), body=pa.array(["x"]), time=column)]
    if not isinstance(wrong, pa.Scalar):
        paths.append(csv_file(tmp_path, f"url,body,time\na,x,{wrong}\n"))
        paths.append(json_file(tmp_path, {"url": "a", "body": "x", "time": wrong}))

    for path in paths:
        with pytest.raises(InvalidTable):
            list(tables.read_table(path, path.suffix[1:], form))


TEXT_TIMES = {name: it for name, it in WRONG_TIMES.items() if not isinstance(it, pa.Scalar)}


@pytest.mark.parametrize("wrong", TEXT_TIMES.values(), ids=TEXT_TIMES)
def test_times_beyond_the_calendar_are_unknown_in_captures(wrong: object, tmp_path: Path) -> None:
    """The capture is there, and can be read, from text and from Parquet."""
    value = pa.scalar(wrong)
    times = pa.array([None, value.as_py()], value.type)
    for path in (
        csv_file(tmp_path, f"url,body,time\na,x,\na,x,{wrong}\n"),
        parquet_file(tmp_path, url=pa.array(["a"] * 2), body=pa.array(["x"] * 2), time=times),
    ):
        told: dict[int, str] = {}
        kind = path.suffix[1:]
        [batch] = tables.read_table(path, kind, CAPTURES, on_skip=told.__setitem__)

        assert [None, None] == batch.column("time").to_pylist()
        assert [f"`{wrong}` is not a time: it is unknown here"] == list(told.values())
        assert [3 if kind == "csv" else 2] == list(told)


def test_moments_that_python_cannot_hold_are_unknown_in_captures(tmp_path: Path) -> None:
    """The row is told by its number."""
    times = pa.array([None, 1 << 62]).cast(pa.timestamp("us"))
    path = parquet_file(tmp_path, url=pa.array(["a"] * 2), body=pa.array(["x"] * 2), time=times)
    told: dict[int, str] = {}
    [batch] = tables.read_table(path, "parquet", CAPTURES, on_skip=told.__setitem__)

    assert [None, None] == batch.column("time").to_pylist()
    assert [2] == list(told)
    assert "out of range" in told[2]


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT, HISTORY])
def test_dates_without_hyphens_are_dates(form: Form, tmp_path: Path) -> None:
    """Other digits are seconds."""
    path = csv_file(tmp_path, "url,body,time\na,x,20260105\na,x,1767225600\na,x,17672256001\n")
    [batch] = tables.read_table(path, "csv", form)

    assert [(2026, 1, 5), (2026, 1, 1), (2530, 1, 5)] == [
        (time.year, time.month, time.day) for time in batch.column("time").to_pylist()
    ]


def test_a_dictionary_of_bodies_stays_one(tmp_path: Path) -> None:
    """A megabyte that a thousand rows share is in memory once; other columns are plain."""
    rows = 1_000
    path = parquet_file(
        tmp_path,
        url=pa.array([f"{number}.example" for number in range(rows)]),
        body=pa.DictionaryArray.from_arrays([0] * rows, pa.array([b"x" * (1 << 20)])),
        status=pa.array([200] * rows).dictionary_encode(),
        failure=pa.array([None] * rows, pa.string()).dictionary_encode(),
    )
    before = pa.total_allocated_bytes()
    for batch in tables.read_table(path, "parquet", CAPTURES):
        assert pa.total_allocated_bytes() - before < 64 << 20
        assert pa.types.is_dictionary(batch.column("body").type)
        assert {200} == set(batch.column("status").to_pylist())


def test_without_statuses_a_body_is_a_success(tmp_path: Path) -> None:
    """And a row without one is a site that did not answer."""
    values = [{"url": "a.example", "body": "x"}, {"url": "b.example", "body": None}]
    as_columns = parquet_file(tmp_path, url=pa.array(["a", "b"]), body=pa.array([b"x", None]))

    for path in (json_file(tmp_path, *values), as_columns):
        scan(path, tmp_path / "out.parquet")
        scanned = parquet.read_table(tmp_path / "out.parquet")
        assert ["successful", "unreachable"] == scanned["access"].to_pylist()
        assert [None, None] == scanned["status"].to_pylist()


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        ({"body": pa.array(["x"])}, "no column `origin` in"),
        ({"url": pa.array(["x"])}, "no column `body` in"),
        (
            {"url": pa.array([1]), "body": pa.array(["x"])},
            "the column `url` of .* holds `int64`, not",
        ),
        (
            {"url": pa.array(["x"]), "body": pa.array([1.5])},
            "`body` of .* holds `double`, not text",
        ),
        (
            {"url": pa.array(["x"]), "body": pa.array(["x"]), "status": pa.array(["200"])},
            "the column `status` of .* holds `string`, not numbers",
        ),
        (
            {"url": pa.array(["x"]), "body": pa.array(["x"]), "status": pa.array([1 << 40])},
            "the column `status` of",
        ),
        (
            {"url": pa.array(["x"]), "body": pa.array(["x"]), "time": pa.array([True])},
            "the column `time` of .* holds `bool`, not times",
        ),
    ],
)
def test_wrong_columns_are_named(columns: dict[str, pa.Array], why: str, tmp_path: Path) -> None:
    """With the file, and what the column holds."""
    path = parquet_file(tmp_path, **columns)

    with pytest.raises(InvalidTable, match=why) as refused:
        rows(path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize("name", ["t.parquet", "t.csv.gz", "t.jsonl.gz"])
def test_files_of_another_format_are_refused(name: str, tmp_path: Path) -> None:
    """Instead of a table without rows."""
    path = tmp_path / name
    path.write_bytes(b"neither this nor that" * 9)

    with pytest.raises(InvalidTable, match=r"cannot read|is not a Parquet file"):
        rows(path)


def test_a_packed_file_that_is_cut_is_an_error(tmp_path: Path) -> None:
    """Nobody can tell how much is missing."""
    path = tmp_path / "t.jsonl.gz"
    data = gzip.compress(b'{"url": "a.example", "body": "x"}\n' * 999)
    path.write_bytes(data[: len(data) // 2])

    with pytest.raises(InvalidTable, match="cannot read"):
        rows(path)


def test_rows_that_cannot_be_read_are_skipped_with_their_line(tmp_path: Path) -> None:
    """One broken line costs no other."""
    good = {"url": "a.example", "body": "x", "status": 200}
    path = json_file(tmp_path, good, good, good)
    path.write_text(
        path.read_text()
        + "not json\n[]\n"
        + '{"url": 1, "body": "x"}\n{"url": "a", "body": "x", "status": "2x0"}\n\n'
    )
    report = ScanReport()

    assert 3 == len(rows(path, report))
    assert [4, 5, 6, 7] == [skip.offset for skip in report.skips]

    report = ScanReport()
    path = csv_file(tmp_path, "url,body,status\na,x,200\nb\nc,x,abc\nd,x,404\n")

    assert ["a", "d"] == [row["url"] for row in rows(path, report)]
    assert [3, 4] == [skip.offset for skip in report.skips]


def test_bytes_that_are_no_utf8_come_back(tmp_path: Path) -> None:
    """In CSV as they are, in JSON as lone surrogates; a URL gets U+FFFD for them."""
    comma = csv_file(tmp_path, "url,body\nhttp://a.example/\udcff,Disallow: /\udcff\n")
    table = json_file(tmp_path, {"url": "http://a.example/\udcff", "body": "Disallow: /\udcff"})

    for path in (comma, table):
        assert [("http://a.example/\ufffd", b"Disallow: /\xff")] == [
            (row["url"], row["body"]) for row in rows(path)
        ]


def test_members_that_come_late_are_found(tmp_path: Path) -> None:
    """JSON objects often leave out what is null."""
    path = json_file(
        tmp_path,
        {"url": "a.example", "status": 404},
        {"url": "b.example", "body": "x", "status": 200},
    )

    assert [None, b"x"] == [row["body"] for row in rows(path)]


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT, HISTORY])
@pytest.mark.parametrize(
    "other",
    [
        {"url": "b.example", "body": "y", "status": 200, "time": 1767225600},
        {"origin": "b.example", "robots_txt": "y", "status": 200, "time": 1767225600},
        {"HOST": "b.example", "Text": "y", "code": 200, "date": 1767225600},
    ],
)
def test_each_object_has_names_of_its_own(form: Form, other: Row, tmp_path: Path) -> None:
    """Lines of several programs stand in one file; no reader loses those of the second."""
    first = {"origin": "a.example", "body": "x", "status": 404, "time": 1767225600}
    path = json_file(tmp_path, first, other, first, {**other, "note": "z"})
    [batch] = tables.read_table(path, "jsonl", form)
    found = [tuple(row[name] for name in ("url", "status", "body")) for row in batch.to_pylist()]

    assert [("a.example", 404, b"x"), ("b.example", 200, b"y")] * 2 == found
    assert batch.column("time").null_count == 0


def test_a_line_without_end_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the bound is told with its number, and reading goes on at the next."""
    monkeypatch.setattr("verger.captures.tables.LONGEST_LINE", 100)
    long, report = "x" * 101, ScanReport()
    table = tmp_path / "t.jsonl"
    for end in ("\n", "\r\n"):
        table.write_bytes(
            end.join(['{"url": "a", "body": ""}', long, '{"url": "b", "body": ""}', long]).encode()
        )

        assert ["a", "b"] == [row["url"] for row in rows(table, report)]
    assert [2, 4, 2, 4] == [skip.offset for skip in report.skips]
    assert {"the line has more than 100 bytes"} == {skip.why for skip in report.skips}


@pytest.mark.parametrize(
    ("text", "expected", "skipped"),
    [
        ("url,body\na,\n{long},\nb,\n", ["a", "b"], [3]),
        ('url,body\na,\n"x\n{long}\nb,\nc,\n', ["a"], [4]),
        ('url,body\na,\n"x\n{long}\nb,\n",c\nd,\n', ["a", "d"], [4]),
        ('url,body\na,\nx,"{long}"\nb,\n', ["a", "b"], [3]),
        ('url,body\na,\nx,"{long}\nb,forged\n"\nc,\n', ["a", "c"], [3]),
        ('url,body\na,\nx,{long},"\nb,forged\n"\nc,\n', ["a", "c"], [3]),
        ("url,body\r\na,\r\n{long}\r\nb,\r\n", ["a", "b"], [3]),
        ("url,body\na,\n{long}\nb,", ["a"], [3, 4]),
        ("url,body\ra,\r{long}\rb,\r", ["a", "b"], [3]),
    ],
)
def test_a_record_with_a_line_without_end_is_passed_over(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    expected: list[str],
    skipped: list[int],
) -> None:
    """A record with a line beyond the bound ends where its quotes do, not with the line."""
    monkeypatch.setattr("verger.captures.tables.LONGEST_LINE", 100)
    report = ScanReport()
    table = csv_file(tmp_path, text.replace("{long}", "x" * 101))

    assert expected == [row["url"] for row in rows(table, report)]
    assert skipped == [skip.offset for skip in report.skips]


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT, HISTORY])
def test_one_table_has_the_same_columns_for_every_reader(form: Form, tmp_path: Path) -> None:
    """A table that one command reads is not an empty one to the next."""
    path = tmp_path / "seen.jsonl"
    path.write_text(
        '{"domain": "a.example", "code": 404, "date": "2026-01-05T00:00:00Z"}\n'
        '{"domain": "b.example", "code": 200, "robots_txt": "User-agent: *\\n", '
        '"date": "2026-01-06T00:00:00Z"}\n'
    )
    [batch] = tables.read_table(path, "jsonl", form)

    assert [None, b"User-agent: *\n"] == batch.column("body").to_pylist()
    assert [404, 200] == batch.column("status").to_pylist()


@pytest.mark.parametrize("form", [CAPTURES, SNAPSHOT, HISTORY])
@pytest.mark.parametrize(
    "times",
    [
        *([1767225600], ["1767225600"], [1767225600.0], ["2026-01-01T00:00:00Z"]),
        *([1767225600000], ["1767225600000"], [1767225600000.0], ["1767225600000000"]),
        *([20260101000000], ["20260101000000"], [20260101000000.0], [1767225600000000000]),
        *(["Thu, 01 Jan 2026 00:00:00 GMT"], ["Thu Jan  1 00:00:00 2026"]),
    ],
)
def test_times_are_read_alike(form: Form, times: list[object], tmp_path: Path) -> None:
    """A time is a timestamp, a text, or a number of any unit, to every reader."""
    columns = {"origin": ["https://a.example"], "body": ["x"], "time": times}
    path = parquet_file(tmp_path, **{name: pa.array(column) for name, column in columns.items()})
    lines = tmp_path / "t.jsonl"
    lines.write_text(json.dumps({name: column[0] for name, column in columns.items()}) + "\n")
    found = [
        batch.column("time").to_pylist()
        for batch in (
            *tables.read_table(path, "parquet", form),
            *tables.read_table(lines, "jsonl", form),
        )
    ]

    if not isinstance(times[0], str):  # tables in memory hold numbers
        batch = pa.record_batch({"url": ["a"], "body": ["x"], "time": times})
        found += [each.column("time").to_pylist() for each in Scanner().scan(batch).rows]
    assert {datetime(2026, 1, 1, tzinfo=UTC)} == {time for column in found for time in column}


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_a_column_that_is_there_twice_is_named(name: str, tmp_path: Path) -> None:
    """Nobody knows which of them counts."""
    path = tmp_path / name
    if name == "t.csv":
        path.write_text("origin,body,body\na.example,x,y\n")
    else:
        columns = [pa.array([text]) for text in ("a.example", "x", "y")]
        parquet.write_table(pa.table(columns, names=["origin", "body", "body"]), path)

    with pytest.raises(InvalidTable, match="has several columns `body`"):
        list(tables.read_table(path, path.suffix[1:], SNAPSHOT))


@pytest.mark.parametrize("name", ["t.parquet", "t.csv", "t.jsonl", "late.jsonl"])
def test_names_that_differ_in_case_are_one_name(name: str, tmp_path: Path) -> None:
    """Names count in any case, so that two columns have this one."""
    path = tmp_path / name
    row = {"origin": "a.example", "Body": "x", "body": "y"}
    if path.suffix == ".csv":
        path.write_text("origin,Body,body\na.example,x,y\n")
    elif path.suffix == ".jsonl":
        early = [{"origin": "a.example", "body": "x"}] * name.startswith("late")
        path.write_text("".join(json.dumps(each) + "\n" for each in (*early, row)))
    else:
        parquet.write_table(pa.Table.from_pylist([row]), path)

    with pytest.raises(InvalidTable, match=r"has several columns `.ody` and `.ody`"):
        list(tables.read_table(path, path.suffix[1:], SNAPSHOT))
    assert [b"y"] == [
        value if isinstance(value, bytes) else value.encode()
        for batch in tables.read_table(path, path.suffix[1:], SNAPSHOT, columns={"body": "body"})
        for value in batch.column("body").to_pylist()[-1:]
    ]


@pytest.mark.parametrize("status", [200, None])
def test_files_that_nobody_shows_are_an_error(status: int | None, tmp_path: Path) -> None:
    """Where rows say that there was a file, a table without a column for it is another table."""
    row = {"url": "a.example", "content_of_file": "User-agent: *\n"}
    path = tmp_path / "seen.jsonl"
    path.write_text(json.dumps(row if status is None else {**row, "status": status}) + "\n")

    with pytest.raises(InvalidTable, match="no column `body`"):
        list(tables.read_table(path, "jsonl", SNAPSHOT))


def test_a_table_of_failures_needs_no_files(tmp_path: Path) -> None:
    """Members that are null are often left out."""
    path = tmp_path / "seen.jsonl"
    path.write_text('{"url": "b.example"}\n{"url": "a.example", "status": 404}\n')
    [batch] = tables.read_table(path, "jsonl", SNAPSHOT)

    assert [None, 404] == batch.column("status").to_pylist()


def test_a_table_of_empty_files_needs_no_files(tmp_path: Path) -> None:
    """No content comes with 204 (RFC 9112 section 6.3)."""
    path = json_file(tmp_path, *({"url": "a.example", "status": s} for s in (204, 404, "204.0")))
    [batch] = tables.read_table(path, "jsonl", SNAPSHOT)

    assert [204, 404, 204] == batch.column("status").to_pylist()


def test_the_guide_names_the_columns() -> None:
    """The table of the guide is the table that the reader has."""
    page = (CHECKOUT / "docs" / "guides" / "scan.md").read_text("utf-8")
    table = page.split("| content | names |", 1)[1].split("\n\n", 1)[0]
    rows = [re.findall(r"`([^`]+)`", row.split("|")[2]) for row in table.splitlines()[2:]]

    assert [list(names) for names in CAPTURES.names.values()] == rows
