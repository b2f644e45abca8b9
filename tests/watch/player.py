"""A player of hosts: one real server on loopback that serves, round by round, what hosts served.

In: for each host its versions, in order: the bytes of a file, a status, or a whole reply. Out: the
port; how many requests came. A round ends when its watcher says so (`/done` of the host `control`),
so that one which was killed plays the same round again. Messages of webhooks are kept. No test is
here.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

Played: TypeAlias = bytes | int | tuple[int, bytes, Mapping[str, str]]
"""A file, a status, or status, body and header fields."""

CONTROL = "control.example"


@dataclass
class Player:
    """What is played, and what came.

    hosts:    the versions of each host.
    answer:   what a webhook answers to a message: its path, its header fields, its body.
    """

    hosts: Mapping[str, Sequence[Played]]
    answer: Callable[[str, Mapping[str, str], bytes], int] = lambda *_: 204
    round: int = 0
    requests: int = 0
    port: int = 0
    messages: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)

    def playing(self) -> list[str]:
        """Return the hosts that have a version in this round."""
        return [host for host, versions in self.hosts.items() if self.round < len(versions)]

    def reply(
        self, method: str, host: str, path: str, headers: Mapping[str, str], body: bytes
    ) -> Played:
        """Answer one request."""
        if method == "POST":
            status = self.answer(path, headers, body)
            self.messages.append((path, headers, body)) if 200 <= status < 300 else None
            return status
        if host == CONTROL:
            if path == "/done":
                self.round += 1
            return json.dumps(self.playing()).encode()
        self.requests += 1
        versions = self.hosts.get(host, [404])
        return versions[min(self.round, len(versions) - 1)]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of a connection."""
        try:
            while line := await reader.readline():
                method, path, _ = line.decode().split()
                headers: dict[str, str] = {}
                while (raw := await reader.readline()).strip():
                    name, _, value = raw.decode("latin-1").partition(":")
                    headers[name.lower()] = value.strip()
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                host = headers.get("host", "").partition(":")[0]
                played = self.reply(method, host, path, headers, body)
                if played == -1:  # never
                    await asyncio.sleep(3600)
                writer.write(_message(played))
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            pass
        finally:
            writer.close()


def _message(played: Played) -> bytes:
    if isinstance(played, bytes):
        played = (200, played, {"Content-Type": "text/plain"})
    if isinstance(played, int):
        played = (played, b"", {})
    status, body, headers = played
    fields = {**headers, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body


@contextmanager
def playing(player: Player) -> Iterator[Player]:
    """Serve until the end of the context."""
    loop, ready = asyncio.new_event_loop(), threading.Event()

    async def main() -> None:
        server = await asyncio.start_server(player.serve, "127.0.0.1", 0)
        player.port = server.sockets[0].getsockname()[1]
        ready.set()
        await asyncio.Event().wait()

    def run() -> None:
        asyncio.set_event_loop(loop)
        task = loop.create_task(main())
        loop.run_forever()
        for each in [task, *asyncio.all_tasks(loop)]:
            each.cancel()
        loop.run_until_complete(
            asyncio.gather(task, *asyncio.all_tasks(loop), return_exceptions=True)
        )
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    ready.wait()
    try:
        yield player
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
