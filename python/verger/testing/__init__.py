"""For tests of code that uses verger: sites in memory, and clients that fetch from them.

    with verger.testing.client({"https://example.com": b"User-agent: *\\nDisallow: /a\\n"}) as web:
        assert not web.allowed("https://example.com/a")

No socket is opened. Everything above the transport is real.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeAlias, cast, get_args

from verger._core import parse, requested_url
from verger.access.result import STATUSES, Failure
from verger.client import AsyncClient, Client
from verger.errors import RobotsError
from verger.fetching.transport import HopFailed, Reply, Request
from verger.options import AnyDialect, origin_named
from verger.untrusted_text import counted

__all__ = ["MemoryTransport", "Served", "async_client", "client"]

Served: TypeAlias = bytes | str | int | Reply | Callable[[Request], Reply]
"""What an origin serves: the bytes or the text of a file, a status, the name of a failure
(`verger.access.result.Failure`), a whole reply, or a function that returns one."""

USER_AGENT = "TestBot/1.0 (+https://example.com/bot)"


class MemoryTransport:
    """A transport that serves replies from a mapping.

    sites:    by origin or full URL, escaped as in a request; an origin means its `/robots.txt`.
    default:  the reply for every other URL.
    Raises InvalidTarget for a key without a scheme, RobotsError for what cannot be served.

    `requests` holds every request that was sent, in order.
    """

    def __init__(self, sites: Mapping[str, Served], *, default: Served = 404) -> None:
        self._sites = {_address(url): _server(served) for url, served in sites.items()}
        self._default = _server(default)
        self.requests: list[Request] = []

    def __repr__(self) -> str:
        sites, requests = counted(len(self._sites), "site"), counted(len(self.requests), "request")
        return f"MemoryTransport({sites}, {requests})"

    async def send(self, request: Request) -> Reply:
        """Return what the mapping has for the URL, or raise `HopFailed`."""
        self.requests.append(request)
        return self._sites.get(request.url, self._default)(request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def client(
    sites: Mapping[str, Served],
    *,
    user_agent: str = USER_AGENT,
    dialect: AnyDialect = "rfc9309",
    default: Served = 404,
) -> Client:
    """Return a synchronous client whose web is a mapping (see `MemoryTransport`)."""
    return Client(user_agent, dialect=dialect, transport=MemoryTransport(sites, default=default))


def async_client(
    sites: Mapping[str, Served],
    *,
    user_agent: str = USER_AGENT,
    dialect: AnyDialect = "rfc9309",
    default: Served = 404,
) -> AsyncClient:
    """Return an asynchronous client whose web is a mapping (see `MemoryTransport`)."""
    return AsyncClient(
        user_agent, dialect=dialect, transport=MemoryTransport(sites, default=default)
    )


def _address(url: str) -> str:
    root = f"{origin_named('sites', url)}/"
    requested = requested_url(url)
    return f"{root}robots.txt" if requested == root else requested


def _server(served: Served) -> Callable[[Request], Reply]:
    """Return the function that replies. Raises RobotsError for what cannot be served."""
    if isinstance(served, str):
        if served in get_args(Failure):
            return partial(_fail, cast(Failure, served))
        if ":" in served or not served.strip():  # another word may be a slip in a failure's name
            served = parse(served).body
    if isinstance(served, bytes):
        served = Reply(200, [("Content-Type", "text/plain")], served)
    elif isinstance(served, int) and served in STATUSES:
        served = Reply(served, [])
    if isinstance(served, Reply):
        reply = served
        return lambda _: reply
    if callable(served):
        return served
    raise RobotsError(
        f"`{served!r:.60}` cannot be served",
        "serve the bytes or the text of a file, a status, the name of a failure, a `Reply`, "
        "or a function that returns one",
    )


def _fail(failure: Failure, _: Request) -> Reply:
    raise HopFailed(failure, f"the test says `{failure}`")
