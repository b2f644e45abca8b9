"""The transport for FTP: one anonymous RETR (RFC 959, RFC 1635).

In: a `Request` for an ftp URL. Out: a `Reply` with status 200, or 404 if the server says that there
is no such file (reply 550); or `HopFailed`. The standard library's ftplib runs in a thread of our
own; the idle time limits each socket operation, and cancellation shuts down the sockets, so that
the thread ends. The address that a server announces for data is never used.
"""

import asyncio
import ftplib
import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import partial
from urllib.parse import unquote_to_bytes

from verger._core import Origin, requested_url
from verger.errors import InvalidTarget
from verger.fetching.limits import FetchLimits
from verger.fetching.proxies import Proxies
from verger.fetching.resolve import Destination, Destinations, ForeignResolver
from verger.fetching.transport import (
    HopFailed,
    Reply,
    Request,
    first_line,
    host_of,
    unconnected,
    within,
)
from verger.loop_thread import PerLoop, in_thread
from verger.options import expect_whole

PIECE = 32_768
"""Bytes read from the data connection at a time."""

USER = "anonymous"
PASSWORD = "guest"
"""Used if the request has no From header; RFC 1635 asks for a mail address."""


class FtpTransport:
    """Sends requests for ftp URLs; from any event loop, after a fork too.

    `connections`: the maximum number of sessions at once, each in its own thread.
    `proxy`: as for `AiohttpTransport`. No proxy carries FTP: requests that one should carry fail.
    `connect_to`, `private` and `resolver` are those of
    `verger.fetching.aiohttp_transport.AiohttpTransport`.
    """

    def __init__(
        self,
        *,
        limits: FetchLimits | None = None,
        connections: int = 16,
        connect_to: Iterable[str] = (),
        private: Iterable[str] = (),
        proxy: str | None = None,
        resolver: Mapping[str, str] | ForeignResolver | None = None,
    ) -> None:
        expect_whole("connections", connections)
        self.limits = limits or FetchLimits()
        self._destinations = Destinations(connect_to=connect_to, private=private, resolver=resolver)
        self._proxies = Proxies.of(proxy)
        self._turns = PerLoop(lambda: asyncio.Semaphore(connections))

    async def send(self, request: Request) -> Reply:
        """Return the file, or raise `HopFailed`."""
        host, port, path = read_url(request.url)
        if self._proxies.carrying("ftp", host, port):
            raise HopFailed("ftp", "a proxy does not reach FTP servers")
        to = await self._destinations.find(request, host, port)
        password = request.headers.get("From", PASSWORD)
        session = Session(password, self.limits)
        try:
            async with self._turns.get():
                fetch = partial(session.fetch, to, path, request.body_limit)
                return await in_thread(fetch, "verger-ftp")
        except asyncio.CancelledError:
            session.abandon()
            raise
        except BlockingIOError as error:
            raise unconnected(error) from error

    async def close(self) -> None:
        """Do nothing: sessions end with their requests."""


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


class Session(ftplib.FTP):
    """One session with a server, in a thread that may block; other threads can end it."""

    encoding = "latin-1"  # of replies, which may contain any byte
    trust_server_pasv_ipv4_address = False

    def __init__(self, password: str, limits: FetchLimits) -> None:
        super().__init__(timeout=limits.idle, encoding=self.encoding)
        self._idle = limits.idle
        self._password = password
        self._most = limits.header_bytes
        self._left = limits.header_bytes
        self._command = ""
        self._data: socket.socket | None = None
        self._is_abandoned = False

    def fetch(self, to: Destination, path: str, limit: int) -> Reply:
        """Return the file up to the limit; runs in a thread."""
        try:
            return self._retrieve(to, path, limit)
        except ftplib.error_perm as error:
            if self._command == "RETR" and str(error).startswith("550"):
                return Reply(404, (), address=self.host)
            raise HopFailed("ftp", first_line(str(error))) from error
        except (ftplib.Error, ValueError, OverflowError) as error:
            raise HopFailed("ftp", first_line(str(error)) or "not an FTP server") from error
        except EOFError as error:
            raise HopFailed("reset", "connection closed before the file") from error
        except TimeoutError as error:
            raise HopFailed("timeout", f"no data from the server {within(self._idle)}") from error
        except OSError as error:
            raise unconnected(error) from error
        finally:
            self.close()

    def abandon(self) -> None:
        """End the session from another thread: its blocking calls return."""
        self._is_abandoned = True
        for connection in filter(None, (self.sock, self._data)):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _expect_waiting(self) -> None:
        """Go no further if nobody waits for the file."""
        if self._is_abandoned:
            raise ConnectionAbortedError("abandoned")

    def sendcmd(self, cmd: str) -> str:
        """Remember the command, since replies mean something else after another."""
        self._command = cmd.partition(" ")[0]
        return super().sendcmd(cmd)

    def makepasv(self) -> tuple[str, int]:
        """Ask where the data comes from, always the same server; refuse what is no port."""
        host, port = super().makepasv()
        if port >= 65_536:
            raise ftplib.error_reply(f"port {port}")
        return host, port

    def getline(self) -> str:
        """Read a line, unless there were too many or nobody waits for them."""
        self._expect_waiting()
        line = super().getline()
        self._left -= len(line) + len(ftplib.CRLF)
        if self._left < 0:
            raise HopFailed("invalid-response", f"replies of more than {self._most} bytes")
        return line

    def _retrieve(self, to: Destination, path: str, limit: int) -> Reply:
        self._connect(to)
        self.login(USER, self._password)
        self.voidcmd("TYPE I")
        with self.transfercmd(f"RETR {path}") as self._data:
            self._expect_waiting()  # what was not there yet could not be shut down
            body, is_whole = read_data(self._data, limit)
        if len(body) > limit:
            return Reply(200, (), body[:limit], "limit", self.host)
        is_whole = is_whole and self._confirms()
        return Reply(200, (), body, "complete" if is_whole else "broken", self.host)

    def _connect(self, to: Destination) -> None:
        """Connect to the first address that answers, and wait until its server is ready."""
        last: OSError = ConnectionRefusedError()
        for address in to.addresses:
            try:
                reply = self.connect(address, to.port)
                break
            except OSError as error:
                self.close()
                last = error
        else:
            raise unconnected(last) from last
        while reply.startswith("120"):  # ready in a while
            reply = self.getresp()
        if reply[0] != "2":
            raise ftplib.error_reply(reply)

    def _confirms(self) -> bool:
        """Whether the server says that the file was sent to its end."""
        try:
            self.voidresp()
        except (ftplib.Error, EOFError, OSError):
            return False
        return True


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
