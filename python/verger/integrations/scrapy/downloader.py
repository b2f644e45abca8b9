"""Scrapy's downloader as a transport: robots.txt is downloaded the same way as pages.

In: a `Request`. Out: a `Reply`, or `HopFailed`. Proxies, retries, slots and delays, caches,
headers, TLS and stats are then those of the project. Two things are switched off for these
requests: following redirects, which verger's plan does, and obeying robots.txt.

Scrapy has no hook for connecting. So the target of a redirect is looked up and judged before the
request, and the address that answered is judged again after it: a name that changes its address in
between gets a request, but its response is not used.
"""

from collections.abc import Iterable
from urllib.request import getproxies, proxy_bypass

from scrapy import Request as ScrapyRequest
from scrapy.crawler import Crawler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from verger.access.result import Failure
from verger.fetching.resolve import Destinations
from verger.fetching.transport import (
    Ended,
    HopFailed,
    Reply,
    Request,
    host_of,
    of_the_site,
    server_of,
)

PRIORITY = 1_000
"""The same as in Scrapy's own middleware: before all pages."""

LARGEST = 16 << 20
"""Bytes of a response at which Scrapy gives up and the file counts as broken: far more than any
dialect reads."""

META = {
    "dont_obey_robotstxt": True,
    "dont_redirect": True,
    "handle_httpstatus_all": True,
    "allow_offsite": True,
    "download_maxsize": LARGEST,
    "download_fail_on_dataloss": False,
}

FAILURES: tuple[tuple[type[Exception], Failure], ...] = (
    (CannotResolveHostError, "dns"),
    (DownloadConnectionRefusedError, "refused"),
    (DownloadTimeoutError, "timeout"),
    (DownloadCancelledError, "broken-body"),
    (ResponseDataLossError, "broken-body"),
    (UnsupportedURLSchemeError, "refused"),
    (IgnoreRequest, "refused"),
)
"""Exceptions of Scrapy; any other counts as a connection that ended."""


class DownloaderTransport:
    """Sends the requests of one crawler through its engine."""

    keeps_cookies = True

    def __init__(self, crawler: Crawler, *, private: Iterable[str] = ()) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._destinations = Destinations(private=private)
        self._uses_proxies = crawler.settings.getbool("HTTPPROXY_ENABLED")

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        await self._judge(request)
        asked = scrapy_request(request)
        response = await self._download(asked)
        if asked.meta.get("proxy"):
            reply = reply_of(response, "", request.body_limit)
            return of_the_site(reply, is_forwarded=request.url.startswith("http:"))
        address = str(response.ip_address or "")
        if address:
            self._destinations.guard.permitted(request, host_of(server_of(request)), [address])
        return reply_of(response, address, request.body_limit)

    async def close(self) -> None:
        """Do nothing: the connections are Scrapy's."""

    async def _judge(self, request: Request) -> None:
        """Judge the target of a redirect before anything is sent there."""
        if request.named:
            return
        server = server_of(request)
        host = host_of(server)
        if self._uses_proxies and is_proxied(server.scheme, host):
            self._destinations.guard.permits_name(request, host)
        else:
            await self._destinations.find(request, host, server.port or 0)

    async def _download(self, asked: ScrapyRequest) -> Response:
        engine = self._crawler.engine
        assert engine is not None  # the middleware runs only while a spider is open
        self._stats.inc_value("robotstxt/request_count")
        try:
            response = await engine.download_async(asked)
        except Exception as error:  # from any handler or middleware; none means permission
            if not isinstance(error, IgnoreRequest):
                self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            raise failure_of(error) from error
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        return response


def scrapy_request(request: Request) -> ScrapyRequest:
    """Return the request of one hop; the project's middlewares set the user agent, as for pages."""
    headers = {name: text for name, text in request.headers.items() if name != "User-Agent"}
    return ScrapyRequest(
        request.url,
        headers=headers,
        priority=PRIORITY,
        meta=dict(META),
        callback=NO_CALLBACK,
        dont_filter=True,
    )


def is_proxied(scheme: str, host: str) -> bool:
    """Whether Scrapy's `HttpProxyMiddleware` sends requests for this host through a proxy."""
    return scheme in getproxies() and not proxy_bypass(host)


def reply_of(response: Response, address: str, limit: int) -> Reply:
    """Return a response as received."""
    fields = [
        (name.decode("ascii", "surrogateescape"), value.decode("ascii", "surrogateescape"))
        for name, values in response.headers.items()
        for value in values
        if name.lower() != b"content-length"  # that of the coded body, which Scrapy has decoded
    ]
    ended: Ended = "limit" if len(response.body) > limit else "complete"
    if "dataloss" in response.flags:
        ended = "broken"
    return Reply(response.status, fields, response.body[:limit], ended, address)


def failure_of(error: Exception) -> HopFailed:
    """Return the failure of a request that got no response."""
    found = (failure for kind, failure in FAILURES if isinstance(error, kind))
    failure: Failure = next(found, "reset")
    words = str(error).partition("\n")[0]
    return HopFailed(failure, f"{type(error).__name__}: {words}" if words else type(error).__name__)
