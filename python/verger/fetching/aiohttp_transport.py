"""The transport on aiohttp: one HTTP/1.1 request, and its response as received.

In: a `Request`. Out: a `Reply`, or `HopFailed`. Everything that aiohttp would do beyond one
exchange is switched off: redirects, cookies, decoding, quoting, environment variables. This module
adds what aiohttp lacks: limits on the addresses that a redirect may connect to, and on connections
per address; `response_limits` adds limits on the size of a response. Each request has a connection
of its own, whose address was judged for it: a crawl seldom returns to an origin while one would be
kept.
Knows neither robots.txt nor what a status means.
"""

import asyncio
import os
import socket
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from math import inf
from typing import Any, Self
from weakref import WeakValueDictionary

from verger._core import requested_url
from verger.errors import InvalidOption, MissingExtra
from verger.fetching.address_guard import literal_address, refusal
from verger.fetching.limits import CHUNK_OVERHEAD, FetchLimits, expect_connections
from verger.fetching.proxies import Proxies, Proxy
from verger.fetching.resolve import Destination, Destinations, ForeignResolver
from verger.fetching.response_limits import Wire
from verger.fetching.settings import trusting
from verger.fetching.transport import (
    Ended,
    HopFailed,
    Reply,
    Request,
    certificate,
    cut_without_notice,
    first_line,
    handshake,
    host_of,
    not_of_a_server,
    of_the_site,
    server_of,
    unconnected,
    within,
    words,
)
from verger.loop_thread import PerLoop

with MissingExtra.unless_installed("http", "fetching over HTTP"):
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.connector import Connection
    from aiohttp.http_exceptions import HttpProcessingError
    from yarl import URL
MissingExtra.expect("http", "fetching over HTTP", aiohttp, least="3.13.4")

BUFFER = 32_768
"""Half the bytes of a body that aiohttp holds before it stops reading from the socket."""

AUTOMATIC_HEADERS = ("Accept", "Accept-Encoding", "User-Agent")
"""The headers that aiohttp would add if the request does not set them."""


