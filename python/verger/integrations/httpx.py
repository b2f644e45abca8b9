"""The guard in httpx and httpx2: a transport that wraps the one that sends.

    robots = verger.Client("ExampleBot/1.0 (+https://example.com/bot)")
    transport = RobotsTransport(robots, httpx.HTTPTransport())
    with httpx.Client(transport=transport) as client:
        client.get("https://example.com/private")  # raises Disallowed

A client passes each request, including redirects and authentication, to its transport. The same
classes serve both packages, and inherit from those that are installed.
"""

from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from verger.client import AsyncClient, Client, Pacer
from verger.errors import InvalidTarget as AnyInvalidTarget, MissingExtra
from verger.integrations.guard import (
    AsyncGuard,
    Disallowed as AnyDisallowed,
    Guard,
    Refusal,
    Whose,
    answer_of,
    longest,
    requested,
    unguarded,
)
from verger.untrusted_text import quoted

__all__ = ["AsyncRobotsTransport", "Disallowed", "InvalidTarget", "RobotsTransport", "unguarded"]


if TYPE_CHECKING:
    import httpx
    import httpx2

_PACKAGES: list[ModuleType] = []
for _name in ("httpx", "httpx2"):
    with suppress(ImportError):
        _PACKAGES.append(import_module(_name))
if not _PACKAGES:
    raise MissingExtra.named("httpx", "guarding httpx")


def _both(name: str) -> Any:
    """Return a class that inherits from those of this name in the installed packages."""
    return type(name, tuple(getattr(package, name) for package in _PACKAGES), {})


class Disallowed(AnyDisallowed, _both("RequestError")):  # type: ignore[misc]
    """A request was not sent; also a `RequestError`, of httpx and of httpx2."""

    _request = None  # set by the client, as for its own exceptions


class InvalidTarget(AnyInvalidTarget, _both("RequestError")):  # type: ignore[misc]
    """A request was not sent because its URL is invalid; also a `RequestError`."""

    _request = None


FAMILY = (Disallowed, InvalidTarget, _both("ConnectTimeout"))


class RobotsTransport(_both("BaseTransport")):  # type: ignore[misc]
    """Sends what robots.txt allows, and raises `Disallowed` for everything else.

    A request with `extensions={"robots": False}`, and its redirects, are sent without a check. The
    `timeout` of a request limits the time to fetch robots.txt as well: `ConnectTimeout`.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    transport:   the transport that sends: `httpx.HTTPTransport()`, with the proxy and certificates
                 of your choice. A client's own `proxy` and `mounts` would bypass the guard.
    pacer:       delays requests as Crawl-delay asks; None sends them at once.
    disallowed:  "raise", "answer" with an empty 403 that says why, or a subclass of
                 `verger.integrations.guard.Disallowed` to raise, which retry loops do not know.
    token:       whose name selects the rules: that of the "client", or of each "request".
    """

    def __init__(
        self,
        robots: Client,
        transport: "httpx.BaseTransport | httpx2.BaseTransport",
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
    ) -> None:
        self._guard = Guard(robots, pacer, disallowed=disallowed, token=token, family=FAMILY)
        self._transport: Any = transport

    def handle_request(self, request: Any) -> Any:
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, ConnectTimeout."""
        if request.extensions.get("robots") is not False:
            refused = self._guard.admit(_requested(request), **_about(request))
            if refused is not None:
                return _forbidden(request, refused)
        return self._transport.handle_request(request)

    def close(self) -> None:
        """Close the transport that sends; `robots` stays open."""
        self._transport.close()

    def __enter__(self) -> Self:
        self._transport.__enter__()
        return self


class AsyncRobotsTransport(_both("AsyncBaseTransport")):  # type: ignore[misc]
    """`RobotsTransport` for `httpx.AsyncClient` and `httpx2.AsyncClient`, on asyncio.

    A request with `extensions={"robots": False}`, and its redirects, are sent without a check.

    robots:      the client that fetches robots.txt and answers; its creator closes it.
    transport:   the transport that sends: `httpx.AsyncHTTPTransport()`, with the proxy and
                 certificates of your choice. A client's own `proxy` and `mounts` would bypass the
                 guard.
    pacer, disallowed, token: as in `RobotsTransport`.
    """

    def __init__(
        self,
        robots: AsyncClient,
        transport: "httpx.AsyncBaseTransport | httpx2.AsyncBaseTransport",
        *,
        pacer: Pacer | None = None,
        disallowed: Refusal = "raise",
        token: Whose = "client",
    ) -> None:
        self._guard = AsyncGuard(robots, pacer, disallowed=disallowed, token=token, family=FAMILY)
        self._transport: Any = transport

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request if it is allowed. Raises: Disallowed, InvalidTarget, ConnectTimeout."""
        if request.extensions.get("robots") is not False:
            refused = await self._guard.admit(_requested(request), **_about(request))
            if refused is not None:
                return _forbidden(request, refused)
        return await self._transport.handle_async_request(request)

    async def aclose(self) -> None:
        """Close the transport that sends; `robots` stays open."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self


def _requested(request: "httpx.Request | httpx2.Request") -> str:
    """Return the URL as it is sent; the extension `target` replaces path and query."""
    url = request.url
    target = request.extensions.get("target", url.raw_path)
    text = target.decode("utf-8", "surrogateescape") if isinstance(target, bytes) else str(target)
    if not text.startswith("/"):
        raise InvalidTarget(f"the extension `target` is {quoted(text, 60)}", "pass a path")
    return requested(url.scheme, url.raw_host.decode("ascii"), url.port, text)


def _about(request: Any) -> dict[str, Any]:
    """Return the name under which a request is sent, and how long it may take."""
    times = request.extensions.get("timeout") or {}
    return {
        "user_agent": request.headers.get("User-Agent"),
        "timeout": longest(times.get("connect"), times.get("read")),
    }


def _forbidden(request: Any, refused: AnyDisallowed) -> Any:
    """Return the answer to a request that was not sent, of the package that wanted to send it."""
    reason, fields = answer_of(refused)
    package = import_module(type(request).__module__.partition(".")[0])
    more = {"request": request, "extensions": {"reason_phrase": reason.encode("ascii")}}
    return package.Response(403, headers=fields, **more)
