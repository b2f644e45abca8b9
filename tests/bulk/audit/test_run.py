"""Whole audits: what counts, whatever logs are called, and tables that say the same."""

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cli.conftest import Run, folder, robots, run
from cli.test_audit import BOT, LOG, closed, log, report
from verger.bulk.audit.output import CRAWLER_COLUMNS, RULE_COLUMNS, SCHEMA

__all__ = ["folder", "log", "robots", "run"]


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(("by", "columns"), [("crawler", CRAWLER_COLUMNS), ("rule", RULE_COLUMNS)])
def test_tables_are_equal(run: Run, by: str, columns: tuple[tuple[str, Any, Any], ...]) -> None:
    """CSV and Parquet have the same rows under the same names."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--by", by)
    by_text = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").out)))
    done = run(*words, "--format", "parquet")
    table = pq.read_table(io.BytesIO(done.data))

    assert [name for name, _, _ in columns] == table.column_names == list(by_text[0])
    assert SCHEMA.encode() == table.schema.metadata[b"verger.schema"]
    assert [row["crawler"] for row in by_text] == table["crawler"].to_pylist()
    assert [row["closed"] for row in by_text] == list(map(str, table["closed"].to_pylist()))
    assert ["2026-01-07T12:00:00Z", "2026-01-06T12:00:00Z"] == [
        row["closed_last"] for row in by_text
    ]
    assert ["2026-01-07T12:00:00+00:00", "2026-01-06T12:00:00+00:00"] == [
        moment.isoformat() for moment in table["closed_last"].to_pylist()
    ]


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--agent", "gptBOT"), {"GPTBot": 1}),
        (("--agent", "GPTBot", "--agent", "ExampleBot"), {"ExampleBot": 2, "GPTBot": 1}),
        (("--everyone",), {"ExampleBot": 2, "*": 2, "GPTBot": 1}),
        (("--since", "2026-01-06"), {"ExampleBot": 1, "GPTBot": 1}),
        (("--until", "2026-01-05T12:00:00Z"), {}),
        (("--until", "2026-01-05T12:00:01Z"), {"ExampleBot": 1}),
        (("--since", "2026-01-07", "--until", "2026-01-08"), {"ExampleBot": 1}),
        (("--dialect", "original-1994"), {"ExampleBot": 3, "GPTBot": 1}),
        (("--host", "Example.com:8080"), {"ExampleBot": 2, "GPTBot": 1}),
        (("--log-format", "combined"), {"ExampleBot": 2, "GPTBot": 1}),
        (("--log-format", "vhost", "--host", "192.0.2.1"), {"ExampleBot": 2, "GPTBot": 1}),
    ],
)
def test_what_counts(run: Run, words: tuple[str, ...], expected: dict[str, int]) -> None:
    """Each option picks the requests that it names."""
    assert expected == closed(report(run, "--robots", "robots.txt", "access.log", *words))


def test_names_of_fields(run: Run, log: Path) -> None:
    """JSON members of one's own are named."""
    log.write_text(json.dumps({"client": {"ua": BOT}, "path": "/private"}) + "\n")
    words = ("--robots", "robots.txt", "access.log", "--log-field", "user_agent=client.ua")

    assert {"ExampleBot": 1} == closed(report(run, *words))


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize("name", ["access.csv", "access.parquet", "access.txt", "access.jsonl"])
def test_names_of_logs(run: Run, name: str) -> None:
    """Lines are detected whatever the name; a format contradicts a name only if it is read here."""
    Path(name).write_text(LOG)
    words = ("--robots", "robots.txt", name)
    found = report(run, *words)

    assert {"ExampleBot": 2, "GPTBot": 1} == closed(found)
    if name.endswith(".jsonl"):
        done = run("audit", *words, "--log-format", "combined")
        assert (2, True) == (done.code, "is named as jsonl" in done.err)
    else:
        assert closed(found) == closed(report(run, *words, "--log-format", "combined"))


@pytest.mark.usefixtures("robots")
def test_stdin(run: Run) -> None:
    """`-` is the log, packed or not; or the robots.txt file."""
    Path("access.log").write_text(LOG)
    for data in (LOG.encode(), gzip.compress(LOG.encode())):
        found = report(run, "--robots", "robots.txt", "-", stdin=data)

        assert {"ExampleBot": 2, "GPTBot": 1} == closed(found)
    rules = b"User-agent: *\nDisallow: /private\n"
    assert {"ExampleBot": 3, "GPTBot": 0} == closed(
        report(run, "--robots", "-", "access.log", stdin=rules)
    )


