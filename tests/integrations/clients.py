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

import verger
from patience import LONG, PATIENT
from verger.integrations.aiohttp import RobotsMiddleware
from verger.integrations.httpx import AsyncRobotsTransport, RobotsTransport
from verger.integrations.requests import RobotsAdapter
from verger.integrations.urllib import RobotsHandler

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


class Browser(Protocol):
    """A client that is open."""

    def ask(self, url: str, **how: Any) -> int:
        """Return the status behind all redirects; `how` as in `Asked`."""
        ...

    def ask_all(self, urls: list[str]) -> list[int]:
        """Ask for all URLs at once."""
        ...


Opened: TypeAlias = AbstractContextManager[Browser]


@dataclass(frozen=True)
class Driver:
    """One client."""

    name: str
    family: type[Exception]
    """What the exceptions of the client have in common."""
    opened: Callable[[Options | None, verger.Pacer | None], Opened]
    module: str
    is_async: bool = False


# Synchronous clients


class InThreads:
    """A browser that asks for several URLs in as many threads."""

    def __init__(self, ask: Callable[[Asked], int]) -> None:
        self._ask = ask

    def ask(self, url: str, **how: Any) -> int:
        return self._ask(Asked(url, **how))

    def ask_all(self, urls: list[str]) -> list[int]:
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(len(urls)) as pool:
            return list(pool.map(self.ask, urls))


def client_of(robots: Options | None, stack: ExitStack) -> verger.Client | None:
    if robots is None:
        return None
    return stack.enter_context(verger.Client(USER_AGENT, **{"limits": PATIENT, **robots}))


@contextmanager
def urllib_opened(robots: Options | None, pacer: verger.Pacer | None) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        handlers = [RobotsHandler(client, pacer=pacer)] if client else []
        opener = urllib.request.build_opener(*handlers)

        def ask(asked: Asked) -> int:
            request = urllib.request.Request(
                asked.url, asked.body, {**HEADERS, **asked.headers}, method=asked.method
            )
            try:
                with opener.open(request, timeout=LONG) as response:
                    response.read()
                    return int(response.status or 200)
            except HTTPError as error:
                error.close()
                return error.code

        yield InThreads(ask)


@contextmanager
def requests_opened(robots: Options | None, pacer: verger.Pacer | None) -> Iterator[Browser]:
    with ExitStack() as stack:
        client = client_of(robots, stack)
        session = stack.enter_context(requests.Session())
        if client:
            adapter = RobotsAdapter(client, pacer=pacer)
            session.mount("http://", adapter)
            session.mount("https://", adapter)

        def ask(asked: Asked) -> int:
            return session.request(
                asked.method,
                asked.url,
                data=asked.body,
                headers={**HEADERS, **asked.headers},
                timeout=LONG,
            ).status_code

        yield InThreads(ask)


def httpx_opened(package: ModuleType) -> Callable[[Options | None, verger.Pacer | None], Opened]:
    @contextmanager
    def opened(robots: Options | None, pacer: verger.Pacer | None) -> Iterator[Browser]:
        with ExitStack() as stack:
            client = client_of(robots, stack)
            inner = package.HTTPTransport(verify=TRUST)
            transport = RobotsTransport(client, inner, pacer=pacer) if client else inner
            web = stack.enter_context(
                package.Client(
                    transport=transport, headers=HEADERS, follow_redirects=True, timeout=LONG
                )
            )
            yield InThreads(lambda asked: web.request(**httpx_arguments(asked)).status_code)

    return opened


def httpx_arguments(asked: Asked) -> dict[str, Any]:
    return {
        "method": asked.method,
        "url": asked.url,
        "headers": asked.headers,
        "content": asked.body,
    }


# Asynchronous clients


class InTasks:
    """A browser that runs its own event loop, and asks for several URLs in as many tasks."""

    def __init__(
        self, runner: asyncio.Runner, ask: Callable[[Asked], Coroutine[Any, Any, int]]
    ) -> None:
        self._runner = runner
        self._ask = ask

    def ask(self, url: str, **how: Any) -> int:
        # the runner's own context would not know of what was entered since
        return self._runner.run(self._ask(Asked(url, **how)), context=copy_context())

    def ask_all(self, urls: list[str]) -> list[int]:
        async def all_at_once() -> list[int]:
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
        [Options | None, verger.Pacer | None, AsyncExitStack],
        Coroutine[Any, Any, Callable[[Asked], Coroutine[Any, Any, int]]],
    ],
) -> Callable[[Options | None, verger.Pacer | None], Opened]:
    @contextmanager
    def opened(robots: Options | None, pacer: verger.Pacer | None) -> Iterator[Browser]:
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            try:
                yield InTasks(runner, runner.run(begin(robots, pacer, stack)))
            finally:
                runner.run(stack.aclose())

    return opened


async def aiohttp_begun(
    robots: Options | None, pacer: verger.Pacer | None, stack: AsyncExitStack
) -> Callable[[Asked], Coroutine[Any, Any, int]]:
    client = await async_client_of(robots, stack)
    session = await stack.enter_async_context(
        aiohttp.ClientSession(
            headers=HEADERS,
            timeout=aiohttp.ClientTimeout(LONG),
            middlewares=[RobotsMiddleware(client, pacer=pacer)] if client else (),
        )
    )

    async def ask(asked: Asked) -> int:
        async with session.request(
            asked.method, asked.url, headers=asked.headers, data=asked.body
        ) as response:
            await response.read()
            return response.status

    return ask


def httpx_begun(package: ModuleType) -> Any:
    async def begun(
        robots: Options | None, pacer: verger.Pacer | None, stack: AsyncExitStack
    ) -> Callable[[Asked], Coroutine[Any, Any, int]]:
        client = await async_client_of(robots, stack)
        inner = package.AsyncHTTPTransport(verify=TRUST)
        transport = AsyncRobotsTransport(client, inner, pacer=pacer) if client else inner
        web = await stack.enter_async_context(
            package.AsyncClient(
                transport=transport, headers=HEADERS, follow_redirects=True, timeout=LONG
            )
        )

        async def ask(asked: Asked) -> int:
            return int((await web.request(**httpx_arguments(asked))).status_code)

        return ask

    return begun


DRIVERS = (
    Driver("aiohttp", aiohttp.ClientError, in_loop(aiohttp_begun), "aiohttp", is_async=True),
    Driver("httpx", httpx.RequestError, httpx_opened(httpx), "httpx"),
    Driver("httpx async", httpx.RequestError, in_loop(httpx_begun(httpx)), "httpx", is_async=True),
    Driver("httpx2", httpx2.RequestError, httpx_opened(httpx2), "httpx"),
    Driver(
        "httpx2 async", httpx2.RequestError, in_loop(httpx_begun(httpx2)), "httpx", is_async=True
    ),
    Driver("requests", requests.RequestException, requests_opened, "requests"),
    Driver("urllib", URLError, urllib_opened, "urllib"),
)
