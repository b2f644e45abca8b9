"""What reppy's own tests ask of files: with `LIBRARY` all of it holds.

reppy's repository (seomoz/reppy, tests/test_robots.py and tests/test_agent.py) has tests that its
source distribution lacks; these are their facts.
"""

import codecs
from types import SimpleNamespace
from typing import Any

import pytest

from verger.compat.reppy.robots import LIBRARY, Agent, AllowAll, AllowNone, Robots
from verger.compat.reppy.ttl import HeaderWithDefaultPolicy


class AsReppy(Robots):
    dialect = LIBRARY


URL = "http://example.com/robots.txt"
UNKNOWN_KEY = (
    "User-agent: *\nDisallow: /content/2/\nUser-agent: *\nNoindex: /gb.html\n"
    "User-agent: ia_archiver\nDisallow: /\n"
)
MARKED = b"\nUser-Agent: agent\nAllow: /path\n\nUser-Agent: other\nDisallow: /path\n"

# A file, a crawler, a URL, whether it may be fetched by reppy, and by the drop-in.
ANSWERS: dict[str, tuple[str | bytes, str, str, bool, bool]] = {
    "rules without a group": ("Disallow: /path\n", "agent", "/path", False, True),
    "the longer rule": ("Disallow: /path\nAllow: /path/a\n", "agent", "/path/a", True, True),
    "an unknown key": (UNKNOWN_KEY, "agent", "/foo", True, False),
    "its group": (UNKNOWN_KEY, "ia_archiver", "/bar", False, False),
    "no colon": ("User-agent: agent\nDisallow /a\n", "agent", "/a", True, False),
    "case": ("User-agent: Agent\nDisallow: /a\n", "aGeNt", "/a", False, False),
    "a mark of UTF-8": (codecs.BOM_UTF8 + MARKED, "other", "/path", False, False),
    "a mark of UTF-16": (codecs.BOM_UTF16 + MARKED, "other", "/path", False, False),
    "an escape": ("User-agent: *\nDisallow: /a%3cd\n", "agent", "/a<d", False, False),
    "no escape": ("User-agent: *\nDisallow: /a<*\n", "agent", "/a%3cd", False, False),
    "another host": ("User-agent: *\nDisallow: /a\n", "agent", "http://e.example/b", False, False),
    "an empty query": ("User-agent: *\nDisallow: /?\n", "agent", "/?", False, False),
    "parameters": ("User-agent: *\nDisallow: /;\n", "agent", "/;", False, False),
    "an empty rule": ("User-agent: *\nDisallow:\n", "agent", "/anything", True, True),
    "robots.txt": ("User-agent: *\nDisallow: /robots.txt\n", "agent", "/robots.txt", True, True),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    """As reppy answers with its dialect, and as RFC 9309 says without."""
    text, agent, url, theirs, ours = ANSWERS[name]

    assert theirs == AsReppy.parse(URL, text).allowed(url, agent)
    assert theirs == AsReppy.parse(URL, text).agent(agent).allowed(url)
    assert ours == Robots.parse(URL, text).allowed(url, agent)


def test_delays_of_groups_without_rules() -> None:
    """Each has its own with the dialect of reppy."""
    text = "User-agent: one\nCrawl-delay: 1\n\nUser-agent: two\nCrawl-delay: 2\n"
    robots = AsReppy.parse(URL, text)

    assert [1.0, 2.0, None] == [robots.agent(name).delay for name in ("one", "two", "three")]


URLS = {
    "http://user@example.com:80/path;params?query#fragment": "http://example.com/robots.txt",
    "https://user@example.com:443/path": "https://example.com/robots.txt",
    "http://user@example.com:8080/path": "http://example.com:8080/robots.txt",
}


def test_url_of_the_file() -> None:
    """The user and the usual port are left out; a port that is none is a ValueError."""
    assert list(URLS.values()) == [Robots.robots_url(url) for url in URLS]
    with pytest.raises(ValueError, match="cnn"):
        Robots.robots_url("http://:::cnn.com/")


def test_agent_as_text() -> None:
    """It shows delay and rules, and its length is the number of rules."""
    agent: Any = Robots.parse(URL, "User-agent: a\nCrawl-Delay: 1\nDisallow: /\n").agent("a")

    assert "Crawl-Delay: 1 [Directive(Disallow: /)]" == str(agent)
    assert 2 == len(Agent().disallow("/path").allow("/path/"))


def test_freshness(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file knows until when it is fresh."""
    monkeypatch.setattr("time.time", lambda: 10.0)
    old, new = (Robots.parse(URL, "", expires=at) for at in (5, 15))

    assert [True, False] == [old.expired, new.expired]
    assert [0, 5] == [old.ttl, new.ttl]


def test_what_a_file_says_cannot_be_set() -> None:
    """As in reppy; so a class that is made of this one may compute it."""

    class Lasting(Robots):
        @property
        def expires(self) -> float:
            return 20.0

    robots: Any = Lasting.parse(URL, "User-agent: *\nCrawl-delay: 1\n", expires=5)

    assert 20.0 == robots.expires
    for holder, name in ((robots, "expires"), (robots.agent("a"), "delay")):
        with pytest.raises(AttributeError):
            setattr(holder, name, 3)


@pytest.mark.parametrize(
    ("field", "seconds"),
    [
        ("max-age=10000", 10_000),
        ("max-age=-1", 600),
        ("s-maxage=x, max-age=10000", 10_000),
        ("max-age=x", 3_600),
        ("max-age=10000, no-cache", 600),
    ],
)
def test_stated_lifetimes(field: str, seconds: int) -> None:
    """A policy reads the first lifetime that can be read, and keeps a file for its minimum."""
    policy = HeaderWithDefaultPolicy(default=3_600, minimum=600)

    assert seconds == policy.ttl(SimpleNamespace(headers={"cache-control": field}))


def test_files_of_policies() -> None:
    """One allows nothing but `/robots.txt`, the other everything."""
    none, everything = AllowNone(URL), AllowAll(URL)

    assert [False, True] == [none.allowed(path, "agent") for path in ("/", "/robots.txt")]
    assert everything.allowed("/", "agent")
