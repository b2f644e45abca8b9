"""HTTP/2, over TLS, where a server offers it.

In: a server that speaks HTTP/2 frame by frame, with h2. Out: the same replies as over HTTP/1.1.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path

import h2.config
import h2.connection
import h2.events
import pytest

from fetching.exchange import Outcome, failure_of_a_redirect, outcome, request, run
from fetching.servers import ROBOTS, Peer, Script, Server, keep_answering, serve, sized
from fetching.test_secure import AUTHORITY, TABLE, presenting
from verger.fetching.httpx import HttpxTransport
from verger.fetching.limits import FetchLimits

Respond = Callable[[h2.connection.H2Connection, int], None]


def speaking_http2(respond: Respond) -> Script:
    """Respond to each request of a connection."""

    async def script(peer: Peer) -> None:
        state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        state.initiate_connection()
        await peer.say(state.data_to_send())
        while data := await peer.reader.read(65_536):
            for event in state.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    peer.server.heads.append(repr(event.headers).encode())
                    respond(state, event.stream_id)
            await peer.say(state.data_to_send())
        peer.server.hung_up.set()

    return script


def head(state: h2.connection.H2Connection, stream: int, *fields: tuple[str, str]) -> None:
    state.send_headers(stream, [(":status", "200"), *fields])


def whole(state: h2.connection.H2Connection, stream: int) -> None:
    head(state, stream, ("content-type", "text/plain"))
    state.send_data(stream, ROBOTS, end_stream=True)


def hinted(state: h2.connection.H2Connection, stream: int) -> None:
    state.send_headers(stream, [(":status", "103"), ("link", "</x>")])
    whole(state, stream)


def large(state: h2.connection.H2Connection, stream: int) -> None:
    head(state, stream)
    for _ in range(3):
        state.send_data(stream, b"x" * 10_000)


def cut(state: h2.connection.H2Connection, stream: int) -> None:
    head(state, stream)
    state.send_data(stream, ROBOTS)
    state.reset_stream(stream)


def reset(state: h2.connection.H2Connection, stream: int) -> None:
    state.reset_stream(stream)


def goodbye(state: h2.connection.H2Connection, stream: int) -> None:
    state.close_connection(error_code=2, last_stream_id=0)
    assert stream


def bomb(state: h2.connection.H2Connection, stream: int) -> None:
    head(state, stream, *((f"n{number}", "x" * 1_000) for number in range(200)))


def nothing(state: h2.connection.H2Connection, stream: int) -> None:
    assert state
    assert stream


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "authority.pem"
    AUTHORITY.cert_pem.write_to_path(str(path))
    return path


def asked(
    respond: Respond, bundle: Path, *, times: int = 1, limit: int = 500_000
) -> tuple[list[Outcome], Server]:
    """Ask a server for the same file at once, some times."""

    async def work() -> tuple[list[Outcome], Server]:
        context = presenting(AUTHORITY.issue_cert("good.example"), "h2", "http/1.1")
        transport = HttpxTransport(ca_bundle=bundle, resolver=TABLE, limits=FetchLimits(idle=0.5))
        async with serve(speaking_http2(respond), context=context) as server:
            url = f"https://good.example:{server.port}/robots.txt"
            sent = request(url, body_limit=limit)
            results = await asyncio.gather(*(outcome(transport, sent) for _ in range(times)))
            await transport.close()
        return results, server

    return run(work())


@pytest.mark.parametrize(
    ("respond", "limit", "body", "ended"),
    [
        (whole, 500_000, ROBOTS, "complete"),
        (hinted, 500_000, ROBOTS, "complete"),
        (whole, len(ROBOTS), ROBOTS, "complete"),
        (large, 100, b"x" * 100, "limit"),
        (cut, 500_000, ROBOTS, "broken"),
    ],
)
def test_body(bundle: Path, respond: Respond, limit: int, body: bytes, ended: str) -> None:
    """Bodies come as they do over HTTP/1.1."""
    (result,), server = asked(respond, bundle, limit=limit)

    assert (body, ended) == result.body
    assert result.reply
    assert "127.0.0.1" == result.reply.address
    assert b"verger-test" in server.heads[0]


@pytest.mark.parametrize(
    ("respond", "failure"),
    [
        (reset, "reset"),
        (goodbye, "reset"),
        (bomb, "invalid-response"),
        (nothing, "timeout"),
    ],
)
def test_failure(bundle: Path, respond: Respond, failure: str) -> None:
    """Failures are told in the same words."""
    (result,), _ = asked(respond, bundle)

    assert failure == result.failure
    assert result.failed
    assert not set("<>{}\n") & set(result.failed.detail)


def test_streams_share_a_connection(bundle: Path) -> None:
    """Requests for one origin at once need no connection each."""
    results, server = asked(whole, bundle, times=8)

    assert [(ROBOTS, "complete")] * 8 == [result.body for result in results]
    assert 8 == len(server.heads)
    assert server.connections < 8


def test_redirects_share_none(bundle: Path) -> None:
    """A redirect has a connection of its own, whose address was judged for it."""

    async def work() -> tuple[str, int]:
        context = presenting(AUTHORITY.issue_cert("good.example"), "h2", "http/1.1")
        transport = HttpxTransport(ca_bundle=bundle, resolver=TABLE)
        async with serve(speaking_http2(whole), context=context) as server:
            url = f"https://good.example:{server.port}/robots.txt"
            failure = await failure_of_a_redirect(transport, url)
        return failure, len(server.heads)

    assert ("redirect-refused", 1) == run(work())


@pytest.mark.parametrize("http2", [True, False])
def test_server_without_http2(bundle: Path, http2: bool) -> None:
    """Who does not offer it is asked over HTTP/1.1; it can be left out altogether."""

    async def work() -> Outcome:
        protocols = ["http/1.1"] if http2 else ["h2", "http/1.1"]
        context = presenting(AUTHORITY.issue_cert("good.example"), *protocols)
        transport = HttpxTransport(ca_bundle=bundle, resolver=TABLE, http2=http2)
        async with serve(keep_answering(sized(ROBOTS)), context=context) as server:
            result = await outcome(transport, request(f"https://good.example:{server.port}/"))
            await transport.close()
        return result

    assert (ROBOTS, "complete") == run(work()).body
