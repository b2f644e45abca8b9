"""The HTTP clients that verger guards, each driven in the same way.

In: how `verger.Client` is made, or None for the client alone. Out: a `Browser` that asks for URLs
with the real client, follows redirects, and raises what that raises.
"""

import asyncio
import ssl
import urllib.request
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Protocol, TypeAlias
from urllib.error import HTTPError, URLError

import aiohttp
import httpx
import httpx2
import requests
import urllib3

import verger
from patience import LONG, PATIENT
from verger.integrations.aiohttp import RobotsMiddleware
from verger.integrations.httpx import AsyncRobotsTransport, RobotsTransport
from verger.integrations.requests import RobotsAdapter
from verger.integrations.urllib import RobotsHandler
from verger.integrations.urllib3 import RobotsPoolManager

USER_AGENT = "ExampleBot/1.0 (+https://example.com/bot)"
HEADERS = {"User-Agent": USER_AGENT}

TRUST = ssl.create_default_context()
"""httpx reads all certificates again for each client."""

Options: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Asked:
    """A request, as a test words it."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    seconds: float = LONG


class Status(int):
    """A status, with its reason phrase and its header fields."""

    reason: str
    fields: dict[str, str]

    @classmethod
    def of(cls, number: int, reason: object, fields: Any) -> "Status":
        status = cls(number)
        status.reason, status.fields = str(reason), {k.lower(): v for k, v in fields.items()}
        return status


class Browser(Protocol):
    """A client that is open."""

    def ask(self, url: str, **how: Any) -> Status:
        """Return the status behind all redirects; `how` as in `Asked`."""
        ...

    def ask_all(self, urls: list[str]) -> list[Status]:
        """Ask for all URLs at once."""
        ...


Opened: TypeAlias = AbstractContextManager[Browser]


@dataclass(frozen=True)
class Driver:
    """One client."""

    name: str
    family: type[Exception]
    """What the exceptions of the client have in common."""
    late: type[Exception]
    """What it raises after a time-out."""
    opened: Callable[[Options | None, Options], Opened]
    """Open the client, with the options of a `verger.Client` and of the guard."""
    module: str
    is_async: bool = False


# Synchronous clients


class InThreads:
    """A browser that asks for several URLs in as many threads."""

    def __init__(self, ask: Callable[[Asked], Status]) -> None:
        self._ask = ask

    def ask(self, url: str, **how: Any) -> Status:
        return self._ask(Asked(url, **how))

    def ask_all(self, urls: list[str]) -> list[Status]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(urls)) as pool:
            return list(pool.map(self.ask, urls))


def client_of(robots: Options | None, stack: ExitStack) -> verger.Client | None:
    if robots is None:
        return None
    return stack.enter_context(verger.Client(USER_AGENT, **{"limits": PATIENT, **robots}))


@contextmanager
def urllib_opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        handlers = [RobotsHandler(client, **guard)] if client else []
        opener = urllib.request.build_opener(*handlers)

        def ask(asked: Asked) -> Status:
            request = urllib.request.Request(
                asked.url, asked.body, {**HEADERS, **asked.headers}, method=asked.method
            )
            try:
                with opener.open(request, timeout=asked.seconds) as response:
                    response.read()
                    return Status.of(response.status or 200, "", response.headers)
            except HTTPError as error:
                error.close()
                return Status.of(error.code, error.reason, error.headers)

        yield InThreads(ask)


@contextmanager
def requests_opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        session = stack.enter_context(requests.Session())
        if client:
            adapter = RobotsAdapter(client, **guard)
            session.mount("http://", adapter)
            session.mount("https://", adapter)

        def ask(asked: Asked) -> Status:
            got = session.request(
                asked.method,
                asked.url,
                data=asked.body,
                headers={**HEADERS, **asked.headers},
                timeout=asked.seconds,
            )
            return Status.of(got.status_code, got.reason, got.headers)

        yield InThreads(ask)


@contextmanager
def urllib3_opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        made = RobotsPoolManager(client, **guard) if client else urllib3.PoolManager()
        pools = stack.enter_context(made)

        def ask(asked: Asked) -> Status:
            headers = {**HEADERS, **asked.headers}
            sent = pools.request(
                asked.method, asked.url, body=asked.body, headers=headers, timeout=asked.seconds
            )
            return Status.of(sent.status, sent.reason, sent.headers)

        yield InThreads(ask)


def httpx_opened(package: ModuleType) -> Callable[[Options | None, Options], Opened]:
    @contextmanager
    def opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
        with ExitStack() as stack:
            client = client_of(robots, stack)
            inner = package.HTTPTransport(verify=TRUST)
            transport = RobotsTransport(client, inner, **guard) if client else inner
            web = stack.enter_context(
                package.Client(
                    transport=transport, headers=HEADERS, follow_redirects=True, timeout=LONG
                )
            )
            yield InThreads(lambda asked: httpx_status(web.request(**httpx_arguments(asked))))

    return opened


def httpx_arguments(asked: Asked) -> dict[str, Any]:
    return {
        "method": asked.method,
        "url": asked.url,
        "headers": asked.headers,
        "content": asked.body,
        "timeout": asked.seconds,
    }


def httpx_status(got: Any) -> Status:
    return Status.of(got.status_code, got.reason_phrase, got.headers)


# Asynchronous clients


class InTasks:
    """A browser that runs its own event loop, and asks for several URLs in as many tasks."""

    def __init__(
        self, runner: asyncio.Runner, ask: Callable[[Asked], Coroutine[Any, Any, Status]]
    ) -> None:
        self._runner = runner
        self._ask = ask

    def ask(self, url: str, **how: Any) -> Status:
        # the runner's own context would not know of what was entered since
        return self._runner.run(self._ask(Asked(url, **how)), context=copy_context())

    def ask_all(self, urls: list[str]) -> list[Status]:
        async def all_at_once() -> list[Status]:
            return await asyncio.gather(*(self._ask(Asked(url)) for url in urls))

        return self._runner.run(all_at_once())


async def async_client_of(
    robots: Options | None, stack: AsyncExitStack
) -> verger.AsyncClient | None:
    if robots is None:
        return None
    client = verger.AsyncClient(USER_AGENT, **{"limits": PATIENT, **robots})
    return await stack.enter_async_context(client)


def in_loop(
    begin: Callable[
        [Options | None, Options, AsyncExitStack],
        Coroutine[Any, Any, Callable[[Asked], Coroutine[Any, Any, Status]]],
    ],
) -> Callable[[Options | None, Options], Opened]:
    @contextmanager
    def opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            try:
                yield InTasks(runner, runner.run(begin(robots, guard, stack)))
            finally:
                runner.run(stack.aclose())

    return opened


async def aiohttp_begun(
    robots: Options | None, guard: Options, stack: AsyncExitStack
) -> Callable[[Asked], Coroutine[Any, Any, Status]]:
    client = await async_client_of(robots, stack)
    session = await stack.enter_async_context(
        aiohttp.ClientSession(
            headers=HEADERS,
            timeout=aiohttp.ClientTimeout(LONG),
            middlewares=[RobotsMiddleware(client, **guard)] if client else (),
        )
    )

    async def ask(asked: Asked) -> Status:
        async with session.request(
            asked.method,
            asked.url,
            headers=asked.headers,
            data=asked.body,
            timeout=aiohttp.ClientTimeout(asked.seconds),
        ) as response:
            await response.read()
            return Status.of(response.status, response.reason, response.headers)

    return ask


def httpx_begun(package: ModuleType) -> Any:
    async def begun(
        robots: Options | None, guard: Options, stack: AsyncExitStack
    ) -> Callable[[Asked], Coroutine[Any, Any, Status]]:
        client = await async_client_of(robots, stack)
        inner = package.AsyncHTTPTransport(verify=TRUST)
        transport = AsyncRobotsTransport(client, inner, **guard) if client else inner
        web = await stack.enter_async_context(
            package.AsyncClient(
                transport=transport, headers=HEADERS, follow_redirects=True, timeout=LONG
            )
        )

        async def ask(asked: Asked) -> Status:
            return httpx_status(await web.request(**httpx_arguments(asked)))

        return ask

    return begun


# niquests, which is in the environment of the extractors only


@contextmanager
def niquests_opened(robots: Options | None, guard: Options) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        session = stack.enter_context(niquests.Session())
        for scheme in ("http://", "https://") if client else ():
            session.mount(scheme, niquests_guard.RobotsAdapter(client, **guard))

        def ask(asked: Asked) -> Status:
            got = session.request(asked.method, asked.url, **niquests_arguments(asked))
            return Status.of(got.status_code, got.reason, got.headers)

        yield InThreads(ask)


async def niquests_begun(
    robots: Options | None, guard: Options, stack: AsyncExitStack
) -> Callable[[Asked], Coroutine[Any, Any, Status]]:
    client = await async_client_of(robots, stack)
    session = await stack.enter_async_context(niquests.AsyncSession())
    for scheme in ("http://", "https://") if client else ():
        session.mount(scheme, niquests_guard.AsyncRobotsAdapter(client, **guard))

    async def ask(asked: Asked) -> Status:
        got = await session.request(asked.method, asked.url, **niquests_arguments(asked))
        return Status.of(got.status_code, got.reason, got.headers)

    return ask


def niquests_arguments(asked: Asked) -> dict[str, Any]:
    headers = {**HEADERS, **asked.headers}
    return {"data": asked.body, "headers": headers, "timeout": asked.seconds}


DRIVERS = [
    Driver(
        *("aiohttp", aiohttp.ClientError, TimeoutError, in_loop(aiohttp_begun), "aiohttp"),
        is_async=True,
    ),
    *(
        Driver(name, package.RequestError, package.TimeoutException, opened, "httpx", is_async)
        for package in (httpx, httpx2)
        for name, opened, is_async in (
            (package.__name__, httpx_opened(package), False),
            (f"{package.__name__} async", in_loop(httpx_begun(package)), True),
        )
    ),
    Driver("requests", requests.RequestException, requests.Timeout, requests_opened, "requests"),
    Driver("urllib", URLError, URLError, urllib_opened, "urllib"),
    Driver(
        *("urllib3", urllib3.exceptions.HTTPError, urllib3.exceptions.TimeoutError),
        *(urllib3_opened, "urllib3"),
    ),
]
try:
    import niquests

    from verger.integrations import niquests as niquests_guard
except ImportError:
    pass
else:
    failed, late = niquests.RequestException, niquests.Timeout
    DRIVERS += [
        Driver("niquests", failed, late, niquests_opened, "niquests"),
        Driver("niquests async", failed, late, in_loop(niquests_begun), "niquests", is_async=True),
    ]
