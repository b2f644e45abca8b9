"""The guard in aiohttp: a client middleware.

    async with verger.AsyncClient("ExampleBot/1.0 (+https://example.com/bot)") as robots:
        async with aiohttp.ClientSession(middlewares=[RobotsMiddleware(robots)]) as session:
            await session.get("https://example.com/private")  # raises Disallowed

A session calls its middlewares for each request, including redirects and WebSockets, before it
connects.
"""

from typing import Any, cast

from verger.client import AsyncClient, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    AsyncGuard,
    Disallowed as AnyDisallowed,
    Refusal,
    Whose,
    answer_of,
    requested,
    unguarded,
)

with MissingExtra.unless_installed("http", "guarding aiohttp"):
    import aiohttp
    from aiohttp import EMPTY_PAYLOAD, HttpVersion11, hdrs
    from multidict import CIMultiDict, CIMultiDictProxy
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

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    pacer:       delays requests as Crawl-delay asks; None sends them at once. The delay counts
                 towards the session's `timeout`, as the time to fetch robots.txt does.
    disallowed:  "raise", "answer" with an empty 403 that says why, or a subclass of
                 `verger.integrations.guard.Disallowed` to raise, which retry loops do not know.
    token:       whose name selects the rules: that of the "client", or of each "request".
    """

    def __init__(
        self,
        robots: AsyncClient,
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
    ) -> None:
        family = (Disallowed, InvalidTarget, TimeoutError)
        self._guard = AsyncGuard(robots, pacer, disallowed=disallowed, token=token, family=family)

    async def __call__(
        self, request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        """Send a request if it is allowed. Raises: Disallowed; InvalidTarget."""
        url = request.url
        # aiohttp sends HTTP for any scheme, such as `tcp`, and without one.
        scheme = "https" if url.scheme in ("https", "wss") else "http"
        sent = requested(scheme, url.raw_host or "", url.port, url.raw_path_qs)
        name = request.headers.get(hdrs.USER_AGENT)
        if (refused := await self._guard.admit(sent, user_agent=name)) is not None:
            return Forbidden(request, refused)
        return await handler(request)


class Forbidden(aiohttp.ClientResponse):
    """The answer to a request that was not sent: it has no connection."""

    status, version, content = 403, HttpVersion11, EMPTY_PAYLOAD
    # Most of these are properties of a response with a connection.
    headers = raw_headers = request_info = url = real_url = _loop = cast(Any, None)

    def __init__(self, request: aiohttp.ClientRequest, refused: AnyDisallowed) -> None:
        self.reason, fields = answer_of(refused)
        self.method, self.request_info, self._body = request.method, request.request_info, b""
        self.headers, self.raw_headers = CIMultiDictProxy(CIMultiDict(fields)), ()
        self.url, self.real_url = request.url, request.request_info.real_url
