"""The stage: loopback servers that misbehave by name, in an event loop of their own.

In: functions that say what one connection, or one whole scene, does; each is registered as a
fault. Out: for a fault's name a `Scene`, the origin to ask for and how to reach it. Knows no
robots.txt rule and nothing of verger: bytes alone.
"""

import asyncio
import contextlib
import itertools
import socket
import ssl
import struct
import tempfile
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import trustme
from aiohttp.abc import AbstractResolver

from patience import LONG

RULES = b"User-agent: *\nDisallow: /closed\n"

End: TypeAlias = Literal["close", "linger", "reset"]
T = TypeVar("T")


@dataclass(frozen=True)
class Scene:
    """Where a fault waits."""

    origin: str
    """Scheme, host and port; the file to ask for lies at `/robots.txt` there."""
    resolver: AbstractResolver | None = None
    """What answers the names of this scene, where the system cannot."""
    known: str | None = None
    """Another origin whose file is to be asked for before."""


# What a server says


def response(
    body: bytes = RULES,
    *fields: str | bytes,
    status: str | bytes = "200 OK",
    kind: str | None = "text/plain",
    length: int | None = None,
) -> bytes:
    """Return a whole response; the connection is to be closed behind it."""
    sized = f"Content-Length: {len(body) if length is None else length}"
    typed = () if kind is None else (f"Content-Type: {kind}",)
    return head(*typed, sized, "Connection: close", *fields, status=status) + body


def head(*fields: str | bytes, status: str | bytes = "200 OK", version: str = "1.1") -> bytes:
    """Return a status line and header fields, with the blank line."""
    lines = (f"HTTP/{version} ".encode() + encoded(status), *map(encoded, fields), b"", b"")
    return b"\r\n".join(lines)


def redirect(location: str | bytes, status: str = "302 Found") -> bytes:
    """Return a redirect."""
    return response(b"moved\n", b"Location: " + encoded(location), status=status)


def chunk(content: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(content), content)


