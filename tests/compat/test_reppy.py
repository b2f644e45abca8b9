"""What reppy's own tests ask of files, and what its names that went say.

reppy's repository (seomoz/reppy, tests/test_robots.py and tests/test_agent.py) has tests that its
source distribution lacks; these are their facts, with the answers that RFC 9309 gives.
"""

import codecs
from importlib import import_module

import pytest

from verger.compat.reppy.robots import Robots

URL = "http://example.com/robots.txt"
UNKNOWN_KEY = (
    "User-agent: *\nDisallow: /content/2/\nUser-agent: *\nNoindex: /gb.html\n"
    "User-agent: ia_archiver\nDisallow: /\n"
)
MARKED = b"\nUser-Agent: agent\nAllow: /path\n\nUser-Agent: other\nDisallow: /path\n"

# A file, a crawler, a URL, and whether it may be fetched.
ANSWERS: dict[str, tuple[str | bytes, str, str, bool]] = {
    "rules without a group": ("Disallow: /path\n", "agent", "/path", True),
    "the longer rule": (
        "User-agent: *\nDisallow: /path\nAllow: /path/a\n",
        "agent",
        "/path/a",
        True,
    ),
    "an unknown key": (UNKNOWN_KEY, "agent", "/foo", False),
    "its group": (UNKNOWN_KEY, "ia_archiver", "/bar", False),
    "no colon": ("User-agent: agent\nDisallow /a\n", "agent", "/a", False),
    "case": ("User-agent: Agent\nDisallow: /a\n", "aGeNt", "/a", False),
    "a mark of UTF-8": (codecs.BOM_UTF8 + MARKED, "other", "/path", False),
    "a mark of UTF-16": (codecs.BOM_UTF16 + MARKED, "other", "/path", False),
    "an escape": ("User-agent: *\nDisallow: /a%3cd\n", "agent", "/a<d", False),
    "no escape": ("User-agent: *\nDisallow: /a<*\n", "agent", "/a%3cd", False),
    "another host": ("User-agent: *\nDisallow: /a\n", "agent", "http://e.example/b", False),
    "an empty query": ("User-agent: *\nDisallow: /?\n", "agent", "/?", False),
    "parameters": ("User-agent: *\nDisallow: /;\n", "agent", "/;", False),
    "an empty rule": ("User-agent: *\nDisallow:\n", "agent", "/anything", True),
    "robots.txt": ("User-agent: *\nDisallow: /robots.txt\n", "agent", "/robots.txt", True),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers(name: str) -> None:
    """A file and the rules of a crawler in it agree."""
    text, agent, url, allowed = ANSWERS[name]
    robots = Robots.parse(URL, text)

    assert allowed == robots.allowed(url, agent)
    assert allowed == robots.agent(agent).allowed(url)


def test_delays() -> None:
    """A crawler has that of its group, or none."""
    text = "User-agent: one\nCrawl-delay: 1\nAllow: /\n\nUser-agent: two\nCrawl-delay: 2\n"
    robots = Robots.parse(URL, text)

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


def test_freshness(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file knows until when it is fresh."""
    monkeypatch.setattr("time.time", lambda: 10.0)
    old, new = (Robots.parse(URL, "", expires=at) for at in (5, 15))

    assert [True, False] == [old.expired, new.expired]
    assert [0, 5] == [old.ttl, new.ttl]


# A name that crawlers import from reppy, its module, and a word of what to use now.
GONE = {
    "ttl": (("TTLPolicyBase", "HeaderWithDefaultPolicy"), "least_fresh"),
    "cache.policy": (
        ("CachePolicyBase", "DefaultObjectPolicy", "ReraiseExceptionPolicy"),
        "overrides",
    ),
    "cache": (("BaseCache", "ExpiringObject"), "store"),
    "robots": (("AllowAll", "AllowNone"), "access"),
    "util": (("parse_date",), "parsedate_to_datetime"),
}


@pytest.mark.parametrize("module", GONE)
def test_what_went_says_what_to_use_now(module: str) -> None:
    """An import of it is an error that names it; that of any other name says that there is none."""
    names, now = GONE[module]
    place = f"verger.compat.reppy.{module}"
    for name in names:
        with pytest.raises(ImportError, match=f"has no `{name}`: .*{now}"):
            exec(f"from {place} import {name}")
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        exec(f"from {place} import nothing")
    assert not hasattr(import_module(place), "nothing")
