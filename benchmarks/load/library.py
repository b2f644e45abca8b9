"""The same crawl by `verger.AsyncClient`: fetch each file, keep it, parse it, decide one URL.

In: a port of `tools/player.py`, and URLs, one per line, each of an origin of its own. With
`--pages` the page itself is fetched with aiohttp where it is allowed, as Scrapy does.
Out: a line for each answer in the file `--output`, and on stdout what it did, as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import aiohttp

import verger
from benchmarks.load.arguments import crawl_parser
from benchmarks.load.bare import ToPlayer, urls_in

USER_AGENT = "ExampleBot/0.1 (+https://example.com/bot)"


async def decide_all(
    urls: Iterator[str], output: TextIO, options: argparse.Namespace
) -> dict[str, int]:
    """Decide all URLs, as many at a time as there may be connections."""
    counts = {"answers": 0, "allowed": 0, "pages": 0}
    client = verger.AsyncClient(
        USER_AGENT,
        store=options.cache,
        connections=options.connections,
        connect_to=[f"::127.0.0.1:{options.port}"],
    )
    connector = aiohttp.TCPConnector(limit=options.connections, resolver=ToPlayer(options.port))
    async with client, aiohttp.ClientSession(connector=connector) as session:
        crawl = Crawl(client, session if options.pages else None, counts, output)
        await asyncio.gather(*(crawl.work(urls) for _ in range(options.connections)))
    return counts


@dataclass
class Crawl:
    """What all tasks share."""

    client: verger.AsyncClient
    session: aiohttp.ClientSession | None
    counts: dict[str, int]
    output: TextIO

    async def work(self, urls: Iterator[str]) -> None:
        """Take one URL after the other until there is none left."""
        for url in urls:
            answer = await self.client.decide(url)
            self.counts["answers"] += 1
            self.counts["allowed"] += answer.allowed
            self.output.write(f"{url}\t{answer.allowed}\t{answer.reason}\t{answer.line}\n")
            if answer.allowed and self.session is not None:
                async with self.session.get(url) as response:
                    await response.read()
                self.counts["pages"] += 1


def main() -> None:
    """Decide, and say what was decided."""
    parser = crawl_parser("Decide with verger.AsyncClient.")
    parser.add_argument("--cache", type=Path, help="an SQLite file; without it nothing is kept")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    with options.output.open("w", encoding="utf-8") as output:
        print(json.dumps(asyncio.run(decide_all(urls_in(options.urls), output, options))))


if __name__ == "__main__":
    main()
