"""Snapshots: a folder, a table, an archive, a cache; never a network."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import brotli
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bulk.scan.archives import archive, packed, record, response
from cache.samples import filled
from cli.conftest import Run, folder, run
from cli.test_json_lines import VALIDATOR
from verger.access.entry import Entry
from verger.access.result import AccessResult

__all__ = ["folder", "run"]

FILE = b"User-agent: *\nDisallow: /private\n"
FIELDS = ("allowed", "reason", "effect", "status", "failure")

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def ask(run: Run) -> Any:
    """Ask a snapshot about URLs, and return some fields of each row."""

    def ask(snapshot: str, *urls: str, dialect: str = "rfc9309") -> list[tuple[object, ...]]:
        rows = "".join(f"{url}\n" for url in urls).encode()
        words = ("--snapshot", snapshot, "--agent", "A", "--dialect", dialect)
        done = run("filter", *words, "--format", "jsonl", stdin=rows)
        objects = [json.loads(line) for line in done.out.splitlines()]
        is_unanswered = any(each["allowed"] is None for each in objects)
        assert (2 if is_unanswered else 0) == done.code, done.err
        return [tuple(each[name] for name in FIELDS) for each in objects]

    return ask


def test_folder_is_read_as_check_reads_it(ask: Any) -> None:
    """Names with ports, with `.txt`, and hosts in A-label form."""
    for name in ("a.example", "b.example:8080", "c.example_81.txt", "xn--bcher-kva.example"):
        Path("sites").mkdir(exist_ok=True)
        (Path("sites") / name).write_bytes(FILE)
    found = ask(
        "sites",
        "https://a.example/private",
        "http://b.example:8080/private",
        "http://c.example:81/private",
        "https://bücher.example/private",
        "https://b.example/private",
    )

    assert [(False, "MOST_SPECIFIC_RULE", "rules", None, None)] * 4 == found[:4]
    assert (None, "NOT_IN_SNAPSHOT", None, None, None) == found[4]


def test_a_fetch_without_an_answer(ask: Any, run: Run) -> None:
    """It has neither status nor body, and is told as such."""
    Path("seen.jsonl").write_text('{"host": "a.example", "status": null, "body": null}\n')
    found = ask("seen.jsonl", "https://a.example/")
    said = run("check", "--snapshot", "seen.jsonl", "--agent", "A", "https://a.example/")

    assert [(False, "UNDEFINED_STATUS", "disallow_all", None, None)] == found
    assert "nothing is known about https://a.example/robots.txt" in said.out


def test_file_that_cannot_be_read(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It closes its origin, and says so."""

    def refuse(*_: object) -> bytes:
        raise PermissionError(13, "permission denied")

    Path("sites").mkdir()
    Path("sites/a.example").write_bytes(FILE)
    monkeypatch.setattr("verger.snapshots.stored.read_robots", refuse)

    assert [(None, "UNREADABLE_FILE", None, None, None)] == ask("sites", "https://a.example/")


@pytest.mark.parametrize("column", ["origin", "url"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.string()], ids=str)
def test_parquet(column: str, kind: pa.DataType, ask: Any) -> None:
    """Rows by origin or by any URL of it; of two rows of one origin the last counts."""
    end = "/robots.txt" if column == "url" else ""
    rows = [
        (f"https://a.example{end}", b""),
        (f"HTTPS://A.example:443{end}", FILE),
        ("no url", FILE),
        (None, FILE),
        (f"https://null.example{end}", None),
    ]
    bodies = pa.array([body for _, body in rows], pa.binary()).cast(kind)
    pq.write_table(pa.table({column: [place for place, _ in rows], "body": bodies}), "s.parquet")

    assert [
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
        (None, "NOT_IN_SNAPSHOT", None, None, None),
        (False, "UNDEFINED_STATUS", "disallow_all", None, None),
    ] == ask("s.parquet", *(f"https://{host}.example/private" for host in ("a", "b", "null")))


