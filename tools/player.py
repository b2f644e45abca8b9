"""Serve thousands of sites on loopback: their robots.txt files over real HTTP/1.1.

In: a folder of robots.txt files named after hosts, as `make corpus` fetches it; the `Host` of a
request selects the file. Out: the bytes of the file for `/robots.txt`, or 404 if there is none, and
204 for all other paths. `--origins N` adds N sites, `host-000001.example` and so on, whose files
are generated from the real ones on request, and all differ.

As a program, it prints its port, and ends when its standard input ends, so that it does not survive
the process that started it. `Player` starts it and counts requests.
The meaning of robots.txt files and measurements are not handled here.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import http.client
import json
import os
import resource
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from email.utils import formatdate
from pathlib import Path
from threading import Thread

ADDRESS = "127.0.0.1"
OWN_HOST = "player.invalid"
"""The host at which the player answers for itself: `/` counts what has reached it."""
BACKLOG = 4_096
IDLE = 5.0
"""Seconds after which an idle connection is closed, as Apache's servers do by default."""
LONGEST_HEAD = 65_536

MODIFIED = formatdate(1_700_000_000, usegmt=True)
LIFETIMES = ("max-age=3600", "max-age=86400", "public, max-age=14400", "")
"""What the sites say of how long their files are fresh; most say something."""


# --- for those who want one ---------------------------------------------------------------


class Player:
    """A player in a process of its own, for as long as the context lasts."""

    def __init__(self, folder: Path, *options: str, processor: int | None = None) -> None:
        """Take the folder of real files, more options of the program, and a CPU to stay on."""
        pinned = ["--processor", str(processor)] if processor is not None else []
        self._command = [sys.executable, __file__, str(folder), *pinned, *options]

    def __enter__(self) -> Player:
        """Start it and wait until it listens."""
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the player ended with {self._process.wait()} before it listened")
        self.port = int(line)
        return self

    def __exit__(self, *_: object) -> None:
        """End it."""
        self._process.communicate()

    def counts(self) -> dict[str, int]:
        """Return what has reached it so far, by name.

        `connections`, `robots` and `pages` only grow; `open` is how many connections there are
        now, and `most_open` how many there were at once since this was last asked.
        """
        connection = http.client.HTTPConnection(ADDRESS, self.port, timeout=30)
        try:
            connection.request("GET", "/", headers={"Host": OWN_HOST})
            counts: dict[str, int] = json.loads(connection.getresponse().read())
            return counts
        finally:
            connection.close()


def host_name(number: int) -> str:
    """Return the name of a site that is made up; they are numbered from 1."""
    return f"host-{number:06}.example"


# --- the program --------------------------------------------------------------------------


def main(arguments: Sequence[str] | None = None) -> int:
    """Play until standard input ends."""
    options = options_from(arguments)
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if options.processor is not None:
        pin_to(options.processor)
    sites = Sites(options.folder, options.origins, packs=options.gzip)
    try:
        asyncio.run(play(sites))
    except KeyboardInterrupt:
        return 130
    return 0


def options_from(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Play real robots.txt files on loopback.")
    parser.add_argument("folder", type=Path, help="robots.txt files, named by host")
    parser.add_argument("--origins", type=int, default=0, metavar="N", help="make up N sites more")
    parser.add_argument("--gzip", action="store_true", help="half of the real sites compress")
    parser.add_argument("--processor", type=int, metavar="N", help="stay on one CPU")
    return parser.parse_args(arguments)


def pin_to(processor: int) -> None:
    """Stay on one CPU, where the system can do that."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {processor})


async def play(sites: Sites) -> None:
    """Listen, say where, and answer until standard input ends."""
    loop = asyncio.get_running_loop()
    hall = Hall(sites)
    server = await loop.create_server(lambda: Connection(hall), ADDRESS, 0, backlog=BACKLOG)
    print(server.sockets[0].getsockname()[1], flush=True)
    ended = asyncio.Event()
    Thread(target=wait_for_end, args=(loop, ended), daemon=True).start()
    while not ended.is_set():
        hall.turn_the_clock(loop.time())
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), timeout=0.5)
    server.close()


def wait_for_end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Wait for the end of standard input, in a thread that holds nobody up."""
    sys.stdin.buffer.read()
    loop.call_soon_threadsafe(ended.set)


class Sites:
    """What each site answers: everything behind the status line and the date."""

    def __init__(self, folder: Path, origins: int, *, packs: bool) -> None:
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        self._bodies = list(files.values())
        self._origins = origins
        self._plain: dict[bytes, bytes] = {}
        self._packed: dict[bytes, bytes] = {}
        for name, body in files.items():
            host = authority(name).encode()
            self._plain[host] = response(body)
            if packs and zlib.crc32(host) % 2 == 0:
                self._packed[host] = response(gzip.compress(body, mtime=0), "gzip")

    def robots(self, host: bytes, *, takes_gzip: bool) -> bytes | None:
        """Return the response of a site to `/robots.txt`, or None where there is no such file."""
        if takes_gzip and host in self._packed:
            return self._packed[host]
        return self._plain.get(host) or self._made_up(host)

    def _made_up(self, host: bytes) -> bytes | None:
        digits = host.removeprefix(b"host-").removesuffix(b".example")
        if not (len(host) == 19 and digits.isdigit() and 0 < int(digits) <= self._origins):
            return None
        # A step that shares no factor with the number of files meets all of them in mixed order.
        body = self._bodies[int(digits) * 2_003 % len(self._bodies)]
        return response(b"# %b\n%b" % (host, body))


def authority(file_name: str) -> str:
    """Return the host of a file, without the port that some of Protego's names carry."""
    return file_name.removesuffix("_443")


def response(body: bytes, coding: str = "") -> bytes:
    """Return the header fields and the body of a successful response."""
    mark = zlib.crc32(body)
    lifetime = LIFETIMES[mark % len(LIFETIMES)]
    fields = [
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(body)}",
        f"Last-Modified: {MODIFIED}",
        f'ETag: "{mark:08x}"',
        f"Cache-Control: {lifetime}" if lifetime else "X-Cache: MISS",
        "Vary: Accept-Encoding",
        *([f"Content-Encoding: {coding}"] if coding else []),
    ]
    return "".join(f"{field}\r\n" for field in fields).encode() + b"\r\n" + body


