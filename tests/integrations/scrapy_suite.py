"""Scrapy's own tests of robots.txt, run on verger's parser and middleware.

Run by test_scrapy_suites.py in the folder of Scrapy's source distribution, where `tests` is
Scrapy's. What fails is listed here with its reason, and in docs/guides/scrapy.md.
"""

import pytest
import tests.test_downloadermiddleware_robotstxt as middleware_tests
from tests.test_robotstxt_interface import BaseRobotParserTest

import verger
from verger.integrations.scrapy import VergerRobotParser, VergerRobotsTxtMiddleware

middleware_tests.RobotsTxtMiddleware = VergerRobotsTxtMiddleware

FIRST_MATCH = "wants the first match; RFC 9309 section 2.2.2 wants the longest, as Protego does"
FAILED_FETCH = "Scrapy takes a failed fetch for permission; RFC 9309 section 2.3.1.4 does not"
LISTED = {
    "TestParser": {"test_order_based_precedence": FIRST_MATCH},
    "TestMiddleware": {
        "test_robotstxt_error": FAILED_FETCH,
        "test_robotstxt_immediate_error": FAILED_FETCH,
        "test_ignore_robotstxt_request": FAILED_FETCH,
    },
}
SCRAPYS_OWN = verger.RFC9309.replace(
    unreachable="allow", stale_when_unreachable=None, unreachable_limit=None
)
"""A dialect in which a failed fetch is permission, too."""


@pytest.fixture(autouse=True)
def _listed(request: pytest.FixtureRequest) -> None:
    """Expect the failures that are listed, and no others."""
    listed = LISTED.get(request.cls.__name__, {})
    if reason := listed.get(request.node.name):
        request.applymarker(pytest.mark.xfail(strict=True, reason=reason))


class TestParser(BaseRobotParserTest):
    """The interface of parsers."""

    def setup_method(self) -> None:
        self._setUp(VergerRobotParser)


class TestMiddleware(middleware_tests.TestRobotsTxtMiddleware):
    """The middleware as it comes."""


class TestMiddlewareThatOpens(middleware_tests.TestRobotsTxtMiddleware):
    """The middleware with a dialect that does what Scrapy does after a failed fetch."""

    def setup_method(self) -> None:
        super().setup_method()
        self.crawler.settings.set("VERGER_DIALECT", SCRAPYS_OWN)
