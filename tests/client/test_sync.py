"""The synchronous client: the same answers, from any thread, beside any event loop."""

import asyncio
import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

import verger
from client.stage import BOT, DAY, FILE, NOW, PAGE, SECRET, SITE, Clock, Web
from patience import LONG, until
from verger.client import AsyncClient, Client, Event
from verger.client.sync import _close_all
from verger.errors import InvalidTarget, RobotsError
from verger.fetching.transport import Reply, Request

THREADS = 24


class Gated(Web):
    """A web that threads may hold up and let go."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.is_open = threading.Event()
        self.arrived = threading.Event()

    async def send(self, request: Request) -> Reply:
        self.arrived.set()
        while not self.is_open.is_set():
            await asyncio.sleep(0.002)
        return await super().send(request)


@pytest.fixture(autouse=True)
def _leaves_no_thread() -> Iterator[None]:
    """Every test begins without a thread and ends without one."""
    gc.collect()  # clients that tests of other modules left in cycles
    until(lambda: not client_threads())
    yield
    until(lambda: not client_threads())


def client_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "verger-client"]


def client(web: Web | None = None, **options: Any) -> Client:
    return Client(BOT, transport=web or Web({SITE: FILE}), **options)


# Answers


def test_twin() -> None:
    """Whatever the asynchronous client is asked, the synchronous one answers the same."""
    file = (
        b"Sitemap: https://example.com/s.xml\nUser-agent: *\nDisallow: /private\nCrawl-delay: 3\n"
    )
    clock = Clock()
    twin = AsyncClient(BOT, transport=Web({SITE: file}), clock=clock)
    with client(Web({SITE: file}), clock=clock) as web:

        async def ask(url: str) -> list[object]:
            return [
                await twin.allowed(url),
                await twin.decide(url),
                await twin.robots(url),
                await twin.sitemaps(url),
                await twin.crawl_delay(url),
                (await twin.site(url)).access,
                await twin.allowed_many([url, SECRET]),
                (await twin.refresh(url)).fresh_until,
            ]

        for url in (PAGE, SECRET, "https://missing.example/"):
            assert asyncio.run(ask(url)) == [
                web.allowed(url),
                web.decide(url),
                web.robots(url),
                web.sitemaps(url),
                web.crawl_delay(url),
                web.site(url).access,
                [web.allowed(url), web.allowed(SECRET)],
                web.refresh(url).fresh_until,
            ]


def test_many_at_once() -> None:
    """Of many sites, in order; each file is fetched once. A site answers for its own URLs."""
    web = Web({SITE: b"User-agent: *\nDisallow: /private\n", "https://other.example": 503})
    with client(web) as asked:
        urls = (url for url in (SECRET, PAGE, "https://other.example/", SECRET, PAGE))
        assert [False, True, False, False, True] == asked.allowed_many(urls)
        assert len(web.requests) == 2
        assert [] == asked.allowed_many([])
        assert [True, False] == asked.site(PAGE).allowed_many([PAGE, SECRET])
        for mistake in (["https://example.com/", "/page"], "https://example.com/", [b"/"]):
            with pytest.raises((InvalidTarget, TypeError)):
                asked.allowed_many(mistake)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="`urls` must be a sequence of URLs, not one str"):
            asked.allowed_many(PAGE)


def test_same_face() -> None:
    """The two take the same arguments, and have the same methods."""
    import inspect

    def face(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    # what is of use only where the loop is one's own
    assert face(AsyncClient) - face(Client) <= {
        "known",
        "find",
        "load_stored",
        "look_up",
        "is_fetching",
    }
    assert face(Client) <= face(AsyncClient)
    for name in ("__init__", *face(Client)):
        one, other = (inspect.signature(getattr(kind, name)) for kind in (Client, AsyncClient))
        assert [str(p) for p in one.parameters.values()] == [
            str(p) for p in other.parameters.values()
        ], name


@pytest.mark.parametrize("url", ["", "/page", "mailto:a@example.com"])
def test_no_url(url: str) -> None:
    """Misuse is an exception in the thread that asks, and starts nothing."""
    with client() as web:
        for question in (web.allowed, web.decide, web.site, web.robots):
            with pytest.raises(InvalidTarget):
                question(url)
        assert client_threads() == []


def test_prefetch() -> None:
    """Many origins at once; then all is in memory."""
    transport = Web(default=FILE)
    with client(transport) as web:
        web.prefetch(f"https://{n}.example/" for n in range(200))
        told = {web.allowed(f"https://{n}.example/private") for n in range(200)}

    assert told == {False}
    assert len(transport.requests) == 200


# Threads


def test_many_threads() -> None:
    """They all ask at once: one fetch, one thread of the client's, the same answer."""
    transport = Gated({SITE: FILE})
    barrier = threading.Barrier(THREADS)
    with client(transport) as web, ThreadPoolExecutor(THREADS) as pool:

        def ask(_: int) -> bool:
            barrier.wait(LONG)
            return web.allowed(SECRET)

        told = pool.map(ask, range(THREADS))
        assert transport.arrived.wait(LONG)
        assert len(client_threads()) == 1
        transport.is_open.set()

        assert set(told) == {False}
    assert len(transport.requests) == 1


