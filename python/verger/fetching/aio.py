"""The transport on aiohttp: one HTTP/1.1 request, and its response as received.

In: a `Request`. Out: a `Reply`, or `HopFailed`. Everything that aiohttp would do beyond one
exchange is switched off: redirects, cookies, decoding, retries, quoting, environment variables.
This module adds what aiohttp lacks: limits on the size of all headers together, on the addresses
that a redirect may connect to and on connections per address, and the bytes before a broken body.
Knows neither robots.txt nor what a status means.
"""

import asyncio
import os
import socket
import ssl
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

from verger._core import requested_url
from verger.errors import MissingExtra
from verger.fetching.deadline import within
from verger.fetching.failures import certificate, first_line, handshake, unconnected, words
from verger.fetching.guard import literal_address, refusal
from verger.fetching.limits import (
    CHUNK_OVERHEAD,
    KEEP_ALIVE,
    FetchLimits,
    expect_connections,
    idle_and_in_use,
)
from verger.fetching.loops import PerLoop
from verger.fetching.reach import Destination, Reach
from verger.fetching.resolve import ForeignResolver, Resolver, resolver_for
from verger.fetching.settings import http1_only, read_proxy, trusting
from verger.fetching.slots import ANY, AddressSlots, Holding
from verger.fetching.transport import (
    Ended,
    HopFailed,
    Reply,
    Request,
    cut_without_notice,
    host_of,
    not_of_a_server,
    server_of,
)

with MissingExtra.unless_installed("http", "fetching over HTTP"):
    import aiohttp
    from aiohttp.abc import AbstractResolver, ResolveResult
    from aiohttp.client_proto import ResponseHandler
    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage
    from aiohttp.http_exceptions import HttpProcessingError
    from yarl import URL
MissingExtra.expect("http", "fetching over HTTP", aiohttp, least="3.13.4")

BUFFER = 32_768
"""Half the bytes of a body that aiohttp holds before it stops reading from the socket."""

END_OF_HEAD = b"\r\n\r\n"

AUTOMATIC_HEADERS = ("Accept", "Accept-Encoding", "User-Agent")
"""The headers that aiohttp adds if the request does not set them."""


