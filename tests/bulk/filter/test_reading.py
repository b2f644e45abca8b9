"""URLs from text, JSON Lines, CSV and Parquet: every row is answered, or said to be none."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import verger
from verger.bulk.filter import filter_urls
from verger.bulk.filter.columns import COLUMNS
from verger.bulk.filter.reading import UrlInput, blocks_of, others_of
from verger.errors import InvalidOption, InvalidTable, RobotsError

ROBOTS = b"User-agent: A\nAllow: /private/press\nDisallow: /private\n\nUser-agent: *\nDisallow: /\n"
URLS = [
    "https://a.example/private/press/1",
    "https://a.example/private",
    "https://b.example/private",
    "https://a.example/",
]
ALLOWED = [True, False, None, True]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a snapshot of a site."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sites").mkdir()
    (tmp_path / "sites" / "a.example").write_bytes(ROBOTS)
    return tmp_path


def decided(name: str, content: bytes | None = None, **more: Any) -> list[dict[str, Any]]:
    """Return the rows for the URLs in a file, after writing its content if there is any."""
    if content is not None:
        Path(name).write_bytes(content)
    filter_urls(name, tokens="A", snapshot="sites", output="out.jsonl", **more)
    return [json.loads(line) for line in Path("out.jsonl").read_text("utf-8").split("\n")[:-1]]


def lines(*urls: str) -> bytes:
    return "".join(f"{url}\n" for url in urls).encode("utf-8", "surrogateescape")


def of(name: str, rows: list[dict[str, Any]]) -> list[Any]:
    return [row[name] for row in rows]


def test_control_characters() -> None:
    """What HTTP clients leave out of a URL would make it another: such a row is refused."""
    urls = ["http://a.example/pri\tvate", "http://a.example/\x00", "http://a.example/\x7f"]

    assert [None] + ["invalid-url"] * 3 == of("error", decided("urls.txt", lines(URLS[0], *urls)))


@pytest.mark.parametrize("end", ["\x80", "\x85", "\x9b", "\u2028", "\u2029"])
def test_ends_of_lines_for_some(end: str) -> None:
    """A reader that ends lines there would read a URL that was never judged."""
    data = lines(f"http://a.example/x{end}http://a.example/private", URLS[0])

    assert ["invalid-url", None] == of("error", decided("urls.txt", data))


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_decisions_are_those_of_the_core(dialect: str) -> None:
    """Whatever the rules and the dialect, a row says what `RobotsTxt.decide` says."""
    urls = [f"https://a.example/{path}" for path in ("private", "private/press", "x", "robots.txt")]
    robots = verger.parse(ROBOTS, dialect=dialect)
    expected = [robots.decide(url, "A") for url in urls]
    found = decided("urls.txt", lines(*urls), dialect=dialect)

    assert [(each.allowed, each.reason, each.line, each.section) for each in expected] == [
        (each["allowed"], each["reason"], each["line"], each["section"]) for each in found
    ]


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
def test_input_formats(name: str, write: Callable[[Path, list[str]], None], folder: Path) -> None:
    """The name of a file says how it is read; `.gz` behind the name of a text file, too."""
    write(folder / name, URLS)

    assert ALLOWED == of("allowed", decided(name))
    if name != "urls.parquet":
        packed = gzip.compress((folder / name).read_bytes())

        assert ALLOWED == of("allowed", decided(f"{name}.gz", packed))


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
def test_columns_of_parquet(kind: pa.DataType, folder: Path) -> None:
    """Text is text, however it is laid out."""
    if isinstance(kind, pa.DictionaryType):
        table = pa.table({"url": pa.array(URLS).dictionary_encode()})
        pq.write_table(table, folder / "urls.parquet")
    else:
        write_parquet(folder / "urls.parquet", URLS, kind)

    assert ALLOWED == of("allowed", decided("urls.parquet"))


def test_nulls_of_parquet(folder: Path) -> None:
    """A null is a row without a URL."""
    pq.write_table(pa.table({"url": pa.array([URLS[0], None])}), folder / "urls.parquet")
    found = decided("urls.parquet")

    assert [(1, None), (2, "invalid-row")] == [(each["row"], each["error"]) for each in found]


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
def test_rubbish(rubbish: bytes) -> None:
    """A line that is not a URL has a row with its number, and ends nothing."""
    found = decided("urls.txt", lines(URLS[0]) + b"\n" + rubbish + b"\n" + lines(URLS[3]))

    assert [1, 3, 4] == of("row", found)
    assert [None, "invalid-url", None] == [
        error and error.replace("url-too-long", "invalid-url") for error in of("error", found)
    ]


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
def test_rubbish_rows(name: str, content: bytes, kinds: list[str | None]) -> None:
    """A row that has no URL in it ends nothing either."""
    assert kinds == of("error", decided(name, content))


@pytest.mark.parametrize("letter", ["x", "\u00fc", "\u30c4"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_of_csv_that_is_too_long(letter: str, quote: str) -> None:
    """It is told as such, and reading goes on: a URL that is cut would be another."""
    long = letter * ((1 << 20) // len(letter.encode()) - 30)
    cut = f"https://a.example/{quote}{long}{quote},https://b.example/private/{letter * 40}"
    found = decided("urls.csv", f"x,url\n1,{URLS[0]}\n{cut}\n2,{URLS[1]}\n".encode())

    assert [(2, None), (3, "invalid-row"), (4, None)] == [
        (each["row"], each["error"]) for each in found
    ]


def test_a_cell_of_csv_that_is_too_long_forges_no_row() -> None:
    """What stands behind a line break in it is not a URL that somebody asked about."""
    page = f"<p>{'x' * (1 << 20)}\nhttps://forged.example/,{'y' * (1 << 20)}\nhttps://z.example/"
    found = decided("urls.csv", f'url,html\n{URLS[0]},"{page}",\n{URLS[1]},\n'.encode())

    assert ["invalid-row", None] == of("error", found)
    assert [2, 5] == of("row", found)


def test_many_blocks() -> None:
    """Blocks are not borders: all rows are there, once, in order, wherever lines are cut."""
    urls = [f"https://a.example/{'x' * (number % 700)}/{number}" for number in range(20_000)]
    found = decided("urls.txt", lines(*urls))

    assert list(enumerate(urls, start=1)) == [(each["row"], each["url"]) for each in found]


@pytest.mark.parametrize(
    "begun",
    [
        b'{"url": "%s"}\n',
        b'\xef\xbb\xbf\n {"id": 7, "url": "%s"}\n',
        b"url\n%s\n",
        b"\xef\xbb\xbfid,url\r\n7,%s\r\n",
        b',"url"\r7,"%s"\r',
        b"url,price (EUR)\n%s,7\n",
        b"%s\n",
        b"\r\n%s,url\n",
    ],
)
@pytest.mark.parametrize("name", ["urls", "urls.json", "urls.gz"])
def test_formats_by_their_beginning(begun: bytes, name: str) -> None:
    """A name that says nothing leaves it to the first line, whatever comes before it."""
    data = begun % URLS[0].encode()
    rows = decided(name, gzip.compress(data) if name.endswith(".gz") else data)

    assert [(None, True)] == [(row["error"], row["allowed"]) for row in rows]


def test_parquet_by_its_beginning(folder: Path) -> None:
    """A Parquet file needs no name."""
    write_parquet(folder / "urls", URLS)

    assert ALLOWED == of("allowed", decided("urls"))


def test_names_before_beginnings() -> None:
    """A file that is named as text is read as text."""
    rows = decided("urls.txt", b"id,url\n" + lines(URLS[0]))

    assert ["invalid-url", None] == of("error", rows)


def test_a_comma_in_the_only_column() -> None:
    """Half of such a URL would be another one."""
    rows = decided("urls", f'url\n{URLS[0]},b\n"{URLS[0]},b"\n'.encode())

    assert ["invalid-row", None] == of("error", rows)
    assert f"{URLS[0]},b" == rows[1]["url"]


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        (b"a.example\nwww.a.example/path\n", "`https://` is missing"),
        (b"rank,domain\n1,a.example\n", None),
        (b"url\na.example\n", "`https://` is missing"),
        (b'{"url": "a.example"}\n', "`https://` is missing"),
        (b'[{"url": "https://a.example/"}]\n', "JSON"),
        (b"1\ta\n", "--input-format"),
    ],
)
def test_no_row_with_a_url(data: bytes, hint: str | None, folder: Path) -> None:
    """It is a list of something else: an error, and no output instead of an empty one."""
    (folder / "out.jsonl").write_text("kept")
    with pytest.raises(InvalidTable) as caught:
        decided("urls", data)

    assert (hint or "the columns are `rank`, `domain`") in str(caught.value.hint)
    assert "kept" == (folder / "out.jsonl").read_text()
    assert [] == list(folder.glob("*journal*"))


@pytest.mark.parametrize("name", ["urls", "urls.csv"])
@pytest.mark.parametrize(
    ("header", "separator"), [("id;url", "`;`"), ("\ufeffid\turl", r"`\t`"), ("url;a.b", "`;`")]
)
def test_other_separators(name: str, header: str, separator: str) -> None:
    """What a spreadsheet writes in some countries is told by its header, and refused."""
    with pytest.raises(InvalidTable, match="no column `url`") as caught:
        decided(name, f"{header}\r\n7;https://a.example/\r\n".encode())

    assert f"{separator} separates its columns: save it with commas" == caught.value.hint


def test_a_number_with_too_many_digits() -> None:
    """The row says so, without advice for programmers, unless its numbers are only passed on."""
    data = (
        b'{"url": "%s", "n": %s}\n' % (URLS[0].encode(), b"9" * 5_000) * 2
        + b'{"url": "https://a.example/"}\n'
    )
    [found, _] = decided("urls.jsonl", data, columns="none")[:2]

    assert "the line is not JSON: a number has too many digits" == found["message"]


# Other columns


def written(name: str, output: str, **more: Any) -> list[dict[str, Any]]:
    """Return the other columns of the output, row by row."""
    filter_urls(name, tokens="A", snapshot="sites", output=output, restart=True, **more)
    if output.endswith(".parquet"):
        rows = pq.read_table(output).to_pylist()
    elif output.endswith(".csv"):
        with Path(output).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    else:
        rows = [json.loads(line) for line in Path(output).read_text("utf-8").splitlines()]
    return [{key: row[key] for key in list(row) if key not in {"schema", *COLUMNS}} for row in rows]


TABLE = f'id,url,status,title,price\n7,{URLS[0]},404,"=a,""b""",-5\n8,{URLS[3]}\n9,nope,,x,y\n'