@pytest.mark.parametrize("column", ["host", "origin", "url"])
def test_hosts(column: str, ask: Any) -> None:
    """A bare host is the origin that answers by https, as in `verger scan`."""
    body = FILE.decode().replace("\n", "\\n")
    objects = [
        f'{{"{column}": "{host}", "body": "{body}"}}' for host in ("A.example", "b.example:8080")
    ]
    Path("s.jsonl").write_text("\n".join(objects))

    assert [(False, "MOST_SPECIFIC_RULE", "rules", 200, None)] * 2 + [
        (None, "NOT_IN_SNAPSHOT", None, None, None)
    ] == ask(
        "s.jsonl",
        "https://a.example/private",
        "https://b.example:8080/private",
        "http://a.example/private",
    )


def test_statuses_of_parquet(ask: Any) -> None:
    """A status means what it means over the network, in each dialect."""
    statuses = [200, 404, 403, 429, 503, 302, None]
    places = [f"https://s{number}.example" for number in range(len(statuses))]
    table = pa.table({"origin": places, "status": statuses, "body": [FILE] * len(places)})
    pq.write_table(table, "s.parquet")
    urls = [f"{place}/private" for place in places]

    assert [
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
        (True, "UNAVAILABLE", "allow_all", 404, None),
        (True, "FORBIDDEN", "allow_all", 403, None),
        (False, "TOO_MANY_REQUESTS", "disallow_all", 429, None),
        (False, "SERVER_ERROR", "disallow_all", 503, None),
        (False, "UNDEFINED_STATUS", "disallow_all", 302, None),
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
    ] == ask("s.parquet", *urls)
    assert (False, "FORBIDDEN", "disallow_all", 403, None) == ask(
        "s.parquet", *urls, dialect="koster-1996"
    )[2]


def test_success_without_a_body(ask: Any) -> None:
    """A file that nobody has opens nothing: what it says is not known."""
    places = [f"https://s{number}.example" for number in range(3)]
    table = pa.table(
        {"origin": places, "status": [200, 404, 200], "body": pa.array([None, None, b""])}
    )
    pq.write_table(table, "s.parquet")
    found = ask("s.parquet", *(f"{place}/" for place in places))

    assert [(False, "BROKEN_BODY"), (True, "UNAVAILABLE"), (True, "NO_GROUP")] == [
        row[:2] for row in found
    ]


@pytest.mark.parametrize(
    ("column", "values"),
    [("body", [1]), ("origin", [1]), ("status", ["200"]), ("status", [True]), ("body", [[b""]])],
)
def test_columns_of_other_types(run: Run, column: str, values: list[object]) -> None:
    """What could only be misread is refused, with the name of the column."""
    columns = {"origin": ["https://a.example"], "body": [b""], "status": [200], column: values}
    pq.write_table(pa.table(columns), "s.parquet")
    Path("urls").write_text("https://a.example/\n")
    done = run("filter", "urls", "--agent=A", "--snapshot=s.parquet")

    assert (2, "") == (done.code, done.out)
    assert f"the column `{column}` of `s.parquet` holds" in done.err


def test_statuses_with_fractions(run: Run) -> None:
    """A number that cannot be a status is told with its column."""
    columns = {"origin": ["https://a.example"], "body": [b""], "status": [200.5]}
    pq.write_table(pa.table(columns), "s.parquet")
    Path("urls").write_text("https://a.example/\n")
    done = run("filter", "urls", "--agent=A", "--snapshot=s.parquet")

    assert (2, "") == (done.code, done.out)
    assert "error: the column `status` of `s.parquet`: `status` is not a whole number" in done.err
    assert "hint: correct the value, or leave the row out" in done.err


