"""Scrapy's parser interface, twice: for the bytes of one file, and for a whole `Site`.

In: URLs and user agents, as text or bytes. Out: whether fetching is allowed, and how often. The
first does not know how the file was fetched, because the interface omits it; the second does.
"""

import time
from typing import Self

from scrapy.crawler import Crawler
from scrapy.robotstxt import RobotParser

from verger._core import Agent, Dialect, parse
from verger.client import Answer, Site
from verger.errors import InvalidTarget
from verger.integrations.guard import delay_of, tokens_of


class VergerRobotParser(RobotParser):  # type: ignore[misc] # Scrapy is not there for mypy
    """A parser for `ROBOTSTXT_PARSER`: reads a file as `VERGER_DIALECT` says."""

    def __init__(self, body: bytes, dialect: str | Dialect = "rfc9309") -> None:
        self.robots = parse(body, dialect=dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Return the parser of a file; at its start, Scrapy creates one for an empty file."""
        if crawler is None:
            return cls(robotstxt_body)
        return cls(robotstxt_body, crawler.settings.get("VERGER_DIALECT", "rfc9309"))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the user agent may fetch a URL; False for an invalid URL."""
        try:
            return self._agent(user_agent).allowed(text_of(url))
        except InvalidTarget:
            return False

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds between two requests that the file asks for."""
        return delay_of(self._agent(user_agent))

    def _agent(self, user_agent: str | bytes) -> Agent:
        return self.robots.agent(tokens_of(user_agent))


class SiteParser(RobotParser):  # type: ignore[misc]
    """One site as a parser: for the signal `robots_parsed`, and for answers."""

    def __init__(self, site: Site, tokens: tuple[str, ...]) -> None:
        self.site = site
        self._tokens = tokens

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler | None,  # noqa: ARG003 (Scrapy's name)
        robotstxt_body: bytes,  # noqa: ARG003
    ) -> Self:
        """Raise TypeError: bytes are only a file, not a site."""
        raise TypeError("pass `VergerRobotParser` as ROBOTSTXT_PARSER")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether rules and access policy let the user agent fetch a URL of this origin."""
        return self._site_for(user_agent).allowed(text_of(url))

    def decide(self, url: str | bytes, user_agent: str | bytes) -> Answer:
        """Decide one URL of this origin, with the reason."""
        return self._site_for(user_agent).decide(text_of(url), now=time.time())

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds between two requests that the site asks for."""
        return delay_of(self._site_for(user_agent).agent)

    def _site_for(self, user_agent: str | bytes) -> Site:
        tokens = tokens_of(user_agent)
        return self.site if tokens == self._tokens else self.site.asked_by(tokens)


def text_of(text: str | bytes) -> str:
    """Return a URL as text, whatever its bytes."""
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