class AiohttpTransport:
    """Sends requests with aiohttp; from any event loop, after a fork too.

    `connections`: open at once in total; `connections_per_address`: to one IP address, which many
    hosts may share; if it is set, no connection is reused.
    `proxy`: the URL of an HTTP proxy. It connects in our place, so only the name of a redirect's
    target can be judged: addresses in any spelling and names of the local network are refused, but
    a public name with a private address is not noticed. Let the proxy refuse those.
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
        self._most_idle, self._most_in_use = idle_and_in_use(connections)
        self._per_address = connections_per_address
        self._proxy = read_proxy(proxy).url if proxy else None
        self._trust = http1_only(trusting(ca_bundle)) if ca_bundle else True
        self._reach = Reach(connect_to=connect_to, private=private, proxy=proxy)
        self._resolver = resolver
        self._sessions = PerLoop(self._open)

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        try:
            return await self._send(request)
        except NETWORK as error:
            raise failure_of(error) from error

    async def close(self) -> None:
        """Close the connections that the running loop opened; the transport may be used again."""
        if sessions := self._sessions.pop():
            await sessions.close()

    async def _send(self, request: Request) -> Reply:
        sessions = self._sessions.get()
        url = read_url(request)
        hop = Hop(request, url, headers_of(request, url), Holding(sessions.slots))
        host, port = hop.url.raw_host or "", hop.url.port or 0
        if self._proxy:
            self._reach.guard.permits_name(request, host)
        else:
            destination = await self._reach.destination(request, host, port, sessions.resolver)
            hop.aim(host, port, destination)
        if hop.destination:
            await hop.holding.take(hop.destination.addresses[0])
        token = HOP.set(hop)
        try:
            await sessions.turns.take(ANY)
            try:
                return await read_reply(await self._ask(sessions, hop), hop)
            finally:
                sessions.turns.give(ANY)
        finally:
            HOP.reset(token)
            hop.leave()

    async def _ask(self, sessions: "Sessions", hop: "Hop") -> aiohttp.ClientResponse:
        try:
            return await self._get(sessions.pooled if hop.request.named else sessions.single, hop)
        except aiohttp.ClientConnectorError:
            raise
        except (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError):
            if not hop.is_stale:
                raise
            # the server had meanwhile closed a kept connection: RFC 9112 section 9.3.1
            return await self._get(sessions.single, hop)

    def _get(self, session: aiohttp.ClientSession, hop: "Hop") -> Awaitable[aiohttp.ClientResponse]:
        return session.get(
            hop.url,
            headers=hop.headers,
            skip_auto_headers=automatic(hop.headers) or None,
            allow_redirects=False,
            proxy=self._proxy,
            server_hostname=hop.server_name,
        )

    def _open(self) -> "Sessions":
        resolver = resolver_for(self._resolver)
        return Sessions(
            pooled=self._session(resolver, reuse=self._per_address is None),
            single=self._session(resolver, reuse=False),
            resolver=resolver,
            turns=AddressSlots(self._most_in_use),
            slots=AddressSlots(self._per_address) if self._per_address else None,
        )

    def _session(self, resolver: Resolver, *, reuse: bool) -> aiohttp.ClientSession:
        limits = self.limits
        loop = asyncio.get_running_loop()
        connector = Connector(
            loop,
            resolver,
            limits=limits,
            idle=IdleConnections(self._most_idle),
            trust=self._trust,
            reuse=reuse,
        )
        session = aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(loop=loop),
            timeout=aiohttp.ClientTimeout(),  # none; see `Connector.connect` and `SilenceWatch`
            auto_decompress=False,
            read_bufsize=BUFFER,
            max_line_size=limits.header_bytes,
            max_field_size=limits.header_bytes,
            max_headers=limits.header_bytes,
        )
        session._retry_connection = False  # `_ask` decides about retries
        return session


@dataclass(slots=True)
class Sessions:
    """The state of one event loop."""

    pooled: aiohttp.ClientSession
    single: aiohttp.ClientSession
    """For redirects: each has its own connection, whose address was judged for it."""
    resolver: Resolver
    turns: AddressSlots
    """For connections in use, to any address."""
    slots: AddressSlots | None

    async def close(self) -> None:
        await self.pooled.close()
        await self.single.close()
        self.resolver.close()


@dataclass(slots=True)
class Hop:
    """One request in progress: what aiohttp's callbacks may do for it, and what they observed."""

    request: Request
    url: URL
    headers: dict[str, str]
    holding: Holding
    server_name: str | None = None
    """The host that the certificate must name, if it is not that of the URL."""
    destination: Destination | None = None
    """None if a proxy connects."""
    handler: "Handler | None" = None

    @property
    def address(self) -> str:
        """The address connected to; empty if a proxy connected."""
        return "" if self.destination is None or self.handler is None else self.handler.address

    @property
    def is_stale(self) -> bool:
        """Whether the request reused a connection that the server had already closed."""
        return self.handler is not None and self.handler.uses > 1 and not self.handler.head_bytes

    def aim(self, host: str, port: int, destination: Destination) -> None:
        """Connect to this destination, wherever the URL points."""
        self.destination = destination
        address = destination.addresses[0]
        if literal_address(host) and (host, port) != (address, destination.port):
            # aiohttp never resolves an address, so the URL itself must name the destination
            self.headers = {"Host": self.url.host_port_subcomponent or "", **self.headers}
            self.server_name = host
            self.url = self.url.with_host(address).with_port(destination.port)

    def may_connect(self, address: str) -> None:
        """Raise an error unless a socket may connect to this address."""
        if self.destination is None:
            return
        if address not in self.destination.addresses:
            raise RefusedAddress(address)
        if not self.holding.admits(address):
            raise OSError(f"too many connections to {address}")

    def connected(self, handler: "Handler") -> None:
        if self.handler is not None:  # that of a tunnel's beginning, or a stale one
            self.handler.rest()
        self.handler = handler
        self.holding.keep(handler.address)

    def leave(self) -> None:
        """Give back slots, and expect nothing more from the connection."""
        if self.handler is not None:
            self.handler.rest()
        self.holding.release()


HOP: ContextVar[Hop] = ContextVar("HOP")
"""The request for which the running task, or one of its happy-eyeballs tasks, connects."""


class RefusedAddress(OSError):
    """The guard forbids the address of a socket."""

    def __init__(self, address: str) -> None:
        super().__init__(f"address {address} is not public")
        self.address = address


# aiohttp's extension points