@pytest.mark.parametrize(
    "kind",
    [
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.dictionary(pa.int32(), pa.string()),
    ],
    ids=str,
)
def test_types_of_text(ask: Any, kind: pa.DataType) -> None:
    """Text and bytes of every type that Arrow has are the same."""
    bodies = [b"User-agent: *\nDisallow: /a\n", b"User-agent: *\nDisallow: /b\n", None]
    places = [b"https://a.example", b"https://b.example", b"https://c.example"]
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    columns = [pa.array(values, pa.binary()).cast(plain).cast(kind) for values in (places, bodies)]
    pq.write_table(pa.table(columns, names=["origin", "body"]), "s.parquet")

    assert [False, True, False] == [
        allowed for allowed, *_ in ask("s.parquet", *(f"{site.decode()}/a" for site in places))
    ]


def test_text_that_is_not_utf8(ask: Any) -> None:
    """Bytes in a column of text are bytes, whatever its type promises."""
    data = pa.array([b"User-agent: *\nDisallow: /\xfc\n"]).view(pa.string())
    pq.write_table(pa.table({"origin": ["https://a.example"], "body": data}), "s.parquet")

    assert [(False, "MOST_SPECIFIC_RULE")] == [
        row[:2] for row in ask("s.parquet", "https://a.example/%FC")
    ]


def test_cache_whatever_its_age(ask: Any) -> None:
    """Entries answer although nobody would use them any more."""
    old = [
        Entry(name, AccessResult(f"{name}/robots.txt", 1.0, status, failure, body=body))
        for name, status, failure, body in (
            ("https://a.example", 200, None, FILE),
            ("https://b.example", 503, None, b""),
            ("https://c.example", None, "dns", b""),
        )
    ]
    filled("files.sqlite3", old)

    assert [
        (False, "MOST_SPECIFIC_RULE", "rules", 200, None),
        (False, "SERVER_ERROR", "disallow_all", 503, None),
        (False, "NETWORK_ERROR", "disallow_all", None, "dns"),
        (None, "NOT_IN_SNAPSHOT", None, None, None),
    ] == ask("files.sqlite3", *(f"https://{host}.example/private" for host in "abcd"))