def test_columns_of_csv(folder: Path) -> None:
    """They follow the decision in their order; one with a name of ours gets another."""
    (folder / "urls.csv").write_text(TABLE)
    names = ["id", "input_status", "title", "price"]
    first, second = ["7", "404", '=a,"b"', "-5"], [None] * 4
    objects = written("urls.csv", "out.jsonl")
    rows = written("urls.csv", "out.parquet")
    records = written("urls.csv", "out.csv")

    assert [dict(zip(names, first, strict=True)), {}] == objects[:2]
    assert [dict(zip(names, each, strict=True)) for each in (first, second)] == rows[:2]
    assert ["7", "404", """'=a,"b\"""", "-5"] == [*records[0].values()]
    assert [names] * 3 == [[*each] for each in records]
    assert {"id": "9", "input_status": "", "title": "x", "price": "y"} == objects[2] == rows[2]


def test_members_of_json_lines(folder: Path) -> None:
    """JSON Lines keep every member and its type; other formats have those of the first object."""
    objects = [
        {"url": URLS[0], "n": 1.5, "deep": {"a": [None]}, "allowed": True},
        {"late": "x", "url": URLS[3]},
    ]
    (folder / "urls.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in objects))
    first = {"n": 1.5, "deep": {"a": [None]}, "input_allowed": True}
    text = {"n": "1.5", "deep": '{"a": [null]}', "input_allowed": "true"}

    assert [first, {"late": "x"}] == written("urls.jsonl", "out.jsonl")
    assert [text, dict.fromkeys(text, "")] == written("urls.jsonl", "out.csv")
    assert [*text] == [*written("urls.jsonl", "out.parquet")[0]]


NUMBERS = [
    *("-0", "-0.0", "1e400", "-1E-400", "1.0", "1", "1.50", "1E5", "0.10000000000000000555"),
    "9" * 99,
]
EXACT = [
    *NUMBERS,
    *('"\\ud800"', '"\\u00e9"', '"a\\u2028b"', "null", "true", "[]", "{}"),
    '{"a": [1.0, -0, {"b": 1e400, "c": [2.50]}], "\\u00e9": "\\u0000"}',
]
"""Values of JSON, written as `verger` writes the texts among them."""


def test_values_of_json_lines_are_those_that_were_read(folder: Path) -> None:
    """No number is another one, or written in another way, not even deep within."""

    def write(values: list[str]) -> None:
        rows = (f'{{"url": "{URLS[0]}", "kept": {value}}}\n' for value in values)
        (folder / "urls.jsonl").write_text("".join(rows))

    write(EXACT)
    assert [True] * len(EXACT) == of("allowed", decided("urls.jsonl", columns="all"))
    found = Path("out.jsonl").read_text().splitlines()
    assert EXACT == [line.partition(', "kept": ')[2][:-1] for line in found]
    write(NUMBERS)
    for output in ("out.csv", "out.parquet"):
        assert NUMBERS == [row["kept"] for row in written("urls.jsonl", output)]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", '[{"a": NaN}]'])
def test_what_json_has_not_is_refused(value: str, folder: Path) -> None:
    """Many programs write NaN; a row with it has no answer, unless the column is left out."""
    text = f'{{"url": "{URLS[0]}", "kept": {value}, "n": 1}}\n{{"url": "{URLS[0]}"}}\n'
    (folder / "urls.jsonl").write_text(text)
    first, second = decided("urls.jsonl", columns="all")

    assert ("invalid-row", None, True) == (first["error"], first["allowed"], second["allowed"])
    assert "which is not JSON" in first["message"]
    assert [True, True] == of("allowed", decided("urls.jsonl", columns=["n"]))
    assert [True, True] == of("allowed", decided("urls.jsonl", columns="none"))


@pytest.mark.parametrize(
    "text",
    [
        f'"url": "{URLS[0]}", "url": "{URLS[3]}"',
        f'"url": "{URLS[0]}", "kept": 1, "kept": 2',
        f'"url": "{URLS[0]}", "kept": {{"a": 1, "a": 2}}',
    ],
)
@pytest.mark.parametrize("columns", ["all", "none"])
def test_a_member_that_is_there_twice_is_refused(text: str, columns: str, folder: Path) -> None:
    """Programs differ in which of two counts (RFC 8259 section 4)."""
    (folder / "urls.jsonl").write_text(f'{{"url": "{URLS[0]}"}}\n{{{text}}}\n')
    first, second = decided("urls.jsonl", columns=columns)

    assert (True, None, "invalid-row") == (first["allowed"], second["allowed"], second["error"])
    assert " twice" in second["message"]


@pytest.mark.parametrize("row", ["7,%s,p", "7,%s,,", "%s", '7,%s,x,"y"'])
def test_a_row_of_another_width_has_no_answer(row: str, folder: Path) -> None:
    """The end of its URL may stand in the next field."""
    (folder / "urls.csv").write_text(f"id,url\n7,{URLS[0]}\n{row.replace('%s', URLS[0])}\n")
    first, second = decided("urls.csv")

    assert (True, None, "invalid-row") == (first["allowed"], second["allowed"], second["error"])
    assert 3 == second["row"]
    assert "the header has 2" in second["message"]


TWICE = {"id": ["1", "2"], "note": ["a", "b"], "note_2": ["c", "d"], "url": [URLS[0], URLS[3]]}


@pytest.mark.parametrize("name", ["urls.csv", "urls.parquet"])
def test_columns_of_one_name_are_all_kept(name: str, folder: Path) -> None:
    """With a number behind their names; the URL has one column, or none counts."""

    def table_of(*names: str) -> None:
        columns = [*TWICE.values()]
        if name.endswith("csv"):
            rows = [names, *zip(*columns, strict=True)]
            (folder / name).write_text("".join(",".join(row) + "\n" for row in rows))
        else:
            pq.write_table(pa.table(columns, names=[*names]), folder / name)

    table_of("note", "note", "note_2", "url")
    kept = [
        {"note": "1", "note_2": "a", "note_2_2": "c"},
        {"note": "2", "note_2": "b", "note_2_2": "d"},
    ]
    for output in ("out.jsonl", "out.csv", "out.parquet"):
        assert kept == written(name, output)
        assert [{"note_2_2": "c"}, {"note_2_2": "d"}] == written(name, output, columns=["note_2_2"])
        assert [{"note_2": "a"}, {"note_2": "b"}] == written(name, output, columns=["note_2"])
    table_of("url", "note", "note", "url")
    with pytest.raises(InvalidTable, match="has several columns `url`"):
        decided(name)


def test_types_of_parquet(folder: Path) -> None:
    """Parquet keeps the types of Parquet, over the borders of row groups and blocks."""
    number = 9_000
    table = pa.table(
        {
            "when": pa.array(range(number), pa.timestamp("ns", "UTC")),
            "url": [URLS[0]] * number,
            "kind": pa.array([str(each % 7) for each in range(number)]).dictionary_encode(),
            "bytes": pa.array([b"\xff", None] * (number // 2)),
            "list": pa.array([[each] for each in range(number)]),
            "row": pa.array(range(number), pa.int16()),
        }
    )
    pq.write_table(table, folder / "urls.parquet", row_group_size=1_000)
    filter_urls("urls.parquet", tokens="A", snapshot="sites", output="out.parquet")
    found = pq.read_table("out.parquet")
    kept = found.select([*found.schema.names[len(COLUMNS) :]])

    assert ["when", "kind", "bytes", "list", "input_row"] == kept.schema.names
    assert table.drop_columns("url").schema.types == kept.schema.types
    assert table.drop_columns("url").to_pylist() == [
        {**{key: row[key] for key in row if key != "input_row"}, "row": row["input_row"]}
        for row in kept.to_pylist()
    ]
    rows = written("urls.parquet", "out.jsonl", columns=["list", "when"])
    assert {"list": [1], "when": "1970-01-01 00:00:00.000000001Z"} == rows[1]


@pytest.mark.parametrize("end", ["csv", "jsonl", "parquet"])
def test_chosen_columns(end: str, folder: Path) -> None:
    """Only columns that were named, in the order of the names, or none."""
    (folder / "urls.csv").write_text(TABLE)

    assert {"title": "x", "id": "9"} == written("urls.csv", f"o.{end}", columns=["title", "id"])[2]
    assert [{}] * 3 == written("urls.csv", f"o.{end}", columns="none")


@pytest.mark.parametrize(
    ("columns", "output", "message"),
    [
        (["id", "nope"], "out.csv", "no column `nope`"),
        ("all", "out.txt", "the output is a list of URLs"),
        (["id"], "out.txt", "the output is a list of URLs"),
    ],
)
def test_columns_that_cannot_be_kept(
    columns: str | list[str], output: str, message: str, folder: Path
) -> None:
    """They are refused before anything is written."""
    (folder / "urls.csv").write_text(TABLE)
    with pytest.raises(RobotsError, match=message):
        filter_urls("urls.csv", tokens="A", snapshot="sites", output=output, columns=columns)

    assert not (folder / output).exists()


def test_columns_of_a_list(folder: Path) -> None:
    """A list of URLs has none that could be chosen."""
    (folder / "urls.txt").write_text(URLS[0])
    for columns in (["id"], "id"):
        with pytest.raises(InvalidOption, match="a list of URLs has none"):
            decided("urls.txt", columns=columns)

    assert [True] == of("allowed", decided("urls.txt", columns="all"))


def test_inputs_with_other_columns(folder: Path) -> None:
    """The output has the columns of all inputs; one with two types is refused."""
    (folder / "a.csv").write_text(f"id,url\n7,{URLS[0]}\n")
    (folder / "b.txt").write_text(f"{URLS[0]}\n")
    write_parquet(folder / "c.parquet", URLS[:1])
    both = {"tokens": "A", "snapshot": "sites"}
    filter_urls(["b.txt", "a.csv", "c.parquet"], output="out.jsonl", **both)
    found = [json.loads(line).get("id") for line in Path("out.jsonl").read_text().splitlines()]

    assert [None, "7", 1] == found
    with pytest.raises(InvalidTable, match="holds `int64`, and `string` in an input before it"):
        filter_urls(["a.csv", "c.parquet"], output="out.parquet", **both)


def test_wide_rows_end_blocks(folder: Path) -> None:
    """What a block takes in memory counts its other columns."""
    page = "x" * 100_000
    (folder / "urls.csv").write_text("url,page\n" + f"{URLS[0]},{page}\n" * 100)
    others = others_of([source := UrlInput("urls.csv", None)], "url", "all", "jsonl")
    blocks = list(blocks_of([source], "url", others, prompt=False))

    assert 100 == sum(len(block.urls) for block in blocks)
    assert all(block.size < 1_300_000 for block in blocks)


@pytest.mark.parametrize("end", ["csv", "jsonl", "parquet"])
def test_hostile_columns(end: str, folder: Path) -> None:
    """Bytes that are not UTF-8, lone surrogates and deep nesting are written, or a problem."""
    (folder / "a.csv").write_bytes(b"url,\xff\n%s,\xfe\n" % URLS[0].encode())
    deep = "[" * 960 + "]" * 960
    objects = f'{{"url": "{URLS[0]}", "\\ud800": "\\ud800"}}\n{{"url": "{URLS[3]}", "x": {deep}}}\n'
    (folder / "b.jsonl").write_text(objects)
    for name, rows in (("a.csv", 1), ("b.jsonl", 2)):
        done = filter_urls(name, tokens="A", snapshot="sites", output=f"{name}.{end}")

        assert rows == done.tally.decided
        assert (folder / f"{name}.{end}").stat().st_size
