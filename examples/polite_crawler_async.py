"""A polite crawler of many sites at once: one page at a time from each, no faster than it asks."""

import asyncio
import sys
import time
from collections import defaultdict

import aiohttp

import verger

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


async def crawl(urls: list[str]) -> None:
    by_site = defaultdict[str, list[str]](list)
    for url in urls:
        by_site[verger.origin(url)].append(url)
    async with (
        verger.AsyncClient(USER_AGENT, store="robots.sqlite3") as robots,
        aiohttp.ClientSession(headers={"User-Agent": USER_AGENT}) as web,
    ):
        await asyncio.gather(*(crawl_site(robots, web, pages) for pages in by_site.values()))


async def crawl_site(
    robots: verger.AsyncClient, web: aiohttp.ClientSession, urls: list[str]
) -> None:
    pacer = verger.Pacer()
    for url in urls:
        answer = await robots.decide(url)
        if not answer.allowed:
            print(f"left alone {url}: {answer.reason} ({answer.section})")
            continue
        turn = pacer.reserve(url, (await robots.site(url)).agent, now=time.time())
        await asyncio.sleep(max(0.0, turn - time.time()))
        try:  # where a redirect leads has to be asked about first: it is not followed
            async with web.get(url, allow_redirects=False) as page:
                print(f"fetched {url}: {page.status}, {len(await page.read())} octets")
        except (aiohttp.ClientError, TimeoutError) as error:
            print(f"failed {url}: {error}")


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1:]))
