"""For tests of code that uses verger: sites in memory, and clients that fetch from them.

    with verger.testing.client({"https://example.com": b"User-agent: *\\nDisallow: /a\\n"}) as web:
        assert not web.allowed("https://example.com/a")

No socket is opened. Everything above the transport is real.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias, get_args

from verger._core import Dialect, origin, requested_url
from verger.access.result import STATUSES, Failure
from verger.client import AsyncClient, Client
from verger.errors import RobotsError
from verger.fetching.transport import HopFailed, Reply, Request
from verger.plain import counted

__all__ = ["MemoryTransport", "Served", "async_client", "client"]

Served: TypeAlias = bytes | int | Failure | Reply | Callable[[Request], Reply]
"""What an origin serves: the bytes of a file, a status, the name of a failure, a whole reply, or a
function that returns one."""

USER_AGENT = "TestBot/1.0 (+https://example.com/bot)"


class MemoryTransport:
    """A transport that serves replies from a mapping.

    sites:    by origin or full URL, escaped as in a request; an origin means its `/robots.txt`.
    default:  the reply for every other URL.

    `requests` holds every request that was sent, in order.
    """

    def __init__(self, sites: Mapping[str, Served], *, default: Served = 404) -> None:
        self._sites = {_address(url): _servable(served) for url, served in sites.items()}
        self._default = _servable(default)
        self.requests: list[Request] = []

    def __repr__(self) -> str:
        sites, requests = counted(len(self._sites), "site"), counted(len(self.requests), "request")
        return f"MemoryTransport({sites}, {requests})"

    async def send(self, request: Request) -> Reply:
        """Return what the mapping has for the URL, or raise `HopFailed`."""
        self.requests.append(request)
        return _reply(self._sites.get(request.url, self._default), request)

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def client(
    sites: Mapping[str, Served],
    *,
    user_agent: str = USER_AGENT,
    dialect: str | Dialect = "rfc9309",
    default: Served = 404,
) -> Client:
    """Return a synchronous client whose web is a mapping (see `MemoryTransport`)."""
    transport = MemoryTransport(sites, default=default)
    return Client(user_agent, dialect=dialect, transport=transport)


def async_client(
    sites: Mapping[str, Served],
    *,
    user_agent: str = USER_AGENT,
    dialect: str | Dialect = "rfc9309",
    default: Served = 404,
) -> AsyncClient:
    """Return an asynchronous client whose web is a mapping (see `MemoryTransport`)."""
    transport = MemoryTransport(sites, default=default)
    return AsyncClient(user_agent, dialect=dialect, transport=transport)


def _address(url: str) -> str:
    requested = requested_url(url)
    root = f"{origin(url)}/"
    return f"{root}robots.txt" if requested == root else requested


def _servable(served: Served) -> Served:
    """Return the value if it can be served. Raises RobotsError otherwise."""
    is_failure = isinstance(served, str) and served in get_args(Failure)
    is_status = isinstance(served, int) and served in STATUSES
    if is_failure or is_status or isinstance(served, bytes | Reply) or callable(served):
        return served
    raise RobotsError(
        f"`{served!r:.60}` cannot be served",
        "serve bytes, a status, the name of a failure, a `Reply`, or a function that returns one",
    )


def _reply(served: Served, request: Request) -> Reply:
    match served:
        case bytes():
            return Reply(200, [("Content-Type", "text/plain")], served)
        case int():
            return Reply(served, [])
        case str():
            raise HopFailed(served, f"the test says `{served}`")
        case Reply():
            return served
        case _:
            return served(request)


def __dir__() -> list[str]:
    from verger.later import listed

    return listed(globals())
