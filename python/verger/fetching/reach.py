"""Which addresses a request connects to: routes, then names, then the guard.

In: a request, and the host and port of its URL. Out: addresses to try in this order, and a port;
or `HopFailed`. Transports connect to exactly these addresses and resolve nothing again.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verger.errors import InvalidOption
from verger.fetching.guard import AddressGuard, literal_address
from verger.fetching.resolve import Resolver, Routes
from verger.fetching.transport import Request


@dataclass(frozen=True, slots=True)
class Destination:
    """The addresses and port that a connection may go to."""

    addresses: Sequence[str]
    port: int


class Reach:
    """The settings that determine addresses."""

    def __init__(
        self, *, connect_to: Iterable[str], private: Iterable[str], proxy: str | None
    ) -> None:
        self.guard = AddressGuard(private)
        self.routes = Routes(connect_to)
        if self.routes and proxy:
            raise InvalidOption(
                "`connect_to` and `proxy` exclude each other", "the proxy decides where to connect"
            )

    async def destination(
        self, request: Request, host: str, port: int, resolver: Resolver
    ) -> Destination:
        """Return where a request for this host and port may connect."""
        to_host, to_port = self.routes.target(host, port)
        literal = literal_address(to_host)
        found = [literal] if literal else await resolver.addresses(to_host)
        return Destination(self.guard.permitted(request, host, found), to_port)