class AiohttpTransport:
    """Sends requests with aiohttp; from any event loop, after a fork too.

    `connections`: open at once in total; `connections_per_address`: to one IP address, which many
    hosts may share.
    `proxy`: the URL of an HTTP or SOCKS proxy (`socks5h://` and `socks5://`, with the extra
    `socks`), or `env` for those that the environment names. It connects in our place, so only the
    name of a redirect's target can be judged: addresses in any spelling and names of the local
    network are refused, but a public name with a private address is not noticed. Let the proxy
    refuse those. With `socks5://`, names are looked up here, and their addresses judged.
    `ca_bundle`: a PEM file (or a folder of hashed ones) of the authorities to trust, instead of
    the system's.
    `connect_to`: entries `HOST1:PORT1:HOST2:PORT2` as curl's --connect-to; the request stays the
    same, the connection goes elsewhere. The address guard checks the actual destination.
    `private`: networks, addresses or hosts that redirects may lead to although not public.
    `resolver`: an `aiohttp.abc.AbstractResolver`, or a mapping from hosts to addresses.
    """

    def __init__(
        self,
        *,
        limits: FetchLimits | None = None,
        connections: int = 1000,
        connections_per_address: int | None = None,
        proxy: str | None = None,
        ca_bundle: str | os.PathLike[str] | None = None,
        connect_to: Iterable[str] = (),
        private: Iterable[str] = (),
        resolver: Mapping[str, str] | ForeignResolver | None = None,
    ) -> None:
        expect_connections(connections, connections_per_address)
        self.limits = limits or FetchLimits()
        self._connections = connections
        self._per_address = connections_per_address
        self._proxies = Proxies.of(proxy)
        self._trust = trusting(ca_bundle) if ca_bundle else True
        self._destinations = Destinations(connect_to=connect_to, private=private, resolver=resolver)
        if proxy is not None and self._destinations.routes:
            raise InvalidOption(
                "`connect_to` and `proxy` exclude each other", "the proxy decides where to connect"
            )
        self._sessions = PerLoop(self._open)

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        try:
            return await self._send(request)
        except NETWORK as error:
            raise failure_of(error, self.limits.idle) from error

    async def close(self) -> None:
        """Close the connections that the running loop opened; the transport may be used again."""
        if sessions := self._sessions.pop():
            await sessions.session.close()

    async def _send(self, request: Request) -> Reply:
        sessions = self._sessions.get()
        url = read_url(request)
        hop = Hop(request, url, self.limits.header_bytes)
        host, port = url.raw_host or "", url.port or 0
        hop.proxy = self._proxies.carrying(url.scheme, host, port)
        if hop.proxy is not None and hop.proxy.looks_up:
            self._destinations.guard.permits_name(request, host)
            return await self._exchange(sessions, hop)
        hop.destination = await self._destinations.find(request, host, port)
        if self._per_address is None:
            return await self._exchange(sessions, hop)
        return await self._try_each(sessions, hop, hop.destination, self._per_address)

    async def _try_each(
        self, sessions: "Sessions", hop: "Hop", destination: Destination, most: int
    ) -> Reply:
        """Try one address after another, each in its turn."""
        last: Exception | None = None
        for address in destination.addresses:
            hop.destination = Destination([address], destination.port)
            turns = sessions.turns_by_address.setdefault(address, asyncio.Semaphore(most))
            async with turns:
                try:
                    return await self._exchange(sessions, hop)
                except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
                    last = error
        assert last, "there is an address"
        raise last

    async def _exchange(self, sessions: "Sessions", hop: "Hop") -> Reply:
        async with sessions.turns:
            token = HOP.set(hop)
            try:
                url, headers, server_name = hop.aimed()
                response = await sessions.session.get(
                    url,
                    headers=headers,
                    allow_redirects=False,
                    proxy=None if hop.proxy is None or hop.proxy.is_socks else hop.proxy.url,
                    server_hostname=server_name,
                )
                return await read_reply(response, hop)
            finally:
                HOP.reset(token)

    def _open(self) -> "Sessions":
        limits = self.limits
        connector = Connector(
            limit=0,  # `Sessions.turns` bounds them
            resolver=HopResolver(self._destinations),
            use_dns_cache=False,
            socket_factory=open_socket,
            ssl=self._trust,
            force_close=True,
        )
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(connect=limits.idle, sock_read=limits.idle),
            response_class=CappedResponse,
            skip_auto_headers=AUTOMATIC_HEADERS,
            auto_decompress=False,
            read_bufsize=BUFFER,
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
            max_headers=limits.header_bytes,
        )
        return Sessions(session, asyncio.Semaphore(self._connections))


@dataclass(slots=True)
class Sessions:
    """The state of one event loop."""

    session: aiohttp.ClientSession
    turns: asyncio.Semaphore
    """For connections in use, to any address."""
    turns_by_address: WeakValueDictionary[str, asyncio.Semaphore] = field(
        default_factory=WeakValueDictionary
    )
    """For connections to one address, which take no memory if unused."""


@dataclass(slots=True)
class Hop:
    """One request in progress."""

    request: Request
    url: URL
    header_bytes: int
    destination: Destination | None = None
    """None if a proxy looks up the host."""
    proxy: Proxy | None = None
    wire: Wire | None = None

    def aimed(self) -> tuple[URL, dict[str, str], str | None]:
        """Return URL and headers for aiohttp, and the host that the certificate must name.

        aiohttp never resolves an address, so a URL with one must name the destination itself.
        """
        headers = headers_of(self.request, self.url)
        host, port = self.url.raw_host or "", self.url.port
        if self.destination is None or not literal_address(host):
            return self.url, headers, None
        address = self.destination.addresses[0]
        if (host, port) == (address, self.destination.port):
            return self.url, headers, None
        headers = {"Host": self.url.host_port_subcomponent or "", **headers}
        return self.url.with_host(address).with_port(self.destination.port), headers, host

    def too_long(self) -> HopFailed:
        return HopFailed("invalid-response", f"headers of more than {self.header_bytes} bytes")


