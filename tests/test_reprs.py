"""What values say of themselves, where people print them: a line, and not all that they hold."""

from collections.abc import Callable
from pathlib import Path

import pytest

import verger
from verger.analysis import CrawlerDiffs, Editor, block, compare, diff, prove
from verger.bulk import Snapshot, report
from verger.bulk.audit import Version, audit_logs
from verger.bulk.filter import filter_urls
from verger.bulk.scan import Scanner, scan
from verger.crawlers import survey_of
from verger.expectations import Subject
from verger.lint import lint
from verger.snapshots.opening import open_stored
from verger.testing import MemoryTransport, client

OLD = verger.parse("User-agent: *\nDisallow: /a\n")
NEW = verger.parse("User-agent: *\nDisallow: /b\nSitemap: https://example.com/map\n")
SOME = ["ExampleBot", "OtherBot"]

SITES = {"https://example.com": b"User-agent: *\nDisallow: /a\n", "https://down.example": 503}


def test_an_answer_is_a_line() -> None:
    """With the line and the rule, or the reason alone."""
    with client(SITES) as robots:
        by_rule, by_policy = (
            repr(robots.decide(url)) for url in ("https://example.com/a", "https://down.example/")
        )

    assert by_rule == (
        "Answer(disallowed, line=2, rule='Disallow: /a', reason=MOST_SPECIFIC_RULE, "
        "url='https://example.com/a')"
    )
    assert "Answer(disallowed, reason=SERVER_ERROR, url='https://down.example/')" == by_policy


def test_an_edit_and_its_proof_are_a_line() -> None:
    """With how much was proved, and not for whom."""
    robots = verger.parse(SITES["https://example.com"])
    made = block(robots, ["GPTBot"])
    number = len(made.proof.crawlers)
    changed = prove(robots, verger.parse(b""))

    assert repr(made).startswith("Outcome(RobotsTxt(")
    assert repr(made).endswith(f"1 edit, Proof({number - 1} of {number} crawlers unchanged))")
    assert f"Proof({changed.unchanged} of {len(changed.crawlers)} crawlers unchanged)" == repr(
        changed
    )


SHORT: dict[str, Callable[[], object]] = {
    "FileDiff(opened, 1 record changed, 2 of 2 crawlers changed)": lambda: diff(
        OLD, NEW, crawlers=SOME
    ),
    "CrawlersDiff(opened, 2 crawlers, 2 changes)": lambda: diff(OLD, NEW, crawlers=SOME).changed[0],
    "CrawlerDiffs(0 of 2 crawlers changed)": lambda: CrawlerDiffs(tuple(SOME), ()),
    "DialectDiff(dialect='google', 0 of 2 crawlers changed)": lambda: compare(
        OLD, ["google"], crawlers=SOME
    )[0],
    "Editor(RobotsTxt(27 bytes, 1 group, 1 rule, dialect='rfc9309'), 0 edits)": lambda: Editor(OLD),
    "Survey(2 crawlers, default='some')": lambda: survey_of(OLD, crawlers=SOME),
    "MemoryTransport(2 sites, 0 requests)": lambda: MemoryTransport(SITES),
    "Pacer(0 origins, default_delay=2, most_delay=300)": lambda: verger.Pacer(default_delay=2),
    "Scanner(1 crawler, dialect='rfc9309')": lambda: Scanner(crawlers=["GPTBot"]),
    "Snapshot(1 origin, dialect='rfc9309')": lambda: Snapshot({"https://example.com": b""}),
    "Subject('robots.txt')": lambda: Subject.of_bytes(b""),
    "LintReport(1 diagnostic, 0 silenced)": lambda: lint("User-agent: *\nDisallow: a\n"),
}


@pytest.mark.parametrize("text", SHORT)
def test_short(text: str) -> None:
    """Neither an address nor all that there is: counts, and what tells one from another."""
    assert text == repr(SHORT[text]())


def test_what_lies_on_disk(tmp_path: Path) -> None:
    """Its name, and how much there is; what became of it, in numbers."""
    sites, table, rows = (tmp_path / name for name in ("sites", "t.csv", "rows.parquet"))
    sites.mkdir()
    table.write_text("url,status,body\nhttps://example.com/robots.txt,200,x\n")
    (tmp_path / "urls.txt").write_text("https://example.com/\nrubbish\n")
    done = filter_urls(
        tmp_path / "urls.txt", tokens="A", snapshot=table, output=tmp_path / "out.txt"
    )
    scan(table, rows)

    assert f"Folder({str(sites)!r})" == repr(open_stored(sites))
    assert f"TableOfEntries({str(table)!r})" == repr(open_stored(table))
    tally = "Tally(2 rows, 1 allowed, 0 disallowed, 0 unreachable, 1 unanswered)"
    assert f"Filtered(tally={tally}, fetched=None, " in repr(done)
    assert "Summary(1 table, 1 capture, 1 snapshot, " in repr(report.summarise(rows))


def test_an_audit_is_a_line(tmp_path: Path) -> None:
    """With how much was read, judged, and closed to those who asked for it."""
    log = tmp_path / "access.log"
    log.write_text(
        '192.0.2.1 - - [05/Jan/2026:12:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "GPTBot/1.0"\n'
    )
    text = "AuditResult(1 line, 1 request judged, 1 closed, 1 crawler, 1 version)"

    assert text == repr(audit_logs(log, [Version("robots.txt", OLD.body)]))
