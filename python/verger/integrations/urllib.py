"""The guard in the standard library: a handler of `urllib.request`.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    opener = urllib.request.build_opener(RobotsHandler(robots))
    opener.open("https://example.com/private")  # raises Disallowed

An opener passes each request, including redirects, to its handlers before it connects.
"""

from typing import Any
from urllib.error import URLError
from urllib.request import BaseHandler, ProxyHandler, Request

from verger.client import Answer, Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget
from verger.integrations.guard import (
    Disallowed as AnyDisallowed,
    Guard,
    requested,
    unguarded,
)

__all__ = ["Disallowed", "InvalidTarget", "RobotsHandler", "unguarded"]


class Disallowed(AnyDisallowed, URLError):
    """A request was not sent; also a `urllib.error.URLError`, and so an `OSError`."""

    def __init__(self, answer: Answer, ask_again_at: float | None) -> None:
        super().__init__(answer, ask_again_at)
        self.reason = self.message


class InvalidTarget(AnyInvalidTarget, URLError):
    """A request was not sent because its URL is invalid; also a `urllib.error.URLError`."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.reason = message


class RobotsHandler(BaseHandler):
    """Accepts what robots.txt allows, and raises `Disallowed` for everything else.

    robots:  the client that fetches robots.txt and answers; its creator closes it.
    pacer:   delays requests as Crawl-delay asks; None sends them at once.
    """

    handler_order = 900
    """After handlers that change requests."""

    def __init__(self, robots: Client, *, pacer: Pacer | None = None) -> None:
        self._guard = Guard(robots, pacer, Disallowed, InvalidTarget)

    def http_request(self, request: Request) -> Request:
        """Return the request if it is allowed. Raises: Disallowed; InvalidTarget."""
        self._guard.admit(self._requested(request))
        return request

    https_request = ftp_request = http_request

    def _requested(self, request: Request) -> str:
        """Return the URL as it is sent; behind a tunnel, that of the site and not of the proxy."""
        tunnel_host: str | None = getattr(request, "_tunnel_host", None)  # has no public name
        # A first request through a tunnel has a path as its target, and is opened again with more.
        is_whole = request.type != "https" or tunnel_host is not None
        if "#" in request.full_url and is_whole and self._will_reach_a_proxy(request):
            return request.full_url
        host = tunnel_host or request.host or ""
        if not host.isascii():
            host = host.encode("idna").decode("ascii")  # as `http.client` and sockets do
        return requested(request.type, host, None, request.selector)

    def _will_reach_a_proxy(self, request: Request) -> bool:
        """Whether another handler has a proxy for the request."""
        handlers: list[object] = self.parent.handlers  # type: ignore[attr-defined] # not in typeshed
        proxies: list[Any] = [other for other in handlers if isinstance(other, ProxyHandler)]
        return any(request.type in proxy.proxies for proxy in proxies)
