"""What the drop-ins make of failed fetches: the access policy stands, never a silent yes."""

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.error import HTTPError, URLError

import pytest

import verger
from verger.compat import advertools, robotparser, robotspy
from verger.compat.reppy import exceptions
from verger.compat.reppy.cache import AgentCache, RobotsCache
from verger.compat.reppy.robots import Robots
from verger.fetching.transport import Reply, Request
from verger.testing import MemoryTransport, Served

URL = "https://site.example/robots.txt"
RULES = b"User-agent: *\nDisallow: /a\n"


def away(request: Request) -> Reply:
    """A redirect to itself."""
    return Reply(301, [("Location", request.url)], b"")


# What a site has, and whether `/a` and `/b` may be fetched then.
SITES: dict[str, tuple[Served, bool, bool]] = {
    "a file": (RULES, False, True),
    "401": (401, False, False),
    "403": (403, False, False),
    "404": (404, True, True),
    "429": (429, False, False),
    "500": (500, False, False),
    "503": (503, False, False),
    "no address": ("dns", False, False),
    "a time-out": ("timeout", False, False),
    "a bad certificate": ("tls", False, False),
}


def client_of(served: Served, dialect: verger.Dialect) -> verger.Client:
    transport = MemoryTransport({"https://site.example": served})
    return verger.Client("TestBot/1.0", transport=transport, dialect=dialect)


@pytest.mark.parametrize("name", SITES)
def test_robotparser(name: str) -> None:
    """`read` raises URLError where no server answered, and closes the site."""
    served, *expected = SITES[name]
    parser = robotparser.RobotFileParser(URL, client=client_of(served, robotparser.RFC9309))
    if isinstance(served, str):
        with pytest.raises(URLError):
            parser.read()
    else:
        parser.read()

    assert expected == [parser.can_fetch("TestBot", path) for path in ("/a", "/b")]
    assert parser.allow_all == (name == "404")
    assert parser.disallow_all == (name not in ("404", "a file"))
    assert bool(parser.mtime()) == (name == "a file")


def test_robotparser_forgets_what_it_read_before() -> None:
    """A second `read` replaces the first, whatever it found."""
    found: list[int | bytes] = [RULES, 404, 503, RULES]

    def serve(_request: Request) -> Reply:
        served = found.pop(0)
        body = served if isinstance(served, bytes) else b""
        return Reply(200 if body else int(served), [], body)  # type: ignore[arg-type]

    parser = robotparser.RobotFileParser(URL, client=client_of(serve, robotparser.RFC9309))
    answers = []
    while found:
        parser.read()
        answers.append([parser.can_fetch("TestBot", path) for path in ("/a", "/b")])

    assert [[False, True], [True, True], [False, False], [False, True]] == answers


@pytest.mark.parametrize("name", ["a file", "404", "503"])
def test_a_parser_is_kept_without_its_client(name: str) -> None:
    """A pickle has the answers, as courlan's compressed store of URLs needs them."""
    served, *expected = SITES[name]
    parser = robotparser.RobotFileParser(URL, client=client_of(served, robotparser.RFC9309))
    parser.read()
    parser.can_fetch("TestBot", "/a")
    kept = pickle.loads(pickle.dumps(parser))

    assert expected == [kept.can_fetch("TestBot", path) for path in ("/a", "/b")]
    assert kept.client is None


@pytest.mark.parametrize("name", SITES)
def test_robotspy(name: str) -> None:
    """`from_uri` raises nothing, and says what failed."""
    served, *expected = SITES[name]

    class Parser(robotspy.RobotsParser):
        client = client_of(served, robotspy.RFC9309)

    parser = Parser.from_uri(URL)

    assert expected == [parser.can_fetch("TestBot", path) for path in ("/a", "/b")]
    assert bool(parser.errors or parser.warnings) == (name != "a file")


RAISED = {
    "500": exceptions.BadStatusCode,
    "503": exceptions.BadStatusCode,
    "no address": exceptions.ConnectionException,
    "a time-out": exceptions.ReadTimeout,
    "a bad certificate": exceptions.SSLException,
}


@pytest.mark.parametrize("name", SITES)
def test_reppy(name: str) -> None:
    """`fetch` raises what reppy raised, or returns a file that answers by the policy."""
    served, *expected = SITES[name]

    class Site(Robots):
        client = client_of(served, reppy_dialect())

    if name in RAISED:
        with pytest.raises(RAISED[name]):
            Site.fetch(URL)
    else:
        robots = Site.fetch(URL)
        assert expected == [robots.allowed(path, "TestBot") for path in ("/a", "/b")]
        assert robots.ttl > 0


def reppy_dialect() -> verger.Dialect:
    dialect = Robots.dialect
    assert isinstance(dialect, verger.Dialect)
    return dialect


