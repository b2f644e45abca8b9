"""One exchange over HTTP, and each way in which it ends; connections, loops and forks.

In: servers on loopback that follow a script. Out: replies and failures.
"""

import asyncio
import gc
import gzip
import os
import sys
import tracemalloc
import warnings

import pytest

from faults.stage import closed_port
from fetching.exchange import exchange, given_up, outcome, request, run
from fetching.servers import (
    OK,
    ROBOTS,
    Peer,
    Script,
    answer,
    keep_answering,
    repeat,
    reset_after,
    serve,
    sized,
    stall_after,
)
from patience import BRIEF, LONG, PATIENT
from verger.fetching.aiohttp_transport import AiohttpTransport
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import HopFailed

CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
HASTY = FetchLimits(idle=BRIEF, total=2 * LONG)
PACKED = gzip.compress(ROBOTS, mtime=0)

ANSWER = keep_answering(sized(ROBOTS))


# Bodies


@pytest.mark.parametrize(
    ("script", "body", "ended"),
    [
        (answer(sized(ROBOTS)), ROBOTS, "complete"),
        (answer(sized(ROBOTS)[:60], sized(ROBOTS)[60:]), ROBOTS, "complete"),
        (answer(OK + b"\r\n" + ROBOTS), ROBOTS, "complete"),
        (answer(sized(b"")), b"", "complete"),
        (answer(b"HTTP/1.1 204 No Content\r\n\r\n"), b"", "complete"),
        (answer(CHUNKED + b"3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n"), b"abcdef", "complete"),
        (answer(CHUNKED, b"3\r\na", b"bc\r\n0", b"\r\n\r\n"), b"abc", "complete"),
        (answer(CHUNKED + b"3;x=y\r\nabc\r\n0\r\nT: 1\r\n\r\n"), b"abc", "complete"),
        (answer(sized(PACKED, b"Content-Encoding: gzip")), PACKED, "complete"),
        (answer(sized(b"abc", b"Content-Encoding: gzip")), b"abc", "complete"),
        (answer(sized(b"abc") + b"more than announced"), b"abc", "complete"),
        (answer(b"HTTP/1.0 200 OK\r\n\r\nabc"), b"abc", "complete"),
        (answer(b"HTTP/1.1 200\r\nContent-Length: 3\r\n\r\nabc"), b"abc", "complete"),
        pytest.param(
            answer(b"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc"),
            b"abc",
            "complete",
            marks=pytest.mark.skipif(sys.flags.dev_mode, reason="aiohttp is strict there"),
        ),
        (answer(OK + b"Content-Length: 9\r\n\r\nabc"), b"abc", "broken"),
        (answer(OK + b"Content-Length: 9\r\n\r\n", b"abc"), b"abc", "broken"),
        (answer(CHUNKED + b"3\r\nabc\r\n"), b"abc", "broken"),
        (answer(CHUNKED + b"3\r\nabc\r\nnonsense\r\n"), b"abc", "broken"),
        (answer(CHUNKED, b"3\r\nabc\r\n", b"nonsense\r\n"), b"abc", "broken"),
        (answer(CHUNKED + b"9\r\nabc"), b"abc", "broken"),
        (reset_after(OK + b"Content-Length: 9\r\n\r\n", b"abc"), b"abc", "broken"),
        (reset_after(OK + b"\r\n", b"abc"), b"abc", "broken"),
        (reset_after(CHUNKED, b"3\r\nabc\r\n"), b"abc", "broken"),
    ],
)
def test_body(script: Script, body: bytes, ended: str) -> None:
    """A body comes as it is on the wire, with what came where it breaks."""
    result, _ = exchange(script)

    assert (body, ended) == result.body


@pytest.mark.parametrize(
    ("script", "body", "ended"),
    [
        (answer(sized(b"x" * 100)), b"x" * 100, "complete"),
        (answer(sized(b"x" * 101)), b"x" * 100, "limit"),
        (answer(sized(b"x" * 90_000)), b"x" * 100, "limit"),
        (answer(CHUNKED + b"65\r\n" + b"x" * 101 + b"\r\n0\r\n\r\n"), b"x" * 100, "limit"),
        (repeat(OK + b"\r\n", b"x" * 9_000), b"x" * 100, "limit"),
        (repeat(CHUNKED, b"1\r\nx\r\n" * 900), b"x" * 100, "limit"),
    ],
)
def test_body_limit(script: Script, body: bytes, ended: str) -> None:
    """No more is read than is worth reading; a body of just that size is complete."""
    result, _ = exchange(script, body_limit=100)

    assert (body, ended) == result.body


