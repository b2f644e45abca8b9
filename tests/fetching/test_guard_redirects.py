"""The address guard at work: redirects connect to public addresses, and to those permitted.

In: hops that a redirect led to, over real sockets. Loopback stands for all that is not public;
what is exempt there stands for the public internet, which a test cannot have.
"""

import asyncio
import socket

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from fetching.exchange import Outcome, failure_of_a_redirect, outcome, request, run
from fetching.servers import ROBOTS, keep_answering, serve, sized
from verger.fetching import aiohttp_transport
from verger.fetching.aiohttp_transport import AiohttpTransport

ANSWER = keep_answering(sized(ROBOTS))


class Changing(AbstractResolver):
    """Gives other answers from time to time, as whoever owns a name can."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        return [
            {
                "hostname": host,
                "host": address,
                "port": port,
                "family": family,
                "proto": 0,
                "flags": 0,
            }
            for address in answer
        ]

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "[::ffff:127.0.0.1]", "localhost"],
)
def test_local_address(host: str) -> None:
    """No spelling of a local address is connected to; by the caller each can be named."""

    async def work() -> tuple[Outcome, Outcome, int]:
        transport = AiohttpTransport()
        async with serve(ANSWER) as server:
            url = f"http://{host}:{server.port}/robots.txt"
            refused = await outcome(transport, request(url, named=False))
            before = server.connections
            named = await outcome(transport, request(url))
            await transport.close()
        return refused, named, before

    refused, named, before = run(work())

    assert "redirect-refused" == refused.failure
    assert 0 == before
    assert (ROBOTS, "complete") == named.body


def test_local_address_of_version_6() -> None:
    """The same goes for ::1."""

    async def work() -> tuple[str, str]:
        transport = AiohttpTransport()
        async with serve(ANSWER, host="::1") as server:
            url = f"http://[0:0::1]:{server.port}/robots.txt"
            refused = await outcome(transport, request(url, named=False))
            named = await transport.send(request(url))
            await transport.close()
        assert server.heads[0].lower().count(b"host: [::1]:%d\r\n" % server.port)
        return refused.failure, named.address

    assert ("redirect-refused", "::1") == run(work())


def test_known_address() -> None:
    """A redirect may stay on the machine that a named hop connected to, and on no other."""

    async def work() -> tuple[Outcome, Outcome]:
        transport = AiohttpTransport()
        async with serve(ANSWER) as server:
            known = frozenset({"127.0.0.1"})
            here = f"http://127.0.0.1:{server.port}/"
            there = f"http://127.0.0.2:{server.port}/"
            stays = await outcome(transport, request(here, named=False, known_addresses=known))
            leaves = await outcome(transport, request(there, named=False, known_addresses=known))
            await transport.close()
        return stays, leaves

    stays, leaves = run(work())

    assert (ROBOTS, "complete") == stays.body
    assert "redirect-refused" == leaves.failure


def test_kept_connection_serves_no_redirect() -> None:
    """A connection that the caller's naming opened is not there for redirects."""

    async def work() -> tuple[str, int]:
        transport = AiohttpTransport(resolver={"example.com": "127.0.0.1"})
        async with serve(ANSWER) as server:
            url = f"http://example.com:{server.port}/robots.txt"
            failure = await failure_of_a_redirect(transport, url)
        return failure, len(server.heads)

    assert ("redirect-refused", 1) == run(work())


def test_answers_that_change() -> None:
    """The address that was judged is the one connected to, whatever is answered next."""

    async def work() -> list[str]:
        transport = AiohttpTransport(
            private=["127.0.0.2"],
            resolver=Changing(["127.0.0.2"], ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"]),
        )
        async with (
            serve(ANSWER) as local,
            serve(ANSWER, host="127.0.0.2", port=local.port) as other,
        ):
            url = f"http://example.com:{local.port}/robots.txt"
            results = [await outcome(transport, request(url, named=False)) for _ in range(4)]
            await transport.close()
        assert (0, 2) == (local.connections, other.connections)
        return [result.reply.address if result.reply else result.failure for result in results]

    assert ["127.0.0.2", "redirect-refused", "127.0.0.2", "redirect-refused"] == run(work())


@pytest.mark.parametrize("order", [["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"]])
def test_mixed_answers(order: list[str]) -> None:
    """Of several addresses none is tried that is not permitted, although it would answer."""

    async def work() -> tuple[str, int]:
        transport = AiohttpTransport(private=["127.0.0.2"], resolver=Changing(order))
        async with serve(ANSWER) as local, serve(ANSWER, host="127.0.0.2", port=local.port):
            url = f"http://example.com:{local.port}/robots.txt"
            reply = await transport.send(request(url, named=False))
            await transport.close()
        return reply.address, local.connections

    assert ("127.0.0.2", 0) == run(work())


@pytest.mark.parametrize("options", [{}, {"connections_per_address": 1}])
def test_second_address(options: dict[str, int]) -> None:
    """Where the first address refuses, the next one is tried, if it has a slot to spare."""

    async def work() -> str:
        transport = AiohttpTransport(resolver=Changing(["127.0.0.3", "127.0.0.2"]), **options)
        async with serve(ANSWER, host="127.0.0.2") as server:
            reply = await transport.send(request(f"http://example.com:{server.port}/"))
            await transport.close()
        return reply.address

    assert "127.0.0.2" == run(work())


def test_private_host() -> None:
    """A host that the caller exempts may be redirected to, whatever its address."""

    async def work() -> tuple[Outcome, Outcome]:
        table = {"wiki.example": "127.0.0.1", "other.example": "127.0.0.1"}
        transport = AiohttpTransport(private=["wiki.example"], resolver=table)
        async with serve(ANSWER) as server:
            results = [
                await outcome(transport, request(f"http://{host}:{server.port}/", named=False))
                for host in table
            ]
            await transport.close()
        return results[0], results[1]

    exempt, other = run(work())

    assert (ROBOTS, "complete") == exempt.body
    assert "redirect-refused" == other.failure


def test_route_of_a_redirect() -> None:
    """The guard looks at where `connect_to` really leads."""

    async def work() -> tuple[str, int]:
        async with serve(ANSWER) as server:
            transport = AiohttpTransport(connect_to=[f"8.8.8.8:80:127.0.0.1:{server.port}"])
            refused = await outcome(transport, request("http://8.8.8.8/", named=False))
            await transport.close()
        return refused.failure, server.connections

    assert ("redirect-refused", 0) == run(work())


def test_no_socket_past_the_guard() -> None:
    """Even if aiohttp came to another address by itself, there would be no socket for it."""

    async def work() -> None:
        there = aiohttp_transport.Destination(["8.8.8.8"], 80)
        aiohttp_transport.HOP.set(
            aiohttp_transport.Hop(
                request("http://h/"), aiohttp_transport.URL("http://h/"), 65_536, there
            )
        )
        aiohttp_transport.open_socket(
            (socket.AF_INET, socket.SOCK_STREAM, 0, "", ("10.0.0.1", 80))
        ).close()

    with pytest.raises(aiohttp_transport.RefusedAddress):
        asyncio.run(work())
