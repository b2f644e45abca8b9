"""Rows say what the library says of each file, and what the policy says of each status."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import verger
from differential.corpus import corpus_folder
from verger import DIALECTS
from verger.access.observation import Observation, result_observed
from verger.access.policy import policy_after
from verger.bulk.scan import CAPTURES, Scanner
from verger.crawlers import LISTED, agent_of

DIALECT_NAMES = ["rfc9309", "google", "googlebot-cpp", "yandex", "bing", "original-1994"]
SHARE = 12
"""One file in so many is compared in each dialect."""

ODD = [
    b"",
    b"\xef\xbb\xbfUser-agent: *\nDisallow: /\n",
    b"\xff\xfeU\x00",
    b"User-agent: GPTBot\rUser-agent: gptbot/1.0\rDisallow: /\r\rUser-agent: *\rCrawl-delay: 7",
    b"User-agent: *\nContent-Signal: search=yes, ai-train=no\nDisallow:\nSitemap: \xff\nHost: x\n",
    b"Content-Signal: ai-input=no\nUser-agent: *\nCrawl-delay: 2.5\nDisallow: /a\nAllow: /\n",
    b"<!doctype html>\n<p>Disallow: /\n",
    b'User-agent: *\nDisallow: /\0x\nDisallow: /%zz "\nfoo: bar\n',
    b"User-agent: a\nDisallow: /x\n" * 20_000,
]


def files() -> Iterator[bytes]:
    yield from ODD
    folder = corpus_folder()
    if not folder.is_dir():
        pytest.skip("the corpus is not there: run `make corpus`, or set VERGER_CORPUS")
    for path in sorted(folder.iterdir())[::SHARE]:
        yield path.read_bytes()


def captures(*rows: tuple[str, int | None, bytes | None]) -> pa.RecordBatch:
    moment = datetime(2026, 6, 1, tzinfo=UTC)
    columns = [
        [url for url, _, _ in rows],
        [moment] * len(rows),
        [status for _, status, _ in rows],
        [None] * len(rows),
        [None] * len(rows),
        [body for _, _, body in rows],
    ]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, CAPTURES, strict=True)]
    return pa.record_batch(arrays, schema=CAPTURES)


def rows_of(scanner: Scanner, batch: pa.RecordBatch) -> list[dict[str, object]]:
    return [row for rows in scanner.scan(batch).rows for row in rows.to_pylist()]


def said(robots: verger.RobotsTxt, body: bytes) -> dict[str, object]:
    """Return what the library says of one file, as the columns have it."""
    agent = robots.agent("*")
    lines = [line for line in robots.lines if line.kind != "beyond-limit"]
    # A line that a limit drops is none of its field, unless the limit counts rules.
    fields = Counter(
        line.field
        for line in lines
        if line.field and not (line.kind == "dropped" and is_long(line))
    )
    unknown = sum(line.kind == "unknown" for line in lines)
    signals = agent.content_signals
    return {
        "bytes": len(body),
        "digest": hashlib.sha256(body).digest(),
        "truncated": robots.truncated,
        "groups": len(robots.groups),
        "rules": sum(len(group.rules) for group in robots.groups),
        "lines": len(lines),
        "fields": dict(fields) | ({"unknown": unknown} if unknown else {}),
        "findings": findings_of(robots),
        "sitemaps": [text.encode("utf-8", "surrogateescape") for text in robots.sitemaps],
        "crawl_delay": None if agent.crawl_delay is None else float(agent.crawl_delay),
        "content_signals": (signals.search, signals.ai_input, signals.ai_train),
        "posture": agent.posture,
        "line": elsewhere(agent),
        "crawlers": {token: reception(robots, token) for token in LISTED},
    }


def is_long(line: verger.Line) -> bool:
    return any(finding.code == "long-line" for finding in line.findings)


def findings_of(robots: verger.RobotsTxt) -> list[tuple[str, int, int]]:
    counts = Counter(finding.code for finding in robots.findings)
    first = {finding.code: finding.line for finding in reversed(robots.findings)}
    found = [(code, count, first[code]) for code, count in counts.items()]
    return sorted(found, key=lambda finding: (finding[2], finding[0]))


def elsewhere(agent: verger.Agent) -> int | None:
    """Return the line that decides about a page that no file speaks of."""
    return agent.decide("https://site.example/~zq9x7\U0010fffd~").line


def reception(robots: verger.RobotsTxt, token: str) -> tuple[str, int | None, bool]:
    agent = agent_of(robots, token)
    if not agent.named:
        return "default", None, False
    return agent.posture, elsewhere(agent), True


def shown(row: dict[str, object]) -> dict[str, object]:
    """Return a row in the form of `said`."""
    fields, signals, crawlers = row["fields"], row["content_signals"], row["crawlers"]
    findings, sitemaps = row["findings"], row["sitemaps"]
    assert isinstance(fields, dict)
    assert isinstance(signals, dict)
    assert isinstance(crawlers, dict)
    assert isinstance(findings, list)
    assert isinstance(sitemaps, list)
    return {name: row[name] for name in row} | {
        "fields": {name.replace("_", "-"): n for name, n in fields.items() if n},
        "findings": [(found["code"], found["count"], found["line"]) for found in findings],
        "sitemaps": [text.encode() for text in sitemaps],
        "content_signals": (signals["search"], signals["ai_input"], signals["ai_train"]),
        "crawlers": {
            token: (told["posture"], told["line"], told["group_lines"] is not None)
            for token, told in crawlers.items()
        },
    }


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_rows_say_what_the_library_says(name: str) -> None:
    """Every column of every file, with two threads."""
    bodies = list(files())
    batch = captures(*(("https://site.example/robots.txt", 200, body) for body in bodies))
    rows = rows_of(Scanner(dialect=name, threads=2), batch)

    assert len(bodies) == len(rows)
    for body, row in zip(bodies, rows, strict=True):
        expected = said(verger.parse(body, dialect=name), body)
        expected["sitemaps"] = [
            text.decode("utf-8", "replace").encode()
            for text in expected["sitemaps"]  # type: ignore[attr-defined]
        ]
        found = shown(row)

        assert expected == {column: found[column] for column in expected}


@pytest.mark.parametrize("name", DIALECT_NAMES)
def test_group_lines_are_those_that_name_the_crawler(name: str) -> None:
    """Each is a start-group line of one of the crawler's groups, and each group has one."""
    for body in ODD:
        (row,) = rows_of(
            Scanner(dialect=name, crawlers=["GPTBot"]),
            captures(("https://site.example/robots.txt", 200, body)),
        )
        lines = row["crawlers"]["GPTBot"]["group_lines"] or []  # type: ignore[index]
        agent = verger.parse(body, dialect=name).agent("GPTBot")
        own = [set(group.start_lines) for group in agent.groups]

        assert agent.named == bool(lines)
        assert all(set(lines) & starts for starts in own if agent.named)
        assert set(lines) <= set().union(*own)


