"""Scrapling: verger in place of the spider's robots.txt manager.

    class Pages(RobotsSpider):
        name, start_urls = "pages", ["https://example.com/"]
        robots_client = verger.AsyncClient("ExampleBot/1.0 (+https://example.com/bot)")

        async def parse(self, response): ...

Scrapling creates its own `RobotsTxtManager` and has no setting for another. `RobotsSpider` replaces
it in the public hook `on_start`, through two private attributes: `Spider._engine` and
`CrawlerEngine._robots_manager`. A clean solution needs a spider attribute for the manager in
Scrapling. Its own manager follows the rules for `*` and keeps a failure forever; Scrapling asks
neither manager about the targets of redirects.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from verger._core import requested_url
from verger.client import AsyncClient
from verger.errors import InvalidOption, InvalidTarget, MissingExtra
from verger.integrations.guard import delay_of, expect_client, rate_of

with MissingExtra.unless_installed("scrapling", "the integration with Scrapling"):
    from scrapling.spiders import Spider
    from scrapling.spiders.robotstxt import RobotsTxtManager

__all__ = ["ClientRobotsTxtManager", "RobotsSpider"]


class ClientRobotsTxtManager(RobotsTxtManager):  # type: ignore[misc] # not there for mypy
    """A `RobotsTxtManager` that asks a client, which fetches and keeps the files.

    robots:  identifies the crawler, on asyncio; its creator closes it.
    """

    def __init__(self, robots: AsyncClient) -> None:
        # The parent's constructor takes a fetcher and creates a cache: a client has both.
        expect_client(robots, AsyncClient)
        self._robots = robots

    async def can_fetch(self, url: str, sid: str) -> bool:  # noqa: ARG002
        """Whether the client's crawler may fetch a URL; False for what is not a URL."""
        try:
            return await self._robots.allowed(url)
        except InvalidTarget:
            return False

    async def get_delay_directives(
        self,
        url: str,
        sid: str,  # noqa: ARG002
    ) -> tuple[float | None, tuple[int, int] | None]:
        """Return the current Crawl-delay, and Request-rate as documents and seconds."""
        agent = (await self._robots.site(url)).my_rules
        return delay_of(agent), rate_of(agent)

    async def prefetch(self, urls: Sequence[str], sid: str) -> None:  # noqa: ARG002
        """Fetch the files of all sites, many at once; invalid URLs are skipped."""
        await self._robots.prefetch([url for url in urls if _is_url(url)])


class RobotsSpider(Spider):  # type: ignore[misc]
    """A spider that obeys robots.txt as its client reads it."""

    robots_client: ClassVar[AsyncClient | None] = None
    """The client that fetches robots.txt and answers; for one spider at a time."""

    robots_txt_obey = True

    async def on_start(self, resuming: bool = False) -> None:
        """Replace Scrapling's manager with the client. If you override this, call `super()`."""
        if self.robots_txt_obey:
            _replace_manager(self._engine, self.robots_client)
        await super().on_start(resuming)

    async def on_close(self) -> None:
        """Close the client's connections: `start` ends their event loop.

        If you override this, call `super()`.
        """
        if self.robots_client is not None:
            await self.robots_client.close()
        await super().on_close()


def _replace_manager(engine: Any, robots: AsyncClient | None) -> None:
    if robots is None:
        raise InvalidOption("the spider has no `robots_client`", "set it to a `verger.AsyncClient`")
    if not isinstance(getattr(engine, "_robots_manager", None), RobotsTxtManager):
        raise InvalidOption(
            "this version of Scrapling keeps its manager of robots.txt elsewhere",
            MissingExtra.remedy("scrapling"),
        )
    engine._robots_manager = ClientRobotsTxtManager(robots)


def _is_url(text: str) -> bool:
    try:
        requested_url(text)
    except InvalidTarget:
        return False
    return True