def encoded(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


# One connection


class Peer:
    """One connection, seen from the server."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, origin: str
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.origin = origin
        """The server's own, as a client writes it."""

    async def request(self) -> str:
        """Read one request; return its path. A client that goes away ends the connection."""
        text = await self.reader.readuntil(b"\r\n\r\n")
        return text.split(b" ", 2)[1].decode("latin-1")

    async def send(self, *parts: bytes) -> None:
        for part in parts:
            self.writer.write(part)
        await self.writer.drain()

    async def drip(self, parts: Iterator[bytes], *, seconds: float) -> None:
        """Send part after part, with a pause before each."""
        for part in parts:
            await asyncio.sleep(seconds)
            await self.send(part)

    async def flood(self, part: bytes) -> None:
        """Send the same for ever, as fast as the client reads."""
        block = part * (65_536 // len(part) + 1)
        while True:
            await self.send(block)
            await asyncio.sleep(0)

    async def linger(self) -> None:
        """Wait, without a word, until the client goes away."""
        while await self.reader.read(65_536):
            pass

    def reset(self) -> None:
        """End the connection with RST instead of FIN."""
        sock: socket.socket = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Handler: TypeAlias = Callable[[Peer], Awaitable[None]]
Setting: TypeAlias = Callable[["Stage"], Awaitable[Scene]]
GONE = (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError)


# Faults by name

FAULTS: dict[str, Setting] = {}
"""How each fault is set up."""


def staged(name: str) -> Callable[[Setting], Setting]:
    """Register a function that sets a scene."""

    def register(setting: Setting) -> Setting:
        assert name not in FAULTS, name
        FAULTS[name] = setting
        return setting

    return register


def served(name: str) -> Callable[[Handler], Handler]:
    """Register what a server does with one connection."""

    def register(handler: Handler) -> Handler:
        @staged(name)
        async def setting(stage: "Stage") -> Scene:
            return Scene(await stage.listen(handler))

        return handler

    return register


def always(answer: bytes) -> Handler:
    """Return a server that gives the same answer to every request."""

    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(answer)

    return handler


def says(name: str, *answer: bytes, then: End = "close") -> None:
    """Register a server that answers every request with the same bytes."""

    @served(name)
    async def handler(peer: Peer) -> None:
        await peer.request()
        await peer.send(*answer)
        await ended(peer, then)


def leads(name: str, where: Callable[[str], str | bytes], status: str = "302 Found") -> None:
    """Register a redirect from /robots.txt; rules wait at every other path of the server."""

    @served(name)
    async def handler(peer: Peer) -> None:
        if await peer.request() == "/robots.txt":
            await peer.send(redirect(where(peer.origin), status))
        else:
            await peer.send(response())


async def ended(peer: Peer, how: End) -> None:
    if how == "linger":
        await peer.linger()
    elif how == "reset":
        peer.reset()


# Traps


@dataclass
class Trap:
    """Listeners that nobody may reach, at loopback addresses no caller named."""

    ports: dict[str, int] = field(default_factory=dict)
    """By address."""
    visitors: list[str] = field(default_factory=list)
    """The address of each connection that came all the same."""

    def port(self, address: str) -> int:
        """Return the port at an address; 9 where there is no listener, for want of the address."""
        return self.ports.get(address, 9)


# The stage


class Stage:
    """Event loop, servers and certificates of one test run; made and closed in any thread."""

    def __init__(self) -> None:
        self.trap = Trap()
        self._scenes: dict[str, Scene] = {}
        self._servers = contextlib.AsyncExitStack()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stage", daemon=True)
        self._thread.start()
        self._folder = tempfile.TemporaryDirectory()
        self.run(self._set_traps())

    def run(self, work: Coroutine[object, object, T]) -> T:
        """Run something in the loop of the servers."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=LONG)

    def scene(self, name: str) -> Scene:
        """Return where a fault waits; the same scene for the same name."""
        if name not in self._scenes:
            self._scenes[name] = self.run(awaited(FAULTS[name], self))
        return self._scenes[name]

    def close(self) -> None:
        self.run(self._servers.aclose())
        self.run(_end_other_tasks())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=LONG)
        self._loop.close()
        self._folder.cleanup()

    # for the settings, inside the loop

    async def listen(
        self,
        handler: Handler,
        *,
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
        port: int = 0,
    ) -> str:
        """Start a server; return its origin."""
        scheme = "https" if tls else "http"
        sock = socket.create_server((address, port), backlog=256)
        origin = f"{scheme}://{address}:{sock.getsockname()[1]}"

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(*GONE):
                await handler(Peer(reader, writer, origin))
            with contextlib.suppress(*GONE):
                writer.close()
                await writer.wait_closed()

        server = await asyncio.start_server(connected, sock=sock, ssl=tls)
        self._servers.callback(server.close)
        return origin

    def keep(self, manager: contextlib.AbstractContextManager[T]) -> T:
        """Enter something that is to be left when the stage is closed."""
        return self._servers.enter_context(manager)

    # certificates

    @cached_property
    def authority(self) -> trustme.CA:
        return trustme.CA()

    @cached_property
    def bundle(self) -> Path:
        """The file with the certificate of the only authority that callers know."""
        path = Path(self._folder.name) / "authority.pem"
        self.authority.cert_pem.write_to_path(str(path))
        return path

    def certified(
        self,
        *names: str,
        authority: trustme.CA | None = None,
        begins: timedelta = timedelta(days=-1),
        ends: timedelta = timedelta(days=1),
    ) -> ssl.SSLContext:
        """Return the TLS settings of a server whose certificate holds from now by these spans."""
        now = datetime.now(UTC)
        certificate = (authority or self.authority).issue_cert(
            *names, not_before=now + begins, not_after=now + ends
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate.configure_cert(context)
        return context

    # traps

    async def _set_traps(self) -> None:
        async def fall(peer: Peer) -> None:
            sock: socket.socket = peer.writer.get_extra_info("socket")
            self.trap.visitors.append(sock.getsockname()[0])
            await peer.request()
            await peer.send(response(b"secret\n"))

        for address in ("127.0.0.1", "127.0.0.2"):
            with contextlib.suppress(OSError):  # some systems have but one
                origin = await self.listen(fall, address=address)
                self.trap.ports[address] = int(origin.rpartition(":")[2])
        with contextlib.suppress(OSError):  # no IPv6 here
            sock = socket.create_server(("::1", 0), family=socket.AF_INET6)
            self.trap.ports["::1"] = sock.getsockname()[1]

            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                with contextlib.suppress(*GONE):
                    await fall(Peer(reader, writer, ""))
                writer.close()

            server = await asyncio.start_server(connected, sock=sock)
            self._servers.callback(server.close)


@contextlib.contextmanager
def closed_port() -> Iterator[int]:
    """Yield a port that is taken, so that nobody else gets it, but on which nobody listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@contextlib.contextmanager
def full_port() -> Iterator[int]:
    """Yield a port whose queue of connections is full, so that further ones hang."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                waiting.connect(listener.getsockname())
        yield listener.getsockname()[1]


async def awaited(setting: Setting, stage: Stage) -> Scene:
    return await setting(stage)


async def _end_other_tasks() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def single(text: bytes) -> Iterator[bytes]:
    """Yield the bytes of a text one by one."""
    return (text[index : index + 1] for index in range(len(text)))


def for_ever(part: bytes) -> Iterator[bytes]:
    return itertools.repeat(part)
