"""Scrapy: verger in place of its parser, or of its whole robots.txt middleware.

One line of settings replaces the middleware; `ROBOTSTXT_OBEY` still turns it on or off:

    ADDONS = {"verger.integrations.scrapy.VergerAddon": 100}

To keep Scrapy's middleware, set `ROBOTSTXT_PARSER` to `VergerRobotParser`.
"""

from verger.errors import MissingExtra

with MissingExtra.unless_installed("scrapy", "the integration with Scrapy"):
    import scrapy
MissingExtra.expect("scrapy", "the integration with Scrapy", scrapy, least="2.19")

from verger.integrations.scrapy.downloader import (  # noqa: E402 (the framework is there)
    DownloaderTransport,
)
from verger.integrations.scrapy.middleware import (  # noqa: E402
    Disallowed,
    SiteParser,
    VergerAddon,
    VergerRobotParser,
    VergerRobotsTxtMiddleware,
    robots_answered,
)

__all__ = [
    "Disallowed",
    "DownloaderTransport",
    "SiteParser",
    "VergerAddon",
    "VergerRobotParser",
    "VergerRobotsTxtMiddleware",
    "robots_answered",
]
