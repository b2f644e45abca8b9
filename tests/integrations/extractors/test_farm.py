"""A farm of eight hosts, crawled by real programs: as they come, and with verger in place.

In: sites on loopback, each with an open page, a closed one, and one that leads to it. Out: after
verger, no program asks for a page that is forbidden, each asks for all others, none stops, and none
asks for the same refused page twice. What is forbidden is typed here, from RFC 9309 sections 2.2.2,
2.3.1.3 and 2.3.1.4, and RFC 6585 for 429.
"""

import socket
import warnings
from collections import Counter
from typing import Any

import pytest

pytest.importorskip("langchain_community", reason="`make test-extractors` has the programs")

import verger
from faults.stage import redirect, response
from integrations.extractors.programs import PROGRAMS, USER_AGENT
from integrations.sites import Site, Web
from patience import PATIENT
from verger.client.identity import TokenNotSent

PAGE = response(
    b"<!doctype html><html><head><title>A page</title></head><body><h1>A page</h1>"
    b"<article>%s</article></body></html>" % (b"<p>words and words and more of them.</p>" * 20),
    kind="text/html",
)
OPEN, CLOSED, MOVED = "/news/open", "/news/closed", "/news/moved"
RULES = b"User-agent: *\nDisallow: /news/closed\n"
FARM: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "rules": (response(RULES), (CLOSED,)),
    "by-name": (
        response(b"User-agent: ExampleBot\nDisallow: /news/closed\n\nUser-agent: *\nDisallow:\n"),
        (CLOSED,),
    ),
    "wildcard": (response(b"User-agent: *\nDisallow: /*closed$\n"), (CLOSED,)),
    "marked": (response(b"\xef\xbb\xbf" + RULES), (CLOSED,)),
    "slow": (response(RULES + b"Crawl-delay: 0.1\n"), (CLOSED,)),
    "missing": (response(b"", status="404 Away"), ()),
    "busy": (response(b"", status="429 Slow Down"), (OPEN, CLOSED, MOVED)),
    "down": (response(b"", status="503 Busy"), (OPEN, CLOSED, MOVED)),
}
"""What robots.txt answers, and the pages that nobody may ask for."""

LISTED = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{}</urlset>'


class Farm:
    """The sites, with what was asked of them."""

    def __init__(self, web: Web) -> None:
        self.sites: dict[str, Site] = {}
        for name, (robots, _) in FARM.items():
            pages = {
                **dict.fromkeys((OPEN, CLOSED), PAGE),
                MOVED: redirect(CLOSED),
                "/robots.txt": robots,
            }
            site = self.sites[name] = web.site(pages)
            entries = "".join(f"<url><loc>{url}</loc></url>" for url in self.urls_of(name))
            map_ = response(LISTED.format(entries).encode(), kind="application/xml")
            site.pages = {**pages, "/sitemap.xml": map_}

    def urls_of(self, name: str) -> list[str]:
        origin = f"http://{name}.farm.example:{self.sites[name].port}"
        return [origin + path for path in (OPEN, CLOSED, MOVED)]

    @property
    def urls(self) -> list[str]:
        return [url for name in self.sites for url in self.urls_of(name)]

    def asked(self) -> Counter[tuple[str, str]]:
        pages = (OPEN, CLOSED, MOVED)
        return Counter(
            (name, path)
            for name, site in self.sites.items()
            for path in site.paths
            if path in pages
        )

    @property
    def forbidden(self) -> list[tuple[str, str]]:
        return [(name, path) for name, path in self.asked() if path in FARM[name][1]]


@pytest.fixture
def farm(web: Web, monkeypatch: pytest.MonkeyPatch) -> Farm:
    """Eight hosts by name, for programs that take no address of loopback."""
    resolve = socket.getaddrinfo

    def to_loopback(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else str(host)
        return resolve(
            "127.0.0.1" if name.endswith("farm.example") else host, *arguments, **options
        )

    monkeypatch.setattr(socket, "getaddrinfo", to_loopback)
    return Farm(web)


ALLOWED = {
    (name, path)
    for name, (_, forbidden) in FARM.items()
    for path in (OPEN, CLOSED, MOVED)
    if path not in forbidden
}
GOT = 8
"""Six open pages; where there is no file also the closed one, and the one that leads to it."""
FORBIDDEN = {(name, path) for name, (_, forbidden) in FARM.items() for path in forbidden}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_as_they_come(name: str, farm: Farm) -> None:
    """Each asks for every forbidden page of the farm."""
    PROGRAMS[name](farm.urls, None, None)

    assert set(farm.forbidden) == FORBIDDEN


class Counting(verger.Client):
    """A client that knows how often it was asked about each URL."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.asked: Counter[str] = Counter()

    def site(self, url: str, *, timeout: float | None = None) -> verger.Site:
        self.asked[url] += 1
        return super().site(url, timeout=timeout)


class AsyncCounting(verger.AsyncClient):
    """The same for asyncio."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.counted: Counter[str] = Counter()

    async def site(self, url: str, *, timeout: float | None = None) -> verger.Site:
        self.counted[url] += 1
        return await super().site(url, timeout=timeout)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_verger(name: str, farm: Farm) -> None:
    """No forbidden page is asked for, every other one is, and nobody tries again."""
    robots, twin = Counting(USER_AGENT, limits=PATIENT), AsyncCounting(USER_AGENT, limits=PATIENT)
    with robots, warnings.catch_warnings():
        warnings.simplefilter("error", TokenNotSent)
        pages = PROGRAMS[name](farm.urls, robots, twin)

    assert [] == farm.forbidden
    assert set(farm.asked()) == ALLOWED
    assert pages == GOT
    counted = robots.asked + twin.counted
    refused = {url for each in farm.sites for url in farm.urls_of(each) if "closed" in url}
    # itself, and behind the redirect; newspaper sends two HEADs and a GET for each
    assert max(counted[url] for url in refused) <= (6 if name == "newspaper4k" else 2)
