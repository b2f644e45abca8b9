"""A real spider of Scrapling, over real sockets, with its own manager and with a client."""

import asyncio
from typing import Any

import pytest

pytest.importorskip("scrapling.spiders", reason="`make test-extractors` has Scrapling")

from scrapling.spiders import Request, Spider

import verger
from faults.stage import response
from integrations.faults import FAULTS, PAGES, played
from integrations.sites import Web
from patience import PATIENT, limits
from verger.integrations.scrapling import ClientRobotsTxtManager, RobotsSpider

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


def crawl(kind: type[Spider], urls: list[str], **attributes: Any) -> Any:
    """Run a spider to its end; return its result."""

    async def start_requests(self: Spider) -> Any:  # noqa: ARG001
        for url in urls:
            yield Request(url)

    async def parse(self: Spider, response: Any) -> Any:  # noqa: ARG001
        yield {"url": response.url}

    body = {"name": "pages", "start_requests": start_requests, "parse": parse, **attributes}
    return type("Pages", (kind,), body)().start()


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    """With the client no forbidden request is made, and each other one."""
    with played(name) as site:
        client = verger.AsyncClient(USER_AGENT, limits=limits(name))
        crawl(RobotsSpider, site.pages, robots_client=client)

        assert [] == site.forbidden
        allowed = [page for page in PAGES if page not in site.fault.forbidden]
        assert sorted(allowed) == sorted(site.fetched)


def test_own_manager_asks_for_everybody(web: Web) -> None:
    """Scrapling's manager asks for `*`: it fetches what is closed to the crawler alone."""
    rules = b"User-agent: ExampleBot\nDisallow: /closed\n"
    alone, site = web.site(robots=rules), web.site(robots=rules)

    crawl(Spider, [f"{alone.origin}/closed"], robots_txt_obey=True)
    client = verger.AsyncClient(USER_AGENT, limits=PATIENT)
    result = crawl(RobotsSpider, [f"{site.origin}/closed"], robots_client=client)

    assert ["/closed"] == alone.paths
    assert [] == site.paths
    assert result.stats.robots_disallowed_count == 1


def test_own_manager_ignores_429(web: Web) -> None:
    """To Scrapling's manager 429 is a missing file, which opens all."""
    busy = {"/robots.txt": response(b"", status="429 Slow Down")}
    alone, site = web.site(busy), web.site(busy)

    crawl(Spider, [f"{alone.origin}/a"], robots_txt_obey=True)
    client = verger.AsyncClient(USER_AGENT, limits=PATIENT)
    crawl(RobotsSpider, [f"{site.origin}/a"], robots_client=client)

    assert (["/a"], []) == (alone.paths, site.paths)


def test_delay_directives(web: Web) -> None:
    """Crawl-delay and Request-rate of the crawler's own group."""
    site = web.site(robots=b"User-agent: ExampleBot\nCrawl-delay: 1.5\nRequest-rate: 2/10\n")

    async def directives() -> Any:
        async with verger.AsyncClient(USER_AGENT, limits=PATIENT) as client:
            manager = ClientRobotsTxtManager(client)
            await manager.prefetch([f"{site.origin}/", "no URL"], "")
            assert not await manager.can_fetch("no URL", "")
            return await manager.get_delay_directives(f"{site.origin}/a", "")

    assert (1.5, (2, 10)) == asyncio.run(directives())
    assert site.asked_for_robots == 1


def test_spider_without_a_client(web: Web) -> None:
    """Is told so, and fetches nothing."""
    site = web.site()

    with pytest.raises(verger.InvalidOption, match="the spider has no `robots_client`"):
        crawl(RobotsSpider, [f"{site.origin}/a"])

    assert [] == site.heads
