"""The transport for FTP: one anonymous RETR (RFC 959, RFC 1635).

In: a `Request` for an ftp URL. Out: a `Reply` with status 200, or 404 if the server says that there
is no such file (reply 550); or `HopFailed`. The standard library's ftplib runs in a thread of our
own; the idle time limits each socket operation, and cancellation shuts down the sockets, so that
the thread ends. The address that a server announces for data is never used.
"""

import asyncio
import ftplib
import socket
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from urllib.parse import unquote_to_bytes

from verger._core import Origin, requested_url
from verger.errors import InvalidTarget
from verger.fetching.failures import first_line, unconnected
from verger.fetching.limits import FetchLimits
from verger.fetching.loops import PerLoop
from verger.fetching.resolve import Destinations, ForeignResolver
from verger.fetching.threads import in_thread
from verger.fetching.transport import HopFailed, Reply, Request, host_of
from verger.options import expect_whole

PIECE = 32_768
"""Bytes read from the data connection at a time."""

USER = "anonymous"
PASSWORD = "guest"
"""Used if the request has no From header; RFC 1635 asks for a mail address."""


class FtpTransport:
    """Sends requests for ftp URLs; from any event loop, after a fork too.

    `connections`: the maximum number of sessions at once, each in its own thread.
    `is_proxied`: whether an HTTP proxy is to carry all requests, which it cannot do for FTP.
    `connect_to`, `private` and `resolver` are those of `verger.fetching.aio.AiohttpTransport`.
    """

    def __init__(
        self,
        *,
        limits: FetchLimits | None = None,
        connections: int = 16,
        connect_to: Iterable[str] = (),
        private: Iterable[str] = (),
        is_proxied: bool = False,
        resolver: Mapping[str, str] | ForeignResolver | None = None,
    ) -> None:
        expect_whole("connections", connections)
        self.limits = limits or FetchLimits()
        self._destinations = Destinations(connect_to=connect_to, private=private, resolver=resolver)
        self._is_proxied = is_proxied
        self._turns = PerLoop(lambda: asyncio.Semaphore(connections))

    async def send(self, request: Request) -> Reply:
        """Return the file, or raise `HopFailed`."""
        host, port, path = read_url(request.url)
        if self._is_proxied:
            raise HopFailed("ftp", "an HTTP proxy does not reach FTP servers")
        to = await self._destinations.find(request, host, port)
        password = request.headers.get("From", PASSWORD)
        visit = Visit(to.addresses, to.port, password=password, limits=self.limits)
        try:
            async with self._turns.get():
                return await in_thread(
                    lambda: visit.fetch(path, request.body_limit), name="verger-ftp"
                )
        except asyncio.CancelledError:
            visit.abandon()
            raise
        except BlockingIOError as error:
            raise unconnected(error) from error

    async def close(self) -> None:
        """Do nothing: each session ends with its request."""


def read_url(url: str) -> tuple[str, int, str]:
    """Return host, port and path of an ftp URL, relative to the login directory (RFC 1738)."""
    try:
        server, written = Origin(url), requested_url(url)
    except InvalidTarget as error:
        raise HopFailed("dns", "not a URL of an FTP server") from error
    escaped = written[len(str(server)) :].partition("?")[0]
    path = unquote_to_bytes(escaped).decode("latin-1").removeprefix("/")
    if server.scheme != "ftp" or not server.port or any(letter in path for letter in "\r\n\0"):
        raise HopFailed("dns", "not a URL of a file on an FTP server")
    return host_of(server), server.port, path