HOP: ContextVar[Hop] = ContextVar("HOP")
"""The request for which the running task, or one of its happy-eyeballs tasks, connects."""


class RefusedAddress(OSError):
    """The guard forbids the address of a socket."""

    def __init__(self, address: str) -> None:
        super().__init__(refusal(address).detail)
        self.address = address


# aiohttp's extension points


class Connector(aiohttp.TCPConnector):
    """Connects through the SOCKS proxy of a hop that has one.

    aiohttp has no public hook for that. If a later aiohttp does not call this method, `open_socket`
    refuses what would be a direct connection.
    """

    async def _wrap_create_connection(
        self, *args: Any, addr_infos: list[Any], **kwargs: Any
    ) -> tuple[asyncio.Transport, ResponseHandler]:
        proxy = HOP.get().proxy
        if proxy is None or not proxy.is_socks:
            return await super()._wrap_create_connection(*args, addr_infos=addr_infos, **kwargs)
        host, port, *_ = addr_infos[0][4]
        try:
            connected = await proxy.tunnel(host, port, kwargs["timeout"].connect)
        except OSError as error:  # aiohttp tries the next address
            key = kwargs["req"].connection_key
            raise aiohttp.ClientProxyConnectionError(key, error) from error
        return await self._wrap_existing_connection(*args, sock=connected, **kwargs)


class HopResolver(AbstractResolver):
    """Returns the addresses of the hop; else those of a proxy, or the name that SOCKS passes on."""

    def __init__(self, destinations: Destinations) -> None:
        self._destinations = destinations

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        hop = HOP.get()
        destination = hop.destination
        if destination is None and hop.proxy is not None and hop.proxy.is_socks:
            destination = Destination([host], port)
        if destination is None:
            destination = Destination(await self._destinations.addresses(host), port)
        return [
            {
                "hostname": host,
                "host": address,
                "port": destination.port,
                "family": family,
                "proto": 0,
                "flags": socket.AI_NUMERICHOST,
            }
            for address in destination.addresses
        ]

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""


def open_socket(
    info: tuple[int, int, int, str, tuple[str | int, ...]],
) -> socket.socket:
    """Return the socket for an address, or refuse it; every connection passes through here."""
    family, kind, protocol, _, (address, *_) = info
    hop = HOP.get()
    is_by_socks = hop.proxy is not None and hop.proxy.is_socks  # which opens its own
    is_other = hop.destination is not None and address not in hop.destination.addresses
    if is_by_socks or is_other:
        raise RefusedAddress(str(address))
    return socket.socket(family, kind, protocol)


class CappedResponse(aiohttp.ClientResponse):
    """A response that is limited in size, and whose connection the hop knows."""

    async def start(self, connection: Connection) -> Self:
        """Receive the head."""
        if connection.transport is None:
            raise aiohttp.ServerDisconnectedError
        hop = HOP.get()
        wire = hop.wire = Wire(connection.transport, hop.header_bytes)
        try:
            await super().start(connection)
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError) as error:
            # neither reaches aiohttp, which would repeat the request on any connection
            raise (hop.too_long() if wire.is_too_long else failure_of(error)) from error
        if sum(len(name) + len(value) + 4 for name, value in self.raw_headers) > hop.header_bytes:
            raise hop.too_long()
        wire.expect_body(self.content, hop.request.body_limit * CHUNK_OVERHEAD)
        return self


# Requests


def read_url(request: Request) -> URL:
    """Return the URL of a request for aiohttp, or raise `HopFailed`.

    It is made canonical before yarl parses it, and yarl must find the same server.
    """
    server = server_of(request)
    try:
        url = URL(requested_url(request.url), encoded=True)
        if (url.scheme, url.raw_host, url.port) == (server.scheme, host_of(server), server.port):
            return url
    except ValueError:
        pass
    raise not_of_a_server(request)


