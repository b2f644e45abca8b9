"""One file by FTP: from a real server, and from servers that misbehave.

In: pyftpdlib in a thread, and scripts on raw sockets. Out: replies, failures, threads that end.
"""

import asyncio
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from client.stage import Web
from faults.stage import closed_port
from fetching.exchange import Outcome, given_up, outcome, request, run
from fetching.servers import ROBOTS, Peer, Server, serve
from patience import BRIEF, LONG, PATIENT, until
from verger.fetching.ftp import FtpTransport
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import Reply, TransportByScheme

with warnings.catch_warnings():  # of its own modules, deprecated in Python 3.11
    warnings.simplefilter("ignore", DeprecationWarning)
    from pyftpdlib.authorizers import DummyAuthorizer
    from pyftpdlib.handlers import FTPHandler
    from pyftpdlib.servers import FTPServer

HASTY = FetchLimits(idle=BRIEF, total=2 * LONG)
HALF = b"226-half a"
"""A reply whose other half never comes."""


def fetched(
    port: int,
    path: str = "/robots.txt",
    host: str = "127.0.0.1",
    options: Mapping[str, Any] = MappingProxyType({}),
    bounds: FetchLimits = PATIENT,
    **changes: object,
) -> Outcome:
    """Ask for a file, by a transport of its own with these options."""

    async def work() -> Outcome:
        table = {"ftp.example": "127.0.0.1"}
        transport = FtpTransport(limits=bounds, resolver=table, **options)
        try:
            return await outcome(transport, request(f"ftp://{host}:{port}{path}", **changes))
        finally:
            await transport.close()

    return run(work())


# A real server


class Handler(FTPHandler):
    """A server that remembers passwords and looks for its own end often."""

    passwords: list[str]

    def ftp_PASS(self, line: str) -> None:  # noqa: N802  pyftpdlib's name
        self.passwords.append(line)
        super().ftp_PASS(line)


@contextmanager
def site(folder: Path, *, anonymous: bool = True) -> Iterator[tuple[int, list[str]]]:
    """Serve a folder; yields the port, and the passwords that came."""
    authorizer = DummyAuthorizer()
    if anonymous:
        authorizer.add_anonymous(str(folder))
    passwords: list[str] = []
    handler = type("OwnHandler", (Handler,), {"authorizer": authorizer, "passwords": passwords})
    handler.auth_failed_timeout = 0
    server = FTPServer(("127.0.0.1", 0), handler)
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            server.serve_forever(timeout=0.02, blocking=False)
        server.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield server.address[1], passwords
    finally:
        stopped.set()
        thread.join()


def test_file(tmp_path: Path) -> None:
    """A file comes whole, with the status of one that is there."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, passwords):
        result = fetched(port)

    assert Reply(200, (), ROBOTS, "complete", "127.0.0.1") == result.reply
    assert ["guest"] == passwords


def test_bytes_stay(tmp_path: Path) -> None:
    """The transfer changes no byte, and no line end."""
    (tmp_path / "robots.txt").write_bytes(bytes(range(256)) * 300)
    with site(tmp_path) as (port, _):
        result = fetched(port)

    assert (bytes(range(256)) * 300, "complete") == result.body


def test_name_and_password(tmp_path: Path) -> None:
    """Hosts are resolved; the password is the mail address of the From header."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, passwords):
        result = fetched(port, host="ftp.example", headers={"From": "crawl@example.com"})

    assert (ROBOTS, "complete") == result.body
    assert ["crawl@example.com"] == passwords


