"""The least that fetching costs: aiohttp alone asks every origin for its file, and keeps nothing.

In: a port of `tools/player.py`, and URLs, one per line, each of an origin of its own. With
`--pages` each URL is fetched after the file of its origin, whatever that says. With `--closing`
each connection is closed behind its response, as a crawl must that may not open them without end:
aiohttp's own limit counts those in use alone, and lets thousands wait for a second request.
Out: on stdout what it did, as JSON. This is what verger's own cost is measured against.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from benchmarks.load.arguments import crawl_parser

LOOPBACK = "127.0.0.1"


async def fetch_all(urls: Iterator[str], options: argparse.Namespace) -> dict[str, int]:
    """Fetch the files of all URLs' origins, as many at a time as there may be connections."""
    counts = {"robots": 0, "pages": 0, "bytes": 0}
    connector = aiohttp.TCPConnector(
        limit=options.connections,
        resolver=ToPlayer(options.port),
        force_close=options.closing,
    )
    async with aiohttp.ClientSession(connector=connector) as session:
        work = [fetch_each(urls, session, counts, options) for _ in range(options.connections)]
        await asyncio.gather(*work)
    return counts


async def fetch_each(
    urls: Iterator[str],
    session: aiohttp.ClientSession,
    counts: dict[str, int],
    options: argparse.Namespace,
) -> None:
    """Take one URL after the other until there is none left."""
    for url in urls:
        async with session.get(robots_url(url)) as response:
            body = await response.read()
        counts["robots"] += 1
        counts["bytes"] += len(body)
        if options.pages:
            async with session.get(url) as response:
                await response.read()
            counts["pages"] += 1


def robots_url(url: str) -> str:
    """Return where the origin of a URL keeps its file."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/robots.txt"


class ToPlayer(AbstractResolver):
    """Leads every name to the player, without DNS."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self,
        host: str,
        port: int = 0,  # noqa: ARG002 (aiohttp's name)
        family: socket.AddressFamily = socket.AF_INET,
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host, host=LOOPBACK, port=self._port, family=family, proto=0, flags=0
            )
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def urls_in(path: Path) -> Iterator[str]:
    """Yield the URLs of a file, which holds one per line."""
    with path.open(encoding="ascii") as lines:
        for line in lines:
            yield line.rstrip("\n")


def main() -> None:
    """Fetch, and say what was fetched."""
    parser = crawl_parser("Fetch with aiohttp alone.")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--closing", action="store_true")
    options = parser.parse_args()
    print(json.dumps(asyncio.run(fetch_all(urls_in(options.urls), options))))


if __name__ == "__main__":
    main()
