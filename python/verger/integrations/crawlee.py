"""Crawlee for Python: verger in place of its robots.txt files.

    async with verger.AsyncClient("ExampleBot/1.0 (+https://example.com/bot)") as client:
        obey(crawler, client)
        await crawler.run(urls)

Crawlee has no public extension point: `obey` replaces one private method of one crawler, through
which every Crawlee crawler gets a file. A clean solution needs a public option in Crawlee, such as
`robots_txt_loader=`, called with a URL and returning an object with `is_allowed` and
`get_crawl_delay`.
"""

import time
from collections.abc import Callable
from math import ceil
from types import SimpleNamespace
from typing import Any, Self

from verger._core import origin, parse
from verger.access.answer import Question
from verger.access.entry import entry_after
from verger.access.result import AccessResult, Failure
from verger.client import Answer, AsyncClient, Site
from verger.client.site import given_site, site_after
from verger.dialects import RFC9309
from verger.errors import InvalidTarget, MissingExtra
from verger.integrations.guard import EVERYBODY, delay_of, governed_url, tokens_of

__all__ = ["VergerRobotsTxtFile", "obey"]

with MissingExtra.unless_installed("crawlee", "the integration with Crawlee"):
    import crawlee
MissingExtra.expect("crawlee", "the integration with Crawlee", crawlee, least="1.11")
MOVED = MissingExtra(
    f"Crawlee {crawlee.__version__} has moved what verger replaces",
    "pip install 'crawlee>=1.11,<1.12'",
)
try:
    from crawlee._utils.robots import RobotsTxtFile
    from crawlee.crawlers import BasicCrawler
    from crawlee.http_clients import HttpClient
    from crawlee.proxy_configuration import ProxyInfo
except ImportError as error:
    raise MOVED from error

SEAM = "_get_robots_txt_file_for_url"
THE_CRAWLER = "*"
"""The user agent that Crawlee always passes: here it means the client's own crawler."""

OnAnswer = Callable[[Answer], None]


def obey(
    crawler: "BasicCrawler[Any, Any]",
    client: AsyncClient,
    *,
    on_answer: OnAnswer | None = None,
) -> None:
    """Make a crawler ask `client` about each URL, before it is queued and before it is fetched.

    crawler:    any Crawlee crawler; its option `respect_robots_txt_file` is turned on.
    client:     identifies the crawler, fetches and keeps the files; must stay open during the
                crawl.
    on_answer:  called with each `verger.Answer`.
    Raises:     MissingExtra for an unsupported version of Crawlee.
    """
    if not hasattr(crawler, SEAM) or not hasattr(crawler, "_respect_robots_txt_file"):
        raise MOVED

    async def file_for(url: str) -> "VergerRobotsTxtFile | None":
        if (judged := governed_url(url)) is None:
            return None
        try:
            site = await client.site(judged)
        except InvalidTarget:  # Crawlee would end the whole crawl; the file will refuse the URL
            site = site_with("http://verger.invalid", "User-agent: *\nDisallow: /\n")
        return VergerRobotsTxtFile(site, on_answer=on_answer)

    crawler._respect_robots_txt_file = True
    setattr(crawler, SEAM, file_for)


class VergerRobotsTxtFile(RobotsTxtFile):  # type: ignore[misc] # Crawlee is not there for mypy
    """One site, with the methods of Crawlee's `RobotsTxtFile`."""

    def __init__(
        self,
        site: Site,
        http_client: HttpClient | None = None,
        proxy_info: ProxyInfo | None = None,
        *,
        on_answer: OnAnswer | None = None,
    ) -> None:
        # The part of a parsed file that Crawlee's own class reads.
        records = SimpleNamespace(sitemaps=site.robots.sitemaps if site.robots else ())
        super().__init__(site.origin, records, http_client, proxy_info)
        self.site = site
        self._on_answer = on_answer

    @classmethod
    async def from_content(cls, url: str, content: str) -> Self:
        """Return the file of a URL's origin, from its text."""
        return cls(site_with(url, content))

    @classmethod
    async def load(
        cls, url: str, http_client: HttpClient, proxy_info: ProxyInfo | None = None
    ) -> Self:
        """Fetch the file at a URL with one of Crawlee's HTTP clients, and judge the result.

        Such a client follows redirects itself, without a check of where they lead; `obey` fetches
        with verger's own transport, which guards them.
        """
        result = await fetch_with(http_client, url, proxy_info)
        site = site_after(entry_after(None, origin(url), result), Question(EVERYBODY, RFC9309))
        return cls(site, http_client, proxy_info)

    def is_allowed(self, url: str, user_agent: str = THE_CRAWLER) -> bool:
        """Whether a URL may be fetched; true for another origin, which this file does not govern.

        user_agent:  the crawler to ask for, if not the client's own.
        """
        url = governed_url(url) or url
        try:
            if origin(url) != self.site.origin:
                return True
        except InvalidTarget:
            return False
        answer = self._site_for(user_agent).decide(url, now=time.time())
        if self._on_answer:
            self._on_answer(answer)
        return answer.allowed is True

    def get_crawl_delay(self, user_agent: str = THE_CRAWLER) -> int | None:
        """Return the seconds between two requests that the site asks for, as a whole number."""
        delay = delay_of(self._site_for(user_agent).my_rules)
        return None if delay is None else ceil(delay)

    def _site_for(self, user_agent: str) -> Site:
        return self.site if user_agent == THE_CRAWLER else self.site.asked_by(tokens_of(user_agent))


def site_with(url: str, content: str) -> Site:
    """Return the site of an origin whose file was given, not fetched."""
    name = origin(url)
    content = content.removeprefix("\xef\xbb\xbf")  # a byte order mark, decoded as Latin-1
    file = parse(content, url=f"{name}/robots.txt")
    return given_site(file, name, Question(EVERYBODY, RFC9309))


async def fetch_with(
    http_client: HttpClient, url: str, proxy_info: ProxyInfo | None
) -> AccessResult:
    """Return the result of one request, including failures, as the file of the URL's origin."""
    target = f"{origin(url)}/robots.txt"
    try:
        response = await http_client.send_request(url, proxy_info=proxy_info)
        body = await response.read() if 200 <= response.status_code < 300 else b""
    except Exception as error:  # clients raise different errors; none means permission
        failure: Failure = "timeout" if isinstance(error, TimeoutError) else "reset"
        return AccessResult(
            target,
            fetched_at=time.time(),
            failure=failure,
            detail=f"{type(error).__name__}: {error}",
        )
    return AccessResult(target, fetched_at=time.time(), status=response.status_code, body=body)