ENTRY = '192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "{}" {} 5 "-" "ExampleBot/1.0"\n'
OPEN = ENTRY.format("GET /open HTTP/1.1", 200)

POST = ENTRY.format("POST /form HTTP/1.1", 200)

UNREAD = {
    "nothing but forms beside what is no entry": (
        f"cut\n{POST}",
        (),
        "none of 4 lines is a fetch of a URL that could be read",
        "line 1 of `unread.log`: it has no time in brackets",
    ),
    "nothing but forms beside what has no URL": (
        POST + ENTRY.format("-", 408),
        (),
        "none of 4 lines is a fetch of a URL that could be read",
        "line 2 of `unread.log` is `192.0.2.1",
    ),
    "the status among the request": (
        ENTRY.format("GET /private HTTP/1.1 200 0", "-"),
        (),
        "none of 2 lines holds a URL that was requested",
        "line 1 of `unread.log` is `192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "
        '"GET /private HTTP/1.1 200 0" - 5 "-" "Example',
    ),
    "a field for the request that is none": (
        '{"time":"2026-01-05T12:00:00Z","request":"GET /private HTTP/1.1","id":"x7"}\n',
        ("--log-field", "request=id"),
        "none of 2 lines holds a URL that was requested",
        'line 1 of `unread.log` is `{"time":"2026-01-05T12:00:00Z","request":"GET /private',
    ),
    "a path that is none": (
        '{"time":"2026-01-05T12:00:00Z","path":"home","user_agent":"ExampleBot"}\n',
        (),
        "none of 2 lines holds a URL that was requested",
        "`--log-field` other names in JSON",
    ),
    "an error log": (
        '2026/01/05 12:00:00 [error] 12#12: *1 open() failed, request: "GET /private HTTP/1.1"\n',
        (),
        "none of 2 lines is an entry of an access log",
        "line 1 of `unread.log`: it has no time in brackets, or one that cannot be read; "
        "`--log-format` takes combined",
    ),
    "no times, where they are needed": (
        '{"request":"GET /private HTTP/1.1","user_agent":"ExampleBot"}\n',
        ("--since", "2026-01-01"),
        "no line of `unread.log` has a time, and the answer depends on it",
        "name a member of JSON with `--log-field time=PATH`",
    ),
    "no user agents": (
        '{"time":"2026-01-05T12:00:00Z","request":"GET /private HTTP/1.1","client":"ExampleBot"}\n'
        '{"time":"2026-01-05T12:00:00Z","request":"-"}\n',
        (),
        "no line of `unread.log` has a user agent, so that no crawler can be named",
        "name a member of JSON with `--log-field user_agent=PATH`",
    ),
}


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize("trouble", UNREAD)
def test_log_of_which_nothing_is_read(run: Run, trouble: str) -> None:
    """It passes no check: the error says what was found, and where."""
    text, words, what, hint = UNREAD[trouble]
    Path("unread.log").write_text(text * 2, encoding="utf-8")
    done = run("audit", "--robots", "robots.txt", *words, "unread.log", "--quiet")

    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"error: {what}\nhint: ")
    assert hint in done.err


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize("trouble", UNREAD)
def test_one_of_several_logs_of_which_nothing_is_read(run: Run, trouble: str) -> None:
    """The others are reported, as what they are: a part."""
    text, words, what, hint = UNREAD[trouble]
    Path("unread.log").write_text(text * 2, encoding="utf-8")
    Path("read.log").write_text(OPEN * 3, encoding="utf-8")
    for names in (("read.log", "unread.log"), ("unread.log", "read.log")):
        done = run("audit", "--robots", "robots.txt", *words, *names, "--quiet")
        if words[:1] != ("--log-field",) or names[0] == "read.log":
            read = "URL and user agent" if trouble == "no user agents" else "URL"
            extent = f"in the {3 + (text * 2).count('POST')} lines whose {read} could be read"
            assert f"no disallowed URL was fetched {extent}\n" in done.out

        assert 2 == done.code
        assert done.err.startswith(f"error: {what}\nhint: ")
        assert hint in done.err


