"""A client beside a store: what it takes from it, and what it does when the store fails.

In: stores that hold what another crawler left, that fail, hang or lie. Out: an answer that is never
more open than the site is, and no exception.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from client.stage import (
    DAY,
    FILE,
    HOUR,
    NOW,
    PAGE,
    SECRET,
    SITE,
    Clock,
    Stage,
    Web,
    found,
    run,
    settle,
    stage,
)
from memory_store import MemoryStore
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cache.sqlite import SqliteStore
from verger.client import Event
from verger.client.tolerant_store import LEFT_ALONE, PATIENCE
from verger.errors import CacheError
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import Reply, Request

URL = f"{SITE}/robots.txt"
OPEN = b"User-agent: *\nDisallow:\n"
CLOSED = b"User-agent: *\nDisallow: /\n"


def result(body: bytes = FILE, *, at: float = NOW - HOUR, **more: Any) -> AccessResult:
    return AccessResult(URL, at, **{"status": 200, "body": body, **more})


def holding(*entries: Entry) -> MemoryStore:
    store = MemoryStore()
    run(store.save(entries))
    return store


def entry_in(store: MemoryStore) -> Entry:
    return run(store.load([SITE]))[SITE]


# What others left there


def test_fresh_entry() -> None:
    """What the store holds is used, with its age, and without a request."""
    on = stage(OPEN, store=holding(Entry(SITE, result())))
    answer = run(on.client.decide(SECRET))

    assert (answer.allowed, answer.age) == (False, HOUR)
    assert on.web.requests == []
    assert on.told == [("loaded", SITE)]


def test_shared_by_dialects() -> None:
    """One entry means to each dialect what it says there."""
    store = holding(Entry(SITE, result(status=403, body=b"")))

    async def ask(dialect: str) -> bool:
        return await stage(dialect=dialect, store=store).client.allowed(PAGE)

    assert run(ask("rfc9309"))
    assert not run(ask("original-1994"))


def test_what_was_fetched_is_stored() -> None:
    """A result is stored; the next client, as after a restart, makes no request for it."""
    store = MemoryStore()
    first, second = stage(store=store), stage(store=store)

    assert not run(first.client.allowed(SECRET))
    assert not run(second.client.allowed(SECRET))
    assert (len(first.web.requests), second.web.requests) == (1, [])


def test_stale_entry_is_renewed() -> None:
    """Validators outlive a process: a stored file is asked for on condition."""

    def serve(request: Request) -> Reply:
        return Reply(304 if request.headers.get("If-None-Match") == '"1"' else 500, [])

    store = holding(Entry(SITE, result(at=NOW - 2 * DAY, headers={"etag": '"1"'})))
    on = stage(serve, store=store)

    assert not run(on.client.allowed(SECRET))
    assert on.told == [("renewed", SITE)]
    assert entry_in(store).last.fetched_at == NOW


def test_run_of_failures_goes_on() -> None:
    """When failures began, and how many, outlives a process."""
    failed = result(b"", status=503, at=NOW - 5 * HOUR)
    before = Entry(SITE, failed, result(at=NOW - 60 * DAY), NOW - 31 * DAY, 50, 29 * DAY)
    store = holding(before)
    on = stage(503, store=store)
    run(on.client.allowed(PAGE))
    entry = entry_in(store)

    assert (entry.unreachable_since, entry.failures) == (NOW - 31 * DAY, 51)
    assert entry.unreachable_for == 29 * DAY + 5 * HOUR
    assert entry.copy == result(at=NOW - 60 * DAY)


def test_many_stored_files_at_once() -> None:
    """They are loaded by one call, without a claim; the others are fetched when they are asked."""
    store = Failing(CacheError("is not used"), "claim")
    run(store.fill([Entry(SITE, result()), Entry(OTHER, OF_OTHER)]))
    on = stage(web=Web(default=CLOSED), store=store)

    async def ask() -> list[bool]:
        await on.client.load_stored([SITE, OTHER, "https://unknown.example"])
        return [await on.client.allowed(url) for url in (SECRET, f"{OTHER}/private")]

    assert [False, True] == run(ask())
    assert ["load"] == store.calls
    assert [("loaded", SITE), ("loaded", OTHER)] == on.told
    assert [] == on.web.requests


# Of another kind than this crawler's


@pytest.mark.parametrize("fields", [{}, {"etag": '"1"'}])
@pytest.mark.parametrize("served", [found(FILE, ETag='"1"'), Reply(304, []), 503], ids=str)
def test_file_cut_off_by_a_smaller_limit(served: Any, fields: dict[str, str]) -> None:
    """A fragment that another crawler kept is neither used, nor renewed, nor a copy."""
    on = stage(
        served,
        store=holding(
            Entry(SITE, result(b"User-agent: *\n", at=NOW, truncated=True, headers=fields))
        ),
    )

    assert not run(on.client.allowed(SECRET))
    assert ["If-None-Match" in request.headers for request in on.web.requests] == [False]


def test_copy_cut_off_by_a_smaller_limit() -> None:
    """Nor does a fragment stand in for a file that is unreachable."""
    failed = result(b"", status=503, at=NOW)
    fragment = result(b"User-agent: *\n", at=NOW - DAY, truncated=True)
    on = stage(503, store=holding(Entry(SITE, failed, fragment, NOW, 1)))
    answer = run(on.client.decide(SECRET))

    assert (answer.allowed, answer.reason) == (False, "SERVER_ERROR")
    assert on.web.requests == []


def test_file_cut_off_by_the_same_limit() -> None:
    """A file that was cut where this crawler would cut it is used as it is."""
    body = FILE.ljust(2_024, b"\n")
    on = stage(
        store=holding(Entry(SITE, result(body, at=NOW, truncated=True))),
        limits=FetchLimits(body_bytes=1_000, small_limits=True),
    )

    assert not run(on.client.allowed(SECRET))
    assert on.web.requests == []


@pytest.mark.parametrize(
    ("redirects", "requests"),
    [
        ((), 1),
        (("https://a.example/",), 1),
        (tuple(f"https://{n}.example/" for n in range(5)), 0),
        (tuple(f"https://{n}.example/" for n in range(9)), 0),
        ((URL,), 0),
        (("https://a.example/", "https://b.example/", "https://a.example/"), 0),
    ],
)
def test_fewer_redirects(redirects: tuple[str, ...], requests: int) -> None:
    """Who followed fewer redirects says nothing of the file; a loop is one for everybody."""
    failed = result(b"", status=301, failure="too-many-redirects", redirects=redirects)
    on = stage(CLOSED, store=holding(Entry(SITE, failed)))

    assert run(on.client.allowed(PAGE)) is (requests == 0)
    assert len(on.web.requests) == requests


@pytest.mark.parametrize("dialect", ["rfc9309", "google"])
def test_redirect_closed_to_another_crawler(dialect: str) -> None:
    """That another crawler may not follow a redirect opens nothing to this one."""
    failed = result(b"", status=301, failure="redirect-disallowed")
    on = stage(CLOSED, store=holding(Entry(SITE, failed)), dialect=dialect)

    assert not run(on.client.allowed(PAGE))
    assert len(on.web.requests) == 1


# Stores that lie


class Lying(MemoryStore):
    """Gives the same answer whatever is asked."""

    def __init__(self, answer: Mapping[str, Entry]) -> None:
        super().__init__()
        self._answer = answer

    async def load(self, _: Collection[str]) -> Mapping[str, Entry]:
        return self._answer


OTHER = "https://other.example"
OF_OTHER = AccessResult(f"{OTHER}/robots.txt", NOW, status=200, body=OPEN)


@pytest.mark.parametrize(
    "answer",
    [
        {OTHER: Entry(OTHER, OF_OTHER)},
        {SITE: Entry(OTHER, OF_OTHER)},
        {SITE: Entry(SITE, OF_OTHER)},
        {SITE: Entry(OTHER, result(OPEN, at=NOW))},
        {SITE: Entry(SITE, result(b"", at=NOW, status=503), OF_OTHER, NOW, 1)},
        {SITE: Entry(SITE, result(OPEN, at=NOW + 300 * DAY))},
        {SITE: Entry(SITE, result(OPEN, at=float("nan")))},
        {SITE: Entry(SITE, result(OPEN, at=float("inf")))},
    ],
    ids=[
        "unasked",
        "other",
        "result of other",
        "origin of other",
        "copy of other",
        "from the future",
        "at no time",
        "at the end of time",
    ],
)
def test_entry_that_is_not_what_was_asked_for(answer: Mapping[str, Entry]) -> None:
    """An entry of another origin, or of another time, is none: the file is fetched."""
    on = stage(CLOSED, store=Lying(answer))

    assert not run(on.client.allowed(PAGE))
    assert len(on.web.requests) == 1


def test_clock_that_runs_a_little_ahead() -> None:
    """Machines that share a store need not agree to the minute."""
    on = stage(store=holding(Entry(SITE, result(at=NOW + 60))))

    assert not run(on.client.allowed(SECRET))
    assert on.web.requests == []


# Stores that fail


class Failing(MemoryStore):
    """Fails in the methods named, as long as `error` is set."""

    def __init__(self, error: BaseException, *methods: str) -> None:
        super().__init__()
        self.error: BaseException | None = error
        self.calls: list[str] = []
        self._methods = methods or ("load", "save", "claim", "release", "close")

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        self._fail("load")
        return await super().load(origins)

    async def save(self, entries: Sequence[Entry]) -> None:
        self._fail("save")
        await super().save(entries)

    async def claim(
        self, origins: Collection[str], *, holder: str, seconds: float
    ) -> frozenset[str]:
        self._fail("claim")
        return await super().claim(origins, holder=holder, seconds=seconds)

    async def release(self, origins: Collection[str], *, holder: str) -> None:
        self._fail("release")
        await super().release(origins, holder=holder)

    async def close(self) -> None:
        self._fail("close")

    async def fill(self, entries: Sequence[Entry]) -> None:
        """Store entries without failing."""
        await super().save(entries)

    def _fail(self, method: str) -> None:
        self.calls.append(method)
        if self.error is not None and method in self._methods:
            raise self.error


@pytest.mark.parametrize(
    "error",
    [CacheError("`x` is locked"), OSError(28, "no space"), ValueError(), asyncio.CancelledError()],
    ids=repr,
)
@pytest.mark.parametrize("method", ["load", "save", "claim", "release", "close"])
def test_failing_store(method: str, error: BaseException) -> None:
    """Whatever a store raises, wherever: the answer is that of the file, fetched if need be."""
    store = Failing(error, method)
    on = stage(CLOSED, store=store)
    run(store.fill([Entry(SITE, result(OPEN, at=NOW - 2 * DAY))]))

    async def ask() -> bool:
        async with on.client as client:
            return await client.allowed(PAGE)

    assert not run(ask())
    assert len(on.web.requests) == 1
    assert method in (*store.calls, "release")


def test_store_that_fails_between_load_and_claim() -> None:
    """What was loaded before is not forgotten: the copy of a file that is down still applies."""
    store = Failing(CacheError("`x` is locked"), "claim")
    on = stage(500, store=store)
    run(store.fill([Entry(SITE, result(at=NOW - 2 * DAY))]))
    site = run(on.client.site(PAGE))

    assert (site.allowed(PAGE), site.allowed(SECRET), site.access.copy) == (True, False, True)
    assert len(on.web.requests) == 1


def test_failing_store_is_reported_and_left_alone() -> None:
    """One event and one warning each 30 seconds, and no call meanwhile."""
    store = Failing(CacheError("`robots.sqlite3` is locked"))
    on = stage(web=Web(default=CLOSED), store=store)

    async def ask() -> list[int]:
        counts = []
        for n in range(4):
            on.clock.now = NOW + n * LEFT_ALONE / 2
            await on.client.allowed(f"https://{n}.example/")
            counts.append(len(store.calls))
        store.error = None
        on.clock.now += LEFT_ALONE
        await on.client.allowed("https://9.example/")
        return counts

    counts = run(ask())
    problems = [event for event in on.events if event.kind == "store-problem"]

    assert counts == [1, 1, 2, 2]
    assert [event.detail for event in problems] == ["`robots.sqlite3` is locked"] * 2
    assert (store.calls[2], store.calls[-1]) == ("load", "save")


def test_store_that_is_only_read(tmp_path: Path) -> None:
    """A store that cannot be written to goes on being read; that nothing is kept is told once."""
    path = tmp_path / "store.sqlite3"
    kept = Entry(SITE, result())
    others = [f"https://{name}.example" for name in "abc"]
    told: list[Event] = []

    async def ask() -> list[bool]:
        writer = SqliteStore(path, clock=lambda: NOW)
        await writer.save([kept])
        await writer.close()
        on = stage(
            store=SqliteStore(path, read_only=True),
            web=Web(dict.fromkeys(others, FILE)),
            on_event=told.append,
        )
        found = [await on.client.allowed(f"{origin}/private") for origin in others]
        found.append(await on.client.allowed(SECRET))
        await on.client.close()
        return found

    assert [False] * 4 == asyncio.run(ask())
    assert [("store-problem", ""), ("loaded", SITE)] == [
        (event.kind, event.origin) for event in told if event.kind != "fetched"
    ]


def test_store_that_hangs() -> None:
    """A store that never answers costs a wait, once, and is then left alone."""

    class Hanging(MemoryStore):
        answers_in_time = False

        async def load(self, _: Collection[str]) -> Mapping[str, Entry]:
            await asyncio.Event().wait()
            raise AssertionError

    on = stage(web=Web(default=CLOSED), store=Hanging())

    async def ask() -> tuple[set[bool], float]:
        told = {await on.client.allowed(f"https://{n}.example/") for n in range(5)}
        return told, asyncio.get_running_loop().time()

    told, seconds = run(ask())
    problems = [event.detail for event in on.events if event.kind == "store-problem"]

    assert told == {False}
    assert seconds == pytest.approx(PATIENCE, abs=0.1)
    assert problems == [f"it did not answer within {PATIENCE:g} seconds"]


def test_store_that_hangs_when_closed() -> None:
    """Closing ends all the same."""

    class Hanging(MemoryStore):
        answers_in_time = False

        async def close(self) -> None:
            await asyncio.Event().wait()

    run(stage(store=Hanging()).client.close())


def test_memory_answers_beside_a_failing_store() -> None:
    """What is in memory and stale is renewed by its validators, store or no store."""

    def serve(request: Request) -> Reply:
        is_known = request.headers.get("If-None-Match") == '"1"'
        return Reply(304, []) if is_known else found(FILE, ETag='"1"')

    on = stage(serve, store=Failing(CacheError("broken")))

    async def ask() -> None:
        await on.client.allowed(PAGE)
        on.clock.now += 2 * DAY
        await on.client.allowed(PAGE)

    run(ask())

    assert ["fetched", "renewed"] == [kind for kind, _ in on.told if kind != "store-problem"]


# Claims


def two(store: MemoryStore, **options: Any) -> tuple[Stage, Stage]:
    """Return two clients of one store and one web, as two processes have them."""
    web, clock = Web(default=FILE), Clock()
    one, other = (stage(web=web, clock=clock, store=store, **options) for _ in range(2))
    return one, other


def test_one_fetch_for_two_clients() -> None:
    """While one fetches, the other waits and takes what is stored then."""
    one, other = two(MemoryStore())

    async def ask() -> tuple[list[bool], float]:
        one.web.gate = asyncio.Event()
        first = asyncio.create_task(one.client.allowed(SECRET))
        second = asyncio.create_task(other.client.allowed(SECRET))
        await asyncio.sleep(10)
        one.web.gate.set()
        told = [await first, await second]
        return told, asyncio.get_running_loop().time()

    told, seconds = run(ask())

    assert told == [False, False]
    assert len(one.web.requests) == 1
    assert other.told == [("waiting", SITE), ("loaded", SITE)]
    assert seconds < 11


class Late(MemoryStore):
    """Answers the first load late, with what there was when it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.is_first = True

    async def load(self, origins: Collection[str]) -> Mapping[str, Entry]:
        seen = await super().load(origins)
        if self.is_first:
            self.is_first = False
            await asyncio.sleep(1)
        return seen


