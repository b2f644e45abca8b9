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


def test_log_that_is_cut_off(run: Run, log: Path) -> None:
    """What could be read is reported, and the exit code says that it is not all."""
    log.write_bytes(gzip.compress((LOG * 1_000).encode())[:-9])
    done = run("audit", "--robots", "robots.txt", "access.log", "--quiet", "--format", "json")
    found = json.loads(done.out)

    assert 2 == done.code
    assert found["closed"] > 1_000
    assert [done.err] == [f"error: {problem}\n" for problem in found["problems"]]
