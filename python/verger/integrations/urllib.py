"""The guard in the standard library: a handler of `urllib.request`.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    opener = urllib.request.build_opener(RobotsHandler(robots))
    opener.open("https://example.com/private")  # raises Disallowed

An opener passes each request, including redirects, to its handlers before it connects.
"""

from email import message_from_string
from io import BytesIO
from typing import Any
from urllib.error import URLError
from urllib.request import BaseHandler, ProxyHandler, Request
from urllib.response import addinfourl

from verger.client import Answer, Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget
from verger.integrations.guard import (
    Disallowed as AnyDisallowed,
    Guard,
    Refusal,
    Whose,
    answer_of,
    longest,
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

    The `timeout` of a request limits the time to fetch robots.txt as well.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    pacer:       delays requests as Crawl-delay asks; None sends them at once.
    disallowed:  "raise", "answer" with an empty 403 that says why (an opener makes an `HTTPError`
                 of it), or a subclass of `verger.integrations.guard.Disallowed` to raise.
    token:       whose name selects the rules: that of the "client", or of each "request".
    """

    handler_order = 900
    """After handlers that change requests."""

    def __init__(
        self,
        robots: Client,
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
    ) -> None:
        family = (Disallowed, InvalidTarget, lambda words: URLError(TimeoutError(words)))
        self._guard = Guard(robots, pacer, disallowed=disallowed, token=token, family=family)

    def http_request(self, request: Request) -> Request:
        """Return the request if it is allowed. Raises: Disallowed, InvalidTarget, URLError."""
        url, seconds = self._requested(request), longest(request.timeout)
        name = request.get_header("User-agent")
        request.refused = self._guard.admit(url, user_agent=name, timeout=seconds)  # type: ignore[attr-defined]
        return request

    https_request = ftp_request = http_request

    def default_open(self, request: Request) -> addinfourl | None:
        """Return the answer to a request that is not sent; None lets it be sent."""
        refused: AnyDisallowed | None = getattr(request, "refused", None)
        if refused is None:
            return None
        reason, fields = answer_of(refused)
        head = message_from_string("".join(map("{0[0]}: {0[1]}\n".format, fields.items())))
        response = addinfourl(BytesIO(), head, request.full_url, 403)
        response.msg = reason  # type: ignore[attr-defined] # as `http.client` has it
        return response

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
