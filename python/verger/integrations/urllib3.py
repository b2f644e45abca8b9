"""The guard in urllib3: pool managers.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    http = RobotsPoolManager(robots, headers={"User-Agent": user_agent})
    http.request("GET", "https://example.com/private")  # raises Disallowed

A manager sends redirects through its own method, so each of them is checked.
"""

from io import BytesIO
from typing import Any

from verger.client import Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    Disallowed as AnyDisallowed,
    Guard,
    Refusal,
    Whose,
    answer_of,
    requested,
    unguarded,
)
from verger.integrations.prepared import name_sent, seconds_of

with MissingExtra.unless_installed("urllib3", "guarding urllib3"):
    from urllib3 import HTTPResponse, PoolManager, ProxyManager, __version__  # type: ignore[attr-defined]
    from urllib3.exceptions import ConnectTimeoutError, HTTPError
    from urllib3.util import parse_url

__all__ = [
    "Disallowed",
    "InvalidTarget",
    "RobotsPoolManager",
    "RobotsProxyManager",
    "unguarded",
]


class Disallowed(AnyDisallowed, HTTPError):
    """A request was not sent; also a `urllib3.exceptions.HTTPError`."""


class InvalidTarget(AnyInvalidTarget, HTTPError):
    """A request was not sent because its URL is invalid; also an `HTTPError` of urllib3."""


class RobotsPoolManager(PoolManager):
    """Sends what robots.txt allows, and raises `Disallowed` for everything else.

    The `timeout` of a request limits the time to fetch robots.txt as well.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    pacer:       delays requests as Crawl-delay asks; None sends them at once.
    disallowed:  "raise", "answer" with an empty 403 that says why, or a subclass of
                 `verger.integrations.guard.Disallowed` to raise, which retry loops do not know.
    token:       whose name selects the rules: that of the "client", or of each "request".
    options:     those of urllib3's `PoolManager`.
    """

    def __init__(
        self,
        robots: Client,
        *args: Any,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
        **options: Any,
    ) -> None:
        super().__init__(*args, **options)
        family = (Disallowed, InvalidTarget, ConnectTimeoutError)
        self._guard = Guard(robots, pacer, disallowed=disallowed, token=token, family=family)

    def urlopen(  # type: ignore[override] # as in urllib3 itself
        self, method: str, url: str, redirect: bool = True, **options: Any
    ) -> Any:
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, HTTPError."""
        headers = options.get("headers", self.headers) or {}
        name = name_sent(headers, f"python-urllib3/{__version__}")
        seconds = seconds_of(options.get("timeout", self.connection_pool_kw.get("timeout")))
        parts = parse_url(url)
        sent = requested(parts.scheme or "http", parts.host or "", parts.port, parts.request_uri)
        if self.proxy is not None and parts.fragment:  # which some releases send to it
            sent += f"#{parts.fragment}"
        refused = self._guard.admit(sent, user_agent=name, timeout=seconds)
        if refused is None:
            return super().urlopen(method, url, redirect, **options)
        reason, fields = answer_of(refused)
        is_read = options.get("preload_content", True)
        return HTTPResponse(BytesIO(), fields, 403, reason=reason, preload_content=is_read)


class RobotsProxyManager(RobotsPoolManager, ProxyManager):
    """A `RobotsPoolManager` behind a proxy: `RobotsProxyManager(robots, proxy_url, …)`."""