class Connector(aiohttp.TCPConnector):
    """Connects to the addresses that were resolved and judged for a hop, and to no others."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        resolver: Resolver,
        *,
        limits: FetchLimits,
        idle: "IdleConnections",
        trust: ssl.SSLContext | bool,
        reuse: bool,
    ) -> None:
        super().__init__(
            loop=loop,
            limit=0,  # `Sessions.turns` and `idle` bound both connectors together
            resolver=HopResolver(resolver),
            use_dns_cache=False,
            socket_factory=open_socket,
            ssl=trust,
            force_close=not reuse,
            keepalive_timeout=KEEP_ALIVE if reuse else None,
        )
        self._seconds_to_connect = limits.idle
        handler: Callable[..., ResponseHandler] = Handler
        watch = SilenceWatch(loop, limits.idle)
        self._factory = partial(handler, loop, limits.header_bytes, watch, idle)

    async def connect(
        self, req: aiohttp.ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout
    ) -> Connection:
        """Connect within the time limit; aiohttp's timers, one for each attempt, cost more."""
        try:
            with within(self._seconds_to_connect):
                return await super().connect(req, traces, timeout)
        except TimeoutError as error:
            raise aiohttp.ConnectionTimeoutError from error


class HopResolver(AbstractResolver):
    """Returns the addresses of the hop; only a proxy's name is looked up."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        destination = HOP.get().destination
        if destination is None:
            destination = Destination(await self._resolver.addresses(host), port)
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
        pass


def open_socket(
    info: tuple[int, int, int, str, tuple[str | int, ...]],
) -> socket.socket:
    """Return the socket for an address, or refuse it; every connection passes through here."""
    family, kind, protocol, _, address = info
    HOP.get().may_connect(str(address[0]))
    return socket.socket(family, kind, protocol)


class Handler(ResponseHandler):
    """A connection that limits its headers, knows its address and delivers partial bodies."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        header_bytes: int,
        watch: "SilenceWatch",
        idle: "IdleConnections",
    ) -> None:
        super().__init__(loop)
        self._header_bytes = header_bytes
        self._watch = watch
        self._idle = idle
        self._link: asyncio.BaseTransport | None = None
        self._in_head = False
        self._wire_bytes = 0
        self._wire_limit = 0
        self.heard_at = 0.0
        self.head_bytes = 0
        self.uses = 0
        self.address = ""
        self.tls: ssl.SSLObject | None = None
        self.was_cut = False
        """Whether the connection ended with an error, not with end of file."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._link = transport
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else ""
        self.tls = transport.get_extra_info("ssl_object")

    def connection_lost(self, exc: BaseException | None) -> None:
        self.was_cut = exc is not None
        # aiohttp no longer has the transport
        forget_itself(self._link)
        self._link = None
        super().connection_lost(exc)

    @property
    def should_close(self) -> bool:
        """Read once, when the connection is about to be kept for another request."""
        return super().should_close or not self._idle.admit_one()

    def set_response_params(self, **params: Any) -> None:
        self._in_head = True
        self.head_bytes = 0
        self._wire_bytes = 0
        self.uses += 1
        if hop := HOP.get(None):
            hop.connected(self)
            self._wire_limit = hop.request.body_limit * CHUNK_OVERHEAD
        self._watch.add(self)
        super().set_response_params(**params)

    def rest(self) -> None:
        """Expect no more data until the next request."""
        self._watch.discard(self)

    def give_up(self) -> None:
        """Fail a response whose server is silent."""
        self.set_exception(aiohttp.SocketTimeoutError("silence"))

    def data_received(self, data: bytes) -> None:
        if not self._in_head:
            if data:
                self.heard_at = self._loop.time()
            self._deliver(data)
            return
        self.heard_at = self._loop.time()
        if not self.head_bytes and can_be_parsed_whole(data, self._header_bytes):
            self.head_bytes = data.find(END_OF_HEAD) + len(END_OF_HEAD)
            self._wire_bytes = len(data) - self.head_bytes
            super().data_received(data)
            return
        while self._in_head and data and self.exception() is None:
            head, data = cut_head(data)
            self.head_bytes += len(head)
            if self.head_bytes > self._header_bytes and head.endswith(END_OF_HEAD):
                self._refuse_head()
                return
            super().data_received(head)
            if self.head_bytes > self._header_bytes and self._in_head:
                self._refuse_head()
        if data and not self._in_head:
            self._deliver(data)

    def _deliver(self, data: bytes) -> None:
        """Pass on the bytes after the headers; empty data resumes a paused parser."""
        self._wire_bytes += len(data)
        super().data_received(data)
        if self._wire_bytes > self._wire_limit:
            self._refuse(f"a body of more than {self._wire_limit} bytes on the wire")

    def feed_data(
        self, data: tuple[RawResponseMessage, aiohttp.StreamReader], size: int = 0
    ) -> None:
        status = data[0].code
        self._in_head = 100 <= status < 200 and status != 101
        super().feed_data(data, size)

    def set_exception(self, exc: BaseException, *args: BaseException) -> None:
        super().set_exception(exc, *args)
        payload = self._payload
        if payload is not None and not payload.is_eof():
            # not at once, so that the reader first gets the bytes received before
            self._loop.call_soon(break_off, payload, exc)

    def _refuse_head(self) -> None:
        self._refuse(f"headers of more than {self._header_bytes} bytes")

    def _refuse(self, message: str) -> None:
        self.set_exception(HttpProcessingError(message=message))
        if self.transport is not None:
            self.transport.abort()


class SilenceWatch:
    """Finds connections whose server is silent, with one timer for all of them."""

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._loop = loop
        self._seconds = seconds
        self._handlers: set[Handler] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, handler: Handler) -> None:
        handler.heard_at = self._loop.time()
        self._handlers.add(handler)
        if self._timer is None:
            self._wait()

    def discard(self, handler: Handler) -> None:
        self._handlers.discard(handler)

    def _wait(self) -> None:
        self._timer = self._loop.call_later(min(self._seconds / 4, 1), self._look)

    def _look(self) -> None:
        self._timer = None
        earliest = self._loop.time() - self._seconds
        for handler in [handler for handler in self._handlers if handler.heard_at <= earliest]:
            self._handlers.discard(handler)
            handler.give_up()
        if self._handlers:
            self._wait()


class IdleConnections:
    """Counts the connections kept recently: aiohttp limits only those in use."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: deque[float] = deque()

    def admit_one(self) -> bool:
        """Whether one more may be kept; if so, count it."""
        now = monotonic()
        while self._kept and self._kept[0] < now - 2 * KEEP_ALIVE:  # aiohttp checks this rarely
            self._kept.popleft()
        if len(self._kept) >= self._most:
            return False
        self._kept.append(now)
        return True


