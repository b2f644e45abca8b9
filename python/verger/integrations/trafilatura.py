"""trafilatura: what its focused crawler takes as `rules`, from a client.

    with verger.Client("ExampleBot/1.0 (+https://example.com/bot)") as robots:
        homepage = "https://example.com/"
        focused_crawler(homepage, rules=ClientRules(robots, homepage))

trafilatura asks `rules` about the links that it finds, in the name of `*`; these answer in the name
of the client's crawler. It asks neither about the page that it begins with, nor about where pages
redirect to. Nothing of trafilatura is needed here: it takes any `RobotFileParser`.
"""

from urllib.robotparser import RobotFileParser

from verger._core import origin
from verger.client import Client
from verger.errors import InvalidOption, InvalidTarget

__all__ = ["ClientRules"]


class ClientRules(RobotFileParser):
    """The rules of a site, those of a client, with its policy for files that cannot be had.

    robots:  answers, and fetches robots.txt; who makes it closes it.
    site:    any URL of the site, whose Crawl-delay is asked for.
    """

    def __init__(self, robots: Client, site: str) -> None:
        if not isinstance(robots, Client):
            raise InvalidOption(f"`robots` is `{robots!r:.60}`", "pass a `verger.Client`")
        super().__init__(f"{origin(site)}/robots.txt")
        self._robots = robots
        self._site = site

    def can_fetch(self, useragent: str, url: str) -> bool:  # noqa: ARG002
        """Whether the client's crawler may fetch a URL, of any site and whoever is named; False
        for what is not a URL."""
        try:
            return self._robots.allowed(url)
        except InvalidTarget:
            return False

    def crawl_delay(self, useragent: str) -> float | None:  # type: ignore[override]  # noqa: ARG002
        """Return the seconds between two requests that the site asks for."""
        delay = self._robots.crawl_delay(self._site)
        return None if delay is None else float(delay)