class Visit:
    """One session with a server in a thread that may block; other threads can end it."""

    def __init__(
        self, addresses: Sequence[str], port: int, *, password: str, limits: FetchLimits
    ) -> None:
        self._addresses = addresses
        self._port = port
        self._password = password
        self._limits = limits
        self._lock = Lock()
        self._sockets: list[socket.socket] = []
        self._session: Session | None = None
        self._abandoned = False

    def fetch(self, path: str, limit: int) -> Reply:
        """Return the file up to the limit; runs in a thread."""
        try:
            return self._retrieve(self._log_in(), path, limit)
        except HopFailed:
            raise
        except ftplib.error_perm as error:
            raise HopFailed("ftp", first_line(str(error))) from error
        except Overlong as error:
            raise HopFailed("invalid-response", str(error)) from error
        except (ftplib.Error, ValueError, OverflowError) as error:
            raise HopFailed("ftp", first_line(str(error)) or "not an FTP server") from error
        except EOFError as error:
            raise HopFailed("reset", "connection closed before the file") from error
        except TimeoutError as error:
            raise HopFailed("timeout", "no data from the server in time") from error
        except OSError as error:
            raise unconnected(error) from error
        finally:
            self._close()

    def abandon(self) -> None:
        """End the session from another thread: its blocking calls return."""
        with self._lock:
            self._abandoned = True
            for open_socket in self._sockets:
                with suppress(OSError):
                    open_socket.shutdown(socket.SHUT_RDWR)

    def connect(self, address: str, port: int) -> socket.socket:
        """Return a connection that `abandon` can reach, for commands or for data."""
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        connection.settimeout(self._limits.idle)
        with self._lock:
            if self._abandoned:
                connection.close()
                raise ConnectionAbortedError("abandoned")
            self._sockets.append(connection)
        connection.connect((address, port))
        return connection

    def _log_in(self) -> "Session":
        session = Session(self, self._reach(), size=self._limits.header_bytes)
        self._session = session
        session.greet()
        session.login(USER, self._password)
        session.voidcmd("TYPE I")
        return session

    def _reach(self) -> socket.socket:
        last: OSError = ConnectionRefusedError()
        for address in self._addresses:
            try:
                return self.connect(address, self._port)
            except OSError as error:
                last = error
        raise unconnected(last) from last

    def _retrieve(self, session: "Session", path: str, limit: int) -> Reply:
        address = session.address
        data = session.open_data()
        try:
            session.request(path)
        except ftplib.error_perm as error:
            if not str(error).startswith("550"):
                raise
            return Reply(404, (), address=address)
        body, is_whole = read_data(data, limit)
        if len(body) > limit:
            return Reply(200, (), body[:limit], "limit", address)
        data.close()
        is_whole = is_whole and session.confirms()
        return Reply(200, (), body, "complete" if is_whole else "broken", address)

    def _close(self) -> None:
        with self._lock:
            if self._session:
                self._session.close()
            for open_socket in self._sockets:
                open_socket.close()
            self._sockets.clear()


def read_data(data: socket.socket, limit: int) -> tuple[bytes, bool]:
    """Return the data, to just beyond the limit, and whether the connection ended cleanly."""
    body = bytearray()
    try:
        while len(body) <= limit and (piece := data.recv(PIECE)):
            body += piece
    except TimeoutError:
        raise
    except OSError:
        return bytes(body), False
    return bytes(body), True


class Overlong(Exception):
    """The replies of a server exceed the maximum size."""


class Session(ftplib.FTP):
    """A conversation over the sockets of a visit, with a limit on the total size of replies."""

    trust_server_pasv_ipv4_address = False
    encoding = "latin-1"  # of replies, which may contain any byte

    def __init__(self, visit: Visit, connection: socket.socket, *, size: int) -> None:
        super().__init__(encoding=self.encoding)
        self._visit = visit
        self._bytes = size
        self._left = size
        self.sock = connection
        self.af = connection.family
        self.address = str(connection.getpeername()[0])
        self.file = connection.makefile("r", encoding=self.encoding)

    def getline(self) -> str:
        line = super().getline()
        self._left -= len(line) + len(ftplib.CRLF)
        if self._left < 0:
            raise Overlong(f"replies of more than {self._bytes} bytes")
        return line

    def greet(self) -> None:
        """Wait until the server is ready; it may first say that this takes a while (120)."""
        reply = self.getresp()
        while reply.startswith("120"):
            reply = self.getresp()
        if reply[0] != "2":
            raise ftplib.error_reply(reply)

    def open_data(self) -> socket.socket:
        """Return a passive data connection, always to the same server."""
        _, port = self.makepasv()
        return self._visit.connect(self.address, port)

    def request(self, path: str) -> None:
        """Ask for a file, which arrives over the data connection."""
        reply = self.sendcmd(f"RETR {path}")
        if reply[0] == "2":  # some servers first announce the data
            reply = self.getresp()
        if reply[0] != "1":
            raise ftplib.error_reply(reply)

    def confirms(self) -> bool:
        """Whether the server says that the file was sent to its end."""
        try:
            self.voidresp()
        except (ftplib.Error, EOFError, OSError):
            return False
        return True
