"""A crawl with aiohttp: every URL of a file is asked for, or what robots.txt leaves of them.

In: a port of `tools/player.py`, and URLs, one per line; `--robots`: `none` asks for every URL,
`protego` fetches the files with the same session and asks Protego, as one does by hand,
`guard` has the middleware of `verger.integrations.aiohttp`, and `verger` asks the client before,
too, so that aiohttp prepares no request that the guard refuses. Out: on stdout what it did, as
JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack

import aiohttp
from protego import Protego

import verger
from benchmarks.load.arguments import crawl_parser
from benchmarks.load.bare import ToPlayer, robots_url, urls_in
from benchmarks.load.library import USER_AGENT
from verger.integrations.aiohttp import Disallowed, RobotsMiddleware


async def crawl(urls: Iterator[str], options: argparse.Namespace) -> Counter[str]:
    """Ask for all URLs, as many at a time as there may be connections."""
    counts: Counter[str] = Counter(pages=0, disallowed=0)
    connector = aiohttp.TCPConnector(limit=options.connections, resolver=ToPlayer(options.port))
    async with AsyncExitStack() as stack:
        robots = None
        if options.robots in ("guard", "verger"):
            robots = verger.AsyncClient(
                USER_AGENT,
                connections=options.connections,
                connect_to=[f"::127.0.0.1:{options.port}"],
            )
            await stack.enter_async_context(robots)
        session = aiohttp.ClientSession(
            connector=connector,
            middlewares=[RobotsMiddleware(robots)] if robots else (),
            headers={"User-Agent": USER_AGENT},
        )
        await stack.enter_async_context(session)
        asked = {"protego": ByHand(session), "verger": robots}.get(options.robots)
        turns = (work(session, asked, urls, counts) for _ in range(options.connections))
        await asyncio.gather(*turns)
    return counts


async def work(
    session: aiohttp.ClientSession,
    asked: ByHand | verger.AsyncClient | None,
    urls: Iterator[str],
    counts: Counter[str],
) -> None:
    """Take one URL after the other until there is none left."""
    for url in urls:
        try:
            if asked and not await asked.allowed(url):
                counts["disallowed"] += 1
                continue
            async with session.get(url) as response:
                await response.read()
        except Disallowed:
            counts["disallowed"] += 1
        else:
            counts["pages"] += 1


class ByHand:
    """Robots.txt as programs have it that do not use verger: one fetch for each host, no expiry,
    and whatever is not 200 opens the host."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session
        self._files: dict[str, asyncio.Task[Protego]] = {}

    async def allowed(self, url: str) -> bool:
        """Whether Protego allows a URL."""
        name = robots_url(url)
        if name not in self._files:
            self._files[name] = asyncio.create_task(self._file(name))
        return (await self._files[name]).can_fetch(url, "ExampleBot")

    async def _file(self, url: str) -> Protego:
        async with self._session.get(url) as response:
            text = await response.text(errors="replace")
            return Protego.parse(text if response.status == 200 else "")


def main() -> None:
    """Crawl, and say what was fetched."""
    parser = crawl_parser("Crawl with aiohttp.")
    parser.add_argument("--robots", choices=("none", "protego", "guard", "verger"), required=True)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(crawl(urls_in(options.urls), options))))


if __name__ == "__main__":
    main()