def headers_of(request: Request, url: URL) -> dict[str, str]:
    """Return the headers of a request, with a Host if needed: aiohttp's omits a trailing dot."""
    host = url.host_subcomponent or ""
    if not host.endswith("."):
        return request.headers
    port = "" if url.is_default_port() else f":{url.port}"
    return {"Host": f"{host}{port}", **request.headers}


# Responses


async def read_reply(response: aiohttp.ClientResponse, hop: Hop) -> Reply:
    """Return the response, with its body if the status is 2xx."""
    try:
        if 200 <= response.status < 300:
            body, ended = await read_body(response.content, hop)
        else:
            body, ended = b"", "complete"
    finally:
        if not response.closed:
            response.close()
    reply = Reply(
        status=response.status,
        headers=[
            (name.decode("ascii", "surrogateescape"), value.decode("ascii", "surrogateescape"))
            for name, value in response.raw_headers
        ],
        body=body,
        ended=ended,
        address="" if hop.proxy is not None or hop.wire is None else hop.wire.address,
    )
    is_forwarded = hop.url.scheme == "http" and hop.proxy is not None and not hop.proxy.is_socks
    return cut_without_notice(
        of_the_site(reply, is_forwarded=is_forwarded), None if hop.wire is None else hop.wire.tls
    )


async def read_body(content: aiohttp.StreamReader, hop: Hop) -> tuple[bytes, Ended]:
    """Return the bytes of a body up to the limit, and how it ended."""
    limit = hop.request.body_limit
    pieces: list[bytes] = []
    size = 0
    ended: Ended = "complete"
    try:
        while piece := await content.readany():
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                ended = "limit"
                break
        else:
            ended = "broken" if hop.wire is not None and hop.wire.was_cut else "complete"
    except TimeoutError:
        if size < limit:
            raise
        ended = "limit"
    except (aiohttp.ClientError, HttpProcessingError, OSError):
        ended = "broken"
    body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    return (body[:limit] if size > limit else body), ended


# Failures

NETWORK = (aiohttp.ClientError, HttpProcessingError, OSError, EOFError, UnicodeError)
"""What the network, a server or a host name can cause; anything else is a bug, and is raised."""


def failure_of(error: Exception, idle: float = inf) -> HopFailed:
    """Return the failure of a request in a few words, without object reprs or memory addresses.

    idle:  the seconds after which a server that is silent is given up.
    """
    match error:
        case aiohttp.ClientConnectorError(os_error=RefusedAddress(address=address)):
            return refusal(address)
        case aiohttp.ClientProxyConnectionError(os_error=cause):
            return HopFailed("refused", f"proxy: {words(cause)}")
        case aiohttp.ClientHttpProxyError(status=status):
            return HopFailed("refused", f"proxy: status {status}")
        case aiohttp.ClientConnectorCertificateError(certificate_error=cause):
            return HopFailed("tls", certificate(cause))
        case aiohttp.ClientConnectorSSLError(os_error=cause):
            return HopFailed("tls", handshake(cause))
        case aiohttp.ConnectionTimeoutError():
            return HopFailed("timeout", f"no connection {within(idle)}")
        case TimeoutError():
            return HopFailed("timeout", f"no data from the server {within(idle)}")
        case aiohttp.ClientConnectorError(os_error=cause):
            return unconnected(cause)
        case aiohttp.ServerDisconnectedError():
            return HopFailed("reset", "connection closed before the response")
        case aiohttp.ClientResponseError(message=message):
            return HopFailed("invalid-response", first_line(message))
        case aiohttp.InvalidURL() | UnicodeError():
            return HopFailed("dns", "not a host that can be connected to")
        case OSError():
            return HopFailed("reset", words(error))
        case _:
            return HopFailed("invalid-response", first_line(str(error)) or type(error).__name__)
