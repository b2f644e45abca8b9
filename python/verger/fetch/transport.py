"""One hop: what a fetch asks of an HTTP or FTP client, and what it gets back.

In: a `Request`. Out: a `Reply`, or `HopFailed` with the kind of failure. A transport follows no
redirect, decodes no body and judges no status; `verger.fetch.plan` does. Anything with these two
methods can take its place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from verger.access.result import Failure


@dataclass(frozen=True, slots=True)
class Request:
    """One GET of one URL."""

    url: str
    """Absolute, ASCII, its host in A-label form; sent as it stands."""
    headers: dict[str, str]
    body_limit: int
    """Octets of the body, as on the wire, that are worth reading."""
    named: bool = True
    """Whether the caller named this origin. Where false (a redirect led here) the address that
    is connected to must be public, or be among `known_addresses`."""
    known_addresses: frozenset[str] = frozenset()
    """Addresses that earlier hops named by the caller connected to."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to one request."""

    status: int
    headers: Sequence[tuple[str, str]]
    """As received, in order; octets that are not ASCII decoded with `surrogateescape`."""
    body: bytes = b""
    """At most `body_limit` octets; only a 2xx response needs to have its body read."""
    ended: Literal["complete", "limit", "broken"] = "complete"
    """`limit`: the body goes on behind the limit. `broken`: it ended before its announced end."""
    address: str = ""
    """The IP address that was connected to; empty where a proxy stands between."""


class HopFailed(Exception):
    """A request got no response."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


class Transport(Protocol):
    """A client that sends one request at a time for each call, many calls at once."""

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`. Cancellation closes the connection.

        The caller bounds the total time; the transport bounds header size and idle time.
        """
        ...

    async def close(self) -> None:
        """Close every connection; the transport may be used again afterwards."""
        ...
