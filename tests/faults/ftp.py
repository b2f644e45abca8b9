"""Faults of FTP: proper servers with good, empty, large and missing files, and raw ones beside.

The raw ones follow RFC 959: a greeting, replies of three digits, a data connection by PASV.
"""

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.servers import FTPServer

from patience import LONG

from .contents import COMMENT
from .stage import RULES, Handler, Peer, Scene, Stage, always, closed_port, redirect, staged

logging.getLogger("pyftpdlib").setLevel(logging.CRITICAL)

# --- a proper server


@contextlib.contextmanager
def ftp_server(content: bytes | None) -> Iterator[str]:
    """Serve one file, or none, to anonymous users; yield the origin."""
    with TemporaryDirectory() as folder:
        if content is not None:
            (Path(folder) / "robots.txt").write_bytes(content)
        authorizer = DummyAuthorizer()
        authorizer.add_anonymous(folder)
        handler = type("Handler", (FTPHandler,), {"authorizer": authorizer})
        server = FTPServer(("127.0.0.1", 0), handler, ioloop=IOLoop())
        thread = threading.Thread(target=serve_until, args=(server, stop := threading.Event()))
        thread.start()
        try:
            yield f"ftp://127.0.0.1:{server.address[1]}"
        finally:
            stop.set()
            thread.join(timeout=LONG)


def serve_until(server: FTPServer, stop: threading.Event) -> None:
    while not stop.is_set():
        server.serve_forever(timeout=0.1, blocking=False, handle_exit=False)
    server.close_all()


def proper(name: str, content: bytes | None) -> None:
    @staged(name)
    async def setting(stage: Stage) -> Scene:
        return Scene(stage.keep(ftp_server(content)))


proper("ftp-good", RULES)
proper("ftp-empty", b"")
proper("ftp-missing", None)
proper("ftp-large", RULES + COMMENT * 20_000)


@staged("redirect-ftp")
async def redirect_ftp(stage: Stage) -> Scene:
    target = stage.keep(ftp_server(RULES))
    return Scene(await stage.listen(always(redirect(f"{target}/robots.txt"))))


# --- raw servers

Transfer = Callable[[Peer, Peer], Awaitable[None]]
"""What is done with the control and the data connection once the file is asked for."""
Address = Callable[[int], tuple[str, int]]


class Replies(dict[str, bytes]):
    """What a server answers, by verb, where it is not what everybody answers."""

    def __missing__(self, verb: str) -> bytes:
        return USUAL.get(verb, b"502 not here\r\n")


USUAL = {
    "USER": b"331 who are you\r\n",
    "PASS": b"230 welcome\r\n",
    "TYPE": b"200 so be it\r\n",
    "SIZE": b"550 no sizes here\r\n",
    "MDTM": b"550 no times here\r\n",
    "EPSV": b"500 what\r\n",
    "QUIT": b"221 bye\r\n",
}


async def whole_transfer(control: Peer, data: Peer) -> None:
    await data.send(RULES)
    data.writer.close()
    await control.send(b"226 done\r\n")


def here(port: int) -> tuple[str, int]:
    return "127.0.0.1", port


def raw(
    name: str,
    *,
    replies: dict[str, bytes] | None = None,
    transfer: Transfer = whole_transfer,
    passive: Address = here,
) -> None:
    """Register a server that speaks as much FTP as one file needs."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        async def serve(control: Peer) -> None:
            await converse(control, Replies(replies or {}), transfer, passive)

        return Scene(await ftp_origin(stage, serve))


async def ftp_origin(stage: Stage, handler: Handler) -> str:
    return (await stage.listen(handler)).replace("http:", "ftp:")


async def converse(control: Peer, replies: Replies, transfer: Transfer, passive: Address) -> None:
    async with data_port() as (port, connection):
        await control.send(b"220 hello\r\n")
        while line := await control.reader.readline():
            verb = line.split()[0].decode().upper()
            if verb == "PASV" and verb not in replies:
                await control.send(entering(*passive(port)))
            elif verb == "RETR" and verb not in replies:
                await control.send(b"150 here it comes\r\n")
                await transfer(control, await connection)
            else:
                await control.send(replies[verb])
            if verb == "QUIT":
                return


@contextlib.asynccontextmanager
async def data_port() -> AsyncIterator[tuple[int, asyncio.Future[Peer]]]:
    """Yield a port, and the first connection to it when it comes."""
    first: asyncio.Future[Peer] = asyncio.get_running_loop().create_future()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not first.done():
            first.set_result(Peer(reader, writer, ""))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], first
    finally:
        server.close()
        if first.done() and not first.cancelled():
            first.result().writer.close()


def entering(address: str, port: int) -> bytes:
    numbers = (*address.split("."), str(port // 256), str(port % 256))
    return f"227 entering passive mode ({','.join(numbers)})\r\n".encode()


async def aborted(control: Peer, data: Peer) -> None:
    await data.send(RULES[:20])
    data.writer.close()
    await control.send(b"426 transfer aborted\r\n")


async def closed_inside(control: Peer, data: Peer) -> None:
    await data.send(RULES[:20])
    control.writer.close()
    data.writer.close()


async def endless(_: Peer, data: Peer) -> None:
    await data.send(RULES)
    await data.flood(COMMENT)


async def silent_data(control: Peer, _: Peer) -> None:
    await control.linger()


raw("ftp-login-refused", replies={"USER": b"530 no anonymous users\r\n"})
raw("ftp-busy", replies={"RETR": b"450 file busy\r\n"})
raw("ftp-aborted", transfer=aborted)
raw("ftp-closed-inside-transfer", transfer=closed_inside)
raw("ftp-endless-file", transfer=endless)
raw("ftp-silent-data", transfer=silent_data)
raw("ftp-pasv-elsewhere", passive=lambda port: ("127.0.0.2", port))


@staged("ftp-data-refused")
async def data_refused(stage: Stage) -> Scene:
    port = stage.keep(closed_port())

    async def serve(control: Peer) -> None:
        await converse(control, Replies(), whole_transfer, lambda _: here(port))

    return Scene(await ftp_origin(stage, serve))


@staged("ftp-refused")
async def ftp_refused(stage: Stage) -> Scene:
    return Scene(f"ftp://127.0.0.1:{stage.keep(closed_port())}")


def speaks(name: str, handler: Handler) -> None:
    """Register what is done with a control connection from its first moment."""

    @staged(name)
    async def setting(stage: Stage) -> Scene:
        return Scene(await ftp_origin(stage, handler))


async def too_many_users(peer: Peer) -> None:
    await peer.send(b"421 too many users\r\n")


async def garbage(peer: Peer) -> None:
    await peer.send(bytes(range(128, 256)) * 8, b"\r\n")
    await peer.linger()


async def endless_greeting(peer: Peer) -> None:
    await peer.flood(b"220-welcome\r\n")


async def closed(peer: Peer) -> None:
    pass


speaks("ftp-greeting-421", too_many_users)
speaks("ftp-garbage", garbage)
speaks("ftp-endless-greeting", endless_greeting)
speaks("ftp-silent", Peer.linger)
speaks("ftp-closed", closed)
