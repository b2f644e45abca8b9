"""trafilatura: the `rules` argument of its focused crawler, answered by a client.

    with verger.Client("ExampleBot/1.0 (+https://example.com/bot)") as robots:
        homepage = "https://example.com/"
        focused_crawler(homepage, rules=ClientRules(robots, homepage))

trafilatura asks `rules` about the links that it finds, for the user agent `*`; these rules answer
for the client's crawler. It asks neither about the first page nor about the targets of redirects.
This module does not import trafilatura, which takes any `RobotFileParser`; courlan and
fundus take these rules, too.
"""

from urllib.robotparser import RequestRate, RobotFileParser

from verger._core import origin
from verger.client import Client
from verger.errors import InvalidTarget
from verger.integrations.guard import delay_of, expect_client, rate_of

__all__ = ["ClientRules"]


class ClientRules(RobotFileParser):
    """The rules of a site, with the client's policy for files that cannot be fetched.

    robots:  the client that fetches robots.txt and answers; its creator closes it.
    site:    any URL of the site whose Crawl-delay is used.
    """

    def __init__(self, robots: Client, site: str) -> None:
        expect_client(robots, Client)
        super().__init__(f"{origin(site)}/robots.txt")
        self._robots = robots
        self._site = site

    def read(self) -> None:
        """Ask the client for the site's file; say whether failures close or open the site."""
        effect = self._robots.site(self._site).access.effect
        self.disallow_all, self.allow_all = effect == "disallow_all", effect == "allow_all"

    def can_fetch(self, useragent: str, url: str) -> bool:  # noqa: ARG002
        """Whether the client's crawler may fetch a URL of any site; False for an invalid URL.

        `useragent` is ignored.
        """
        try:
            return self._robots.allowed(url)
        except InvalidTarget:
            return False

    def crawl_delay(self, useragent: str) -> float | None:  # type: ignore[override]  # noqa: ARG002
        """Return the seconds between two requests that the site asks for."""
        return delay_of(self._robots.site(self._site).my_rules)

    def request_rate(self, useragent: str) -> RequestRate | None:  # noqa: ARG002
        """Return how many requests the site allows now in how many seconds."""
        rate = rate_of(self._robots.site(self._site).my_rules)
        return None if rate is None else RequestRate(*rate)

    def site_maps(self) -> list[str] | None:
        """Return the sitemaps that the site's file lists; None if it lists none."""
        return list(self._robots.sitemaps(self._site)) or None
