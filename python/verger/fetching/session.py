"""The transport on a session of requests: one exchange with the user's adapters, in a thread.

In: a `Request`. Out: a `Reply`, or `HopFailed`. The session's adapters, header fields, cookies,
login, proxies and certificates are used; its hooks and its own handling of redirects are not.
requests cannot be told which addresses it may connect to: what a redirect leads to is fetched by
verger's own transport, whose address guard sees them, or through the session's proxy, where only
names can be judged.
"""

import asyncio
import http.client
import socket
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from verger._core import Origin
from verger.errors import InvalidOption, MissingExtra
from verger.fetching.address_guard import AddressGuard
from verger.fetching.aio import AiohttpTransport
from verger.fetching.foreign import reply_of
from verger.fetching.limits import FetchLimits, expect_connections
from verger.fetching.transport import Ended, HopFailed, Reply, Request, Transport, is_short
from verger.loop_thread import PerLoop, in_thread
from verger.options import expect_several

with MissingExtra.unless_installed("requests", "fetching with requests"):
    import requests
    import urllib3
    from requests.utils import select_proxy
MissingExtra.expect("requests", "fetching with requests", requests, least="2.32")

__all__ = ["SessionTransport"]

STEP = 4_096
NETWORK = (
    requests.RequestException,
    urllib3.exceptions.HTTPError,
    http.client.HTTPException,
    OSError,
    EOFError,
    UnicodeError,
)
"""What the network, a server or a host name can cause; anything else is a bug, and is raised."""


class SessionTransport:
    """Sends the requests of a client with a session of requests.

    session:      the session; its creator closes it.
    auth:         the login for the origins that the caller asks about, as in requests; None for
                  the session's.
    limits:       the maximum seconds and bytes of one fetch.
    connections:  the maximum number of requests at once, each in a thread.
    private:      networks or hosts that redirects may lead to although they are not public.
    redirected:   the transport for what redirects lead to; None for verger's own.

    Raises: InvalidOption; MissingExtra.
    """

    def __init__(
        self,
        session: requests.Session,
        *,
        auth: Any = None,
        limits: FetchLimits | None = None,
        connections: int = 32,
        private: Sequence[str] = (),
        redirected: Transport | None = None,
    ) -> None:
        if not isinstance(session, requests.Session):
            raise InvalidOption(f"`session` is `{session!r:.60}`", "pass a `requests.Session`")
        expect_several("private", private, "networks and hosts")
        expect_connections(connections, None)
        self.limits = limits or FetchLimits()
        self._session = session
        self._auth = auth
        self._guard = AddressGuard(private)
        self._turns = PerLoop(lambda: asyncio.Semaphore(connections))
        self._redirected = redirected or AiohttpTransport(
            limits=self.limits,
            ca_bundle=session.verify if isinstance(session.verify, str) else None,
            private=private,
        )

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        settings = self._session.merge_environment_settings(request.url, {}, True, None, None)
        is_proxied = select_proxy(request.url, settings["proxies"]) is not None
        if not request.named and not is_proxied:
            return await self._redirected.send(request)
        self._guard.permits_name(request, Origin(request.url).host)
        sockets: list[Any] = []
        async with self._turns.get():
            try:
                call = partial(self._exchange, request, settings, sockets)
                reply = await in_thread(call, "verger-requests")
            except asyncio.CancelledError:
                for each in sockets:  # a thread that reads from one would go on
                    with suppress(OSError):
                        each.shutdown(socket.SHUT_RDWR)
                raise
        return replace(reply, address="") if is_proxied else reply

    async def close(self) -> None:
        """Close the transport for redirects; the session stays open."""
        await self._redirected.close()

    def _exchange(self, request: Request, settings: dict[str, Any], sockets: list[Any]) -> Reply:
        try:
            prepared = self._prepared(request)
            adapter: Any = self._session.get_adapter(str(prepared.url))
            adapter = getattr(adapter, "unguarded", adapter)  # a guard would ask this client
            idle = self.limits.idle
            with adapter.send(prepared, timeout=(idle, idle), **settings) as response:
                sockets += _sockets(response.raw)
                return self._reply(response, request.body_limit, sockets)
        except NETWORK as error:
            found = reply_of(error)
            if isinstance(found, HopFailed):
                raise found from error
            return found

    def _prepared(self, request: Request) -> requests.PreparedRequest:
        """Return a request with what the session adds; that for a redirect gets no credentials."""
        asked = requests.Request("GET", request.url, headers=request.headers)
        if not request.named:
            return asked.prepare()
        asked.auth = self._auth
        return self._session.prepare_request(asked)

    def _reply(self, response: requests.Response, limit: int, sockets: list[Any]) -> Reply:
        fields = [(name, _as_received(value)) for name, value in response.raw.headers.items()]
        if sum(len(name) + len(value) + 4 for name, value in fields) > self.limits.header_bytes:
            most = self.limits.header_bytes
            raise HopFailed("invalid-response", f"headers of more than {most} bytes")
        address = _address(sockets)
        if not 200 <= response.status_code < 300:
            return Reply(response.status_code, fields, address=address)
        body, ended = _read(response.raw, limit)
        if ended == "complete" and is_short(fields, body):
            ended = "broken"
        return Reply(response.status_code, fields, body, ended, address)


def _read(raw: Any, limit: int) -> tuple[bytes, Ended]:
    """Return the bytes of a body up to the limit, and how it ended."""
    body = bytearray()
    try:
        for piece in raw.stream(STEP, decode_content=False):
            body += piece
            if len(body) > limit:
                return bytes(body[:limit]), "limit"
    except urllib3.exceptions.TimeoutError:
        raise
    except NETWORK:
        return bytes(body), "broken"
    return bytes(body), "complete"


def _as_received(value: str) -> str:
    """Return a value of a header field as in a `Reply`; http.client reads bytes as Latin-1."""
    return value.encode("latin-1", "replace").decode("ascii", "surrogateescape")


def _sockets(raw: Any) -> list[Any]:
    """Return the socket of a response; none if it is not known.

    It is in the connection, or, if that will be closed, only below the body.
    """
    connection = getattr(raw, "connection", None)
    found = getattr(connection, "sock", None)
    with suppress(AttributeError):
        found = found or raw._fp.fp.raw._sock
    return [] if found is None else [found]


def _address(sockets: list[Any]) -> str:
    """Return the address that a response came from; empty if that is not known."""
    for each in sockets:
        with suppress(OSError):
            return str(each.getpeername()[0])
    return ""
