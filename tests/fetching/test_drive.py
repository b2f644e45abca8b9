"""The driver: a plan over a transport, within a total time, whatever the transport does.

In: transports of somebody else's. Out: an `AccessResult`; the time of the loop jumps, nobody waits.
"""

import asyncio
import gc
import logging
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import verger
from access.results import FILE, NOW, URL
from access.scripts import SITE, found, redirect
from client.stage import run, settle
from verger.access.result import AccessResult
from verger.client import AsyncClient
from verger.fetching.drive import run_plan
from verger.fetching.plan import Asking, MayFollow, plan
from verger.fetching.transport import HopFailed, Reply, Request
from verger.testing import MemoryTransport

Acting = Callable[[Request], Any]


class Acted:
    """A transport that does what it is told, after a while."""

    def __init__(self, *acts: Acting, seconds: float = 0.0) -> None:
        self._acts = list(acts)
        self._seconds = seconds
        self.requests: list[Request] = []
        self.cancelled = 0
        self.closings = 0

    async def send(self, request: Request) -> Any:
        self.requests.append(request)
        try:
            await asyncio.sleep(self._seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        act = self._acts.pop(0) if len(self._acts) > 1 else self._acts[0]
        return act(request)

    async def close(self) -> None:
        self.closings += 1


def gives(reply: Any) -> Acting:
    return lambda _: reply


def raises(error: BaseException) -> Acting:
    def act(_: Request) -> Reply:
        raise error

    return act


async def result_of(transport: Acted, *, total: float = 30.0) -> AccessResult:
    return await run_plan(
        plan(SITE, Asking(verger.RFC9309, {}, lambda: NOW)), transport, total=total
    )


def test_result() -> None:
    """What the plan makes of the replies is the result."""
    transport = Acted(gives(redirect("/a")), gives(found()))
    result = run(result_of(transport))

    assert (result.body, result.redirects) == (FILE, (f"{SITE}/a",))
    assert [URL, f"{SITE}/a"] == [request.url for request in transport.requests]


# Time


@pytest.mark.parametrize(
    ("seconds", "failure", "requests"),
    [
        (1.0, "too-many-redirects", 6),
        (4.9, "too-many-redirects", 6),
        (5.1, "timeout", 6),
        (31, "timeout", 1),
    ],
)
def test_total_time(seconds: float, failure: str, requests: int) -> None:
    """One bound for the request and all its redirects, however quick each of them is."""
    steps = iter(range(100))
    transport = Acted(lambda _: redirect(f"/{next(steps)}"), seconds=seconds)
    result = run(result_of(transport))

    assert (result.failure, len(transport.requests)) == (failure, requests)


def test_timeout() -> None:
    """What was silent for too long says how long, keeps its redirects, and is given up."""

    async def ask() -> tuple[AccessResult, float, int]:
        transport = Acted(gives(redirect("/a")), gives(found()), seconds=4)
        result = await result_of(transport, total=6.5)
        return result, asyncio.get_running_loop().time(), transport.cancelled

    result, seconds, cancelled = run(ask())

    assert (result.failure, result.access) == ("timeout", "unreachable")
    assert result.detail == "no answer within 6.5 seconds in all (the limit of a fetch)"
    assert result.redirects == (f"{SITE}/a",)
    assert seconds == pytest.approx(6.5, rel=0.06)
    assert cancelled == 1


def test_no_time_for_the_rules_of_a_redirect() -> None:
    """Whether a redirect may be followed is asked within the total time as well."""
    transport = Acted(gives(redirect("https://other.example/page")))

    async def asked_for_ever(_: MayFollow) -> bool:
        await asyncio.sleep(1_000)
        return True

    async def fetched() -> AccessResult:
        course = plan(SITE, Asking(verger.DIALECTS["google"], {}, lambda: NOW))
        return await run_plan(course, transport, total=5.0, may_follow=asked_for_ever)

    result = run(fetched())
    said = "no answer within 5 seconds in all (the limit of a fetch)"
    assert ("timeout", said) == (result.failure, result.detail)


def test_no_time_at_all() -> None:
    """A total of nothing is a timeout, not an error."""
    assert run(result_of(Acted(gives(found()), seconds=1), total=0)).failure == "timeout"


def test_transport_with_a_time_of_its_own() -> None:
    """A transport that waited too long by its own measure is a timeout, but not of the total."""
    result = run(result_of(Acted(raises(TimeoutError()))))

    assert (result.failure, result.detail) == ("timeout", "the transport waited too long")


# Mistakes of a transport


@pytest.mark.parametrize(
    "error",
    [OSError(5, "odd"), ConnectionResetError(), asyncio.IncompleteReadError(b"", 5)],
    ids=repr,
)
def test_network(error: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """A failure of the network that a transport hands on closes the site, by a value, and is
    logged with its trace.
    """
    with caplog.at_level(logging.ERROR, "verger.fetching"):
        result = run(result_of(Acted(raises(error))))

    assert (result.failure, result.access) == ("invalid-response", "unreachable")
    assert result.detail.startswith("the transport failed: ")
    assert [record.exc_info is not None for record in caplog.records] == [True]


@pytest.mark.parametrize(
    "error",
    [
        AttributeError("odd"),
        TypeError("odd"),
        KeyError("odd"),
        ValueError("odd"),
        RecursionError(),
        MemoryError(),
        ExceptionGroup("odd", [ValueError()]),
        asyncio.InvalidStateError(),
    ],
    ids=repr,
)
def test_mistake(error: Exception) -> None:
    """A mistake of a transport is not told as the site's fault: it is raised as it is."""
    with pytest.raises(type(error)) as raised:
        run(result_of(Acted(raises(error))))

    assert error is raised.value


@pytest.mark.parametrize("error", [StopIteration(), StopAsyncIteration()], ids=repr)
def test_end_of_somebody_elses_generator(error: Exception) -> None:
    """An exception by which generators end does not end a plan."""
    with pytest.raises((RuntimeError, StopAsyncIteration)):
        run(result_of(Acted(raises(error))))


@pytest.mark.parametrize(
    "reply", [None, 200, (200, []), "ok", HopFailed("dns", "returned")], ids=repr
)
def test_no_reply(reply: object) -> None:
    """What is no `Reply` is a mistake too, and never the first request over again."""
    transport = Acted(gives(reply))

    with pytest.raises(TypeError, match="which is not a `Reply`"):
        run(result_of(transport))

    assert len(transport.requests) == 1


def test_hop_failed() -> None:
    """A failure of one hop is not a mistake: nothing is logged, its words are kept."""
    result = run(result_of(Acted(gives(redirect("/a")), raises(HopFailed("tls", "expired")))))

    assert (result.failure, result.detail) == ("tls", "expired")


def test_transport_that_gives_up() -> None:
    """A cancellation that nobody asked for, as by a pool that is closed, is a failed hop."""
    result = run(result_of(Acted(raises(asyncio.CancelledError()))))

    assert (result.failure, result.detail) == ("reset", "the transport gave up the request")


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_the_end_of_all_things(error: type[BaseException]) -> None:
    """What ends the process is not swallowed."""
    with pytest.raises(error):
        asyncio.run(result_of(Acted(raises(error()))))


# Cancellation


def test_cancelled() -> None:
    """A fetch that is cancelled lets go of its request at once, and of its plan."""

    async def ask() -> tuple[int, bool]:
        transport = Acted(gives(found()), seconds=20)
        task = asyncio.create_task(result_of(transport))
        await settle()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return transport.cancelled, task.cancelled()

    assert run(ask()) == (1, True)


def test_cancelled_in_time() -> None:
    """Somebody else's bound on time stays somebody else's."""

    async def ask() -> None:
        async with asyncio.timeout(3):
            await result_of(Acted(gives(found()), seconds=20))

    with pytest.raises(TimeoutError):
        run(ask())


def test_loops_end_with_their_clients() -> None:
    """Nothing holds a loop whose fetches are over."""
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def ask() -> None:
        loops.append(weakref.ref(asyncio.get_running_loop()))
        transport = MemoryTransport({"https://example.com": 404})
        async with AsyncClient("ExampleBot/1.0", transport=transport) as client:
            assert await client.allowed("https://example.com/")

    for _ in range(5):
        asyncio.run(ask())
    gc.collect()

    assert [None] * 5 == [loop() for loop in loops]