class Hall:
    """What all connections share: the sites, the time, and the counts."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites
        self.open: set[Connection] = set()
        self.connections = self.robots = self.pages = self.most_open = 0
        self.now = 0.0
        self.common = b""

    def turn_the_clock(self, now: float) -> None:
        """Take note of the time, and close what has been idle for too long."""
        self.now = now
        self.common = f"Server: player\r\nDate: {formatdate(usegmt=True)}\r\n".encode()
        for connection in [each for each in self.open if each.heard_at < now - IDLE]:
            connection.close()

    def enter(self, connection: Connection) -> None:
        """Count a connection that begins."""
        self.open.add(connection)
        self.connections += 1
        self.most_open = max(self.most_open, len(self.open))

    def answer(self, host: bytes, path: bytes, head: bytes) -> bytes:
        """Return the response to a GET."""
        if host == OWN_HOST.encode():
            return self._counts()
        if path != b"/robots.txt":
            self.pages += 1
            return b"HTTP/1.1 204 No Content\r\n%b\r\n" % self.common
        self.robots += 1
        takes_gzip = b"gzip" in head
        found = self.sites.robots(host, takes_gzip=takes_gzip)
        if found is None:
            return b"HTTP/1.1 404 Not Found\r\n%bContent-Length: 0\r\n\r\n" % self.common
        return b"HTTP/1.1 200 OK\r\n%b%b" % (self.common, found)

    def _counts(self) -> bytes:
        counts = {
            "connections": self.connections,
            "robots": self.robots,
            "pages": self.pages,
            "open": len(self.open),
            "most_open": self.most_open,
        }
        self.most_open = len(self.open)
        body = json.dumps(counts).encode()
        fields = b"Content-Type: application/json\r\nContent-Length: %d" % len(body)
        return b"HTTP/1.1 200 OK\r\n%b%b\r\n\r\n%b" % (self.common, fields, body)


class Connection(asyncio.Protocol):
    """One connection: requests without a body in, responses out, in order."""

    _transport: asyncio.Transport
    close: Callable[[], None]

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._rest = b""
        self.heard_at = hall.now

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.close = transport.close
        self._hall.enter(self)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 (asyncio's name)
        self._hall.open.discard(self)

    def data_received(self, data: bytes) -> None:
        self.heard_at = self._hall.now
        *heads, self._rest = (self._rest + data).split(b"\r\n\r\n")
        for head in heads:
            self._respond(head)
        if len(self._rest) > LONGEST_HEAD:
            self._refuse(b"431 Request Header Fields Too Large")

    def _respond(self, head: bytes) -> None:
        method, _, target = head.partition(b"\r\n")[0].partition(b" ")
        path, _, version = target.rpartition(b" ")
        fields = head.lower() + b"\r\n"
        host = fields.partition(b"\r\nhost:")[2].partition(b"\r\n")[0].strip().partition(b":")[0]
        if not (host and path.startswith(b"/") and version.startswith(b"HTTP/1.")):
            self._refuse(b"400 Bad Request")
        elif method != b"GET":
            self._refuse(b"405 Method Not Allowed")
        else:
            self._transport.write(self._hall.answer(host, path, fields))
            if version == b"HTTP/1.0" or b"\r\nconnection: close\r\n" in fields:
                self._transport.close()

    def _refuse(self, status: bytes) -> None:
        head = b"HTTP/1.1 %b\r\n%b" % (status, self._hall.common)
        self._transport.write(head + b"Content-Length: 0\r\nConnection: close\r\n\r\n")
        self._transport.close()


if __name__ == "__main__":
    sys.exit(main())
