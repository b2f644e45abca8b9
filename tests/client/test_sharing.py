"""Many tasks, one client: one fetch for an origin, whoever asks, gives up or comes later."""

import asyncio
import contextlib

import pytest

from client.stage import FILE, PAGE, SECRET, SITE, Stage, Web, run, settle, stage
from memory_store import MemoryStore
from verger.errors import RobotsError
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import Reply, Request


def held(**options: object) -> Stage:
    """Return a stage whose web does not answer before its gate is opened."""
    on = stage(**options)
    on.web.gate = asyncio.Event()
    return on


def opened(on: Stage) -> None:
    assert on.web.gate is not None
    on.web.gate.set()


def test_10_000_tasks_on_one_origin() -> None:
    """One request goes out, and everybody is told what it brought."""

    async def ask() -> tuple[set[bool], int]:
        on = held()
        tasks = [asyncio.create_task(on.client.allowed(SECRET)) for _ in range(10_000)]
        await settle(3)
        opened(on)
        return set(await asyncio.gather(*tasks)), len(on.web.requests)

    assert run(ask()) == ({False}, 1)


def test_10_000_tasks_beside_a_store() -> None:
    """With a store too: it is asked once, and its claim is taken once."""

    async def ask() -> tuple[set[bool], int, list[str]]:
        on = held(store=MemoryStore())
        tasks = [asyncio.create_task(on.client.allowed(SECRET)) for _ in range(10_000)]
        await settle(3)
        opened(on)
        return (
            set(await asyncio.gather(*tasks)),
            len(on.web.requests),
            [kind for kind, _ in on.told],
        )

    assert run(ask()) == ({False}, 1, ["fetched"])


def test_refresh_beside_a_question() -> None:
    """A file that is loaded for another caller is fetched all the same."""

    async def ask() -> tuple[list[str], list[bool]]:
        store = MemoryStore()
        before = stage(store=store)
        await before.client.site(PAGE)
        on = stage(b"User-agent: *\nDisallow: /\n", store=store, clock=before.clock)
        await asyncio.gather(on.client.site(PAGE), on.client.refresh(PAGE))
        return [kind for kind, _ in on.told], [await on.client.allowed(PAGE)]

    assert run(ask()) == (["loaded", "fetched"], [False])


def test_refresh_shares_a_fetch() -> None:
    """A fetch that is under way is recent enough, for whomever it was begun."""

    async def ask() -> int:
        on = held(store=MemoryStore())
        asking = [on.client.site(PAGE), on.client.refresh(PAGE), on.client.refresh(PAGE)]
        tasks = [asyncio.create_task(question) for question in asking]
        await settle()
        opened(on)
        await asyncio.gather(*tasks)
        return len(on.web.requests)

    assert run(ask()) == 1


def test_origins_do_not_wait_for_each_other() -> None:
    """A site that is silent holds up its own callers alone."""

    async def serve(url: str) -> bool:
        on = held()
        waiting = asyncio.create_task(on.client.allowed(PAGE))
        await settle()
        on.web.gate = None
        told = await on.client.allowed(url)
        assert not waiting.done()
        waiting.cancel()
        await on.client.close()
        return told

    assert run(serve("https://other.example/"))


def test_cancelled_waiters() -> None:
    """Whoever gives up, the first of all too, disturbs nobody else and stops no fetch."""

    async def ask() -> tuple[list[object], int]:
        on = held()
        tasks = [asyncio.create_task(on.client.allowed(SECRET)) for _ in range(5)]
        await settle()
        tasks[0].cancel()
        tasks[3].cancel()
        await settle()
        opened(on)
        results = await asyncio.gather(*tasks, return_exceptions=True)
        told = ["gave up" if isinstance(r, asyncio.CancelledError) else r for r in results]
        return told, len(on.web.requests)

    assert run(ask()) == (["gave up", False, False, "gave up", False], 1)


def test_all_waiters_cancelled() -> None:
    """The fetch goes on, and who asks next has its answer."""

    async def ask() -> tuple[bool, int]:
        on = held()
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(on.client.allowed(PAGE), 1)
        opened(on)
        return await on.client.allowed(SECRET), len(on.web.requests)

    assert run(ask()) == (False, 1)


def test_silence_ends() -> None:
    """A fetch ends with its total time, for all who wait, as a failure like another."""

    async def ask() -> list[str]:
        on = held(limits=FetchLimits(total=7))
        answers = await asyncio.gather(*(on.client.decide(PAGE) for _ in range(3)))
        assert asyncio.get_running_loop().time() == pytest.approx(7, rel=0.06)
        return [f"{answer.reason} {answer.result and answer.result.failure}" for answer in answers]

    assert run(ask()) == ["NETWORK_ERROR timeout"] * 3