@pytest.mark.parametrize("name", SITES)
def test_caches_of_reppy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They answer by the policy of their client, which is given or that of `Robots`."""
    served, *expected = SITES[name]
    client = client_of(served, reppy_dialect())
    files = RobotsCache(10, client=client)
    monkeypatch.setattr(Robots, "client", client)
    agents = AgentCache("TestBot", capacity=10)
    urls = ["https://site.example/a", "https://site.example/b"]

    assert expected == [files.allowed(url, "TestBot") for url in urls]
    assert expected == [agents.allowed(url) for url in urls]
    assert [True] * 4 == [cache.get(url).ttl > 0 for cache in (files, agents) for url in urls]


def test_caches_of_reppy_read_a_file_once() -> None:
    """They ask the server once for a file, and give the same object until it is fetched again."""
    asked: list[str] = []

    def serve(request: Request) -> Reply:
        asked.append(request.url)
        return Reply(200, [], RULES)

    client = client_of(serve, reppy_dialect())
    cache = RobotsCache(capacity=1, client=client)
    first = cache.get("https://site.example/a")

    assert first is cache.get("https://site.example/b")
    assert [URL] == asked
    with pytest.raises(ValueError, match="gobbledygook"):
        cache.get("gobbledygook")


def test_a_cache_of_reppy_makes_its_client() -> None:
    """Options are those of the client, which reads files as `Robots` does."""
    client = AgentCache("TestBot", 10, timeout=7).client

    assert (Robots.dialect.name, 7) == (client._engine.dialect.name, client._engine.limits.total)


def test_reppy_refuses_what_is_too_large_or_not_a_url() -> None:
    """The exceptions are those of reppy."""

    class Site(Robots):
        client = client_of(RULES, reppy_dialect())

    with pytest.raises(exceptions.MalformedUrl):
        Site.fetch("gobbledygook")
    with pytest.raises(exceptions.ContentTooLong):
        Site.fetch(URL, max_size=5)


@pytest.mark.parametrize("make", [robotparser.RobotFileParser, robotspy.RobotFileParser])
def test_redirects_without_end(make: Callable[..., Any]) -> None:
    """The standard library answers no then, robotspy yes; so do the drop-ins."""
    dialect = make.dialect

    class Parser(make):  # type: ignore[misc, valid-type]
        client = client_of(away, dialect)

    parser = Parser(URL)
    parser.client = Parser.__dict__["client"]
    parser.read()

    assert (make is robotspy.RobotFileParser) == parser.can_fetch("TestBot", "/a")


@pytest.mark.parametrize("name", SITES)
def test_advertools(name: str) -> None:
    """A frame with the rules, or with the error; `robotstxt_test` raises what urllib raises."""
    pytest.importorskip("pandas")
    served, *expected = SITES[name]
    client = client_of(served, advertools.DIALECT)
    frame = advertools.robotstxt_to_df(URL, client=client)
    if name == "a file":
        table = advertools.robotstxt_test(URL, "TestBot", ["/a", "/b"], client=client)
        assert expected == list(table["can_fetch"])
        assert ["User-agent", "Disallow"] == list(frame["directive"])
        return
    with pytest.raises(URLError if isinstance(served, str) else HTTPError):
        advertools.robotstxt_test(URL, "TestBot", "/a", client=client)
    assert ["errors", "robotstxt_url", "download_date"] == list(frame.columns)


def test_file_that_is_not_utf_8_does_not_lose_the_frame(tmp_path: Path) -> None:
    """Its lines are there beside those of the others, and rules compare its bytes."""
    pytest.importorskip("pandas")
    odd = "https://odd.example/robots.txt"
    sites: dict[str, Served] = {
        "https://site.example": RULES,
        "https://odd.example": b"# caf\xe9\nUser-agent: *\nDisallow: /\xe9\n",
    }
    client = verger.Client("TestBot/1.0", transport=MemoryTransport(sites))
    frame = advertools.robotstxt_to_df([URL, odd], client=client)
    written = tmp_path / "frames.jl"
    advertools.robotstxt_to_df([URL, odd], str(written), client=client)
    table = advertools.robotstxt_test(odd, "TestBot", ["/%E9", "/e"], client=client)

    assert ["*", "/a", "caf\ufffd", "*", "/\ufffd"] == list(frame["content"])
    assert 5 == len(written.read_text("utf-8").splitlines())
    assert [False, True] == list(table["can_fetch"])


def test_a_header_that_is_not_ascii_does_not_lose_the_frame(tmp_path: Path) -> None:
    """Its bytes are characters, as in urllib, from which the frames of advertools have it."""
    pytest.importorskip("pandas")
    reply = Reply(200, [("ETag", '"\udce9"'), ("Last-Modified", "\udcff")], RULES)
    client = verger.Client(
        "TestBot/1.0", transport=MemoryTransport({"https://site.example": reply})
    )
    written = tmp_path / "frames.jl"
    advertools.robotstxt_to_df(URL, str(written), client=client)

    assert {'"\xe9"'} == set(advertools.robotstxt_to_df(URL, client=client)["etag"])
    assert 2 == len(written.read_text("utf-8").splitlines())


def test_other_names_are_those_of_advertools(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are passed on; without advertools the error says what to install."""
    original = ModuleType("advertools")
    original.crawl = print  # type: ignore[attr-defined]
    original.robotstxt_to_df = print  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "advertools", original)

    assert print is advertools.crawl
    assert print is not advertools.robotstxt_to_df
    assert "crawl" in dir(advertools)
    assert not hasattr(advertools, "no_such_name")

    monkeypatch.setitem(sys.modules, "advertools", None)
    assert "crawl" not in dir(advertools)
    with pytest.raises(AttributeError, match="pip install advertools"):
        advertools.crawl  # noqa: B018 (the access is what raises)