def test_fresh_answers_wake_nobody() -> None:
    """What is in memory and fresh is answered in the calling thread: no other is even started."""
    clock = Clock()
    web = client(clock=clock)
    web.allowed(PAGE)
    web.close()
    clock.now += DAY - 1

    assert not web.allowed(SECRET)
    assert web.decide(SECRET).age == DAY - 1
    assert web.robots(SECRET) is not None
    assert client_threads() == []

    clock.now += 2
    assert not web.allowed(SECRET)
    assert len(client_threads()) == 1
    web.close()


@contextmanager
def threads(
    work: Callable[[], None], number: int, *, until: threading.Event
) -> Iterator[list[threading.Thread]]:
    """Let threads work while the block runs; at its end, set the event and wait for them."""
    running = [threading.Thread(target=work) for _ in range(number)]
    for thread in running:
        thread.start()
    try:
        yield running
    finally:
        until.set()
        for thread in running:
            thread.join(LONG)


def test_known_in_other_threads_while_sites_change() -> None:
    """Readers never see a site without its rules, while it is fetched anew again and again."""
    clock = Clock()
    problems: list[object] = []
    done = threading.Event()
    with client(Web(default=FILE), clock=clock, memory_bytes=20_000) as web:

        def read() -> None:
            while not done.is_set():
                for n in range(10):
                    try:
                        if web.allowed(f"https://{n}.example/private"):
                            problems.append(n)
                    except Exception as error:
                        problems.append(error)

        with threads(read, 3, until=done):
            for n in range(60):
                clock.now += DAY
                web.refresh(f"https://{n % 10}.example/")

    assert problems == []


def test_under_a_running_loop() -> None:
    """Code that is called from a coroutine may use it: it has a loop of its own."""

    async def ask(web: Client) -> bool:
        return web.allowed(SECRET)

    with client() as web:
        assert not asyncio.run(ask(web))
        assert not asyncio.run(ask(web))


# Events


def test_called_from_its_own_hook() -> None:
    """A hook that asks the client that calls it would wait for itself: it is told so."""
    errors: list[RobotsError] = []

    def hook(_: Event) -> None:
        for question in (web.allowed, web.refresh):
            try:
                question("https://other.example/")
            except RobotsError as error:
                errors.append(error)
        try:
            web.close()
        except RobotsError as error:
            errors.append(error)

    with client(on_event=hook) as web:
        assert not web.allowed(SECRET)

    assert [error.message for error in errors] == [
        "a synchronous client was called from its own event hook"
    ] * 3
    assert all(error.hint for error in errors)


def test_hook_may_ask_what_is_at_hand() -> None:
    """What is in memory is answered in the hook too."""
    told: list[bool] = []

    def hook(event: Event) -> None:
        if event.origin != SITE:
            told.append(web.allowed(SECRET))

    with client(Web(default=FILE), on_event=hook) as web:
        web.allowed(PAGE)
        web.allowed("https://other.example/")

    assert told == [False]


# Closing


