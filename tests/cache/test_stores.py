"""What every store promises: the protocol `verger.cache.store.Store`, in a row for each."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from cache.samples import LARGE, entry, every, full, loaded, result, run, until
from patience import LONG
from verger.access.entry import Entry
from verger.cache.store import Store
from verger.errors import CacheError

ENTRIES = {
    "every field": full("full"),
    "no body": entry("none", status=404, body=b""),
    "a large body": entry("large", body=LARGE, truncated=True),
    "no response": entry("down", status=None, failure="timeout", body=b"", headers={}),
    "a URL of its own": Entry("ftp://files.example", result("ftp://other.example")),
    "an empty URL": Entry("https://e.example", replace(result(""), url="")),
    "the same body twice": Entry("https://t.example", result("https://t.example"), result("x")),
    "an empty copy": Entry("https://c.example", result("c"), result("c", body=b"")),
    "whole seconds": entry("whole", fetched_at=1_700_000_000),
    "a key with colons": Entry("http://[2001:db8::1]:8080", result("http://[2001:db8::1]:8080")),
}


@pytest.mark.parametrize("saved", ENTRIES.values(), ids=ENTRIES.keys())
def test_round_trip(open_store: Callable[[], Store], saved: Entry) -> None:
    """What is saved is loaded again, field by field, by another store on the same place."""

    async def steps() -> list[Entry | None]:
        first, second = open_store(), open_store()
        await first.save([saved])
        found = await loaded(second, saved)
        await first.close()
        await second.close()
        return found

    assert [saved] == run(steps())


def test_absent(store: Store) -> None:
    """An origin that was never saved, or is none, is not there."""

    async def steps() -> object:
        found = await store.load(["https://nobody.example", "", "\udc80", "\u00e4\x00"])
        nothing = await store.load([])
        await store.close()
        return dict(found), dict(nothing)

    assert ({}, {}) == run(steps())


def test_replace(store: Store) -> None:
    """A later entry takes the place of an earlier one, in the same call too."""
    old, new = entry("a", body=b"old"), entry("a", status=503, body=b"")
    newest = entry("a", body=b"newest")

    async def steps() -> object:
        await store.save([old])
        await store.save([new])
        first = await loaded(store, old)
        await store.save([old, newest])
        second = await loaded(store, old)
        await store.close()
        return first, second

    assert ([new], [newest]) == run(steps())


def test_body_moves(store: Store) -> None:
    """Bodies that change places between entries and fields in one call stay whole."""
    a, b = entry("a", body=b"1"), entry("b", body=b"2")
    swapped_a, swapped_b = entry("a", body=b"2"), entry("b", body=b"1")
    copied = Entry(a.origin, result(a.origin, status=500, body=b""), swapped_a.last)

    async def steps() -> object:
        await store.save([a, b])
        await store.save([swapped_a, swapped_b])
        first = await loaded(store, a, b)
        await store.save([copied, b])
        second = await loaded(store, a, b)
        await store.close()
        return first, second

    assert ([swapped_a, swapped_b], [copied, b]) == run(steps())


def test_many(store: Store) -> None:
    """Some thousand entries at once arrive, and come back in the order of their origins."""
    saved = [entry(f"host{n}", body=b"%d" % (n % 7)) for n in range(2_500)]

    async def steps() -> object:
        await store.save(saved)
        found = await loaded(store, *saved)
        listed = await every(store)
        await store.close()
        return found == saved, listed == sorted(saved, key=lambda one: one.origin)

    assert (True, True) == run(steps())


def test_many_callers(store: Store) -> None:
    """Many callers at once each get their own answer."""

    async def one(n: int) -> bool:
        mine = entry(f"caller{n}", body=b"%d" % (n % 5))
        before = await store.load([mine.origin])
        claimed = await store.claim([mine.origin], holder=f"holder {n}", seconds=3_600)
        await store.save([mine])
        return not before and claimed == {mine.origin} and await loaded(store, mine) == [mine]

    async def steps() -> object:
        done = await asyncio.gather(*(one(n) for n in range(300)))
        await store.close()
        return all(done)

    assert run(steps()) is True


def test_remove(store: Store) -> None:
    """Some entries are removed, then the others, and the count says how many there were."""
    saved = [entry(name, body=name.encode()) for name in "abcd"]

    async def steps() -> object:
        await store.save(saved)
        counts = [await store.remove([saved[0].origin, saved[2].origin, "https://no.example"])]
        left = await every(store)
        counts += [await store.remove([]), await store.remove(), await store.remove()]
        after = await every(store)
        await store.save(saved)  # whose bodies must be there again
        again = await every(store)
        await store.close()
        return counts, left, after, again

    assert ([2, 0, 2, 0], [saved[1], saved[3]], [], saved) == run(steps())


def test_close_twice(open_store: Callable[[], Store]) -> None:
    """A store can be closed without use, twice, and be used again; nothing is lost."""
    saved = entry("a")

    async def steps() -> object:
        await open_store().close()
        store = open_store()
        await store.save([saved])
        await store.close()
        await store.close()
        found = await loaded(store, saved)
        await store.close()
        return found

    assert [saved] == run(steps())


def test_two_loops(store: Store) -> None:
    """One store serves one event loop after the other, closed in between or not."""
    saved = entry("a")

    async def first() -> None:
        await store.save([saved])

    async def second() -> object:
        found = await loaded(store, saved)
        await store.close()
        return found

    run(first())
    assert [saved] == run(second())
    assert [saved] == run(second())


def test_two_threads(store: Store) -> None:
    """Event loops in several threads use one store at the same time."""
    answers: dict[int, object] = {}

    async def steps(number: int) -> object:
        saved = [entry(f"t{number}x{n}") for n in range(20)]
        for one in saved:
            await store.save([one])
        found = await loaded(store, *saved)
        await store.close()
        return found == saved

    def thread(number: int) -> None:
        answers[number] = run(steps(number))

    threads = [threading.Thread(target=thread, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(LONG)

    assert {0: True, 1: True, 2: True, 3: True} == answers


# Claims

A, B = "https://a.example", "https://b.example"


def test_claim_is_exclusive(open_store: Callable[[], Store]) -> None:
    """What one holder claims, no other gets, by whatever door; the holder may claim it again."""

    async def steps() -> object:
        first, second = open_store(), open_store()
        got = [
            await first.claim([A], holder="one", seconds=3_600),
            await second.claim([A, B], holder="two", seconds=3_600),
            await first.claim([A, B], holder="one", seconds=3_600),
            await first.claim([], holder="one", seconds=3_600),
        ]
        await first.close()
        await second.close()
        return got

    assert [{A}, {B}, {A}, frozenset()] == run(steps())


def test_claims_of_many(store: Store) -> None:
    """Of many holders that ask at the same time, each origin goes to exactly one."""
    origins = [f"https://h{n}.example" for n in range(20)]

    async def steps() -> object:
        asked = (store.claim(origins, holder=f"{n}", seconds=3_600) for n in range(25))
        got = await asyncio.gather(*asked)
        await store.close()
        return sorted(origin for one in got for origin in one)

    assert sorted(origins) == run(steps())


def test_claim_ends_with_save(store: Store) -> None:
    """Who saves an entry gives the claim up, and others find the entry."""

    async def steps() -> object:
        await store.claim([A, B], holder="one", seconds=3_600)
        await store.save([Entry(A, result(A))])
        got = await store.claim([A, B], holder="two", seconds=3_600)
        await store.close()
        return got

    assert {A} == run(steps())


def test_claim_ends_with_release(store: Store) -> None:
    """A claim is given up by its holder, and by nobody else."""

    async def steps() -> object:
        await store.claim([A, B], holder="one", seconds=3_600)
        await store.release([A], holder="two")
        got = [await store.claim([A], holder="two", seconds=3_600)]
        await store.release([A, "https://unclaimed.example"], holder="one")
        got += [await store.claim([A, B], holder="two", seconds=3_600)]
        await store.close()
        return got

    assert [frozenset(), {A}] == run(steps())


def test_claim_ends_with_time(store: Store) -> None:
    """The claim of a process that was killed goes to another after its seconds."""

    async def steps() -> object:
        await store.claim([A], holder="killed", seconds=0.1)
        await store.claim([B], holder="killed", seconds=600)
        await until(lambda: store.claim([A], holder="next", seconds=3_600))
        got = await store.claim([A, B], holder="third", seconds=3_600)
        await store.close()
        return got

    assert frozenset() == run(steps())


def test_claim_outlives_its_end(store: Store) -> None:
    """A claim that another took over is not given up by the one who had it before."""

    async def steps() -> object:
        await store.claim([A], holder="slow", seconds=0.05)
        await until(lambda: store.claim([A], holder="next", seconds=3_600))
        await store.release([A], holder="slow")
        got = await store.claim([A], holder="third", seconds=3_600)
        await store.close()
        return got

    assert frozenset() == run(steps())


# Misuse


@pytest.mark.parametrize("origin", ["", "https://\u00e4.example", "https://a\n.example", "\udc80"])
def test_no_origin(store: Store, origin: str) -> None:
    """A text that `verger.origin` never writes is refused, and spoils no other call."""
    good = entry("good")

    async def steps() -> object:
        answers = await asyncio.gather(
            store.save([Entry(origin, good.last)]),
            store.save([good]),
            return_exceptions=True,
        )
        with pytest.raises(CacheError, match="is not an origin"):
            await store.claim([origin], holder="one", seconds=1)
        found = await every(store)
        await store.close()
        return [type(answer) for answer in answers], found

    assert ([CacheError, type(None)], [good]) == run(steps())


def test_cancelled_caller(store: Store) -> None:
    """A caller that is cancelled leaves the store to the others."""
    saved = entry("a")

    async def steps() -> object:
        tasks = [asyncio.create_task(store.load([A])) for _ in range(10)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        await store.save([saved])
        found = await loaded(store, saved)
        await store.close()
        return found

    assert [saved] == run(steps())


def test_claims_cause_one_fetch(open_store: Callable[[], Store]) -> None:
    """Whoever claims an origin after another fetched and saved it finds the entry: never both
    nothing and the right to fetch again."""
    origins = [f"https://h{n}.example" for n in range(50)]

    async def crawler(store: Store, number: int) -> int:
        fetched = 0
        for origin in origins:
            holder = f"{number}"
            while not await store.load([origin]):
                if await store.claim([origin], holder=holder, seconds=3_600):
                    if not await store.load([origin]):
                        fetched += 1
                        await store.save([Entry(origin, result(origin))])
                    await store.release([origin], holder=holder)
                await asyncio.sleep(0)
        return fetched

    async def steps() -> object:
        stores = [open_store() for _ in range(4)]
        fetched = await asyncio.gather(*(crawler(s, n) for n, s in enumerate(stores)))
        for store in stores:
            await store.close()
        return sum(fetched)

    assert len(origins) == run(steps())
