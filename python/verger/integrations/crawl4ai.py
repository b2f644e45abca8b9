"""Crawl4AI: verger in place of its robots.txt parser, and as its rate limiter.

    async with verger.AsyncClient("ExampleBot/1.0 (+https://example.com/bot)") as client:
        crawler.robots_parser = VergerRobotsParser(client)
        await crawler.arun(url, config=CrawlerRunConfig(check_robots_txt=True))

`crawler.robots_parser` is a public attribute. With the option `check_robots_txt`, Crawl4AI asks it
once for each URL, but not about resources of a page or the targets of redirects.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any

from verger._core import product_token
from verger.client import Answer, AsyncClient, Pacer, Site
from verger.errors import InvalidTarget, MissingExtra
from verger.integrations.guard import governed_url, tokens_of

__all__ = ["VergerRateLimiter", "VergerRobotsParser"]

with MissingExtra.unless_installed("crawl4ai", "the integration with Crawl4AI"):
    from crawl4ai.async_dispatcher import RateLimiter
    from crawl4ai.utils import RobotsParser


OnAnswer = Callable[[Answer], None]


class VergerRobotsParser(RobotsParser):  # type: ignore[misc] # Crawl4AI is not there for mypy
    """A `robots_parser` that asks a client, which fetches and keeps the files.

    client:     identifies the crawler; must stay open during the crawl.
    on_answer:  called with each `verger.Answer`.
    """

    def __init__(self, client: AsyncClient, *, on_answer: OnAnswer | None = None) -> None:
        # The parent's constructor would create an unused folder and database.
        self.client = client
        self._on_answer = on_answer
        self._cleared_at = float("-inf")

    async def can_fetch(self, url: str, user_agent: str = "*") -> bool:
        """Whether a URL may be fetched.

        user_agent:  what the browser sends. If it names a product, that one's rules are used; an
                     ordinary browser's, and `*`, mean the client's own crawler.
        """
        if (judged := governed_url(url)) is None:
            return True
        try:
            site = await self._site(judged)
            if product_token(user_agent or "") is not None:
                site = site.asked_by(tokens_of(user_agent))
            answer = site.decide(judged, now=time.time())
        except InvalidTarget:
            return False
        if self._on_answer:
            self._on_answer(answer)
        return answer.allowed is True

    def clear_cache(self) -> None:
        """Make sure that each file is fetched again before its next use."""
        self._cleared_at = time.time()

    def clear_expired(self) -> None:
        """Do nothing: a client never uses stale files."""

    async def _site(self, url: str) -> Site:
        site = await self.client.site(url)
        result = site.result
        is_older = result is not None and result.fetched_at <= self._cleared_at
        return await self.client.refresh(url) if is_older else site


class VergerRateLimiter(RateLimiter):  # type: ignore[misc]
    """A rate limiter for dispatchers that also waits as `Crawl-delay` and `Request-rate` ask.

    client:      the client of the `VergerRobotsParser`.
    most_delay:  the longest delay in seconds that a site can set.
    options:     those of Crawl4AI's `RateLimiter`.
    """

    def __init__(self, client: AsyncClient, *, most_delay: float = 300.0, **options: Any) -> None:
        super().__init__(**options)
        self.client = client
        self._pacer = Pacer(default_delay=0.0, most_delay=most_delay)

    async def wait_if_needed(self, url: str) -> None:
        """Wait until a request may be sent; disallowed requests do not wait."""
        await super().wait_if_needed(url)
        if (judged := governed_url(url)) is None:
            return
        try:
            site = await self.client.site(judged)
        except InvalidTarget:
            return
        if site.allowed(judged):
            now = time.time()
            await asyncio.sleep(self._pacer.reserve(judged, site.my_rules, now=now) - now)