def forget_itself(transport: asyncio.BaseTransport | None) -> None:
    """Break the one reference cycle in asyncio's socket transport: a bound method of its own.

    Otherwise each closed connection waits for the garbage collector, which took a tenth of the
    time of a crawl to find them among all live objects.
    """
    if transport is not None and hasattr(transport, "_read_ready_cb"):
        transport._read_ready_cb = None


def break_off(payload: aiohttp.StreamReader, error: BaseException) -> None:
    """End a body with an error, unless it has already ended."""
    if not payload.is_eof() and payload.exception() is None:
        payload.set_exception(error)


def can_be_parsed_whole(data: bytes, header_bytes: int) -> bool:
    """Whether a first piece holds all headers of a response, and its body cannot be malformed.

    That is, the body is not chunked and no longer than announced. True of most responses, and
    parsing them whole is much cheaper.
    """
    end = data.find(END_OF_HEAD)
    if not 0 < end <= header_bytes or data[9:10] == b"1":
        return False
    head = data[:end].lower()
    _, is_announced, length = head.partition(b"\r\ncontent-length:")
    digits = length.partition(b"\r")[0].strip()
    if b"\r\ntransfer-encoding" in head or (is_announced and not digits.isdigit()):
        return False
    return not is_announced or len(data) - end - len(END_OF_HEAD) <= int(digits[:18])


def cut_head(data: bytes) -> tuple[bytes, bytes]:
    """Return the bytes up to the end of a header section, and the rest.

    aiohttp's parser returns nothing from a piece that is malformed after the header.
    """
    end = data.find(END_OF_HEAD)
    return (data, b"") if end < 0 else (data[: end + 4], data[end + 4 :])


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


def automatic(headers: Mapping[str, str]) -> list[str]:
    """Return the headers that aiohttp would add to these."""
    missing = [name for name in AUTOMATIC_HEADERS if name not in headers]
    if not missing:
        return missing
    given = {name.lower() for name in headers}
    return [name for name in missing if name.lower() not in given]


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
        address=hop.address,
    )
    return cut_without_notice(reply, None if hop.handler is None else hop.handler.tls)


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
            ended = "broken" if hop.handler is not None and hop.handler.was_cut else "complete"
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


def failure_of(error: Exception) -> HopFailed:
    """Return the failure of a request in a few words, without object reprs or memory addresses."""
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
            return HopFailed("timeout", "no connection in time")
        case TimeoutError():
            return HopFailed("timeout", "no data from the server in time")
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