def test_more_sites_than_are_kept(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was let go of is read again."""
    monkeypatch.setattr("verger.bulk.filter.decide.PARSED_BYTES", 20_000)
    monkeypatch.setattr("verger.bulk.filter.decide.MOST_ENDINGS", 99)
    places = [f"https://s{number}.example" for number in range(500)]
    pq.write_table(pa.table({"origin": places, "body": [FILE] * 500}), "s.parquet")
    found = ask("s.parquet", *(f"{place}/private" for place in places * 20))

    assert {(False, "MOST_SPECIFIC_RULE", "rules", 200, None)} == set(found)
    assert 10_000 == len(found)


def test_broken_parquet(run: Run) -> None:
    """A file that only begins like one is an error."""
    Path("s.parquet").write_bytes(b"PAR1 and no more")
    done = run("filter", "--snapshot", "s.parquet", "--agent", "A", stdin=b"")

    assert (2, True) == (done.code, "is not a Parquet file" in done.err)


@pytest.mark.parametrize("name", ["pipe", "pipe.csv", "pipe.parquet", "pipe.warc.gz"])
@pytest.mark.parametrize(
    "command",
    [
        ("filter", "--snapshot", "{}", "--agent", "A", "urls.txt"),
        ("check", "--snapshot", "{}", "--agent", "A", "https://a.example/"),
        ("diff", "{}", "sites", "--output", "out.csv"),
        ("diff", "{}::a.example", "sites/a.example"),
    ],
    ids=" ".join,
)
def test_pipes_are_refused(name: str, command: tuple[str, ...], run: Run) -> None:
    """They give their bytes once, and a reader would wait for more, or miss the first."""
    Path("sites").mkdir()
    Path("sites/a.example").write_bytes(FILE)
    Path("urls.txt").write_text("https://a.example/\n")
    os.mkfifo(name)
    done = run(*(word.format(name) for word in command))

    assert 2 == done.code
    assert done.err.startswith(f"error: `{name}` is not a regular file or folder\n")


def test_other_database(run: Run) -> None:
    """A database of somebody else is not a cache, and is left as it is."""
    import sqlite3

    with sqlite3.connect("other.db") as database:
        database.execute("CREATE TABLE notes (text)")
    database.close()
    before = Path("other.db").read_bytes()
    done = run("filter", "--snapshot", "other.db", "--agent", "A", stdin=b"https://a.example/\n")

    assert (2, b"") == (done.code, done.data)
    assert done.err.startswith("error: ")
    assert before == Path("other.db").read_bytes()


# Tables of text, archives

ROW = 'https://a.example,200,2026-01-05T10:00:00Z,"User-agent: *\nDisallow: /private\n"\n'


def test_times_of_text(ask: Any) -> None:
    """They may be written as dates or as seconds; the latest row counts, wherever it stands."""
    later = "https://a.example,404,2026-01-06,\n"
    lower = later.replace("2026-01-06", "2026-01-06t00:00:00z")
    seconds = later.replace("2026-01-06", "1767657600.5")
    for rows in (ROW + later, later + ROW, seconds + ROW, lower + ROW):
        Path("s.csv").write_text(f"url,status,time,body\n{rows}")

        assert [(True, "UNAVAILABLE")] == [
            row[:2] for row in ask("s.csv", "https://a.example/private")
        ]


def test_empty_file_in_csv(ask: Any) -> None:
    """CSV has no null: beside a success, nothing is an empty file; else there is none."""
    Path("s.csv").write_text("url,status,body\nhttps://a.example,200,\nhttps://b.example,,\n")

    assert [(True, "NO_GROUP"), (False, "UNDEFINED_STATUS")] == [
        row[:2] for row in ask("s.csv", "https://a.example/", "https://b.example/")
    ]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("s.csv", ROW.replace("2026-01-05T10:00:00Z", "noon"), "line 2 of `s.csv`: `noon` is not"),
        ("s.csv", ROW.replace("200", "2x0"), "line 2 of `s.csv`: `status` is not a whole number"),
        ("s.csv", "https://a.example\n", "line 2 of `s.csv`: the record has 1 field, and"),
        ("s.csv", ROW.removesuffix('private\n"\n'), "line 2 of `s.csv`: the record is not CSV"),
        ("s.csv", ROW.replace('\n"\n', '"rest\n'), "line 2 of `s.csv`: the record is not CSV"),
        ("s.jsonl", '{"url": "https://a.example", "body": ""}\nno\n', "line 2 of `s.jsonl`"),
    ],
)
def test_row_that_cannot_be_read(run: Run, name: str, text: str, why: str) -> None:
    """Nobody knows which site it is of, and a later row than it may be missing."""
    head = "url,status,time,body\n" if name.endswith("csv") else ""
    Path(name).write_text(head + text)
    done = run("filter", "--snapshot", name, "--agent", "A", stdin=b"https://a.example/\n")

    assert (2, "") == (done.code, done.out)
    assert f"error: cannot read {why}" in done.err


def test_archive(run: Run, ask: Any) -> None:
    """The captures of a WARC archive answer; one of which a part is lost does not."""
    whole = archive(3)
    Path("s.warc.gz").write_bytes(whole.data)
    asked = [f"https://site-{number}.example/{number}/private" for number in (1, 9)]

    assert [(True, "NO_GROUP"), (None, "NOT_IN_SNAPSHOT")] == [
        row[:2] for row in ask("s.warc.gz", *asked)
    ]

    Path("s.warc.gz").write_bytes(whole.with_member(1, b"\0" * 40))
    done = run("filter", "--snapshot", "s.warc.gz", "--agent", "A", stdin=b"https://a.example/\n")

    assert (2, True) == (done.code, "a part of `s.warc.gz` cannot be read" in done.err), done.err


def test_a_record_is_not_the_archive(ask: Any) -> None:
    """A body that cannot be decoded is broken; what its neighbours say is read."""
    coded = [("a", "compress", FILE), ("b", "none", FILE), ("c", "br", brotli.compress(FILE))]
    records = [
        record(
            response(body, fields=[("Content-Encoding", coding)]),
            target=f"https://{host}.example/robots.txt",
        )
        for host, coding, body in coded
    ]
    two = response(
        gzip.compress(FILE), fields=[("Content-Encoding", "identity"), ("Content-Encoding", "gzip")]
    )
    records.append(record(two, target="https://d.example/robots.txt"))
    Path("s.warc.gz").write_bytes(packed(*records))

    rows = ask("s.warc.gz", *(f"https://{host}.example/private" for host in "abcd"))

    assert [(False, "BROKEN_BODY"), *[(False, "MOST_SPECIFIC_RULE")] * 3] == [
        row[:2] for row in rows
    ]


def test_what_a_scan_wrote(run: Run) -> None:
    """It tells what files say, and does not have them."""
    Path("s.csv").write_text("url,body\nhttps://a.example,\n")
    run("scan", "s.csv", "--output", "scan.parquet")
    done = run("filter", "--snapshot", "scan.parquet", "--agent", "A", stdin=b"")

    assert (
        "error: `scan.parquet` holds what files say (`verger.scan/1`), not the files\n"
        "hint: pass the archive or table that was scanned\n"
    ) == done.err


def test_check_asks_the_same(run: Run) -> None:
    """`check` answers by a table, in each dialect, and says what became of the fetch."""
    rows = "https://b.example,503,2026-01-05,\n"
    Path("s.csv").write_text(f"url,status,time,body\n{ROW}{rows}")
    urls = ("https://a.example/private", "https://b.example/", "https://c.example/")
    done = run("check", "--snapshot", "s.csv", "--agent", "A", "--format", "jsonl", *urls)
    said = [json.loads(line) for line in done.out.splitlines()]

    assert 2 == done.code
    assert [(False, 2), (False, None), (None, None)] == [
        (each["allowed"], each["line"]) for each in said
    ]
    assert "2026-01-05T00:00:00Z" == said[1]["access"]["fetched_at"]
    assert "no-file" == said[2]["error"]["type"]
    assert [] == [error.message for each in said for error in VALIDATOR.iter_errors(each)]


@pytest.mark.parametrize("command", ["check", "filter"])
def test_robots_txt_of_a_closed_site(command: str, run: Run) -> None:
    """It may be requested, as only that request can end the closure; nothing else may."""
    robots, page = "https://a.example/robots.txt", "https://a.example/"
    columns = {"url": [robots], "body": pa.array([None], pa.binary()), "status": [503]}
    pq.write_table(pa.table(columns), "sites.parquet")
    words = (command, "--snapshot", "sites.parquet", "--agent", "A", "--format", "jsonl")
    urls = (robots, page) if command == "check" else ()

    done = run(*words, *urls, stdin=f"{robots}\n{page}\n".encode())

    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(True, "ROBOTS_TXT_ITSELF"), (False, "SERVER_ERROR")] == [
        (row["allowed"], row["reason"]) for row in rows
    ]


def test_a_stored_file_of_another_url(run: Run) -> None:
    """It says nothing about its origin, and the other rows have their answers."""
    results = [
        AccessResult(f"{at}/robots.txt", fetched_at=1.0, status=200, body=FILE)
        for at in ("http://b.test", "http://other.test")
    ]
    entries = zip(("http://b.test", "http://a.test"), results, strict=True)
    filled("c.sqlite", [Entry(origin, result) for origin, result in entries])
    words = ("check", "--snapshot", "c.sqlite", "--agent", "A", "--format", "jsonl")
    done = run(*words, *(f"http://{at}.test/private" for at in ("b", "a", "b")))
    rows = [json.loads(line) for line in done.out.splitlines()]

    assert [False, None, False] == [row["allowed"] for row in rows]
    assert [None, None] == [rows[1]["reason"], rows[1]["section"]]
    assert "out of the scope" in rows[1]["error"]["message"]
    assert 2 == done.code
