"""One hop: the interface between a fetch and an HTTP or FTP client.

In: a `Request`. Out: a `Reply`, or `HopFailed` with the kind of failure. A transport follows no
redirect, decodes no body and judges no status; `verger.fetching.plan` does. Any object with the two
methods of `Transport` can be one. What is told of a failure can be shown to people: no object
reprs, no tracebacks, and at most one line of what the server sent.
"""

import os
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from verger._core import Origin
from verger.access.result import BODILESS, PROXY_WANTS_LOGIN, STATUSES, Failure
from verger.errors import InvalidTarget
from verger.fetching.decode import Ended
from verger.untrusted_text import uncapitalized

__all__ = ["Ended", "HopFailed", "Reply", "Request", "Transport"]

"""A status that only proxies send (RFC 9110 section 15.5.8): it says nothing about the site."""


@dataclass(frozen=True, slots=True)
class Request:
    """One GET of one URL.

    url:              absolute and ASCII; sent as `verger.requested_url` writes it, which leaves the
                      URLs of plans unchanged.
    headers:          the header fields to send.
    body_limit:       the maximum number of bytes of the body to read, as on the wire.
    named:            whether the caller named this origin. If false (a redirect led here), the
                      address to connect to must be public, or be in `known_addresses`.
    known_addresses:  addresses that earlier hops named by the caller connected to; their host where
                      a proxy connected, which looks the name up again.
    """

    url: str
    headers: dict[str, str] = field(hash=False)
    body_limit: int
    named: bool = True
    known_addresses: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Reply:
    """The response to one request; creating one with an invalid status raises `HopFailed`.

    status:   from 100 to 999.
    headers:  as received, in order; bytes that are not ASCII decoded with `surrogateescape`.
    body:     at most `body_limit` bytes; only a 2xx response needs to have its body read.
    ended:    `limit`: the body continues after the limit. `broken`: it ended before its announced
              end.
    address:  the IP address that was connected to; empty if a proxy connected, or if it is unknown,
              and then not known to be public.
    """

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes = b""
    ended: Ended = "complete"
    address: str = ""

    def __post_init__(self) -> None:
        """Refuse an invalid status, so that none is ever stored."""
        if not isinstance(self.status, int) or isinstance(self.status, bool):
            raise TypeError(f"a status is a number, not `{self.status!r:.40}`")
        if self.status not in STATUSES:
            raise HopFailed("invalid-response", f"`{str(self.status)[:20]}` is not a status")


class HopFailed(Exception):
    """A request got no response."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


# Failures in a few words

LINE = 120
"""The most characters of a server's message that are repeated."""


def unconnected(error: OSError) -> HopFailed:
    """Return the failure of a connection that was not made, or that broke in its handshake."""
    match error:
        case ConnectionResetError() | BrokenPipeError() | ConnectionAbortedError():
            return HopFailed("reset", words(error))
        case TimeoutError():
            return HopFailed("timeout", "no connection in time")
        case _:
            return HopFailed("refused", words(error))


def within(idle: float) -> str:
    """Return the words for what did not come in time."""
    return f"within {idle:g} seconds (the idle limit)"


def words(error: OSError) -> str:
    """Return the system's description of an error, such as `connection refused`."""
    number = error.errno or first_errno(str(error))
    if number > 0:
        return uncapitalized(os.strerror(number))
    return first_line(str(error)) or "connection failed"


def first_errno(message: str) -> int:
    """Return the first error number in a message: that of the address tried first; 0 if none."""
    found = re.search(r"\[Errno (\d+)\]", message)
    return int(found[1]) if found else 0


def certificate(error: Exception) -> str:
    """Return why a certificate is not trusted, in OpenSSL's words."""
    reason = str(getattr(error, "verify_message", "")) or "not trusted"
    return f"certificate: {first_line(reason)}"


def handshake(error: OSError) -> str:
    """Return why a TLS handshake failed, in OpenSSL's words."""
    reason = getattr(error, "reason", None)
    return f"handshake: {str(reason).replace('_', ' ').lower()}" if reason else words(error)


def first_line(message: str) -> str:
    """Return the beginning of a message, printable, without the bytes quoted in it."""
    line = message.strip().partition("\n")[0].partition(": b'")[0].rstrip(":. ")
    shown = "".join(letter if letter.isprintable() else "?" for letter in line[:LINE])
    return uncapitalized(shown)


# What replies and requests tell


