"""The guard in niquests: a transport adapter.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    session = niquests.Session()
    session.mount("http://", RobotsAdapter(robots))
    session.mount("https://", RobotsAdapter(robots))
    session.get("https://example.com/private")  # raises Disallowed

A session passes each request, including redirects, to the adapter mounted for its URL; one of a
multiplexed connection sends the redirects itself.
"""

from typing import Any

from verger.client import AsyncClient, Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    AsyncGuard,
    Disallowed as AnyDisallowed,
    Guard,
    Refusal,
    Whose,
    unguarded,
)
from verger.integrations.prepared import answered, name_sent, seconds_of, url_sent

with MissingExtra.unless_installed("niquests", "guarding niquests"):
    import niquests
    from niquests.adapters import AsyncHTTPAdapter, HTTPAdapter
    from niquests.packages import urllib3

__all__ = ["AsyncRobotsAdapter", "Disallowed", "InvalidTarget", "RobotsAdapter", "unguarded"]


class Disallowed(AnyDisallowed, niquests.RequestException):  # type: ignore[misc] # niquests is not there for mypy
    """A request was not sent; also a `niquests.RequestException`."""


class InvalidTarget(AnyInvalidTarget, niquests.RequestException):  # type: ignore[misc]
    """A request was not sent because its URL is invalid; also a `niquests.RequestException`."""


FAMILY = (Disallowed, InvalidTarget, niquests.ConnectTimeout)


class RobotsAdapter(HTTPAdapter):  # type: ignore[misc]
    """Sends what robots.txt allows, and raises `Disallowed` for everything else.

    The `timeout` of a request limits the time to fetch robots.txt as well.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    pacer:       delays requests as Crawl-delay asks; None sends them at once.
    disallowed:  "raise", "answer" with an empty 403 that says why, or a subclass of
                 `verger.integrations.guard.Disallowed` to raise, which retry loops do not know.
    token:       whose name selects the rules: that of the "client", or of each "request".
    options:     those of niquests's `HTTPAdapter`.
    """

    def __init__(
        self,
        robots: Client,
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._guard = Guard(robots, pacer, disallowed=disallowed, token=token, family=FAMILY)

    def send(self, request: Any, *args: Any, **options: Any) -> Any:
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, ConnectTimeout."""
        refused = self._guard.admit(**_asked(self, request, options))
        if refused is not None:
            return answered(niquests.Response(), request, refused)
        return super().send(request, *args, **options)


class AsyncRobotsAdapter(AsyncHTTPAdapter):  # type: ignore[misc]
    """A `RobotsAdapter` for `niquests.AsyncSession`, on asyncio."""

    def __init__(
        self,
        robots: AsyncClient,
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._guard = AsyncGuard(robots, pacer, disallowed=disallowed, token=token, family=FAMILY)

    async def send(self, request: Any, *args: Any, **options: Any) -> Any:
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, ConnectTimeout."""
        refused = await self._guard.admit(**_asked(self, request, options))
        if refused is not None:
            return answered(niquests.AsyncResponse(), request, refused)
        return await super().send(request, *args, **options)


def _asked(adapter: Any, request: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return what the guard asks about a request: its URL, its name, and how long it may take."""
    return {
        "url": url_sent(request, adapter, options.get("proxies")),
        "user_agent": name_sent(request.headers, f"urllib3.future/{urllib3.__version__}"),
        "timeout": seconds_of(options.get("timeout")),
    }
