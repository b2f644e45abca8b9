"""A stage for clients: a clock that is set by hand, sites that change, an event loop without waits.

In: what each site has. Out: clients that ask it, and every request that was sent. No test lives
here.
"""

import asyncio
import contextlib
import selectors
from collections.abc import Coroutine, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import verger
from verger.client import AsyncClient, Event
from verger.fetching.transport import Reply, Request
from verger.testing import MemoryTransport, Served

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
SITE = "https://example.com"
PAGE = f"{SITE}/page"
SECRET = f"{SITE}/private/page"
FILE = b"User-agent: *\nDisallow: /private\n"
NOW = 1_772_366_400.0
"""Sunday, 1 March 2026, 12:00 UTC."""
MINUTE, HOUR, DAY = 60, 3_600, 86_400

T = TypeVar("T")


@dataclass(slots=True)
class Clock:
    """Seconds since the epoch, as long as nobody says otherwise."""

    now: float = NOW

    def __call__(self) -> float:
        return self.now


class Web:
    """A transport whose sites may change between two requests, and may be made to wait."""

    def __init__(self, sites: Mapping[str, Served] | None = None, *, default: Served = 404) -> None:
        self.sites: dict[str, Served] = dict(sites or {})
        self.default = default
        self.requests: list[Request] = []
        self.closings = 0
        self.gate: asyncio.Event | None = None
        """Where there is one, no reply goes out before it is set."""

    async def send(self, request: Request) -> Reply:
        self.requests.append(request)
        if self.gate is not None:
            await self.gate.wait()
        return await MemoryTransport(self.sites, default=self.default).send(request)

    async def close(self) -> None:
        self.closings += 1

    @property
    def asked(self) -> list[str]:
        """Return the URLs that were asked for, in order."""
        return [request.url for request in self.requests]


@dataclass(slots=True)
class Stage:
    """A client with all that it knows of the world."""

    web: Web
    clock: Clock
    events: list[Event]
    client: AsyncClient

    @property
    def told(self) -> list[tuple[str, str]]:
        """Return the events: kind and origin."""
        return [(event.kind, event.origin) for event in self.events]


def stage(
    served: Served = FILE, *, web: Web | None = None, clock: Clock | None = None, **options: Any
) -> Stage:
    """Return a client of `SITE`, which has `served`; `options` are `AsyncClient`'s."""
    web = web or Web({SITE: served})
    clock = clock or Clock()
    events: list[Event] = []
    settings = {"transport": web, "clock": clock, "on_event": events.append, **options}
    return Stage(web, clock, events, AsyncClient(BOT, **settings))


def found(body: bytes = FILE, **fields: str) -> Reply:
    """Return a response with a file; `fields` are header fields, `_` for `-` in their names."""
    headers = [(name.replace("_", "-"), value) for name, value in fields.items()]
    return Reply(200, [("Content-Type", "text/plain"), *headers], body)


def moved(target: str, status: int = 301) -> Reply:
    return Reply(status, [("Location", target)])


# Time


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine where nobody waits: the time of the loop jumps to what happens next."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(main)


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose time goes on only when nothing else is to be done.

    For one thread: what others do takes no time here.
    """

    def __init__(self) -> None:
        self._jumped = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self._jumped

    def jump(self, seconds: float) -> None:
        # A hair further, or a timer would be due just after what rounding makes of its time.
        self._jumped += seconds + 1e-6


class _Jumping(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("nothing will ever happen any more")
        if timeout > 0:
            self._loop.jump(timeout)
        return super().select(0)


async def settle(turns: int = 20) -> None:
    """Let everything that can go on do so."""
    for _ in range(turns):
        await asyncio.sleep(0)


@contextlib.contextmanager
def elapsing(seconds: float) -> Iterator[None]:
    """Expect that the time of the loop goes on by so many seconds."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    yield

    assert abs(loop.time() - began - seconds) < 0.01


def dialects() -> list[str]:
    return list(verger.DIALECTS)
