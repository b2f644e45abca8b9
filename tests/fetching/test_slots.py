"""Turns at an address: never more than the limit, first come, first served, none lost."""

import asyncio

from fetching.exchange import run
from verger.fetching.slots import AddressSlots, Holding


def test_turns() -> None:
    """Who waits is served in order, and other addresses are not waited for."""

    async def work() -> list[int]:
        slots = AddressSlots(2)
        served: list[int] = []

        async def visit(number: int) -> None:
            await slots.take("a")
            served.append(number)
            await asyncio.sleep(0)
            slots.give("a")

        assert slots.take_now("b")
        await asyncio.gather(*(visit(number) for number in range(9)))
        slots.give("b")
        assert not slots._taken
        assert not slots._waiting
        return served

    assert list(range(9)) == run(work())


def test_cancelled_turns() -> None:
    """Whoever stops waiting takes no slot along, not even in the moment of being served."""

    async def work() -> None:
        slots = AddressSlots(1)
        await slots.take("a")
        waiting = [asyncio.create_task(slots.take("a")) for _ in range(3)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        await asyncio.gather(waiting[1], return_exceptions=True)
        slots.give("a")  # served is the first,
        waiting[0].cancel()  # who is cancelled before it hears of it
        await waiting[2]
        assert not slots.take_now("a")
        slots.give("a")
        assert slots.take_now("a")
        slots.give("a")
        assert not slots._taken
        assert not slots._waiting

    run(work())


def test_holding() -> None:
    """Whoever tries several addresses holds a slot of each, and in the end of one or none."""

    async def work() -> None:
        slots = AddressSlots(1)
        mine, other = Holding(slots), Holding(slots)
        await mine.take("a")
        assert mine.admits("a")
        assert mine.admits("b")
        assert not other.admits("b")
        mine.keep("b")
        assert other.admits("a")
        assert not other.admits("b")
        mine.release()
        other.release()
        assert not slots._taken

    run(work())