def of_the_site(reply: Reply, *, is_forwarded: bool) -> Reply:
    """Return a reply that may have come by a proxy; raise HopFailed if that made it itself.

    A proxy that nobody has configured may stand on the way, too, and want a login.

    is_forwarded:  whether a proxy passed it on, or may have; in a tunnel, as for https, it cannot.
    """
    if reply.status == PROXY_WANTS_LOGIN or (is_forwarded and is_of_proxy(reply)):
        raise HopFailed("refused", f"proxy: status {reply.status}")
    return reply


def is_of_proxy(reply: Reply) -> bool:
    """Whether a proxy made a response itself, as the header fields of an error or a redirect say.

    `Proxy-Status` with an error in its last member, that of the proxy nearest to the client (RFC
    9209 sections 2 and 2.1.1); `X-Squid-Error`, which Squid adds to its own pages; a `Server` that
    the comment of the last `Via` names, or that is only a proxy; and the date of Privoxy's pages.
    `Via` alone is no sign: a proxy also adds it to what it forwards (RFC 9110 section 7.6.3).
    """
    if reply.status < 300:
        return False
    status, squid, server, via, modified = (
        ", ".join(value for key, value in reply.headers if key.lower() == name)
        for name in ("proxy-status", "x-squid-error", "server", "via", "last-modified")
    )
    nearest = _QUOTED.sub("", status).rpartition(",")[2]
    program = server.partition(" ")[0].lower()
    is_own = program != "" and via.rstrip().lower().endswith(f"({program})")
    is_page = is_own or program.startswith(("squid/", "tinyproxy/")) or modified == _PRIVOXY
    return bool(squid or _ERROR.search(nearest)) or (reply.status >= 400 and is_page)


_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*+"')
_ERROR = re.compile(r";[ \t]*error=")
_PRIVOXY = "Wed, 08 Jun 1955 12:00:00 GMT"
"""Privoxy 3.0, `cgi.c`: `Last-Modified` of all pages that it makes, before there was a web."""


def cut_without_notice(reply: Reply, tls: ssl.SSLObject | None) -> Reply:
    """Return a reply, `broken` if its body ended with a TLS connection that was not closed.

    That concerns a body without a length, which ends with the connection: without a closure alert
    anybody on the way may have cut it (RFC 9112 section 9.8).
    """
    names = {name.lower() for name, _ in reply.headers}
    is_framed = reply.status in BODILESS or names & {"content-length", "transfer-encoding"}
    if reply.ended != "complete" or is_framed or tls is None or was_closed(tls):
        return reply
    return replace(reply, ended="broken")


def was_closed(tls: ssl.SSLObject) -> bool:
    """Whether the peer said that it sends no more, on a connection that has ended."""
    try:
        return tls.read(1) == b""
    except ssl.SSLZeroReturnError:
        return True
    except (ssl.SSLError, ValueError):
        return False


def server_of(request: Request) -> Origin:
    """Return the HTTP server that a request is for, as its URL names it.

    Raises: HopFailed if its URL names none.
    """
    try:
        server = Origin(request.url)
        if server.port and server.scheme in ("http", "https"):
            return server
    except InvalidTarget:
        pass
    raise not_of_a_server(request)


def not_of_a_server(request: Request) -> HopFailed:
    """Return the failure of a request whose URL is not that of an HTTP server."""
    failure: Failure = "dns" if request.named else "redirect-invalid"
    return HopFailed(failure, "not a URL of an HTTP server")


def host_of(server: Origin) -> str:
    """Return the host as resolvers and sockets take it: IPv6 addresses without brackets."""
    return server.host.strip("[]")


class Transport(Protocol):
    """A client that sends one request for each call, many calls at once.

    One that sends the cookies of a response with the next request says so by an attribute
    `keeps_cookies` that is true: then redirects may lead to a URL again, and on to the file.
    """

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`. Cancellation closes the connection.

        `OSError` and `EOFError` count as failures of the network; any other exception is a bug of
        the transport, which reaches the caller unchanged and never counts as permission.

        The caller limits the total time; the transport limits header size and idle time.
        """
        ...

    async def close(self) -> None:
        """Close every connection; the transport may be used again afterwards."""
        ...


class TransportByScheme:
    """Sends each request for an ftp URL by one transport, and all others by another."""

    def __init__(self, *, http: Transport, ftp: Transport) -> None:
        self._http, self._ftp = http, ftp

    async def send(self, request: Request) -> Reply:
        """Return the response, or raise `HopFailed`."""
        return await (self._ftp if request.url.startswith("ftp:") else self._http).send(request)

    async def close(self) -> None:
        """Close both."""
        await self._http.close()
        await self._ftp.close()
