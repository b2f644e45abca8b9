"""Pages, fetched politely: each request is checked and delayed, with limits on time and size.

In: URLs, an `AsyncClient`. Out: an `AccessResult` for the page, or `Disallowed` and `TooSoon`
before anything is sent. Every redirect is judged like the URL itself. The plan decides which
requests to send and what result their replies give, as for robots.txt.
"""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from verger._core import requested_url
from verger.access.result import AccessResult
from verger.client import AsyncClient, Pacer
from verger.errors import InvalidTarget, RobotsError
from verger.fetching.drive import run_plan
from verger.fetching.plan import Asking, page_plan
from verger.fetching.transport import Reply, Request
from verger.integrations.guard import Disallowed, expect_allowed
from verger.plain import quoted

ACCEPT = "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.8, */*;q=0.5"


class TooSoon(RobotsError):
    """A page was not fetched, because its delay is longer than `longest_wait`."""

    def __init__(self, url: str, at: float, wait: float) -> None:
        """Take the URL, the time of its request since the epoch, and the seconds until then."""
        why = f"the page may be requested in {wait:.0f} seconds, as the site asks"
        super().__init__(why, "ask again then, not before")
        self.url = url
        self.at = at


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one page."""

    page_bytes: int = 4 << 20
    """Decoded bytes that are read."""
    seconds: float = 30.0
    """For the page with its redirects and their robots.txt files, in addition to `longest_wait`."""
    longest_wait: float = 15.0
    """The maximum delay of a request in seconds; a longer one raises `TooSoon`."""


class Pages:
    """Fetches pages that the client's crawler may fetch.

    The creator of the client closes it. The client should be `public_only` if the URLs come from
    untrusted sources.

    public_only:  whether pages are fetched only from public addresses.
    """

    def __init__(
        self,
        robots: AsyncClient,
        *,
        pacer: Pacer | None = None,
        bounds: Bounds | None = None,
        public_only: bool = True,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._robots = robots
        self._pacer = pacer or Pacer()
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._asking = Asking(
            robots.dialect,
            robots.identity.headers,
            clock,
            self._bounds.page_bytes,
            public_only,
            accept=ACCEPT,
            origin_headers=robots.identity.origin_headers,
        )

    async def fetch(self, url: str) -> AccessResult:
        """Return the result of fetching a page, whatever the network and the server do.

        Raises: InvalidTarget if it is not a URL of http or https; Disallowed, TooSoon.
        """
        wanted = requested_url(url)
        if not wanted.startswith(("http://", "https://")):
            why = f"{quoted(url)} is not a URL of a web page"
            raise InvalidTarget(why, "pass a URL with http:// or https://")
        total = self._bounds.seconds + self._bounds.longest_wait
        return await run_plan(page_plan(wanted, self._asking), self, total=total)

    async def send(self, request: Request) -> Reply:
        """Send an allowed request, after its delay; the transport of the plan that `fetch` runs.

        Raises: HopFailed; Disallowed, TooSoon.
        """
        wait = await self._reserve(request.url)
        if wait > 0:
            await asyncio.sleep(wait)
            expect_allowed(await self._robots.site(request.url), request.url, Disallowed)
        return await self._robots.transport.send(request)

    async def _reserve(self, url: str) -> float:
        """Reserve the time of a request, and return the seconds until then."""
        site = await self._robots.site(url)
        expect_allowed(site, url, Disallowed)
        now = self._clock()
        at = self._pacer.next_at(url, site.agent, now=now)
        if at - now > self._bounds.longest_wait:
            raise TooSoon(url, at, at - now)
        return self._pacer.reserve(url, site.agent, now=now) - now

    async def close(self) -> None:
        """Do nothing: the connections are the client's."""
