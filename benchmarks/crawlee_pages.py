"""A crawl of pages by Crawlee, which respects robots.txt; with `--verger`, by asking verger.

In: a port of `tools/player.py`, and a file of URLs, one per line. Out: on stdout what it did, as
JSON. Run by the Python of build/frameworks-venv. Every name leads to the player, by the resolver
of the process; Crawlee's queue is in memory, and as many requests are under way as was asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
from urllib.parse import urlsplit

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.http_clients import HttpxHttpClient
from crawlee.storage_clients import MemoryStorageClient

from benchmarks.load.arguments import crawl_parser

LOOPBACK = "127.0.0.1"
USER_AGENT = "ExampleBot/0.1"


async def crawl(options: argparse.Namespace) -> dict[str, int]:
    """Fetch every page that may be fetched."""
    service_locator.set_storage_client(MemoryStorageClient())
    many = options.connections
    crawler = HttpCrawler(
        respect_robots_txt_file=True,
        max_request_retries=0,
        http_client=HttpxHttpClient(headers={"User-Agent": USER_AGENT}),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=many, max_concurrency=many, desired_concurrency=many
        ),
        configure_logging=False,
    )
    pages = 0

    @crawler.router.default_handler
    async def handle(_: HttpCrawlingContext) -> None:
        nonlocal pages
        pages += 1

    urls = [with_port(line, options.port) for line in options.urls.read_text("ascii").splitlines()]
    if not options.verger:
        await crawler.run(urls)
        return {"pages": pages}

    import verger
    from verger.integrations.crawlee import obey

    async with verger.AsyncClient(USER_AGENT) as client:
        obey(crawler, client)
        await crawler.run(urls)
    return {"pages": pages}


def with_port(url: str, port: int) -> str:
    """Return a URL at the player's port."""
    parts = urlsplit(url)
    return parts._replace(netloc=f"{parts.netloc}:{port}").geturl()


def to_player(_host: object, port: object, *_: object, **__: object) -> list[object]:
    """Stand in for `socket.getaddrinfo`: every name is the player's."""
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (LOOPBACK, int(str(port or 0))))]


def main() -> None:
    """Crawl, and say what was fetched."""
    parser = crawl_parser("Crawl with Crawlee.")
    parser.add_argument("--verger", action="store_true", help="let verger obey")
    options = parser.parse_args()
    socket.getaddrinfo = to_player
    print(json.dumps(asyncio.run(crawl(options))))


if __name__ == "__main__":
    main()
