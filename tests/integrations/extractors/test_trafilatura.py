"""trafilatura's focused crawler, the real one, with a client's rules."""

import socket
from copy import deepcopy
from typing import Any

import pytest

pytest.importorskip("trafilatura", reason="`make test-extractors` has trafilatura")

from trafilatura import spider
from trafilatura.settings import DEFAULT_CONFIG

import verger
from faults.stage import response
from integrations.sites import Site, Web
from patience import PATIENT
from verger.compat.robotparser import RobotFileParser
from verger.integrations.trafilatura import ClientRules

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
RULES = b"User-agent: *\nDisallow: /\n\nUser-agent: ExampleBot\nDisallow: /articles/closed\n"
LINKS = b"".join(
    b'<p><a href="/articles/%s-a-long-enough-title">A title of an article</a></p>' % name
    for name in (b"open", b"closed")
)
HOME = response(b"<!doctype html><html><body>%s</body></html>" % LINKS, kind="text/html")


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """trafilatura finds no links of a site without a domain: give loopback one."""
    resolve = socket.getaddrinfo

    def to_loopback(host: Any, *arguments: Any, **options: Any) -> Any:
        return resolve("127.0.0.1" if host == "site.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", to_loopback)


def named(site: Site) -> str:
    return f"http://site.example:{site.port}"


def links_found(site: Site, rules: ClientRules | RobotFileParser | None) -> list[str]:
    """Crawl the first page; return the paths that are to be fetched next."""
    homepage = f"{named(site)}/articles/"
    config = deepcopy(DEFAULT_CONFIG)
    config["DEFAULT"]["SSRF_PROTECTION"] = "off"  # the sites of these tests are on loopback
    todo, _ = spider.focused_crawler(homepage, max_seen_urls=1, rules=rules, config=config)
    return sorted(url.removeprefix(named(site)) for url in todo)


def test_the_crawler_asks_in_its_own_name(web: Web) -> None:
    """trafilatura alone asks for `*`; with the rules of a client its own group binds."""
    alone, site = (web.site({"/articles/": HOME}, robots=RULES) for _ in range(2))

    with verger.Client(USER_AGENT, limits=PATIENT) as robots:
        rules = ClientRules(robots, named(site))
        assert ["/articles/open-a-long-enough-title"] == links_found(site, rules)

    assert [] == links_found(alone, None)


def test_unreachable_is_no_permission(web: Web) -> None:
    """trafilatura alone follows every link where robots.txt fails."""
    pages = {"/articles/": HOME, "/robots.txt": response(b"", status="503 Busy")}
    alone, site = web.site(pages), web.site(pages)

    with verger.Client(USER_AGENT, limits=PATIENT) as robots:
        assert [] == links_found(site, ClientRules(robots, named(site)))

    assert len(links_found(alone, None)) == 2


def test_crawl_delay_is_known(web: Web) -> None:
    """The store of URLs, which tells the crawler how long to sleep, has it from the rules."""
    site = web.site({"/articles/": HOME}, robots=b"User-agent: *\nCrawl-delay: 0.25\n")

    with verger.Client(USER_AGENT, limits=PATIENT) as robots:
        links_found(site, ClientRules(robots, named(site)))

        assert spider.URL_STORE.get_crawl_delay(named(site), default=5) == 0.25


def test_the_drop_in_is_taken(web: Web) -> None:
    """A parser whose import was changed plugs in, too."""
    site = web.site({"/articles/": HOME}, robots=b"User-agent: *\nDisallow: /*/closed*title$\n")
    rules = RobotFileParser(f"{named(site)}/robots.txt")
    rules.read()

    assert ["/articles/open-a-long-enough-title"] == links_found(site, rules)
