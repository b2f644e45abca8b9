"""A polite crawler of many sites at once: each page in its turn, no faster than its site asks.

No worker waits for a site: the pacer keeps the URLs of each, and says which are due.
"""

import asyncio
import sys

import aiohttp

from verger import AsyncClient, Pacer

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
WORKERS = 20


async def crawl(urls: list[str]) -> None:
    headers, pacer = {"User-Agent": USER_AGENT}, Pacer()

    async def queue(url: str) -> None:
        answer = await robots.decide(url)
        if answer.allowed:
            pacer.put(url, (await robots.site(url)).my_rules)
        else:
            print(f"left alone {url}: {answer.reason} ({answer.section})")

    async def visit(url: str) -> None:
        try:  # where a redirect leads is to be asked first
            async with web.get(url, allow_redirects=False) as page:
                print(f"fetched {url}: {page.status}, {len(await page.read())} bytes")
        except (aiohttp.ClientError, TimeoutError) as error:
            print(f"failed {url}: {error}")

    async with AsyncClient(USER_AGENT) as robots, aiohttp.ClientSession(headers=headers) as web:
        await asyncio.gather(*map(queue, urls))
        running = set[asyncio.Task[None]]()
        while running or pacer.wait() is not None:
            due = pacer.due(most=WORKERS - len(running))
            running |= {asyncio.create_task(visit(url)) for url in due}
            wait = pacer.wait() if len(running) < WORKERS else None
            if running:
                first = asyncio.FIRST_COMPLETED
                _, running = await asyncio.wait(running, timeout=wait, return_when=first)
            elif wait is not None:
                await asyncio.sleep(wait)


asyncio.run(crawl(sys.argv[1:]))