@pytest.mark.parametrize(("limit", "ended"), [(len(ROBOTS), "complete"), (5, "limit")])
def test_limit(tmp_path: Path, limit: int, ended: str) -> None:
    """No more is read than is worth reading."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, _):
        result = fetched(port, body_limit=limit)

    assert (ROBOTS[:limit], ended) == result.body


def test_no_file(tmp_path: Path) -> None:
    """Reply 550 says that there is no such file."""
    with site(tmp_path) as (port, _):
        result = fetched(port)

    assert result.reply
    assert (404, b"") == (result.reply.status, result.reply.body)


def test_path_is_decoded(tmp_path: Path) -> None:
    """The path of the URL is decoded before it is sent."""
    (tmp_path / "a b.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, _):
        result = fetched(port, "/a%20b.txt")

    assert (ROBOTS, "complete") == result.body


def test_login_refused(tmp_path: Path) -> None:
    """A server that lets no stranger in is not one without a file."""
    with site(tmp_path, anonymous=False) as (port, _):
        result = fetched(port)

    assert "ftp" == result.failure
    assert result.failed
    assert result.failed.detail.startswith("530")


# Servers that misbehave

Answers = dict[bytes, bytes | None]

USUAL: Answers = {
    b"USER": b"331 password?\r\n",
    b"PASS": b"230 welcome\r\n",
    b"TYPE": b"200 binary\r\n",
    b"RETR": b"150 here it comes\r\n",
}


@asynccontextmanager
async def misbehaving(
    changed: Answers,
    data: Callable[[Peer], object],
    *,
    end: bytes = b"226 done\r\n",
    passive: str = "127,0,0,1",
) -> AsyncIterator[tuple[Server, Server]]:
    """Serve like anyone, but for some answers; None: end the connection instead."""
    answers = {**USUAL, **changed}

    async def talk(peer: Peer) -> None:
        welcome = answers.get(b"", b"220 hello\r\n")
        if welcome is None:
            return
        await peer.say(welcome)
        while line := await peer.reader.readline():
            peer.server.heads.append(line)
            verb = line[:4].strip()
            port = channel.port
            announced = b"227 (%s,%d,%d)\r\n" % (passive.encode(), port >> 8, port & 255)
            reply = answers.get(verb, announced if verb == b"PASV" else b"502 what\r\n")
            if reply is None:
                return
            await peer.say(reply)
            if verb == b"RETR" and reply[:1] == b"1":
                await channel.hung_up.wait()
                if not end:
                    return
                await peer.say(end)

    async def transfer(peer: Peer) -> None:
        await data(peer)  # type: ignore[misc]
        peer.server.hung_up.set()

    async with serve(transfer) as channel, serve(talk) as server:
        yield server, channel


async def whole(peer: Peer) -> None:
    await peer.say(ROBOTS)


async def cut(peer: Peer) -> None:
    await peer.say(ROBOTS)
    await asyncio.sleep(0.05)
    peer.reset()


async def silent(peer: Peer) -> None:
    await peer.hang_up()


FAILURES: dict[bytes, dict[bytes | None, str]] = {
    b"": {
        None: "reset",
        b"": "timeout",
        b"421 too many users\r\n": "ftp",
        b"120 in a minute\r\n": "timeout",
        b"120 in a minute\r\n421 not today\r\n": "ftp",
        b"150 hello\r\n": "ftp",
        b"331 hello\r\n": "ftp",
        b"550 no\r\n": "ftp",
        b"HTTP/1.1 400 Bad Request\r\n": "ftp",
        b"\xff\xfe\r\n": "ftp",
        b"220-" + b"x" * 20_000 + b"\r\n220 \r\n": "ftp",
        b"220-\r\n" + b"x" * 80 + b"\r\n" * 40_000: "invalid-response",
    },
    b"USER": {b"530 no\r\n": "ftp", None: "reset"},
    b"PASS": {b"530 no\r\n": "ftp", b"550 no\r\n": "ftp", b"332 account?\r\n": "ftp"},
    b"TYPE": {b"500 what\r\n": "ftp", b"550 no\r\n": "ftp"},
    b"PASV": {
        b"500 what\r\n": "ftp",
        b"550 no\r\n": "ftp",  # only the reply to RETR says that there is no file
        b"227 nonsense\r\n": "ftp",
        b"227 (127,0,0,1,999,999)\r\n": "ftp",
        b"": "timeout",
    },
    b"RETR": {
        b"425 cannot open\r\n": "ftp",
        b"450 busy\r\n": "ftp",
        b"530 no\r\n": "ftp",
        b"": "timeout",
        None: "reset",
    },
}
"""By verb: the answer to it, and the failure that this is."""


@pytest.mark.parametrize(
    ("verb", "answer", "failure"),
    [(verb, *one) for verb, answers in FAILURES.items() for one in answers.items()],
)
def test_failure(verb: bytes, answer: bytes | None, failure: str) -> None:
    """Each way not to give the file is a failure with few words."""

    async def work() -> Outcome:
        bounds = HASTY if failure == "timeout" else PATIENT
        async with misbehaving({verb: answer}, whole) as (server, _):
            return await asyncio.to_thread(fetched, server.port, bounds=bounds)

    result = run(work())

    assert failure == result.failure
    assert result.failed
    assert 0 < len(result.failed.detail) < 130
    assert "\n" not in result.failed.detail


@pytest.mark.parametrize(
    ("data", "end", "body", "ended"),
    [
        (whole, b"226 done\r\n", ROBOTS, "complete"),
        (whole, b"426 aborted\r\n", ROBOTS, "broken"),
        (whole, b"451 disk on fire\r\n", ROBOTS, "broken"),
        (whole, b"", ROBOTS, "broken"),
        (whole, HALF, ROBOTS, "broken"),
        (cut, b"226 done\r\n", ROBOTS, "broken"),
    ],
)
def test_end_of_transfer(
    data: Callable[[Peer], object], end: bytes, body: bytes, ended: str
) -> None:
    """Without reply 226, or with a reset, the file may not be whole; what came is kept."""

    async def work() -> Outcome:
        bounds = HASTY if end == HALF else PATIENT
        async with misbehaving({}, data, end=end) as (server, _):
            return await asyncio.to_thread(fetched, server.port, bounds=bounds)

    assert (body, ended) == run(work()).body


def test_silence_in_transfer() -> None:
    """A data connection that falls silent is waited for no longer than the idle time."""

    async def work() -> Outcome:
        async with misbehaving({}, silent) as (server, _):
            return await asyncio.to_thread(fetched, server.port, bounds=HASTY)

    assert "timeout" == run(work()).failure


def test_announced_address() -> None:
    """Where a server says that data comes from another machine, it is still asked itself."""

    async def victim(peer: Peer) -> None:
        await peer.say(b"secret")

    async def work() -> tuple[Outcome, int]:
        async with (
            misbehaving({}, whole, passive="127,0,0,2") as (server, channel),
            serve(victim, host="127.0.0.2", port=channel.port) as other,
        ):
            result = await asyncio.to_thread(fetched, server.port)
            return result, other.connections

    result, connections = run(work())

    assert (ROBOTS, "complete") == result.body
    assert 0 == connections


def test_refused() -> None:
    """Nobody listens."""
    with closed_port() as port:
        assert "refused" == fetched(port).failure


def test_unknown_host() -> None:
    """The name has no address."""
    assert "dns" == fetched(21, host="unknown.example").failure


@pytest.mark.parametrize("path", ["/a%0d%0aDELE%20robots.txt", "/a%00b", "/%0a"])
def test_no_command_in_path(path: str) -> None:
    """A path that would end the command is not a path."""
    assert "dns" == fetched(21, path).failure


def test_address_that_the_caller_did_not_name(tmp_path: Path) -> None:
    """It must be public, or exempt, as with HTTP."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, _):
        refused = fetched(port, named=False)
        exempt = fetched(port, named=False, options={"private": ["127.0.0.0/8"]})

    assert "redirect-refused" == refused.failure
    assert refused.failed
    assert (
        "address 127.0.0.1 is not public, and `private` does not name it" == refused.failed.detail
    )
    assert (ROBOTS, "complete") == exempt.body


