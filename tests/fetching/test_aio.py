"""What only the transport on aiohttp has: idle connections, forks."""

import asyncio
import gc
import os
import sys
import warnings

import pytest

from fetching.exchange import request, run
from fetching.servers import ROBOTS, keep_answering, serve, sized
from verger.fetching import aio
from verger.fetching.aio import AiohttpTransport, IdleConnections

ANSWER = keep_answering(sized(ROBOTS))


def test_idle_connections_expire(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was kept long ago does not count any more."""
    now = [0.0]
    monkeypatch.setattr(aio, "monotonic", lambda: now[0])
    idle = IdleConnections(2, seconds=6.0)

    assert [True, True, False] == [idle.admit_one() for _ in range(3)]
    now[0] = 6.1
    assert [True, True, False] == [idle.admit_one() for _ in range(3)]


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

    assert (ROBOTS, 0, 2) == run(work())


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