@pytest.mark.parametrize(
    "script",
    [
        repeat(CHUNKED, b"1;" + b"e" * 9_000 + b"\r\nx\r\n"),
        repeat(CHUNKED + b"1\r\nx\r\n0\r\n", b"trailer: without end\r\n" * 100),
        repeat(CHUNKED + b"1\r\nx\r\n0\r\n", b"trailer" * 100),
        repeat(CHUNKED + b"1\r\nx\r\n", b"0" * 9_000),
    ],
    ids=["extensions", "trailers", "trailer", "size"],
)
def test_overhead_of_chunks(script: Script) -> None:
    """Chunks that are anything but body end it, long before the time is over."""
    result, _ = exchange(script, body_limit=10_000)
    body, ended = result.body

    assert "broken" == ended
    assert set(body) <= {ord("x")}


@pytest.mark.parametrize("status", [b"301 Moved", b"404 Not Found", b"429 Slow", b"503 Down"])
def test_body_of_other_status(status: bytes) -> None:
    """Only the body of a 2xx response is read; what another one announces need not come."""
    head = b"HTTP/1.1 " + status + b"\r\nLocation: /x\r\nContent-Length: 9999\r\n\r\nsome"
    result, _ = exchange(stall_after(head))

    assert result.reply
    assert int(status[:3]) == result.reply.status
    assert (b"", "complete") == result.body
    assert ("Location", "/x") in result.reply.headers


def test_many_bombs() -> None:
    """Endless bodies take the memory of their limits and some buffers, all at once too."""

    async def work() -> None:
        transport = AiohttpTransport()
        async with serve(repeat(OK + b"\r\n", b"x" * 250_000)) as server:
            url = f"http://127.0.0.1:{server.port}/robots.txt"
            sent = request(url, body_limit=512_000)
            replies = await asyncio.gather(*(transport.send(sent) for _ in range(8)))
            await transport.close()

        assert ["limit"] * 8 == [reply.ended for reply in replies]

    run(work())  # what is imported and cached counts for nobody
    tracemalloc.start()
    try:
        run(work())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 8 * 4 * 1024 * 1024


# Heads


def test_request() -> None:
    """The request names its target as clients do, escapes as they stand, and holds no header that
    nobody asked for."""

    async def work() -> bytes:
        transport = AiohttpTransport(resolver={"example.com": "127.0.0.1"})
        async with serve(answer(sized(ROBOTS))) as server:
            url = f"http://example.com:{server.port}/%7ea/x/../b%zz;p?q=%C3%A4%2f#fragment"
            await transport.send(request(url))
            await transport.close()
        return server.heads[0].replace(b":%d" % server.port, b"")

    line, *fields = run(work()).decode().split("\r\n")

    assert "GET /%7ea/b%zz;p?q=%C3%A4%2f HTTP/1.1" == line
    assert ["", "", "Connection: close", "Host: example.com", "User-Agent: verger-test"] == sorted(
        fields
    )


def test_headers() -> None:
    """Headers come in order, with repetitions, and with bytes that are not ASCII."""
    head = [b"A: 1", b"b: x", b"a: 2", b"Location: /\xc3\xa4\xff"]
    result, _ = exchange(answer(sized(b"", *head)))

    assert result.reply
    assert [
        ("A", "1"),
        ("b", "x"),
        ("a", "2"),
        ("Location", "/\udcc3\udca4\udcff"),
        ("Content-Length", "0"),
    ] == list(result.reply.headers)


