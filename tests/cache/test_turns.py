"""Turns: a schedule that all users of a store share."""

import asyncio
import multiprocessing
import os
import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

import verger
from patience import LONG, until
from verger.cache.opening import store_at
from verger.cache.sqlite import SqliteStore
from verger.client import Pacer
from verger.errors import CacheError, InvalidOption, RobotsError

from .conftest import Server

HOSTS = [f"https://h{number}.example/" for number in range(50)]
DELAY = 0.02
TICK = 1e-3
"""Redis tells times to the microsecond, and the clock of a machine is not read at once."""
PROCESSES = 8
LEASES = 2_000


@pytest.fixture(params=["sqlite", "redis"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a store that processes share."""
    if request.param == "sqlite":
        yield str(tmp_path / "store.sqlite3")
    else:
        server: Server = request.getfixturevalue("redis_server")
        yield server.url


def run(work: Callable[..., object], *arguments: object) -> None:
    """Run work in eight processes, with a number each."""
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=work, args=(number, *arguments)) for number in range(PROCESSES)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(LONG)
    assert [0] * PROCESSES == [process.exitcode for process in processes]


def lease(number: int, address: str, crawler: str, folder: str, dies: bool) -> None:
    """Take turns at all hosts, and note each; perhaps die in the middle, as it comes."""
    draw = random.Random(number)
    pacer = Pacer(default_delay=DELAY, store=address, crawler=crawler)
    wanted = HOSTS * (LEASES // PROCESSES // len(HOSTS))
    draw.shuffle(wanted)
    if dies and os.fork():
        os.wait()
        return
    with Path(folder, str(number)).open("a", buffering=1) as notes:
        for url in wanted:
            at = pacer.reserve(url, None)
            notes.write(f"{url} {at!r} {number}\n")
            if dies and draw.random() < 0.01:
                os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("dies", [False, True], ids=["to the end", "killed"])
def test_no_host_before_its_time(address: str, tmp_path: Path, dies: bool) -> None:
    """Eight processes ask for 2,000 turns at 50 hosts: any two of a host are its delay apart, and
    none is forgotten, even if processes are killed."""
    notes = tmp_path / "notes"
    notes.mkdir()
    begin = time.time()
    run(lease, address, f"Bot{dies}", str(notes), dies)
    times: dict[str, list[float]] = defaultdict(list)
    by_process: Counter[str] = Counter()
    for file in notes.iterdir():
        for line in file.read_text().splitlines():
            url, at, number = line.split()
            times[url].append(float(at))
            by_process[number] += 1

    if not dies:
        assert dict.fromkeys(map(str, range(PROCESSES)), LEASES // PROCESSES) == by_process
        assert {len(each) for each in times.values()} == {LEASES // len(HOSTS)}
    with closing(Pacer(default_delay=DELAY, store=address, crawler=f"Bot{dies}")) as pacer:
        for url in HOSTS:  # whoever was killed holds nobody up
            assert pacer.next_at(url, None) <= max(time.time(), *times[url], begin) + DELAY + TICK
    for each in times.values():
        # nobody is told an earlier time than that of its turn, and the turns are a delay apart
        assert all(at >= begin + number * DELAY - TICK for number, at in enumerate(sorted(each)))


async def turns(address: str, *asked: dict[str, float]) -> list[float]:
    store = store_at(address)
    try:
        return [await store.lease("a turn", **each) for each in asked]
    finally:
        await store.close()


def test_turns(address: str) -> None:
    """A turn is its delay after the last, and at least so far away; one that is too far away is not
    taken."""
    now, wait, far, peek, last = asyncio.run(
        turns(
            address,
            {"delay": 100.0},
            {"delay": 100.0, "wait": 150.0},
            {"delay": 100.0, "longest": 10.0},
            {"delay": 1.0, "longest": -1.0},
            {"delay": 0.5},
        )
    )

    assert now == 0
    assert [wait, far, peek, last] == pytest.approx([150, 250, 151, 150.5], abs=5.0)


def test_a_clock_that_was_set_back(tmp_path: Path) -> None:
    """Turns that lie far ahead of a clock that was set back are forgotten."""
    clock = [2_000_000_000.0]

    async def ask() -> float:
        store = SqliteStore(tmp_path / "store", clock=lambda: clock[0])
        try:
            return await store.lease("a", delay=10.0)
        finally:
            await store.close()

    assert [0.0, 10.0] == [asyncio.run(ask()), asyncio.run(ask())]
    clock[0] -= 86_400
    assert [0.0, 10.0] == [asyncio.run(ask()), asyncio.run(ask())]
    clock[0] += 86_400 * 2
    assert asyncio.run(ask()) == 0


def test_pacer_with_a_store(address: str) -> None:
    """Pacers with one store share a schedule; those of other crawlers have their own."""
    one, two, other = (
        Pacer(default_delay=50.0, store=address, crawler=name) for name in ("A", "A", "B")
    )
    url = "https://example.com/"
    now = time.time()
    first, second = one.reserve(url, None), two.reserve(url, None)

    assert second - first == pytest.approx(50, abs=5)
    assert two.next_at(url, None) - first == pytest.approx(100, abs=5)
    assert other.reserve(url, None) - now < 50
    for pacer in (one, two, other):
        pacer.close()


def test_what_a_host_asked_for_holds_whoever_takes_the_turn(address: str) -> None:
    """`Retry-After` moves all later turns, also if this one is too far away to be taken."""
    url = "https://example.com/"
    one, two = (Pacer(default_delay=5.0, store=address, crawler=name) for name in ("Bot", "bot"))

    async def ask() -> tuple[float, float]:
        asked = await one.lease(url, None, wait=3_600.0, longest=60.0)
        return asked, await two.lease(url, None)

    assert asyncio.run(ask()) == pytest.approx((3_600.0, 3_600.0), abs=60)
    for pacer in (one, two):
        pacer.close()


def test_queue_with_a_store(address: str) -> None:
    """A queue gives what is due, and nobody else has taken."""
    robots = verger.parse("User-agent: *\nCrawl-delay: 0.2\n", dialect="bing")
    rules, url = robots.agent("A"), f"https://{time.time()}.example/"
    one, two = (Pacer(store=address, crawler="Q") for _ in range(2))
    began = time.monotonic()  # before all turns: a machine that is late only makes them later
    for pacer in (one, two):
        for _ in range(3):
            pacer.put(url, rules)
    found: list[float] = []

    def are_all() -> bool:
        for pacer in (one, two):
            found.extend(time.monotonic() for _ in pacer.due())
        return len(found) == 6

    until(are_all)
    assert found[-1] - began > 5 * 0.2 * 0.9
    assert one.wait() is None


def test_a_store_that_fails(tmp_path: Path) -> None:
    """Without the store nobody knows when others ask: that is an error."""
    (tmp_path / "store").write_text("no database " * 100)
    pacer = Pacer(store=str(tmp_path / "store"))

    with pytest.raises(CacheError):
        pacer.reserve("https://example.com/", None)


def test_what_is_no_store() -> None:
    """A store must be able to lease; a pacer without one cannot."""
    with pytest.raises(InvalidOption, match="store"):
        Pacer(store=7)  # type: ignore[arg-type]
    with pytest.raises(RobotsError, match="no store"):
        asyncio.run(Pacer().lease("https://example.com/", None))
