"""Deadlines: they end a task in time, and keep no event loop alive."""

import asyncio
import gc
import weakref

import pytest

from client.stage import run
from verger.client import AsyncClient
from verger.fetching import deadline
from verger.fetching.deadline import within
from verger.testing import MemoryTransport


def test_a_deadline_ends_its_task() -> None:
    """One that is open while others come and go ends in time, too."""

    async def waiting() -> None:
        with within(10.0):
            for _ in range(100):
                await asyncio.sleep(1.0)
                with within(0.5):
                    pass

    with pytest.raises(TimeoutError):
        run(waiting())


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


def test_loops_closed_too_early_are_forgotten() -> None:
    """A loop that is closed while a task has a deadline goes when the next loop has one."""

    async def waiting() -> None:
        with within(60.0):
            await asyncio.sleep(60.0)

    loop = asyncio.new_event_loop()
    task = loop.create_task(waiting())
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    assert loop in deadline._WATCHES

    async def brief() -> None:
        with within(60.0):
            pass

    asyncio.run(brief())

    assert loop not in deadline._WATCHES
    task.get_coro().close()  # type: ignore[union-attr]
    task._log_destroy_pending = False  # type: ignore[attr-defined]
