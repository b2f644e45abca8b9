"""The parser of LinkChecker, called as LinkChecker 10 calls it, over sockets."""

from collections.abc import Iterator
from typing import Any

import pytest
import requests

import verger
from client.fetching_by_hand import FAULTS, ROBOTS, RULES, Site, response, serving
from patience import patience
from verger.compat.linkchecker import RobotFileParser

AGENT = "Mozilla/5.0 (compatible; LinkChecker/10.6.0; +https://linkchecker.github.io/linkchecker/)"


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as running:
        yield running


@pytest.fixture
def session() -> Iterator[requests.Session]:
    with requests.Session() as made:
        made.headers["User-Agent"] = AGENT
        yield made


def read(site: Site, session: requests.Session | None, **more: Any) -> RobotFileParser:
    """Make a parser and let it read, in LinkChecker's steps."""
    settings: dict[str, Any] = {"auth": None, "timeout": patience("")} | more
    parser = RobotFileParser(session=session, **settings)
    parser.set_url(f"{site.origin}{ROBOTS}")
    parser.read()
    return parser


CLOSED = {
    *("401", "403", "429", "500", "503", "503 with a date", "206", "a hang", "no HTTP", "nothing"),
    *("a short body", "a private address", "a redirect without a target", "gzip that breaks"),
}
OPEN = {
    *("404", "204", "204 with a length", "a redirect to 404", "a loop", "a loop of one"),
    *("UTF-16", "HTML"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failures_close_a_site_and_raise_nothing(
    site: Site, session: requests.Session, fault: str
) -> None:
    """An exception would be told as a broken link."""
    site.answers = FAULTS[fault]
    parser = read(site, session, timeout=patience(fault))
    answers = [parser.can_fetch(AGENT, f"{site.origin}{path}") for path in ("/", "/private")]

    assert answers == ([fault not in CLOSED, fault in OPEN])


def test_login_and_fields_of_the_session_are_sent(site: Site, session: requests.Session) -> None:
    """A server that asks for a login gives its rules only for one."""
    seen: list[requests.PreparedRequest] = []

    class Adapter(requests.adapters.HTTPAdapter):
        def send(self, request: requests.PreparedRequest, *a: Any, **k: Any) -> Any:
            seen.append(request)
            return super().send(request, *a, **k)

    session.mount("http://", Adapter())
    site.answers = FAULTS["rules"]
    parser = read(site, session, auth=("user", "secret"))

    assert seen[0].headers["User-Agent"] == AGENT
    assert seen[0].headers["Authorization"].startswith("Basic ")
    assert not parser.can_fetch(AGENT, "/private")


def test_what_linkchecker_reads_besides_rules(site: Site, session: requests.Session) -> None:
    body = RULES + b"Sitemap: https://example.com/a.xml\n"
    site.answers = {ROBOTS: response(200, body)}
    parser = read(site, session)

    assert parser.sitemap_urls == [("https://example.com/a.xml", 4)]
    assert parser.get_crawldelay(AGENT) == 2
    assert parser.mtime() > 0
    assert RobotFileParser(session).get_crawldelay(AGENT) == 0


def test_lines_need_no_session() -> None:
    parser = RobotFileParser(session=None)
    parser.parse(["User-agent: *", "Disallow: /private"])

    assert not parser.can_fetch(AGENT, "https://example.com/private")


@pytest.mark.parametrize("timeout", [None, 0, 30.5, (30.5, 20.25), (None, 30.5), [31, 32]])
def test_a_time_out_is_written_as_for_requests(
    site: Site, session: requests.Session, timeout: Any
) -> None:
    site.answers = FAULTS["rules"]

    assert read(site, session, timeout=timeout).can_fetch(AGENT, "/")


@pytest.mark.parametrize("timeout", ["soon", -1, (1, "soon"), object()])
def test_an_impossible_time_out_is_refused(
    site: Site, session: requests.Session, timeout: Any
) -> None:
    with pytest.raises(verger.InvalidOption):
        read(site, session, timeout=timeout)
