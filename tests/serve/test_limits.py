"""Nobody gets more than a share, and whoever gets nothing is told when to come again."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import ClientSession
from aiohttp.test_utils import TestServer

import verger
from verger.access.answer import Question
from verger.client import AsyncClient
from verger.fetching.transport import Reply, Request
from verger.serve.limits import Gate, Limits
from verger.serve.problems import Problem
from verger.serve.sites import Sites, Terms

from .inside import service_of

AGENT = "ExampleBot/1.0 (+https://example.com/bot)"


class By:
    """A transport that answers by a function."""

    def __init__(self, answers: Callable[[Request], Awaitable[Reply]]) -> None:
        self._answers = answers

    async def send(self, request: Request) -> Reply:
        return await self._answers(request)

    async def close(self) -> None:
        """Do nothing."""


def test_a_caller() -> None:
    """One caller may have so many requests in work; another has room of its own."""
    gate = Gate(Limits(of_a_caller=1))
    with gate.admitted("a"):
        with pytest.raises(Problem) as refused, gate.admitted("a"):
            pass
        with gate.admitted("b"):
            pass
    with gate.admitted("a"):
        pass

    assert (429, "1") == (refused.value.status, refused.value.headers["Retry-After"])
    assert gate.active == 0


def test_all_callers() -> None:
    """All together may have so many."""
    gate = Gate(Limits(at_once=2))
    with (
        gate.admitted("a"),
        gate.admitted("b"),
        pytest.raises(Problem) as refused,
        gate.admitted("c"),
    ):
        pass

    assert (503, "1") == (refused.value.status, refused.value.headers["Retry-After"])


def test_streams() -> None:
    """Streams have a limit of their own, of which one caller gets half."""
    gate = Gate(Limits(streams=2))
    with gate.streaming("a"):
        with pytest.raises(Problem) as refused, gate.streaming("a"):
            pass
        with gate.streaming("b"), pytest.raises(Problem) as full, gate.streaming("c"):
            pass
    with gate.streaming("a"):
        pass

    assert (429, 503) == (refused.value.status, full.value.status)


def test_sites_that_hang_hold_up_nobody_else() -> None:
    """One caller asks about more of them than it may have fetched at once; another is answered."""
    asked: list[str] = []
    hanging = asyncio.Event()

    async def answers(request: Request) -> Reply:
        asked.append(request.url)
        if "hangs" in request.url:
            await hanging.wait()
        return Reply(404, [], b"")

    async def ask() -> None:
        limits = Limits(fetches=3)
        sites = Sites(lambda dialect, _: AsyncClient(AGENT, dialect=dialect, transport=By(answers)))
        gate = Gate(limits)
        questions = [Question(("ExampleBot",), verger.RFC9309)]
        many = [f"https://hangs-{at}.example/" for at in range(50)]
        bad, good = (Terms(fetches=gate.fetches_of(caller)) for caller in "ab")
        waiting = [asyncio.create_task(sites.file_for(url, questions, bad)) for url in many]
        lines = asyncio.create_task(sites.entries(many, verger.RFC9309, bad))
        found = await sites.file_for("https://good.example/", questions, good)
        assert found.how.startswith("fwd=")
        assert len([url for url in asked if "hangs" in url]) <= 3
        hanging.set()
        await asyncio.gather(lines, *waiting)
        assert len(asked) == 51
        await sites.close()

    asyncio.run(ask())


def test_time_of_analyses() -> None:
    """A caller who has used up its time waits until it is paid back; others do not."""
    clock = [1_000.0]

    async def ask() -> list[int]:
        gate = Gate(Limits(work_seconds=0.01, work_share=0.5), lambda: clock[0])
        statuses = []
        for caller, later in (("a", 0.0), ("a", 0.0), ("b", 0.0), ("a", 1_000.0)):
            clock[0] += later
            try:
                await gate.analysed(caller, spend)
                statuses.append(200)
            except Problem as problem:
                statuses.append(problem.status * (int(problem.headers["Retry-After"]) > 0))
        return statuses

    assert [200, 429, 200, 200] == asyncio.run(ask())


def test_time_of_analyses_at_once() -> None:
    """Whoever asks for many at once gets no more time than one after another."""

    async def ask() -> list[int]:
        gate = Gate(Limits(work_seconds=0.01, analyses=1))
        asking = (gate.analysed("a", spend) for _ in range(5))
        found = await asyncio.gather(*asking, return_exceptions=True)
        return [each.status if isinstance(each, Problem) else 200 for each in found]

    assert [200, 429, 429, 429, 429] == asyncio.run(ask())


def spend() -> None:
    """Use processor time."""
    begin = time.thread_time()
    while time.thread_time() - begin < 0.05:
        pass


@pytest.mark.parametrize(
    ("query", "body", "statuses"),
    [
        ("check?url=https://a.example/x", b"User-agent: *", [200, 429]),
        ("explain?url=https://a.example/x", None, [200, 429]),
        ("check?" + "&".join(f"url=https://a.example/{n}" for n in range(99)), None, [200, 429]),
        ("check?url=https://a.example/x", None, [200, 200]),
    ],
)
def test_what_takes_long_is_an_analysis(
    query: str, body: bytes | None, statuses: list[int]
) -> None:
    """A file in the request, an explanation and many questions are charged to the caller, and keep
    nobody else waiting."""
    service = service_of(
        "A",
        {"https://a.example": b"User-agent: *"},
        limits=Limits(work_seconds=0.0, work_share=1e-9),
    )

    async def ask() -> list[int]:
        async with TestServer(service.application()) as server, ClientSession() as session:
            found = []
            for _ in range(2):
                method, kind = ("POST", {"Content-Type": "text/plain"}) if body else ("GET", {})
                url = server.make_url(f"/v1/{query}&agent=A")
                async with session.request(method, url, data=body, headers=kind) as said:
                    found.append(said.status)
            await service.sites.close()
        return found

    assert statuses == asyncio.run(ask())


def test_a_body_that_never_comes() -> None:
    """Who does not send what it announced is told so: it is not the service that is late."""

    async def ask() -> tuple[int, str]:
        service = service_of("ExampleBot", {}, limits=Limits(seconds=0.05))
        async with TestServer(service.application()) as server:
            reader, writer = await asyncio.open_connection(server.host, server.port)
            writer.write(
                b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
            )
            head, _, body = (await reader.readuntil(b"}")).partition(b"\r\n\r\n")
            writer.close()
            await service.sites.close()
        return int(head.split()[1]), json.loads(body)["detail"]

    assert (408, "the body did not come within 0.05 seconds") == asyncio.run(ask())