@pytest.mark.usefixtures("robots")
def test_lines_that_cannot_be_read(run: Run) -> None:
    """Nothing is said of them but how many they are."""
    Path("access.log").write_text(OPEN + "cut\n" + OPEN, encoding="utf-8")
    done = run("audit", "--robots", "robots.txt", "access.log")

    assert 0 == done.code
    assert "no disallowed URL was fetched in the 2 lines whose URL could be read\n" in done.out
    assert "unreadable              1  lines that are not entries" in done.err
    Path("access.log").write_text("cut\n" + OPEN.replace("ExampleBot/1.0", "Mozilla/5.0"))
    done = run("audit", "--robots", "robots.txt", "access.log")
    assert "no crawler requested anything in the 1 line whose URL could be read\n" in done.out
    Path("access.log").write_text(OPEN, encoding="utf-8")
    assert "fetched\n" in run("audit", "--robots", "robots.txt", "access.log").out


NAMELESS = OPEN.replace("ExampleBot/1.0", "-")
NO_URL = ENTRY.format("-", 408)


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize(
    ("log", "words", "said"),
    [
        (OPEN, (), "no disallowed URL was fetched"),
        (OPEN + POST, (), "no disallowed URL was fetched"),
        (
            OPEN + NO_URL,
            (),
            "no disallowed URL was fetched in the 1 line whose URL could be read",
        ),
        (
            OPEN * 2 + NAMELESS,
            (),
            "no disallowed URL was fetched in the 2 lines whose URL and user agent could be read",
        ),
        (OPEN + NAMELESS, ("--everyone",), "no disallowed URL was fetched"),
        (POST, (), "no crawler requested anything"),
        (OPEN, ("--since", "2030-01-01"), "no request was selected"),
        (OPEN, ("--agent", "GPTBot"), "no request was selected"),
        ("shop.example " + OPEN, ("--host", "b.example"), "no request was selected"),
        (
            OPEN + "cut\n",
            ("--agent", "GPTBot"),
            "no request was selected in the 1 line whose URL could be read",
        ),
        (OPEN.replace("Example", "Exam"), ("--agent", "ExampleBot"), "no request was selected"),
        (
            OPEN.replace("ExampleBot", "Mozilla"),
            ("--agent", "ExampleBot"),
            "no crawler requested anything",
        ),
        ("", (), "no log has a line of a request"),
        (" \r\n\n", (), "no log has a line of a request"),
        ("#Version: 1.0\n#Fields: date time cs-uri-stem\n", (), "no log has a line of a request"),
        ("[\n]\n", (), "no log has a line of a request"),
    ],
)
def test_what_the_report_says_at_its_end(
    run: Run, log: str, words: tuple[str, ...], said: str
) -> None:
    """It says no more than what was read and selected shows."""
    Path("access.log").write_text(log, encoding="utf-8")
    done = run("audit", "--robots", "robots.txt", "access.log", *words)

    assert 0 == done.code
    assert said == done.out.splitlines()[-1]
    assert ("note: `access.log` has no line of a request" in done.err) == (
        said == "no log has a line of a request"
    )


@pytest.mark.usefixtures("robots")
def test_empty_log_beside_another(run: Run) -> None:
    """A log that was rotated a moment ago is no fault, and is named."""
    Path("access.log").write_text("", encoding="utf-8")
    Path("access.log.1").write_text(OPEN, encoding="utf-8")
    done = run("audit", "--robots", "robots.txt", "access.log", "access.log.1")

    assert 0 == done.code
    assert done.out.endswith("no disallowed URL was fetched\n")
    assert done.err.count("has no line of a request") == 1


@pytest.mark.usefixtures("robots")
def test_log_without_times(run: Run) -> None:
    """The closing lines say why the report has no days."""
    row = {"request": "GET /private HTTP/1.1", "user_agent": "ExampleBot"}
    Path("access.log").write_text(json.dumps({**row, "date": "2026-01-05"}), encoding="utf-8")
    done = run("audit", "--robots", "robots.txt", "access.log")

    assert 1 == done.code
    assert "note: the log has no times: when requests came is unknown\n" in done.err
    Path("access.log").write_text(
        json.dumps({**row, "date": "2026-01-05T12:00:00Z"}), encoding="utf-8"
    )
    done = run("audit", "--robots", "robots.txt", "access.log")
    assert "2026-01-05" in done.out
    assert "no times" not in done.err


def test_log_that_is_cut_off(run: Run, log: Path) -> None:
    """What could be read is reported, and the exit code says that it is not all."""
    log.write_bytes(gzip.compress((LOG * 1_000).encode())[:-9])
    done = run("audit", "--robots", "robots.txt", "access.log", "--quiet", "--format", "json")
    found = json.loads(done.out)

    assert 2 == done.code
    assert found["closed"] > 1_000
    assert [done.err] == [f"error: {problem}\n" for problem in found["problems"]]
