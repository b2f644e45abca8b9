"""The transport on httpx2: HTTP/1.1 or, if a server offers it, HTTP/2.

In: a `Request`. Out: a `Reply`, or `HopFailed`. It drives httpcore2, the engine of httpx2, and puts
the address guard into its network backend: each connection goes to an address that was resolved and
judged for the request it is opened for. Slower than `verger.fetching.aio`; for servers that work
better over HTTP/2, and for programs that already use httpx2.
Knows neither robots.txt nor what a status means.
"""

import os
import ssl
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from verger._core import requested_url
from verger.errors import MissingExtra
from verger.fetching.failures import certificate, first_line, handshake, unconnected
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
from verger.fetching.settings import read_proxy, trusting
from verger.fetching.slots import ANY, AddressSlots, Holding
from verger.fetching.transport import (
    Ended,
    HopFailed,
    Reply,
    Request,
    cut_without_notice,
    host_of,
    server_of,
)

with MissingExtra.unless_installed("httpx", "fetching with httpx2"):
    import httpcore2
    from h2.exceptions import H2Error
    from httpcore2 import AnyIOBackend, AsyncConnectionPool, AsyncNetworkStream

    from verger.fetching.http2 import Statuses
MissingExtra.expect("httpx", "fetching with httpx2", httpcore2, least="2.16")

READ_BYTES = 65_536
"""The bytes that httpcore2 reads at once, however small the body."""

BEGINNING = 5
"""The first bytes of a response, which show whether it is HTTP."""