def test_close_twice_and_go_on() -> None:
    """Closing ends the thread; again it does nothing; the next question starts another."""
    transport = Web(default=FILE)
    web = client(transport)
    web.close()
    assert not web.allowed(SECRET)
    web.close()
    web.close()
    assert client_threads() == []
    assert not web.allowed("https://other.example/private")
    web.close()

    assert (len(transport.requests), transport.closings) == (2, 2)


def test_close_of_a_transport_that_fails() -> None:
    """Its error reaches the caller, and no thread is left."""

    class Broken(Web):
        async def close(self) -> None:
            raise ValueError("mine")

    web = client(Broken(default=FILE))
    web.allowed(PAGE)

    with pytest.raises(ValueError, match="mine"):
        web.close()
    assert client_threads() == []


def test_exit_closes_every_client(caplog: pytest.LogCaptureFixture) -> None:
    """One that fails is logged, and the others are closed."""

    class Broken(Web):
        async def close(self) -> None:
            raise ValueError("mine")

    clients = [client(Broken(default=FILE)) for _ in range(2)]
    for web in clients:
        web.allowed(PAGE)

    _close_all()

    assert client_threads() == []
    assert ["a client was not closed properly"] * 2 == [each.message for each in caplog.records]


def test_close_while_threads_ask() -> None:
    """Threads that wait are told that the client was closed; none is left waiting."""
    transport = Gated({SITE: FILE})
    web = client(transport)
    with ThreadPoolExecutor(THREADS) as pool:
        asking = [pool.submit(web.allowed, f"https://{n % 5}.example/") for n in range(THREADS)]
        assert transport.arrived.wait(LONG)
        web.close()
        # those that had not asked yet start the client anew
        transport.is_open.set()
        errors = [future.exception(LONG) for future in asking]
    web.close()

    assert {type(error) for error in errors} <= {RobotsError, type(None)}
    assert RobotsError in {type(error) for error in errors}


def test_close_and_ask_over_and_over() -> None:
    """However closing and asking fall together, nobody waits for ever."""
    web = client(Web(default=FILE))
    done = threading.Event()
    others: list[Exception] = []

    def ask() -> None:
        n = 0
        while not done.is_set():
            n += 1
            try:
                web.allowed(f"https://{n % 7}-{threading.get_ident()}-{n}.example/")
            except RobotsError:
                continue
            except Exception as error:
                others.append(error)

    with threads(ask, 4, until=done) as askers:
        for _ in range(100):
            web.close()
    web.close()

    assert others == []
    assert [asker.is_alive() for asker in askers] == [False] * 4


def test_forgotten_client() -> None:
    """A client that nobody holds any more is closed, and takes its thread along."""
    transport = Web({SITE: FILE})
    web = client(transport)
    web.allowed(PAGE)
    gone = weakref.ref(web)
    del web
    gc.collect()

    assert gone() is None
    until(lambda: not client_threads())
    assert transport.closings == 1


def test_context() -> None:
    """`with` closes, also after an error in its body."""
    transport = Web({SITE: FILE})
    with pytest.raises(ZeroDivisionError), client(transport) as web:
        1 / web.allowed(SECRET)

    assert transport.closings == 1


def test_thread_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no thread left, that is the error; later there may be one."""

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with client() as web:
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", fail)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                web.allowed(PAGE)

        assert web.allowed(PAGE)


def test_now_is_the_clocks() -> None:
    """Times are those of the clock that was given."""
    with client(clock=Clock()) as web:
        assert web.site(PAGE).fresh_until == NOW + DAY


def test_named_by_the_package() -> None:
    """`verger.Client` is this class, loaded when it is asked for."""
    assert verger.Client is Client


def test_both_clients_explain_their_arguments() -> None:
    """`help(verger.Client)` says of every argument what `help(verger.AsyncClient)` says."""
    import inspect

    explained, other = (
        (inspect.getdoc(kind) or "").partition("user_agent: ")[2].partition(">>> ")[0]
        for kind in (Client, AsyncClient)
    )
    parameters = [*inspect.signature(AsyncClient).parameters.values()][1:]
    names = [each.name for each in parameters if each.kind is not each.VAR_KEYWORD]

    assert explained == other
    assert [] == [
        name for name in names if f"{name}:" not in explained and f"`{name}`" not in explained
    ]
