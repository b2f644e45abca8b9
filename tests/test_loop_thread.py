"""Coroutines run to their end for synchronous callers, whether or not they run an event loop."""

import asyncio
import os
import signal
import sys
import threading

import pytest

from patience import LONG
from verger.loop_thread import run_to_end


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


async def from_a_loop() -> int:
    return run_to_end(answer())


def test_the_caller_may_run_a_loop() -> None:
    """The coroutine has a loop of its own."""
    assert run_to_end(answer()) == asyncio.run(from_a_loop()) == 42


def waits(thread: int) -> bool:
    """Whether a thread waits for what another one does."""
    return sys._current_frames()[thread].f_code.co_filename == threading.__file__


@pytest.mark.skipif(os.name == "nt", reason="a process cannot send itself SIGINT there")
def test_an_interrupt_waits_for_the_end() -> None:
    """What the coroutine does last is done before the caller goes on."""
    ended = []

    async def work() -> None:
        try:
            while not waits(caller):
                await asyncio.sleep(0)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(LONG)
        finally:
            await asyncio.sleep(0.1)
            ended.append(True)

    caller = threading.get_ident()

    async def notebook() -> None:
        run_to_end(work())

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # `nohup` ignores it
    loop = asyncio.new_event_loop()
    try:
        with pytest.raises(KeyboardInterrupt):
            loop.run_until_complete(notebook())
    finally:
        loop.close()
        signal.signal(signal.SIGINT, before)

    assert ended
