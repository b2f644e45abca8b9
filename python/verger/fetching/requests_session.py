"""The transport on a session of requests: one exchange with the user's adapters, in a thread.

In: a `Request`. Out: a `Reply`, or `HopFailed`. The session's adapters, header fields, cookies,
login, proxies and certificates are used; its hooks and its own handling of redirects are not.
requests cannot be told which addresses it may connect to: what a redirect leads to is fetched by
verger's own transport, whose address guard sees them, or through the session's proxy, where only
names can be judged.
"""

import asyncio
import http.client
import re
import socket
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, cast

from verger._core import Origin
from verger.access.result import BODILESS
from verger.errors import InvalidOption, MissingExtra
from verger.fetching.address_guard import AddressGuard
from verger.fetching.client_errors import failure_of
from verger.fetching.decode import Fields
from verger.fetching.limits import FetchLimits, expect_connections
from verger.fetching.transport import (
    Ended,
    HopFailed,
    Reply,
    Request,
    Transport,
    of_the_site,
)
from verger.loop_thread import PerLoop, in_thread

with MissingExtra.unless_installed("requests", "fetching with requests"):
    import requests
    import urllib3
    from requests.utils import select_proxy

    from verger.fetching.aiohttp_transport import AiohttpTransport
MissingExtra.expect("requests", "fetching with requests", requests, least="2.32")

__all__ = ["SessionTransport"]

STEP = 4_096
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
"""The name of a header field (RFC 9110 section 5.6.2)."""
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
    redirected:   the transport for what redirects lead to; None for verger's own, which takes
                  `private` networks and hosts as an option.

    Raises: InvalidOption; MissingExtra.
    """

    def __init__(
        self,
        session: requests.Session,
        *,
        auth: Any = None,
        limits: FetchLimits | None = None,
        connections: int = 32,
        redirected: Transport | None = None,
    ) -> None:
        if not isinstance(session, requests.Session):
            raise InvalidOption(f"`session` is `{session!r:.60}`", "pass a `requests.Session`")
        expect_connections(connections, None)
        self.limits = limits or FetchLimits()
        self._session = session
        self._auth = auth
        self._turns = PerLoop(lambda: asyncio.Semaphore(connections))
        self._redirected = redirected or AiohttpTransport(
            limits=self.limits,
            ca_bundle=session.verify if isinstance(session.verify, str) else None,
        )

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        settings = self._session.merge_environment_settings(request.url, {}, True, None, None)
        proxy = select_proxy(request.url, settings["proxies"])
        if not request.named and proxy is None:
            return await self._redirected.send(request)
        AddressGuard().permits_name(request, Origin(request.url).host)
        sockets: list[Any] = []
        async with self._turns.get():
            try:
                call = partial(self._exchange, request, settings, sockets)
                reply = await in_thread(call, "verger-requests")
            except asyncio.CancelledError:
                for each in sockets:  # a thread that reads from one would go on
                    with suppress(AttributeError, OSError):
                        each.shutdown(socket.SHUT_RDWR)
                raise
        if proxy is None:
            return reply
        is_forwarded = request.url.startswith("http:") and not proxy.startswith("socks")
        return replace(of_the_site(reply, is_forwarded=is_forwarded), address="")

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
                connected, address = _peer(response.raw)
                sockets.append(connected)
                return self._reply(response, request.body_limit, address)
        except NETWORK as error:
            raise failure_of(error) from error

    def _prepared(self, request: Request) -> requests.PreparedRequest:
        """Return a request with what the session adds; that for a redirect gets no credentials."""
        asked = requests.Request("GET", request.url, headers=request.headers)
        if not request.named:
            return asked.prepare()
        asked.auth = self._auth
        return self._session.prepare_request(asked)

    def _reply(self, response: requests.Response, limit: int, address: str) -> Reply:
        fields = [  # http.client reads bytes as Latin-1
            (name, value.encode("latin-1", "replace").decode("ascii", "surrogateescape"))
            for name, value in response.raw.headers.items()
        ]
        most = self.limits.header_bytes
        if sum(len(name) + len(value) + 4 for name, value in fields) > most:
            raise HopFailed("invalid-response", f"headers of more than {most} bytes")
        body, ended = b"", "complete"
        if 200 <= response.status_code < 300:
            body, ended = _read(response.raw, limit)
        _expect_whole_head(response.raw, fields, response.status_code, body)
        return Reply(response.status_code, fields, body, cast(Ended, ended), address)


FRAMED = ("content-length", "transfer-encoding")


def _expect_whole_head(raw: Any, fields: Fields, status: int, body: bytes) -> None:
    """Raise HopFailed if a connection may have ended within the head of a response.

    http.client takes the end of the connection for that of the head, and a line that is no field
    for the beginning of the body. Then the body has no length, and nothing is there of it.
    """
    original = getattr(raw, "_original_response", None)
    if not isinstance(original, http.client.HTTPResponse) or status in BODILESS:
        return
    names = [name for name, _ in fields]
    if original.headers.get_payload() or not all(map(NAME.fullmatch, names)):
        raise HopFailed("invalid-response", "a line of the head is no field")
    is_framed = any(name.lower() in FRAMED for name in names)
    if not (body or is_framed or next(raw.stream(1, decode_content=False), b"")):
        raise HopFailed("reset", "connection closed before the response, or with its head")


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
    except (*NETWORK, ValueError):  # a chunk of less than no bytes
        return bytes(body), "broken"
    return bytes(body), "complete"


def _peer(raw: Any) -> tuple[Any, str]:
    """Return the socket of a response, and its address; None and empty if they are not known.

    The socket is in the connection, or, if that will be closed, only below the body.
    """
    with suppress(AttributeError, OSError):
        found = getattr(raw.connection, "sock", None) or raw._fp.fp.raw._sock
        return found, str(found.getpeername()[0])
    return None, ""
