"""Crawls by real frameworks, of a few URLs: with what they bring, or with verger.

In: on the command line the framework, `own` or `verger`, a fault of `patience`, and URLs. Out: the
requests that they send; on stdout, a JSON line with what they say of it. A process each: Scrapy's
reactor runs only once.

Frameworks give robots.txt up after the patience, have no retries here, and are else as they come.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import aiohttp

import verger
from patience import LONG, limits, patience

BOT = "ExampleBot/1.0 (+https://example.com/bot)"


def by_scrapy(urls: Sequence[str], fault: str, *, with_verger: bool) -> Mapping[str, Any]:
    """Crawl with Scrapy, which obeys; return its stats."""
    import scrapy
    from scrapy.crawler import CrawlerProcess

    class Pages(scrapy.Spider):
        name = "pages"

        async def start(self) -> AsyncIterator[scrapy.Request]:
            """Wait long for a page, however soon robots.txt is given up."""
            for url in urls:
                yield scrapy.Request(url, meta={"download_timeout": LONG})

        def parse(self, response: scrapy.http.Response) -> None:
            """Want nothing of a page."""

    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": BOT,
        "LOG_LEVEL": "WARNING",
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_TIMEOUT": patience(fault),
    }
    if with_verger:
        settings["ADDONS"] = {"verger.integrations.scrapy.VergerAddon": 100}
    process = CrawlerProcess(settings)
    crawler = process.create_crawler(Pages)
    process.crawl(crawler)
    process.start()
    return {name: number for name, number in crawler.stats.get_stats().items() if "robots" in name}


async def by_crawlee(urls: Sequence[str], fault: str, *, with_verger: bool) -> Mapping[str, Any]:
    """Crawl with Crawlee, which respects robots.txt; return what it skipped."""
    from crawlee import service_locator
    from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
    from crawlee.http_clients import HttpxHttpClient
    from crawlee.storage_clients import MemoryStorageClient

    service_locator.set_storage_client(MemoryStorageClient())
    crawler = HttpCrawler(
        respect_robots_txt_file=True,
        max_request_retries=0,
        http_client=HttpxHttpClient(timeout=patience(fault)),
        navigation_timeout=timedelta(seconds=LONG),
        configure_logging=False,
    )
    answers: list[verger.Answer] = []

    @crawler.router.default_handler
    async def handle(_: HttpCrawlingContext) -> None:
        """Want nothing of a page."""

    async with verger.AsyncClient(BOT, limits=limits(fault)) as client:
        if with_verger:
            from verger.integrations.crawlee import obey

            obey(crawler, client, on_answer=answers.append)
        await crawler.run(urls)
    return reasons_of(answers)


async def by_crawl4ai(urls: Sequence[str], fault: str, *, with_verger: bool) -> Mapping[str, Any]:
    """Crawl with Crawl4AI without a browser, which checks robots.txt."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        os.environ |= {
            "HOME": folder,
            "CRAWL4_AI_BASE_DIRECTORY": folder,
            "CRAWL4AI_NO_CLOUD_NOTICE": "1",
        }
        from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, utils
        from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy

        # It gives robots.txt two seconds, and has no option for that.
        utils.aiohttp = SimpleNamespace(
            ClientSession=aiohttp.ClientSession,
            ClientTimeout=lambda total: aiohttp.ClientTimeout(patience(fault)),  # noqa: ARG005
        )
        strategy = AsyncHTTPCrawlerStrategy()
        config = CrawlerRunConfig(check_robots_txt=True, cache_mode=CacheMode.BYPASS, verbose=False)
        answers: list[verger.Answer] = []
        async with (
            AsyncWebCrawler(crawler_strategy=strategy, verbose=False) as crawler,
            verger.AsyncClient(BOT, limits=limits(fault)) as client,
        ):
            if with_verger:
                from verger.integrations.crawl4ai import VergerRobotsParser

                crawler.robots_parser = VergerRobotsParser(client, on_answer=answers.append)
            for url in urls:
                await crawler.arun(url, config=config)
    return reasons_of(answers)


def reasons_of(answers: Sequence[verger.Answer]) -> Mapping[str, Any]:
    """Return how often each reason was given."""
    reasons = [answer.reason for answer in answers]
    return {reason: reasons.count(reason) for reason in sorted(set(reasons))}


CRAWLS: Mapping[str, Callable[..., Mapping[str, Any] | Awaitable[Mapping[str, Any]]]] = {
    "Scrapy": by_scrapy,
    "Crawlee": by_crawlee,
    "Crawl4AI": by_crawl4ai,
}


def main() -> None:
    """Crawl as the command line says."""
    logging.disable(logging.WARNING)
    framework, way, fault, *urls = sys.argv[1:]
    said = CRAWLS[framework](urls, fault, with_verger=way == "verger")
    if not isinstance(said, Mapping):
        said = asyncio.run(said)  # type: ignore[arg-type]
    print(json.dumps(said))


if __name__ == "__main__":
    main()
