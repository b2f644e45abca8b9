"""What is aiohttp's own: URLs that are sent as they are, WebSockets, base URLs, time-outs."""

import asyncio
from collections.abc import Awaitable, Callable

import aiohttp
import pytest
from yarl import URL

import verger
from faults.stage import response
from integrations.clients import USER_AGENT
from integrations.sites import Web
from patience import BRIEF, PATIENT
from verger.integrations.aiohttp import Disallowed, InvalidTarget, RobotsMiddleware


def run(
    work: Callable[[aiohttp.ClientSession], Awaitable[None]],
    *,
    base_url: str | None = None,
    pacer: verger.Pacer | None = None,
) -> None:
    """Run something with a guarded session."""

    async def with_session() -> None:
        async with (
            verger.AsyncClient(USER_AGENT, limits=PATIENT) as robots,
            aiohttp.ClientSession(
                base_url, middlewares=[RobotsMiddleware(robots, pacer=pacer)]
            ) as session,
        ):
            await work(session)

    asyncio.run(with_session())


async def fetch(session: aiohttp.ClientSession, url: str | URL, proxy: str | None = None) -> None:
    """Fetch a URL that may be fetched, whatever the answer."""
    async with session.get(url, proxy=proxy):
        pass


def test_encoded_urls(web: Web) -> None:
    """A URL that yarl leaves as it is, is judged without its dot segments."""
    site = web.site()

    async def ask(session: aiohttp.ClientSession) -> None:
        for path in ("/open/../closed", "/open/%2e%2e/closed"):
            with pytest.raises(Disallowed):
                await session.get(URL(site.origin + path, encoded=True))
        await fetch(session, URL(f"{site.origin}/a/../b", encoded=True))

    run(ask)

    assert ["/a/../b"] == site.paths


def test_empty_query(web: Web) -> None:
    """aiohttp does not send an empty query, which rules may close; real files do."""
    site = web.site(robots=b"User-agent: *\nDisallow: /*?\n")

    async def ask(session: aiohttp.ClientSession) -> None:
        await fetch(session, f"{site.origin}/search?")
        with pytest.raises(Disallowed):
            await session.get(URL(f"{site.origin}/search?a", encoded=True))

    run(ask)

    assert ["/search"] == site.paths


def test_middlewares_of_a_request_opt_out(web: Web) -> None:
    """aiohttp's own way: middlewares of a request take the place of the session's."""
    site = web.site()

    async def ask(session: aiohttp.ClientSession) -> None:
        async with session.get(f"{site.origin}/closed", middlewares=()) as answer:
            assert answer.status == 200

    run(ask)

    assert (["/closed"], 0) == (site.paths, site.asked_for_robots)


def test_web_sockets_are_judged(web: Web) -> None:
    """They begin with a GET, under the rules of http."""
    site = web.site()
    url = site.origin.replace("http://", "ws://")

    async def ask(session: aiohttp.ClientSession) -> None:
        with pytest.raises(Disallowed):
            await session.ws_connect(f"{url}/closed")
        with pytest.raises(aiohttp.WSServerHandshakeError):
            await session.ws_connect(f"{url}/open")

    run(ask)

    assert ["/open"] == site.paths


def test_base_url_and_params(web: Web) -> None:
    """A relative URL is judged as it becomes, its parameters too."""
    site = web.site(robots=b"User-agent: *\nDisallow: /api/*?key=\n")

    async def ask(session: aiohttp.ClientSession) -> None:
        await fetch(session, "items")
        with pytest.raises(Disallowed):
            await session.get("items", params={"key": "1"})

    run(ask, base_url=f"{site.origin}/api/")

    assert ["/api/items"] == site.paths


def test_proxy(web: Web) -> None:
    """Requests through a proxy are judged by their own URL, before it is asked."""
    site, proxy = web.site(), web.site()

    async def ask(session: aiohttp.ClientSession) -> None:
        await fetch(session, f"{site.origin}/open", proxy=proxy.origin)
        with pytest.raises(Disallowed):
            await session.get(f"{site.origin}/closed", proxy=proxy.origin)

    run(ask)

    assert [f"{site.origin}/open"] == proxy.paths


def test_host_that_cannot_be_judged() -> None:
    """Is not connected to."""

    async def ask(session: aiohttp.ClientSession) -> None:
        for host in ("ex%61mple.invalid", "a..invalid", "xn--a.invalid"):
            with pytest.raises(InvalidTarget) as raised:
                await session.get(f"http://{host}/")
            assert isinstance(raised.value, aiohttp.ClientError)

    run(ask)


def test_time_out_of_the_session(web: Web) -> None:
    """It bounds waiting for a turn too; what waited is not sent."""
    site = web.site(robots=b"User-agent: *\nCrawl-delay: 300\n")

    async def ask(session: aiohttp.ClientSession) -> None:
        await fetch(session, f"{site.origin}/a")
        with pytest.raises(TimeoutError):
            await session.get(f"{site.origin}/b", timeout=aiohttp.ClientTimeout(BRIEF))

    run(ask, pacer=verger.Pacer())

    assert ["/a"] == site.paths


def test_time_out_disturbs_no_other(web: Web) -> None:
    """A request that gives up while robots.txt is fetched leaves the fetch to the others."""
    site = web.site()

    async def ask(session: aiohttp.ClientSession) -> None:
        hasty = session.get(f"{site.origin}/a", timeout=aiohttp.ClientTimeout(1e-4))
        patient = session.get(f"{site.origin}/b")
        first, second = await asyncio.gather(hasty, patient, return_exceptions=True)
        assert isinstance(first, TimeoutError)
        assert isinstance(second, aiohttp.ClientResponse)
        second.close()

    run(ask)

    assert (["/b"], 1) == (site.paths, site.asked_for_robots)


def test_streams(web: Web) -> None:
    """A response goes through untouched."""
    site = web.site({"/big": response(b"x" * 100_000)})

    async def ask(session: aiohttp.ClientSession) -> None:
        async with session.get(f"{site.origin}/big") as answer:
            size = sum([len(chunk) async for chunk in answer.content.iter_any()])
        assert size == 100_000

    run(ask)


@pytest.mark.parametrize("scheme", ["tcp:", "", "ws:"])
def test_schemes_by_which_aiohttp_sends_http(web: Web, scheme: str) -> None:
    """aiohttp connects for some more schemes, and for none, and sends HTTP."""
    site = web.site()
    place = site.origin.removeprefix("http:")

    async def ask(session: aiohttp.ClientSession) -> None:
        with pytest.raises(Disallowed):
            await session.get(URL(f"{scheme}{place}/closed"))
        with pytest.raises(Disallowed):
            await session.ws_connect(URL(f"{scheme}{place}/closed"))

    run(ask)

    assert [] == site.paths