def test_a_server_that_needs_a_while() -> None:
    """The reply 120 comes before 220 (RFC 959 section 4.2)."""

    async def work() -> Outcome:
        ready = {b"": b"120 in a minute\r\n120-in\r\n120 a second\r\n220 hello\r\n"}
        async with misbehaving(ready, whole) as (server, _):
            return await asyncio.to_thread(fetched, server.port)

    assert (ROBOTS, "complete") == run(work()).body


def test_a_proxy_is_not_left_out() -> None:
    """Where a proxy is to carry everything, no connection is made without it."""
    result = fetched(21, options={"proxy": "http://127.0.0.1:3128"})

    assert "ftp" == result.failure
    assert result.failed
    assert "a proxy does not reach FTP servers" == result.failed.detail


def test_connect_to(tmp_path: Path) -> None:
    """The connection goes elsewhere, as with HTTP."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    with site(tmp_path) as (port, _):
        result = fetched(21, options={"connect_to": [f":21:127.0.0.1:{port}"]})

    assert (ROBOTS, "complete") == result.body


# Threads


def ftp_threads() -> int:
    return sum(thread.name == "verger-ftp" for thread in threading.enumerate())


def test_cancellation_ends_the_thread() -> None:
    """Who stops waiting closes the sockets, so that the thread comes free at once.

    The idle time, which would end it, too, is longer than the test waits.
    """
    before = ftp_threads()

    async def work() -> bool:
        transport = FtpTransport(limits=FetchLimits(idle=2 * LONG, total=2 * LONG))
        async with misbehaving({}, silent) as (server, channel):
            url = f"ftp://127.0.0.1:{server.port}/robots.txt"
            return await given_up(transport, url, channel)

    assert run(work())
    until(lambda: ftp_threads() <= before)  # one of an earlier test may have ended, too


def test_many_at_once(tmp_path: Path) -> None:
    """More requests than threads take their turns."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)

    async def work(port: int) -> list[bytes]:
        transport = FtpTransport(connections=3)
        sent = request(f"ftp://127.0.0.1:{port}/robots.txt")
        replies = await asyncio.gather(*(transport.send(sent) for _ in range(12)))
        await transport.close()
        return [reply.body for reply in replies]

    with site(tmp_path) as (port, _):
        assert [ROBOTS] * 12 == run(work(port))


# Beside HTTP


def test_by_scheme(tmp_path: Path) -> None:
    """What is not of FTP goes to the other transport, which is closed too."""
    (tmp_path / "robots.txt").write_bytes(ROBOTS)
    http = Web({"https://a.example": b"https", "http://a.example": b"http"})
    both = TransportByScheme(http=http, ftp=FtpTransport())

    async def ask(port: int) -> list[bytes]:
        servers = ["https://a.example", "http://a.example", f"ftp://127.0.0.1:{port}"]
        replies = [await both.send(request(f"{server}/robots.txt")) for server in servers]
        await both.close()
        return [reply.body for reply in replies]

    with site(tmp_path) as (port, _):
        assert [b"https", b"http", ROBOTS] == run(ask(port))
    assert http.closings == 1