# Closing


def test_close_while_asked() -> None:
    """Who still waits is told so, by an error of verger's and not by a cancellation."""

    async def ask() -> tuple[list[str], int]:
        on = held()
        tasks = [asyncio.create_task(on.client.allowed(PAGE)) for _ in range(3)]
        await settle()
        await on.client.close()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, RobotsError) for result in results)
        return [str(result).partition("\n")[0] for result in results], on.web.closings

    assert run(ask()) == (
        ["the client was closed while `https://example.com` was looked up"] * 3,
        1,
    )


def test_close_gives_claims_up() -> None:
    """A client that is closed, or whose loop ends, blocks no other that shares its store."""
    store = MemoryStore()

    async def give_up(close: bool) -> None:
        on = held(store=store)
        waiting = asyncio.create_task(on.client.allowed(PAGE))
        await settle()
        assert on.web.requests
        if close:
            await on.client.close()
        waiting.cancel()

    for close in (True, False):
        run(give_up(close))
        assert run(store.claim([SITE], holder="another", seconds=1)) == {SITE}
        run(store.release([SITE], holder="another"))


def test_close_twice_and_go_on() -> None:
    """Closing again does nothing bad; a closed client answers from memory and fetches anew."""

    async def ask() -> tuple[list[bool], int]:
        on = stage(web=Web(default=FILE))
        told = [await on.client.allowed(SECRET)]
        await on.client.close()
        await on.client.close()
        told.append(await on.client.allowed(SECRET))
        told.append(await on.client.allowed("https://other.example/private"))
        return told, len(on.web.requests)

    assert run(ask()) == ([False, False, False], 2)


def test_context() -> None:
    """`async with` closes, also after an error in its body."""

    async def ask() -> int:
        on = stage()
        with contextlib.suppress(KeyError):
            async with on.client as client:
                assert await client.allowed(PAGE)
                raise KeyError
        return on.web.closings

    assert run(ask()) == 1


def test_store_is_closed_though_the_transport_fails_to() -> None:
    """A transport that cannot be closed does not keep the store open."""

    class Stuck(Web):
        async def close(self) -> None:
            raise OSError("stuck")

    class Store(MemoryStore):
        closed = False

        async def close(self) -> None:
            self.closed = True

    store = Store()

    async def close() -> None:
        with pytest.raises(OSError, match="stuck"):
            await stage(web=Stuck(), store=store).client.close()

    run(close())

    assert store.closed


# Loops


def test_second_loop() -> None:
    """A client goes on in another event loop: from memory, and with new fetches."""
    on = stage(web=Web(default=FILE))

    assert not run(on.client.allowed(SECRET))
    assert not run(on.client.allowed(SECRET))
    assert not run(on.client.allowed("https://other.example/private"))
    assert len(on.web.requests) == 2


def test_loop_that_stopped_in_the_middle() -> None:
    """What a loop left undone is begun anew in the next; closing there does not trip over it."""
    on = stage()
    silent = asyncio.Event()

    async def ask() -> None:
        on.web.gate = silent
        await asyncio.wait_for(on.client.allowed(PAGE), 1)

    loop = asyncio.new_event_loop()
    waiting = loop.create_task(ask())
    loop.call_later(0.01, loop.stop)
    loop.run_forever()
    on.web.gate = None

    async def go_on() -> bool:
        told = await on.client.allowed(SECRET)
        await on.client.close()
        return told

    assert not run(go_on())

    waiting.cancel()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.close()


def test_no_task_is_left_behind() -> None:
    """After the last answer nothing is under way, whatever became of the fetches."""

    async def ask() -> int:
        def broken(_: Request) -> Reply:
            raise ZeroDivisionError

        on = stage(web=Web({SITE: FILE, "https://b.example": broken, "https://c.example": 503}))
        for url in (PAGE, "https://b.example/", "https://c.example/", "https://d.example/"):
            with contextlib.suppress(ZeroDivisionError):
                await on.client.allowed(url)
        await settle()
        return len(asyncio.all_tasks())

    assert run(ask()) == 1


def test_prefetch_is_cancelled_alone() -> None:
    """A prefetch that is given up leaves those be who ask for one of its origins."""

    async def ask() -> bool:
        on = held()
        prefetch = asyncio.create_task(on.client.prefetch([PAGE, "https://other.example/"]))
        asking = asyncio.create_task(on.client.allowed(SECRET))
        await settle()
        prefetch.cancel()
        await settle()
        opened(on)
        return await asking

    assert not run(ask())