@pytest.mark.parametrize(
    "interim", [b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"]
)
@pytest.mark.parametrize("together", [True, False])
def test_interim_responses(interim: bytes, together: bool) -> None:
    """Responses of the class 1xx come before the one that counts (RFC 9110 section 15.2)."""
    pieces = [interim + interim + sized(ROBOTS)] if together else [interim, sized(ROBOTS)]
    result, _ = exchange(answer(*pieces))

    assert (ROBOTS, "complete") == result.body


def test_large_headers() -> None:
    """Headers may be large, and many, within the bound."""
    head = [b"Large: " + b"x" * 20_000, *(b"N%d: y" % number for number in range(500))]
    result, _ = exchange(answer(sized(ROBOTS, *head)))

    assert (ROBOTS, "complete") == result.body


@pytest.mark.parametrize(
    "script",
    [
        repeat(OK, b"a: b\r\n" * 1_000),
        repeat(OK + b"a: ", b"b" * 9_000),
        repeat(OK, b"b" * 9_000),
        repeat(b"HTTP/1.1 200 ", b"b" * 9_000),
        repeat(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 300),
        answer(sized(ROBOTS, *[b"a: " + b"b" * 1_000] * 70)),
    ],
    ids=["fields", "value", "name", "reason", "interim", "ended"],
)
def test_too_large_headers(script: Script) -> None:
    """Headers without end, and headers beyond the bound, are not a response."""
    result, _ = exchange(script)

    assert "invalid-response" == result.failure


# Failures


@pytest.mark.parametrize(
    ("script", "failure"),
    [
        (answer(b""), "reset"),
        (answer(b"HTTP/1.1 200 OK\r\nContent-Le"), "reset"),
        (reset_after(b""), "reset"),
        (reset_after(b"HTTP/1.1 200 OK\r\nContent-Le"), "reset"),
        (answer(b"<html>HTTP/0.9</html>\r\n"), "invalid-response"),
        (answer(b"SSH-2.0-OpenSSH_9.2\r\n"), "invalid-response"),
        (answer(b"HTTP/1.1 OK\r\n\r\n"), "invalid-response"),
        (answer(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"), "invalid-response"),
        (stall_after(b""), "timeout"),
        (stall_after(b"HTTP/1.1 200 OK\r\nContent-Le"), "timeout"),
        (stall_after(sized(ROBOTS)[:-1]), "timeout"),
    ],
)
def test_failure(script: Script, failure: str) -> None:
    """A server that gives no response fails the hop, with a kind and few words."""
    bounds = HASTY if failure == "timeout" else PATIENT
    result, server = exchange(script, options={"limits": bounds})

    assert failure == result.failure
    assert result.failed
    assert 0 < len(result.failed.detail) < 120
    assert not set("<>{}\n") & set(result.failed.detail)
    assert 1 == server.connections


def test_refused() -> None:
    """A port on which nobody listens refuses the connection."""

    async def work() -> HopFailed | None:
        transport = AiohttpTransport()
        with closed_port() as port:
            result = await outcome(transport, request(f"http://127.0.0.1:{port}/"))
        await transport.close()
        return result.failed

    failed = run(work())

    assert failed
    assert ("refused", "connection refused") == (failed.failure, failed.detail)


@pytest.mark.parametrize("host", ["unknown.example", "a..b", "x" * 64 + ".example", "1.2.3.4.5"])
def test_unknown_host(host: str) -> None:
    """A name without an address, or that can have none, fails as such."""

    async def work() -> str:
        transport = AiohttpTransport(resolver={})
        result = await outcome(transport, request(f"http://{host}/robots.txt"))
        await transport.close()
        return result.failure

    assert "dns" == run(work())


@pytest.mark.parametrize("url", ["http:///x", "http://h:99999/", "http://[::x]/", "gopher://h/"])
@pytest.mark.parametrize(("named", "failure"), [(True, "dns"), (False, "redirect-invalid")])
def test_invalid_url(url: str, named: bool, failure: str) -> None:
    """What is not a URL of an HTTP server fails; as an invalid redirect where one led there."""

    async def work() -> str:
        transport = AiohttpTransport()
        result = await outcome(transport, request(url, named=named))
        await transport.close()
        return result.failure

    assert failure == run(work())


# Connections


@pytest.mark.parametrize(
    "script", [stall_after(b""), stall_after(OK), stall_after(OK + b"\r\n" + ROBOTS)]
)
def test_cancellation_closes(script: Script) -> None:
    """Who stops waiting for a response closes its connection."""

    async def work() -> bool:
        transport = AiohttpTransport()
        async with serve(script) as server:
            url = f"http://127.0.0.1:{server.port}/"
            return await given_up(transport, url, server)

    assert run(work())


def test_address() -> None:
    """A reply tells which address it came from, on kept connections too."""

    async def work() -> list[str]:
        transport = AiohttpTransport(resolver={"example.com": "127.0.0.2"})
        async with serve(keep_answering(sized(ROBOTS)), host="127.0.0.2") as server:
            sent = request(f"http://example.com:{server.port}/robots.txt")
            addresses = [(await transport.send(sent)).address for _ in range(2)]
            await transport.close()
        return addresses

    assert ["127.0.0.2", "127.0.0.2"] == run(work())


@pytest.mark.parametrize(
    ("options", "most"), [({"connections": 3}, 3), ({"connections_per_address": 2}, 2)]
)
def test_connections_at_most(options: dict[str, int], most: int) -> None:
    """Connections are bounded in all, and for an address whatever hosts are behind it."""

    under_way = [0, 0]
    full = asyncio.Event()

    async def slowly(peer: Peer) -> None:
        await peer.hear()
        under_way[0] += 1
        under_way[1] = max(under_way)
        if under_way[0] == most:
            full.set()
        await full.wait()
        await asyncio.sleep(0.05)  # for one more, if there is one
        under_way[0] -= 1
        await peer.say(sized(ROBOTS))

    async def work() -> int:
        table = {f"h{number}.example": "127.0.0.1" for number in range(9)}
        transport = AiohttpTransport(resolver=table, **options)
        async with serve(slowly) as server:
            sent = [request(f"http://{host}:{server.port}/robots.txt") for host in table]
            await asyncio.gather(*(transport.send(one) for one in sent))
            await transport.close()
        return server.connections

    assert 9 == run(work())
    assert most == under_way[1]


def test_loops_one_after_another() -> None:
    """A transport can be used in one event loop and then in another."""
    transport = AiohttpTransport()

    async def work() -> bytes:
        async with serve(keep_answering(sized(ROBOTS))) as server:
            url = f"http://127.0.0.1:{server.port}/robots.txt"
            reply = await transport.send(request(url))
            await transport.close()
            again = await transport.send(request(url))  # after `close` too
            await transport.close()
        return reply.body + again.body

    assert ROBOTS * 4 == run(work()) + run(work())


def test_loop_that_was_not_closed() -> None:
    """Connections of a loop that ended without `close` are not used in the next."""

    async def work(transport: AiohttpTransport) -> bytes:
        async with serve(ANSWER) as server:
            reply = await transport.send(request(f"http://127.0.0.1:{server.port}/robots.txt"))
            return reply.body

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        transport = AiohttpTransport()
        assert ROBOTS * 2 == run(work(transport)) + run(work(transport))
        del transport  # whose connections aiohttp complains about, as it should
        gc.collect()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_fork() -> None:
    """A child uses no connection of its parent, and does not disturb it."""

    async def work() -> tuple[bytes, int, int]:
        transport = AiohttpTransport()
        async with serve(ANSWER) as server:
            url = f"http://127.0.0.1:{server.port}/robots.txt"
            await transport.send(request(url))
            child = os.fork()
            if not child:
                child_asks(transport, url)
            loop = asyncio.get_running_loop()
            _, status = await loop.run_in_executor(None, os.waitpid, child, 0)
            reply = await transport.send(request(url))
            await transport.close()
        return reply.body, os.waitstatus_to_exitcode(status), server.connections

    assert (ROBOTS, 0, 3) == run(work())


def child_asks(transport: AiohttpTransport, url: str) -> None:
    """Ask in a forked child, which ends without what pytest would do at its end."""
    asyncio.events._set_running_loop(None)
    code = 1
    try:

        async def work() -> None:
            reply = await transport.send(request(url))
            await transport.close()
            assert ROBOTS == reply.body

        run(work())
        code = 0
    except BaseException as error:
        print(error, file=sys.stderr)
    finally:
        os._exit(code)
