"""Whatever the bytes, every call returns; and all ways to ask one question give one answer.

In: arbitrary bytes and generated files, in all dialects and in dialects with knobs turned.
"""

import pytest
from hypothesis import given, strategies as st

import verger
from reference.reader import decoded
from strategies import NAMED, Pair, Question, asked_files, files, pairs
from support import NAMES

dialects = st.one_of(st.sampled_from(NAMED), pairs(most=6))
bytes_or_files = st.one_of(st.binary(max_size=400), files)
HOSTILE = {
    "empty": b"",
    "only line ends": b"\r\n" * 50_000,
    "only NUL": b"\0" * 100_000,
    "no line end": b"User-agent: *" * 50_000,
    "many agents": b"User-agent: a\n" * 40_000,
    "many rules": b"User-agent: *\n" + b"Disallow: /a*b$\n" * 30_000,
    "many stars": b"User-agent: *\nDisallow: /" + b"*a" * 200_000 + b"$",
    "many percents": b"User-agent: *\nDisallow: /" + b"%" * 400_000,
    "many colons": b":" * 400_000,
    "many hashes": b"#" * 400_000,
    "many BOMs": b"\xef\xbb\xbf" * 100_000,
    "UTF-16": "User-agent: *\nDisallow: /\n".encode("utf-16") * 1_000,
    "gzip": bytes.fromhex("1f8b0800000000000003") + bytes(range(256)) * 1_000,
    "every byte": bytes(range(256)) * 100,
    "huge file": b"User-agent: *\nDisallow: /a\n" * 100_000,
    "many records": b"User-agent: *\n" + b"Content-Signal: search=yes\nCrawl-delay: 9\n" * 9_000,
    "long number": b"User-agent: *\nCrawl-delay: " + b"9" * 300_000,
    "long list": b"User-agent: *\nContent-Usage: " + b"a=1, " * 60_000,
    "many labels": b"User-agent: *\nContent-Usage: "
    + b",".join(b"a%d" % number for number in range(60_000)),
    "long signal": b"User-agent: *\nContent-Signal: " + b"search=no," * 40_000,
    "long clean-param": b"Clean-param: " + b"a&" * 150_000 + b" /",
}
TOKENS = ("a", "*", "\u00fcbot")
URLS = ("/", "/a", "/a%zz*$?\u30c4", "https://example.com/%00;x?y#z")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files(data: bytes, name: str) -> None:
    """A hostile file is read and answered for like any other."""
    robots = verger.parse(data, dialect=name, url="https://example.com/robots.txt")

    assert data == robots.body
    assert 0 <= robots.bytes_read <= len(data)
    for token in TOKENS:
        assert robots.allowed_many(URLS, token) == [robots.allowed(url, token) for url in URLS]
    look_at_everything(robots)


def look_at_everything(robots: verger.RobotsTxt) -> None:
    """Read every attribute there is; none may raise."""
    for value in (*robots.lines, *robots.records, *robots.findings, *robots.groups):
        repr(value)
    hash(robots)
    assert robots.clean("/a?b=c&d").startswith("/a?")
    agent = robots.agent("a")
    for name in ("request_rate", "request_rates", "visit_time", "content_signals", "crawl_delay"):
        getattr(agent, name)
    agent.content_usage("/a")
    agent.request_rate_at(600)


@given(bytes_or_files, dialects)
def test_any_bytes(data: bytes, pair: Pair) -> None:
    """Parsing takes any bytes, and nothing that can be asked of the result raises."""
    robots = verger.parse(data, dialect=pair.dialect, url="http://e.com/robots.txt")
    for token in TOKENS:
        for url in ("/", "/a?b", "http://e.com"):
            robots.decide(url, token).beaten  # noqa: B018 (made when asked)
    for value in (*robots.lines, *robots.records, *robots.findings, *robots.groups):
        repr(value)
    agent = robots.agent("a")

    assert robots.clean("/a").startswith("/a")
    assert agent.crawl_delay is None or agent.crawl_delay >= 0
    assert (agent.content_usage("/a") is None) == ("content-usage" not in pair.dialect.extensions)


