"""What is in a file: groups, lines, findings, records and crawlers, as Python has them."""

import base64
import json
from typing import Any

import pytest

import verger
from conftest import Ask

TOKENS = ("ExampleBot", "Googlebot", "GPTBot")
OF_AGENT = (
    *("named", "posture", "crawl_delay", "request_rates", "visit_time", "content_signals"),
    "rules",
)
OF_FILE = ("groups", "lines", "findings", "records", "sitemaps", "bytes_read", "truncated")
FIELDS: dict[type, tuple[str, ...]] = {
    verger.Rule: ("line", "allow", "pattern", "span"),
    verger.Group: ("product_tokens", "start_lines", "rules"),
    verger.Finding: ("line", "code", "message", "severity", "page"),
    verger.Line: (
        *("number", "span", "kind", "key", "field", "value", "value_span", "comment", "findings"),
    ),
    verger.Record: ("line", "field", "raw", "value", "scope", "group", "findings"),
    verger.RequestRate: ("documents", "seconds", "window"),
    verger.VisitTime: ("start", "end"),
    verger.Sitemap: ("url", "absolute", "resolved"),
    verger.Host: ("scheme", "host", "port"),
    verger.CleanParam: ("params", "path"),
    verger.ContentSignal: ("search", "ai_input", "ai_train", "use"),
    verger.ContentUsage: ("path", "train_ai", "search", "ai_use", "other"),
    verger.License: ("url",),
}


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def plain(value: Any) -> Any:
    """A value as JavaScript has it."""
    if (fields := FIELDS.get(type(value))) is not None:
        return {camel(name): plain(getattr(value, name)) for name in fields}
    if isinstance(value, (tuple, list, verger.Lines, verger.Findings)):
        return [plain(each) for each in value]
    return value


def views(robots: verger.RobotsTxt) -> dict[str, Any]:
    agents = [robots.agent(token) for token in TOKENS]
    of_agents = [
        {camel(name): plain(getattr(agent, name)) for name in OF_AGENT} for agent in agents
    ]
    return {camel(name): plain(getattr(robots, name)) for name in OF_FILE} | {"agents": of_agents}


@pytest.mark.parametrize("dialect", ["rfc9309", "googlebot-cpp", "yandex", "bing"])
def test_views_of_real_files(dialect: str, ask: Ask, real_files: list[bytes]) -> None:
    """Every twentieth of the real files, and what few of them have."""
    some = [*real_files[::20], RARE, b"\xff\xfe\x00", b"\xef\xbb\xbfUser-agent: *\r\rAllow"]
    about = {"url": "https://example.com/robots.txt", "dialect": dialect, "questions": []}
    asked = [
        {**about, "robots": base64.b64encode(body).decode(), "tokens": TOKENS} for body in some
    ]
    for body, answer in zip(some, ask(asked), strict=True):
        robots = verger.parse(body, dialect=dialect, url=about["url"])
        assert views(robots) == json.loads(answer), body[:200]


RARE = b"""\
Sitemap: /relative.xml
Content-Signal: search=yes, ai-train=no, use=reference
License: https://example.com/license.xml
User-agent: *
User-agent: \xff\xe4
Crawl-delay: 1.50
Request-rate: 1/10s 0600-0845
Visit-time: 2300-0500
Host: WWW.example.com:8080
Clean-param: a&b /path
Content-Signal: search=maybe
Disalow: /x # why
nonsense
"""