class HttpxTransport:
    """Sends requests with the engine of httpx2; from any event loop, after a fork too.

    The settings are those of `verger.fetching.aio.AiohttpTransport`.
    `http2`: whether to offer HTTP/2.
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
        http2: bool = True,
    ) -> None:
        expect_connections(connections, connections_per_address)
        self.limits = limits or FetchLimits()
        self._most_idle, self._most_in_use = idle_and_in_use(connections)
        self._per_address = connections_per_address
        self._proxy = httpcore2_proxy(proxy) if proxy else None
        self._trust = trusting(ca_bundle)
        self._reach = Reach(connect_to=connect_to, private=private, proxy=proxy)
        self._resolver = resolver
        self._http2 = http2
        self._engines = PerLoop(self._open)

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        try:
            return await self._send(request)
        except NETWORK as error:
            raise failure_of(error) from error

    async def close(self) -> None:
        """Close the connections that the running loop opened; the transport may be used again."""
        if engine := self._engines.pop():
            await engine.pooled.aclose()
            engine.resolver.close()

    async def _send(self, request: Request) -> Reply:
        engine = self._engines.get()
        target = read_url(request)
        hop = Hop(request, self.limits.header_bytes, Holding(engine.slots))
        if self._proxy:
            self._reach.guard.permits_name(request, target.host)
        else:
            hop.destination = await self._reach.destination(
                request, target.host, target.port, engine.resolver
            )
            await hop.holding.take(hop.destination.addresses[0])
        try:
            return await self._take_turn(engine, hop, target)
        finally:
            hop.holding.release()

    async def _take_turn(self, engine: "Engine", hop: "Hop", target: "Target") -> Reply:
        await engine.turns.take(ANY)
        token = HOP.set(hop)
        try:
            return await self._exchange(engine, hop, target)
        finally:
            HOP.reset(token)
            engine.turns.give(ANY)

    async def _exchange(self, engine: "Engine", hop: "Hop", target: "Target") -> Reply:
        if not hop.request.named or self._per_address:
            return await self._ask_alone(engine, hop, target)
        try:
            return await self._ask(engine.pooled, hop, target)
        except (httpcore2.NetworkError, httpcore2.RemoteProtocolError) as error:
            if hop.has_connected or failure_of(error).failure != "reset":
                raise
            # the server had meanwhile closed a kept connection: RFC 9112 section 9.3.1
            return await self._ask_alone(engine, hop, target)

    async def _ask_alone(self, engine: "Engine", hop: "Hop", target: "Target") -> Reply:
        """Use a connection that no other request shares: it was judged for this one."""
        async with self._pool(engine.resolver, keep=0) as pool:
            return await self._ask(pool, hop, target)

    async def _ask(self, pool: AsyncConnectionPool, hop: "Hop", target: "Target") -> Reply:
        try:
            response = await pool.handle_async_request(self._translate(hop.request, target))
        except httpcore2.RemoteProtocolError as error:
            if hop.is_not_http and failure_of(error).failure == "reset":
                raise HopFailed("invalid-response", "not a response of HTTP") from error
            raise
        hop.is_in_head = False
        try:
            return await read_reply(response, hop)
        finally:
            await response.aclose()

    def _translate(self, request: Request, target: "Target") -> httpcore2.Request:
        idle = self.limits.idle
        extensions: dict[str, Any] = {"timeout": {"connect": idle, "read": idle, "write": idle}}
        host = target.host
        if self._proxy and ":" in host:
            # A proxy reads the host from a URL or CONNECT; certificates have no brackets.
            host, extensions["sni_hostname"] = f"[{host}]", host
        return httpcore2.Request(
            "GET",
            httpcore2.URL(
                scheme=target.scheme, host=host, port=target.written_port, target=target.path
            ),
            headers=headers_of(request, target),
            extensions=extensions,
        )

    def _open(self) -> "Engine":
        resolver = resolver_for(self._resolver)
        return Engine(
            pooled=self._pool(resolver, keep=self._most_idle),
            resolver=resolver,
            turns=AddressSlots(self._most_in_use),
            slots=AddressSlots(self._per_address) if self._per_address else None,
        )

    def _pool(self, resolver: Resolver, *, keep: int) -> AsyncConnectionPool:
        return AsyncConnectionPool(
            ssl_context=self._trust,
            proxy=self._proxy,
            max_connections=None,  # `Engine.turns` bounds all pools together
            max_keepalive_connections=keep,
            keepalive_expiry=KEEP_ALIVE,
            http2=self._http2,
            network_backend=Backend(resolver),
        )


@dataclass(slots=True)
class Engine:
    """The state of one event loop."""

    pooled: AsyncConnectionPool
    resolver: Resolver
    turns: AddressSlots
    """For requests in progress, to any address."""
    slots: AddressSlots | None


@dataclass(slots=True)
class Hop:
    """One request in progress: where the backend may connect for it, and what it observed."""

    request: Request
    header_bytes: int
    holding: Holding
    destination: Destination | None = None
    """None if a proxy connects."""
    has_connected: bool = False
    is_in_head: bool = True
    head_bytes: int = 0
    body_bytes: int = 0
    beginning: bytes = b""

    def count(self, data: bytes) -> None:
        """Count bytes of the response; raise an error if there are too many."""
        if not self.is_in_head:
            self.body_bytes += len(data)
            if self.body_bytes > self.request.body_limit * CHUNK_OVERHEAD + READ_BYTES:
                raise httpcore2.RemoteProtocolError("more chunks and trailers than body")
            return
        if self.head_bytes > self.header_bytes:
            raise too_many_headers(self)
        self.head_bytes += len(data)
        self.beginning = (self.beginning + data[:BEGINNING])[:BEGINNING]

    def connected(self, address: str) -> None:
        self.has_connected = True
        self.holding.keep(address)

    @property
    def is_not_http(self) -> bool:
        """Whether the server sent something that cannot begin an HTTP/1 response."""
        return self.beginning != b"HTTP/"[: len(self.beginning)]


HOP: ContextVar[Hop] = ContextVar("HOP")
"""The request for which the running task connects or reads."""


# httpcore2's extension points


class Backend(AnyIOBackend):
    """Connects to the addresses that were resolved and judged for a hop, and to no others."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> AsyncNetworkStream:
        hop = HOP.get()
        destination = hop.destination
        if destination is None:
            destination = Destination(await self._resolver.addresses(host), port)
        last: Exception = httpcore2.ConnectError("no address")
        for address in filter(hop.holding.admits, destination.addresses):
            try:
                stream = await super().connect_tcp(
                    address, destination.port, timeout, local_address, socket_options
                )
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                last = error
            else:
                hop.connected(address)
                return BoundedStream(stream)
        raise last


class BoundedStream(AsyncNetworkStream):
    """A connection that limits the bytes of a response.

    Over HTTP/2, responses share the connection and h2 limits headers; only statuses are checked.
    """

    def __init__(self, stream: AsyncNetworkStream) -> None:
        self._stream = stream
        tls = stream.get_extra_info("ssl_object")
        is_http2 = tls is not None and tls.selected_alpn_protocol() == "h2"
        self._statuses = Statuses() if is_http2 else None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        data = await self._stream.read(max_bytes, timeout)
        if self._statuses is not None:
            self._statuses.read(data)
        elif hop := HOP.get(None):
            hop.count(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> AsyncNetworkStream:
        return BoundedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)


def too_many_headers(hop: Hop) -> HopFailed:
    return HopFailed("invalid-response", f"headers of more than {hop.header_bytes} bytes")


def httpcore2_proxy(url: str) -> httpcore2.Proxy:
    proxy = read_proxy(url)
    return httpcore2.Proxy(proxy.address, auth=proxy.login)