def test_stored_between_load_and_claim() -> None:
    """A claim that is granted because the file has just been stored leads to no second fetch."""
    store = Late()
    run(store.save([Entry(SITE, result(OPEN, at=NOW - 2 * DAY))]))
    one, other = two(store)

    async def ask() -> list[bool]:
        first = asyncio.create_task(one.client.allowed(SECRET))
        await settle()
        return [await other.client.allowed(SECRET), await first]

    assert run(ask()) == [False, False]
    assert len(one.web.requests) == 1
    assert one.told == [("loaded", SITE)]
    assert run(store.claim([SITE], holder="another", seconds=1)) == {SITE}


def test_killed_process_blocks_nobody_for_long() -> None:
    """A claim that nobody gives up ends; the waiting client fetches by then."""
    store = MemoryStore()
    on = stage(store=store, limits=FetchLimits(total=10))
    run(store.claim([SITE], holder="killed", seconds=10**9))

    async def ask() -> tuple[bool, float]:
        told = await on.client.allowed(SECRET)
        return told, asyncio.get_running_loop().time()

    told, seconds = run(ask())

    assert not told
    assert 15 <= seconds < 16
    assert len(on.web.requests) == 1


def test_claim_that_ends() -> None:
    """A claim whose time is over is taken over at the next attempt."""
    clock = Clock()
    store = MemoryStore(clock=clock)
    on = stage(store=store, clock=clock)
    run(store.claim([SITE], holder="killed", seconds=30))

    async def ask() -> float:
        asking = asyncio.create_task(on.client.allowed(SECRET))
        await asyncio.sleep(2)
        clock.now += 31
        await asking
        return asyncio.get_running_loop().time()

    assert run(ask()) < 3


def test_foreign_fetch_that_is_too_short_lived() -> None:
    """What another process fetched, and is stale at once, is fetched anew after it."""
    one, other = two(MemoryStore(), least_fresh=0)
    one.web.default = found(FILE, Cache_Control="max-age=0")

    async def ask() -> list[bool]:
        return list(await asyncio.gather(one.client.allowed(SECRET), other.client.allowed(SECRET)))

    assert run(ask()) == [False, False]
    assert len(one.web.requests) == 2


def test_entry_of_this_process_wins_nothing() -> None:
    """A newer entry of another process replaces what has gone stale in memory."""
    one, other = two(MemoryStore())

    async def ask() -> bool:
        await one.client.allowed(PAGE)
        one.clock.now += 2 * DAY
        other.web.default = OPEN
        await other.client.allowed(PAGE)
        return await one.client.allowed(SECRET)

    assert run(ask())
    assert len(one.web.requests) == 2
