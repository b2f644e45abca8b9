"""A server for many origins: what it answers depends on the host that is asked for.

In: connections on a port of this machine, where `--connect-to` leads every origin. Out: for
`closed*` a file that disallows everything, for `signals*` one that allows search, for `gone*` 404,
for `broken*` 503, for `cut*` an end without an answer, for `moved-N*` a redirect to the target of
that number, for `held*` word after word that an answer is to come, until the hosts are released;
for all others a file that disallows `/private`.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread

FILE = b"User-agent: *\nDisallow: /private\n"
CLOSED = b"User-agent: *\nDisallow: /\n"
SIGNALS = b"User-agent: *\nDisallow: /private\nContent-Signal: search=yes\n"
PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


class Server:
    """A server in a thread of its own."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.agents: set[str] = set()
        self.targets: list[str] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._released = asyncio.Event()
        self._server = self._loop.run_until_complete(self._start())
        self._thread = Thread(target=self._loop.run_forever, daemon=True)

    @property
    def options(self) -> tuple[str, ...]:
        """What a command needs to ask this server instead of the world."""
        lead = ("--connect-to", f"::127.0.0.1:{self.port}")
        return ("--user-agent", AGENT, *lead, "--timeout", "3600", "--cache", "none")

    def release(self) -> None:
        """Let the hosts answer that are held."""
        self._loop.call_soon_threadsafe(self._released.set)

    def hold(self) -> None:
        """Let those hosts wait again."""
        self._loop.call_soon_threadsafe(self._released.clear)

    async def _start(self) -> asyncio.Server:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1_024)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await self._answer(await reader.readuntil(b"\r\n\r\n"), writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()

    async def _keep_waiting(self, writer: asyncio.StreamWriter) -> None:
        """Say until the hosts are released that an answer will come: a client gives silence up."""
        while not self._released.is_set():
            writer.write(PROCESSING)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._released.wait(), timeout=1.0)

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        lines = [line.decode("latin-1").partition(": ") for line in head.split(b"\r\n")]
        fields = {name.lower(): value for name, _, value in lines}
        host = fields["host"]
        self.asked[host] += 1
        self.agents.add(fields["user-agent"])
        if host.startswith("cut"):
            writer.transport.abort()
            raise ConnectionError
        if host.startswith("held"):
            await self._keep_waiting(writer)
        if host.startswith("moved-"):
            target = self.targets[int(host.removeprefix("moved-").partition(".")[0])]
            writer.write(b"HTTP/1.1 301 Moved\r\nContent-Length: 0\r\nLocation: ")
            writer.write(target.encode() + b"\r\n\r\n")
            return
        status, body = _content(host)
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def _content(host: str) -> tuple[str, bytes]:
    if host.startswith("gone"):
        return "404 Not Found", b""
    if host.startswith("broken"):
        return "503 Service Unavailable", b""
    if host.startswith("signals"):
        return "200 OK", SIGNALS
    return "200 OK", CLOSED if host.startswith("closed") else FILE


@contextmanager
def serving() -> Iterator[Server]:
    """Serve until the block ends."""
    server = Server()
    server._thread.start()
    try:
        yield server
    finally:
        server._loop.call_soon_threadsafe(server._loop.stop)
        server._thread.join()
        server._server.close()
        for task in asyncio.all_tasks(server._loop):
            task.cancel()
        server._loop.run_until_complete(asyncio.sleep(0))
        server._loop.close()