# Requests


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL."""

    scheme: str
    authority: str
    host: str
    port: int
    written_port: int | None
    path: str


def read_url(request: Request) -> Target:
    """Return the parts of a request's URL, or raise `HopFailed`."""
    server = server_of(request)
    start = len(str(server))
    authority = str(server).removeprefix(f"{server.scheme}://")
    return Target(
        scheme=server.scheme,
        authority=authority,
        host=host_of(server),
        port=server.port,
        written_port=server.port if authority != server.host else None,
        path=requested_url(request.url)[start:],
    )


def headers_of(request: Request, target: Target) -> list[tuple[bytes, bytes]]:
    """Return the headers of a request, the host first."""
    headers = [(name.encode("ascii"), value.encode()) for name, value in request.headers.items()]
    if any(name.lower() == b"host" for name, _ in headers):
        return headers
    return [(b"Host", target.authority.encode("ascii")), *headers]


# Responses


async def read_reply(response: httpcore2.Response, hop: Hop) -> Reply:
    """Return the response, with its body if the status is 2xx."""
    if sum(len(name) + len(value) + 4 for name, value in response.headers) > hop.header_bytes:
        raise too_many_headers(hop)
    address = address_of(response) if hop.destination else ""
    headers = [(text(name), text(value)) for name, value in response.headers]
    if not 200 <= response.status < 300:
        return Reply(response.status, headers, address=address)
    body, ended = await read_body(response, hop.request.body_limit)
    reply = Reply(response.status, headers, body, ended, address)
    if response.extensions["http_version"] == b"HTTP/2":  # whose bodies end with a frame
        return reply
    tls = response.extensions["network_stream"].get_extra_info("ssl_object")
    return cut_without_notice(reply, tls)


async def read_body(response: httpcore2.Response, limit: int) -> tuple[bytes, Ended]:
    """Return the bytes of a body up to the limit, and how it ended."""
    body = bytearray()
    try:
        async for piece in response.aiter_stream():
            body += piece
            if len(body) > limit:
                return bytes(body[:limit]), "limit"
    except httpcore2.ReadTimeout:
        if len(body) < limit:
            raise
        return bytes(body), "limit"
    except (httpcore2.ProtocolError, httpcore2.NetworkError, H2Error):
        return bytes(body), "broken"
    return bytes(body), "complete"


def address_of(response: httpcore2.Response) -> str:
    """Return the address of the connection that a response came from."""
    peer = response.extensions["network_stream"].get_extra_info("server_addr")
    return str(peer[0]) if peer else ""


def text(data: bytes) -> str:
    return data.decode("ascii", "surrogateescape")


# Failures

NETWORK = (
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    H2Error,
    OSError,
    EOFError,
    UnicodeError,
)
"""What the network, a server or a host name can cause; anything else is a bug, and is raised."""


def failure_of(error: Exception) -> HopFailed:
    """Return the failure of a request in a few words, without object reprs or memory addresses."""
    match error:
        case httpcore2.ConnectTimeout():
            return HopFailed("timeout", "no connection in time")
        case httpcore2.TimeoutException():
            return HopFailed("timeout", "no data from the server in time")
        case httpcore2.ConnectError():
            return unconnected_because(error)
        case httpcore2.ProxyError():
            return HopFailed("refused", f"proxy: {first_line(str(error))}")
        case httpcore2.NetworkError():
            return HopFailed("reset", "connection reset by peer")
        case httpcore2.RemoteProtocolError():
            return broken_off(error)
        case httpcore2.LocalProtocolError(args=[H2Error() as reason, *_]) | (H2Error() as reason):
            return HopFailed("invalid-response", first_line(str(reason)) or type(reason).__name__)
        case httpcore2.LocalProtocolError() | UnicodeError():
            return HopFailed("invalid-response", f"not a request: {first_line(str(error))}")
        case _:
            return HopFailed("invalid-response", first_line(str(error)) or type(error).__name__)


def unconnected_because(error: BaseException) -> HopFailed:
    """Return the failure of a connection by its cause, anywhere in the exception chain."""
    cause: BaseException | None = error
    while cause is not None:
        match cause:
            case ssl.SSLCertVerificationError():
                return HopFailed("tls", certificate(cause))
            case ssl.SSLError():
                return HopFailed("tls", handshake(cause))
            case OSError(errno=int()):
                return unconnected(cause)
        cause = cause.__cause__ or cause.__context__
    return HopFailed("reset", "connection closed in the handshake")


def broken_off(error: httpcore2.RemoteProtocolError) -> HopFailed:
    """Return the failure of a response that is malformed or missing."""
    reason = error.args[0] if error.args else ""
    if not isinstance(reason, str | Exception):  # an event of HTTP/2
        return HopFailed("reset", "the server ended the stream")
    if str(reason).startswith("Server disconnected"):
        return HopFailed("reset", "connection closed before the response")
    return HopFailed("invalid-response", first_line(str(reason)))
