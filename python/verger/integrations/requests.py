"""The guard in requests: a transport adapter that wraps the one that sends.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    session = requests.Session()
    session.mount("http://", RobotsAdapter(robots))
    session.mount("https://", RobotsAdapter(robots))
    session.get("https://example.com/private")  # raises Disallowed

A session passes each request, including redirects, to the adapter mounted for its URL.
"""

from typing import Any, cast

from verger.client import Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    Disallowed as AnyDisallowed,
    Guard,
    Refusal,
    Whose,
    unguarded,
)
from verger.integrations.prepared import answered, name_sent, seconds_of, url_sent

with MissingExtra.unless_installed("requests", "guarding requests"):
    import requests
    from requests.adapters import BaseAdapter, HTTPAdapter
    from urllib3 import __version__ as urllib3_version  # type: ignore[attr-defined]
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
    requests to that site without a check. The `timeout` of a request limits the time to fetch
    robots.txt as well: `requests.ConnectTimeout`.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    adapter:     the adapter that sends; None for an `HTTPAdapter()`.
    pacer:       delays requests as Crawl-delay asks; None sends them at once.
    disallowed:  "raise", "answer" with an empty 403 that says why, or a subclass of
                 `verger.integrations.guard.Disallowed` to raise, which retry loops do not know.
    token:       whose name selects the rules: that of the "client", or of each "request".
    """

    def __init__(
        self,
        robots: Client,
        adapter: HTTPAdapter | None = None,
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
    ) -> None:
        super().__init__()
        family = (Disallowed, InvalidTarget, requests.ConnectTimeout)
        self._guard = Guard(robots, pacer, disallowed=disallowed, token=token, family=family)
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
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, ConnectTimeout."""
        url = url_sent(request, self._adapter, proxies)
        name = name_sent(request.headers, f"python-urllib3/{urllib3_version}")
        try:
            refused = self._guard.admit(url, user_agent=name, timeout=seconds_of(timeout))
        except requests.RequestException as error:
            error.request = request
            raise
        if refused is not None:
            return cast(requests.Response, answered(requests.Response(), request, refused))
        return self._adapter.send(request, stream, timeout, verify, cert, proxies)

    @property
    def unguarded(self) -> HTTPAdapter:
        """The adapter that sends, for `verger.fetching.requests_session`, which fetches files."""
        return self._adapter

    def close(self) -> None:
        """Close the adapter that sends; `robots` stays open."""
        self._adapter.close()