@given(asked_files(), dialects)
def test_one_answer(asked: tuple[bytes, list[Question]], pair: Pair) -> None:
    """A fresh file, a file asked before, an agent, and a column of URLs: all say the same."""
    data, questions = asked
    robots = verger.parse(data, dialect=pair.dialect)
    for url, tokens in questions:
        try:
            first = verger.parse(data, dialect=pair.dialect).decide(url, tokens)
        except verger.RobotsError as error:
            for ask in (robots.allowed, robots.decide):
                with pytest.raises(type(error)):
                    ask(url, tokens)
            continue
        agent = robots.agent(tokens)
        later = [agent.decide(url), agent.decide(url), robots.decide(url, tokens)]
        verdicts = [
            *(robots.allowed(url, tokens), agent.allowed(url)),
            *agent.allowed_many([url] * 3),
            *robots.allowed_many((url,), tokens),
            verger.parse(data, dialect=pair.dialect).allowed(url, tokens),
        ]

        assert [first] * 3 == later
        assert {first.allowed} == set(verdicts)


@given(bytes_or_files, dialects)
def test_lines_tile_the_file(data: bytes, pair: Pair) -> None:
    """The spans of the lines follow on each other and cover the file; nothing is lost.

    A file in UTF-16 that the dialect converts is covered in its UTF-8 form.
    """
    robots = verger.parse(data, dialect=pair.dialect)
    if (converted := decoded(data, pair.switches)) != data:
        data = converted.removeprefix(b"\xef\xbb\xbf")
    spans = [line.span for line in robots.lines]

    assert b"".join(data[start:end] for start, end in spans) == data
    assert [line.number for line in robots.lines] == list(range(1, len(spans) + 1))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    for line in robots.lines:
        if line.value_span is not None:
            shown = data[slice(*line.value_span)].decode("utf-8", "surrogateescape")
            assert shown == line.value


@given(bytes_or_files, dialects)
def test_lines_and_groups_agree(data: bytes, pair: Pair) -> None:
    """The lines, a second walk of the file, show each rule and start line that groups hold."""
    robots = verger.parse(data, dialect=pair.dialect)
    lines = {line.number: line for line in robots.lines}
    rules = [rule for group in robots.groups for rule in group.rules]
    starts = [number for group in robots.groups for number in group.start_lines]

    assert sorted(starts) == starts
    assert {"rule"} >= {lines[rule.line].kind for rule in rules}
    assert {"start-group"} >= {lines[number].kind for number in starts}
    for rule in rules:
        assert lines[rule.line].field == ("allow" if rule.allow else "disallow")
        assert lines[rule.line].value == rule.pattern
        assert lines[rule.line].value_span == rule.span


@given(bytes_or_files, dialects)
def test_findings_are_those_of_the_lines(data: bytes, pair: Pair) -> None:
    """A finding has a code in kebab case, a one-line message, and the number of its line."""
    robots = verger.parse(data, dialect=pair.dialect, url="https://e.com/robots.txt")
    by_line = [finding for line in robots.lines for finding in line.findings]

    assert by_line == [finding for finding in robots.findings if finding.line]
    for finding in robots.findings:
        assert finding.code == finding.code.lower().replace(" ", "-").replace("_", "-")
        assert finding.message
        assert "\n" not in finding.message
        assert not finding.message.endswith(".")
        assert 1 <= finding.line <= max(1, len(robots.lines))
    for record in robots.records:
        assert (record.value is not None) or record.findings or record.field not in TYPED


TYPED = {
    *("crawl-delay", "request-rate", "visit-time", "clean-param", "host", "sitemap", "license"),
    *("content-signal", "content-usage"),
}
