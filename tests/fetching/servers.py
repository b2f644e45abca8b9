"""Servers on loopback that do exactly what a test says, byte by byte.

In: a script, which talks to one connection. Out: a running server that knows how many came and
what they asked. Scripts end by closing; what a client does to a script is not an error.
"""

import asyncio
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeAlias

OK = b"HTTP/1.1 200 OK\r\n"
ROBOTS = b"User-agent: *\nDisallow: /private\n"


@dataclass
class Peer:
    """One connection, seen from the server."""

    server: "Server"
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def hear(self) -> bytes:
        """Return the head of the next request; empty at the end of the connection."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return b""
        self.server.heads.append(head)
        return head

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def hang_up(self) -> None:
        """Wait until the client closes."""
        self.server.stalled.set()
        while await self.reader.read(65_536):
            pass
        self.server.hung_up.set()

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Script: TypeAlias = Callable[[Peer], Awaitable[None]]


@dataclass
class Server:
    """What a server saw."""

    port: int = 0
    heads: list[bytes] = field(default_factory=list)
    connections: int = 0
    open_now: int = 0
    open_at_most: int = 0
    stalled: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)


@asynccontextmanager
async def serve(
    script: Script,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[Server]:
    """Run a script for each connection to a server on loopback."""
    server = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        tasks.add(task)
        server.connections += 1
        server.open_now += 1
        server.open_at_most = max(server.open_at_most, server.open_now)
        try:
            with suppress(ConnectionError, ssl.SSLError, asyncio.CancelledError):
                await script(Peer(server, reader, writer))
        finally:
            server.open_now -= 1
            writer.close()
            tasks.discard(task)

    listener = await asyncio.start_server(talk, host, port, ssl=context)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def answer(*pieces: bytes) -> Script:
    """Say these pieces to the first request, each in a segment of its own, and close."""

    async def script(peer: Peer) -> None:
        await peer.hear()
        for piece in pieces:
            await peer.say(piece)
            await asyncio.sleep(0.01)  # or the system would send two pieces as one

    return script


def keep_answering(response: bytes) -> Script:
    """Say the same to each request of a connection."""

    async def script(peer: Peer) -> None:
        while await peer.hear():
            await peer.say(response)

    return script


def reset_after(*pieces: bytes) -> Script:
    """Say these pieces to the first request, then reset the connection."""

    async def script(peer: Peer) -> None:
        await answer(*pieces)(peer)
        peer.reset()

    return script


def stall_after(*pieces: bytes) -> Script:
    """Say these pieces to the first request, then nothing until the client goes."""

    async def script(peer: Peer) -> None:
        await answer(*pieces)(peer)
        await peer.hang_up()

    return script


def repeat(head: bytes, piece: bytes) -> Script:
    """Say a piece over and over, until the client goes."""

    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say(head)
        while True:
            await peer.say(piece)

    return script


def sized(body: bytes, *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """Return a whole response with its length."""
    lines = [b"HTTP/1.1 " + status, *headers, b"Content-Length: %d" % len(body), b"", b""]
    return b"\r\n".join(lines) + body
