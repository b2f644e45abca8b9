"""The guard in requests: a transport adapter that wraps the one that sends.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    session = requests.Session()
    session.mount("http://", RobotsAdapter(robots))
    session.mount("https://", RobotsAdapter(robots))
    session.get("https://example.com/private")  # raises Disallowed

A session passes each request, including redirects, to the adapter mounted for its URL.
"""

from typing import Any
from urllib.parse import urlsplit

from verger.client import Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    Disallowed as AnyDisallowed,
    Guard,
    requested,
    unguarded,
)
from verger.plain import quoted

with MissingExtra.unless_installed("requests", "guarding requests"):
    import requests
    from requests.adapters import BaseAdapter, HTTPAdapter
MissingExtra.expect("requests", "guarding requests", requests, least="2.32")

__all__ = ["Disallowed", "InvalidTarget", "RobotsAdapter", "unguarded"]


class Disallowed(AnyDisallowed, requests.RequestException):
    """A request was not sent; also a `requests.RequestException`."""

    request: requests.PreparedRequest | None = None
    response: requests.Response | None = None


class InvalidTarget(AnyInvalidTarget, requests.RequestException):
    """A request was not sent because its URL is invalid; also a `requests.RequestException`."""

    request: requests.PreparedRequest | None = None
    response: requests.Response | None = None


class RobotsAdapter(BaseAdapter):
    """Sends what robots.txt allows, and raises `Disallowed` for everything else.

    Mount it for `http://` and `https://`. A plain `HTTPAdapter` mounted for a site sends all
    requests to that site without a check.

    robots:   the client that fetches robots.txt and answers; its creator closes it.
    adapter:  the adapter that sends; None for an `HTTPAdapter()`.
    pacer:    delays requests as Crawl-delay asks; None sends them at once.
    """

    def __init__(
        self,
        robots: Client,
        adapter: HTTPAdapter | None = None,
        *,
        pacer: Pacer | None = None,
    ) -> None:
        super().__init__()
        self._guard = Guard(robots, pacer, Disallowed, InvalidTarget)
        self._adapter = adapter or HTTPAdapter()

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,
        timeout: Any = None,
        verify: Any = True,
        cert: Any = None,
        proxies: Any = None,
    ) -> requests.Response:
        """Send a request if it is allowed. Raises: Disallowed; InvalidTarget."""
        try:
            self._guard.admit(self._requested(request, proxies))
        except (Disallowed, InvalidTarget) as error:
            error.request = request
            raise
        return self._adapter.send(request, stream, timeout, verify, cert, proxies)

    @property
    def unguarded(self) -> HTTPAdapter:
        """The adapter that sends, for `verger.fetching.session`, which fetches robots.txt."""
        return self._adapter

    def close(self) -> None:
        """Close the adapter that sends; `robots` stays open."""
        self._adapter.close()

    def _requested(self, request: requests.PreparedRequest, proxies: Any) -> str:
        """Return the URL as it is sent; older releases send `//a` as `/a`, but not to proxies.

        Raises: InvalidTarget, as for a redirect to a port that is no number.
        """
        url = str(request.url)
        try:
            parts = urlsplit(url)
            host, port = parts.hostname or "", parts.port
        except ValueError as error:
            raise InvalidTarget(
                f"{quoted(url)} is not a URL to ask about: {error}",
                "correct the URL, or the redirect that leads to it",
            ) from None
        return requested(parts.scheme, host, port, self._adapter.request_url(request, proxies))
