"""`verger audit`: reports in every format, exit codes, and what goes wrong."""

import csv
import gzip
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from verger.bulk.audit.result import CRAWLER_COLUMNS, RULE_COLUMNS, SCHEMA

from .conftest import Run, validator
from .console import talking_to

VALID = validator("audit")

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
GPTBOT = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def line(
    target: str = "/private/a",
    agent: str = BOT,
    *,
    status: int = 200,
    day: int = 5,
    method: str = "GET",
    host: str = "",
) -> str:
    """Return a line in combined format."""
    request = f"{method} {target} HTTP/1.1"
    client = f"{host}:80 192.0.2.1" if host else "192.0.2.1"
    return f'{client} - - [{day:02}/Jan/2026:12:00:00 +0000] "{request}" {status} 5 "-" "{agent}"\n'


LOG = "".join(
    (
        line(),
        line(day=7, status=403),
        line("/private/press"),
        line("/all", GPTBOT, day=6),
        line("/robots.txt", GPTBOT, day=6),
        line("/all", FIREFOX),
        line("/all", "-"),
        line(method="POST"),
        "rubbish\n",
    )
)


@pytest.fixture
def log(robots: Path) -> Path:
    """Lay down `access.log` beside `robots.txt`."""
    path = robots.with_name("access.log")
    path.write_text(LOG)
    return path


def report(run: Run, *words: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the JSON report of a run, which follows the schema."""
    done = run("audit", *words, "--format", "json", stdin=stdin)
    found: dict[str, Any] = json.loads(done.out)
    VALID.validate(found)

    assert (1 if found["closed"] else 0) == done.code
    return found


def closed(found: dict[str, Any]) -> dict[str, int]:
    """Return how much was closed to each crawler."""
    return {crawler["token"]: crawler["closed"]["count"] for crawler in found["crawlers"]}


# What is found


@pytest.mark.usefixtures("log")
def test_json(run: Run) -> None:
    """One object, which follows the published schema, and whose lines add up."""
    found = report(run, "--robots", "robots.txt", "access.log")
    first = found["crawlers"][0]
    counted = found["log"]
    kinds = "judged people nameless other_crawlers no_url other_hosts other_times undated"

    assert {"ExampleBot": 2, "GPTBot": 1} == closed(found)
    assert {"count": 2, "answered": 1, "refused": 1} == {
        name: first["closed"][name] for name in ("count", "answered", "refused")
    }
    assert ("OpenAI", ["training"], "yes") == tuple(
        found["crawlers"][1][name] for name in ("operator", "purposes", "respects")
    )
    assert (
        9
        == counted["lines"]
        == counted["unreadable"]
        + sum(counted["other_methods"].values())
        + sum(counted[kind] for kind in kinds.split())
    )
    assert [{"input": "access.log", "line": 9, "reason": "no-time"}] == counted["unreadable_lines"]


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


# What counts


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
        (("--input-format", "combined"), {"ExampleBot": 2, "GPTBot": 1}),
        (("--input-format", "vhost", "--host", "192.0.2.1"), {"ExampleBot": 2, "GPTBot": 1}),
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
        done = run("audit", *words, "--input-format", "combined")
        assert (2, True) == (done.code, "is named as jsonl" in done.err)
    else:
        assert closed(found) == closed(report(run, *words, "--input-format", "combined"))


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


@pytest.mark.usefixtures("log")
@pytest.mark.parametrize("name", ["report.json", "report.csv", "report.parquet", "report.txt"])
def test_output(run: Run, name: str) -> None:
    """The name says the format; stdout stays empty, the file is the same as on stdout."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--quiet")
    done = run(*words, "--output", name)
    named = name.removeprefix("report.").replace("txt", "text")

    assert (1, b"") == (done.code, done.data)
    assert Path(name).read_bytes() == run(*words, "--format", named).data
    assert {"access.log", "robots.txt", name} == {path.name for path in Path.cwd().iterdir()}


# What goes wrong


@pytest.mark.usefixtures("log")
def test_stdin_is_called_stdin(folder: Path) -> None:
    """Not by the number of its descriptor."""
    (folder / "odd.log").write_bytes(b"PAR1" + LOG.encode())
    with (folder / "odd.log").open("rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-m", "verger", "audit", "--robots=robots.txt", "-"],
            stdin=stdin,
            capture_output=True,
            check=False,
        )

    assert b"error: `stdin` is not text\n" in done.stderr
    assert b"hint: it is a Parquet file, and access logs are lines of text\n" in done.stderr


def test_log_on_stdin_after_an_option(run: Run) -> None:
    """`-` is stdin, and not one more crawler or purpose."""
    words = ("audit", "--robots", "robots.txt")

    for more in (("--agent", "ExampleBot"), ("--purpose", "training")):
        assert (
            run(*words, "access.log", *more).out == run(*words, *more, "-", stdin=LOG.encode()).out
        )


@pytest.mark.usefixtures("log")
def test_dialect_of_crawlers(run: Run) -> None:
    """What names a crawler depends on the dialect, as in other commands."""
    words = ("audit", "--robots", "robots.txt", "access.log", "--agent", "foo/1")

    assert 2 == run(*words).code
    assert 0 == run(*words, "--dialect", "original-1994").code


def test_log_that_is_cut_off(run: Run, log: Path) -> None:
    """What could be read is reported, and the exit code says that it is not all."""
    log.write_bytes(gzip.compress((LOG * 1_000).encode())[:-9])
    done = run("audit", "--robots", "robots.txt", "access.log", "--quiet", "--format", "json")
    found = json.loads(done.out)

    assert 2 == done.code
    assert found["closed"] > 1_000
    assert [done.err] == [f"error: {problem}\n" for problem in found["problems"]]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupt(robots: Path) -> None:
    """Ctrl-C ends a run that waits for a log, without a word."""
    command = [sys.executable, "-m", "verger", "audit", "--robots", str(robots), "-"]
    with talking_to(command) as process:
        assert process.stdin is not None
        # More than a pipe and all that is read ahead hold: when it is written, the audit is on.
        process.stdin.write(LOG.encode() * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)

    assert (130, b"", b"") == (process.returncode, out, err)