@pytest.mark.parametrize("name", list(DIALECTS))
def test_a_status_means_what_the_policy_says(name: str) -> None:
    """Every status there is, and what is none; a body without a status is a 200."""
    statuses = [None, -1, 0, 99, *range(100, 1_000), 1_000, 2**31 - 1]
    batch = captures(*(("https://site.example/robots.txt", status, b"") for status in statuses))
    for status, row in zip(statuses, rows_of(Scanner(dialect=name), batch), strict=True):
        result = result_observed("", Observation(0.0, status, None, b""))
        policy = policy_after(result, DIALECTS[name])
        is_redirect = status is not None and 300 <= status < 400 and status != 304
        postures = {"rules": "all", "allow_all": "all", "disallow_all": "none", "defer": "none"}

        assert ("redirect" if is_redirect else result.access) == row["access"]
        assert (None if is_redirect else postures[policy.effect]) == row["posture"]


def test_a_url_without_origin_is_a_finding() -> None:
    """Then everything but what was given is null."""
    (row,) = rows_of(Scanner(), captures(("mailto:a@site.example", 200, b"Disallow: /")))
    known = {name for name, value in row.items() if value is not None and name != "crawlers"}

    assert {"url", "time", "status", "findings"} == known - {"fields", "content_signals", "uses"}
    assert [{"code": "invalid-url", "count": 1, "line": None}] == row["findings"]


def test_bodies_and_urls_may_be_of_any_kind() -> None:
    """Text or bytes, plain or large, as views or behind a dictionary."""
    body = b"User-agent: *\nDisallow: /\n"
    plain = captures(*[("https://site.example/robots.txt", 200, body)] * 3)
    expected = rows_of(Scanner(), plain)
    for kind in (pa.large_binary(), pa.binary_view(), pa.string(), pa.large_string()):
        column = plain.column("body").cast(kind)
        batch = plain.set_column(CAPTURES.get_field_index("body"), "body", column)

        assert expected == rows_of(Scanner(), batch)
    batch = plain.set_column(0, "url", plain.column("url").dictionary_encode())

    assert expected == rows_of(Scanner(), batch)


def test_columns_of_other_types_are_named() -> None:
    """An error says which column, and what it holds."""
    plain = captures(("https://site.example/robots.txt", 200, b""))

    with pytest.raises(verger.errors.InvalidTable, match="column `status` holds Utf8"):
        Scanner().scan(plain.set_column(2, "status", pa.array(["200"])))
    with pytest.raises(verger.errors.InvalidTable, match="no column `origin`"):
        Scanner().scan(plain.drop_columns(["url"]))


def test_a_stream_that_fails_under_other_names() -> None:
    """What its source says is told once."""
    schema = pa.schema([("host", pa.string()), ("robots_txt", pa.binary())])

    def batches() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch([["a.example"], [b""]], schema=schema)
        raise OSError("the disk is gone")

    failing = pa.RecordBatchReader.from_batches(schema, batches())
    with pytest.raises(verger.errors.InvalidTable) as caught:
        Scanner().scan(failing)

    assert 1 == str(caught.value).count("the Arrow data cannot be read")
    assert "the disk is gone" in str(caught.value)


def test_a_scanner_is_what_it_was_made_of() -> None:
    """It survives pickling, knows each crawler once, and refuses what it cannot be."""
    import pickle

    scanner = Scanner(dialect="google", crawlers=["GPTBot", "gptbot", "CCBot"])
    again = pickle.loads(pickle.dumps(scanner))

    assert ("GPTBot", "CCBot") == scanner.crawlers == again.crawlers
    assert scanner.schema.equals(again.schema, check_metadata=True)
    with pytest.raises(verger.InvalidProductToken):
        Scanner(crawlers=["no token"])
    with pytest.raises(verger.UnknownName):
        Scanner(dialect="rfc9308")
    with pytest.raises(verger.InvalidOption, match="`crawlers` is empty"):
        Scanner(crawlers=[])
    for threads in (0, 2**64):
        with pytest.raises(verger.InvalidOption, match="`threads` is `"):
            Scanner(threads=threads)
