"""The guard in aiohttp: a client middleware.

    async with verger.AsyncClient("ExampleBot/1.0 (+https://example.com/bot)") as robots:
        async with aiohttp.ClientSession(middlewares=[RobotsMiddleware(robots)]) as session:
            await session.get("https://example.com/private")  # raises Disallowed

A session calls its middlewares for each request, including redirects and WebSockets, before it
connects.
"""

from verger.client import AsyncClient, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    AsyncGuard,
    Disallowed as AnyDisallowed,
    requested,
    unguarded,
)

with MissingExtra.unless_installed("http", "guarding aiohttp"):
    import aiohttp
MissingExtra.expect("http", "guarding aiohttp", aiohttp, least="3.13.4")

__all__ = ["Disallowed", "InvalidTarget", "RobotsMiddleware", "unguarded"]


class Disallowed(AnyDisallowed, aiohttp.ClientError):
    """A request was not sent; also an `aiohttp.ClientError`."""


class InvalidTarget(AnyInvalidTarget, aiohttp.ClientError):
    """A request was not sent because its URL is invalid; also an `aiohttp.ClientError`."""


class RobotsMiddleware:
    """Sends what robots.txt allows, and raises `Disallowed` for everything else.

    Put it last in the list of middlewares, so that it sees requests as they are sent. A request
    with its own middlewares, `session.get(url, middlewares=())`, is sent without a check.

    robots:  the client that fetches robots.txt and answers; its creator closes it.
    pacer:   delays requests as Crawl-delay asks; None sends them at once. The delay counts towards
             the session's `timeout`.
    """

    def __init__(self, robots: AsyncClient, *, pacer: Pacer | None = None) -> None:
        self._guard = AsyncGuard(robots, pacer, Disallowed, InvalidTarget)

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send a request if it is allowed. Raises: Disallowed; InvalidTarget."""
        url = request.url
        # aiohttp sends HTTP for any scheme, such as `tcp`, and without one.
        scheme = "https" if url.scheme in ("https", "wss") else "http"
        await self._guard.admit(requested(scheme, url.raw_host or "", url.port, url.raw_path_qs))
        return await handler(request)
