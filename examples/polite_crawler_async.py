"""A polite crawler of many sites at once: each page in its turn, no faster than its site asks."""

import asyncio
import sys
import time

import aiohttp

from verger import AsyncClient, Pacer

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


async def crawl(urls: list[str]) -> None:
    headers, pacer = {"User-Agent": USER_AGENT}, Pacer()

    async def visit(url: str) -> None:
        answer = await robots.decide(url)
        if not answer.allowed:
            print(f"left alone {url}: {answer.reason} ({answer.section})")
            return
        turn = pacer.reserve(url, (await robots.site(url)).agent, now=time.time())
        await asyncio.sleep(max(0.0, turn - time.time()))
        try:  # where a redirect leads is to be asked first
            async with web.get(url, allow_redirects=False) as page:
                print(f"fetched {url}: {page.status}, {len(await page.read())} bytes")
        except (aiohttp.ClientError, TimeoutError) as error:
            print(f"failed {url}: {error}")

    async with AsyncClient(USER_AGENT) as robots, aiohttp.ClientSession(headers=headers) as web:
        await asyncio.gather(*map(visit, urls))


asyncio.run(crawl(sys.argv[1:]))
