"""The same crawl by Scrapy, which obeys robots.txt: one page from each origin that allows it.

In: a port of `tools/player.py`, and URLs, one per line, each of an origin of its own. Out: on
stdout what it did, as JSON. Run by the Python of build/frameworks-venv, so that it imports nothing
else of this project; with `--verger`, by one that finds verger, which then obeys in Scrapy's place.

Settings are Scrapy's own, but for what its guide to broad crawls asks for (as many requests at a
time as the others have, less logging, no retries) and for names, which lead to the player.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import AsyncIterator
from pathlib import Path

import scrapy
from scrapy.crawler import CrawlerProcess
from twisted.internet.address import IPv4Address
from twisted.internet.interfaces import IHostnameResolver
from zope.interface import implementer

LOOPBACK = "127.0.0.1"


@implementer(IHostnameResolver)
class ToPlayer:
    """Leads every name to the player, without DNS."""

    def __init__(self, reactor: object, port: int) -> None:
        self._reactor = reactor
        self._port = port

    @classmethod
    def from_crawler(cls, crawler: scrapy.crawler.Crawler, reactor: object) -> ToPlayer:
        return cls(reactor, crawler.settings.getint("PLAYER_PORT"))

    def install_on_reactor(self) -> None:
        self._reactor.installNameResolver(self)

    def resolveHostName(  # noqa: N802 (Twisted's name)
        self,
        resolutionReceiver,  # noqa: N803
        hostName,  # noqa: N803
        portNumber=0,  # noqa: ARG002, N803
        addressTypes=None,  # noqa: ARG002, N803
        transportSemantics="TCP",  # noqa: N803
    ):
        resolutionReceiver.resolutionBegan(Resolution(hostName))
        resolutionReceiver.addressResolved(IPv4Address(transportSemantics, LOOPBACK, self._port))
        resolutionReceiver.resolutionComplete()
        return resolutionReceiver


class Resolution:
    """A resolution under way; it is over before anybody could cancel it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """There is nothing to cancel."""


class PageSpider(scrapy.Spider):
    """Asks for one page of every origin."""

    name = "pages"
    urls: Path

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Yield a request for each URL."""
        with self.urls.open(encoding="ascii") as lines:
            for line in lines:
                yield scrapy.Request(line.rstrip("\n"), callback=self.parse)

    def parse(self, response: scrapy.http.Response) -> None:
        """A page has nothing in it: 204."""


def main() -> None:
    """Crawl, and say what was fetched."""
    parser = argparse.ArgumentParser(description="Crawl with Scrapy.")
    parser.add_argument("urls", type=Path)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connections", type=int, required=True)
    parser.add_argument("--verger", action="store_true", help="let verger obey")
    options = parser.parse_args()
    process = CrawlerProcess(settings_for(options))
    crawler = process.create_crawler(PageSpider)
    process.crawl(crawler, urls=options.urls)
    process.start()
    print(json.dumps(counts_of(crawler.stats.get_stats())))


def settings_for(options: argparse.Namespace) -> dict[str, object]:
    """Return what differs from Scrapy's own settings."""
    addons = {"verger.integrations.scrapy.VergerAddon": 100} if options.verger else {}
    return {
        "ADDONS": addons,
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "ExampleBot/0.1",
        "CONCURRENT_REQUESTS": options.connections,
        "CONCURRENT_REQUESTS_PER_DOMAIN": options.connections,
        "LOG_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "TWISTED_DNS_RESOLVER": ToPlayer,
        "PLAYER_PORT": options.port,
    }


def counts_of(stats: dict[str, object]) -> dict[str, object]:
    """Return what was fetched, and every count of an error."""
    counts = {
        "robots": stats.get("robotstxt/response_count", 0),
        "pages": stats.get("response_received_count", 0) - stats.get("robotstxt/response_count", 0),
        "disallowed": stats.get("robotstxt/forbidden", 0),
    }
    return counts | {name: stats[name] for name in stats if "exception" in name or "error" in name}


if __name__ == "__main__":
    main()
