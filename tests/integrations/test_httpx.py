"""What is httpx's own: extensions, base URLs, streams, two packages, proxies, closing."""

import asyncio
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest

import verger
from faults.stage import redirect, response
from integrations.clients import USER_AGENT
from integrations.sites import Web
from patience import PATIENT
from verger.integrations.httpx import (
    AsyncRobotsTransport,
    Disallowed,
    InvalidTarget,
    RobotsTransport,
)


@pytest.fixture
def robots() -> Iterator[verger.Client]:
    with verger.Client(USER_AGENT, limits=PATIENT) as client:
        yield client


@pytest.fixture(params=[httpx, httpx2], ids=lambda package: package.__name__)
def package(request: pytest.FixtureRequest) -> ModuleType:
    found: ModuleType = request.param
    return found


def opened(package: ModuleType, robots: verger.Client, **options: Any) -> Any:
    transport = RobotsTransport(robots, package.HTTPTransport())
    return package.Client(transport=transport, follow_redirects=True, **options)


def test_types_are_those_of_the_package(package: ModuleType, robots: verger.Client) -> None:
    """Transports are transports, exceptions are exceptions, whichever package asks."""
    assert isinstance(RobotsTransport(robots, package.HTTPTransport()), package.BaseTransport)
    assert issubclass(AsyncRobotsTransport, package.AsyncBaseTransport)
    assert issubclass(Disallowed, package.RequestError)
    assert not issubclass(Disallowed, package.TransportError)  # which programs try again


def test_exception_has_the_request(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """As every exception of the package."""
    site = web.site()

    with opened(package, robots) as client, pytest.raises(Disallowed) as raised:
        client.get(f"{site.origin}/closed")

    assert isinstance(raised.value.request, package.Request)
    assert f"{site.origin}/closed" == str(raised.value.request.url)


def test_extension_opts_out(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """Of one request, and of where it redirects to; True asks as usual."""
    site = web.site({"/closed/a": redirect("/closed/b")})

    with opened(package, robots) as client:
        extensions = {"robots": False}
        assert client.get(f"{site.origin}/closed/a", extensions=extensions).status_code == 200
        assert site.asked_for_robots == 0
        with pytest.raises(Disallowed):
            client.get(f"{site.origin}/closed/a", extensions={"robots": True})

    assert ["/closed/a", "/closed/b"] == site.paths


def test_extension_target_is_judged(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """What is sent in place of the path is what is judged."""
    site = web.site()

    with opened(package, robots) as client:
        with pytest.raises(Disallowed):
            client.get(f"{site.origin}/open", extensions={"target": b"/closed"})
        with pytest.raises(Disallowed):
            client.get(f"{site.origin}/open", extensions={"target": b"/closed\xe9"})
        client.get(f"{site.origin}/closed", extensions={"target": b"/open"})

    assert ["/open"] == site.paths


def test_fragment_that_is_sent(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """A server may take it for a part of the path, so both readings are judged."""
    site = web.site(robots=b"User-agent: *\nDisallow: /\nAllow: /open$\n")

    with opened(package, robots) as client:
        client.get(f"{site.origin}/open#a")
        with pytest.raises(Disallowed):
            client.get(f"{site.origin}/open", extensions={"target": b"/open#a"})

    assert ["/open"] == site.paths


@pytest.mark.parametrize("target", [b"http://127.0.0.1/open", b"open", b"?open", b"*"])
def test_odd_targets(package: ModuleType, robots: verger.Client, web: Web, target: bytes) -> None:
    """A target that is not a path cannot be judged, and is not sent."""
    site = web.site()

    with opened(package, robots) as client, pytest.raises(InvalidTarget):
        client.get(f"{site.origin}/", extensions={"target": target})

    assert [] == site.heads


def test_base_url_and_params(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """A relative URL is judged as it becomes, its parameters too."""
    site = web.site(robots=b"User-agent: *\nDisallow: /api/*?key=\n")

    with opened(package, robots, base_url=f"{site.origin}/api/") as client:
        assert client.get("items").status_code == 200
        with pytest.raises(Disallowed):
            client.get("items", params={"key": "1"})

    assert ["/api/items"] == site.paths


def test_stream(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """A stream is judged before it begins, and else goes through untouched."""
    site = web.site({"/big": response(b"x" * 100_000)})

    with opened(package, robots) as client:
        with client.stream("GET", f"{site.origin}/big") as answer:
            assert sum(map(len, answer.iter_raw())) == 100_000
        with pytest.raises(Disallowed), client.stream("GET", f"{site.origin}/closed"):
            pass


def test_authentication_is_judged(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """A request that an authentication flow makes on its own goes the same way."""
    site = web.site()

    class WithKey(package.Auth):  # type: ignore[name-defined, misc]
        def auth_flow(self, request: Any) -> Iterator[Any]:
            yield package.Request("POST", f"{site.origin}/closed/key")
            yield request

    with opened(package, robots) as client, pytest.raises(Disallowed):
        client.get(f"{site.origin}/open", auth=WithKey())

    assert [] == site.paths


def test_proxy_of_the_transport(package: ModuleType, robots: verger.Client, web: Web) -> None:
    """Requests through a proxy are judged; the proxy belongs to the transport."""
    proxy = web.site()
    site = web.site()

    inner = package.HTTPTransport(proxy=proxy.origin)
    with package.Client(transport=RobotsTransport(robots, inner)) as client:
        assert client.get(f"{site.origin}/open").status_code == 200
        with pytest.raises(Disallowed):
            client.get(f"{site.origin}/closed")

    assert [f"{site.origin}/open"] == proxy.paths


@pytest.mark.parametrize("host", ["ex%61mple.invalid", "a..invalid"])
def test_host_that_cannot_be_judged(package: ModuleType, robots: verger.Client, host: str) -> None:
    """Is not connected to, and that is an exception of the package and of verger."""
    with opened(package, robots) as client, pytest.raises(InvalidTarget) as raised:
        client.get(f"http://{host}/")

    assert isinstance(raised.value, package.RequestError)
    assert isinstance(raised.value, verger.InvalidTarget)


def test_closing(package: ModuleType, robots: verger.Client) -> None:
    """Closing the client closes the transport that sends, and leaves `robots` as it is."""
    closed: list[str] = []

    class Sends(package.BaseTransport):  # type: ignore[name-defined, misc]
        def close(self) -> None:
            closed.append("closed")

    with package.Client(transport=RobotsTransport(robots, Sends())):
        pass

    assert ["closed"] == closed


def test_closing_async(package: ModuleType) -> None:
    """The same for the asynchronous client."""
    closed: list[str] = []

    class Sends(package.AsyncBaseTransport):  # type: ignore[name-defined, misc]
        async def aclose(self) -> None:
            closed.append("closed")

    async def open_and_close() -> None:
        async with (
            verger.AsyncClient(USER_AGENT, limits=PATIENT) as robots,
            package.AsyncClient(transport=AsyncRobotsTransport(robots, Sends())),
        ):
            pass

    asyncio.run(open_and_close())

    assert ["closed"] == closed


def test_one_client_in_several_loops(web: Web) -> None:
    """A guard outlives an event loop, and so does what it knows."""
    site = web.site()
    robots = verger.AsyncClient(USER_AGENT, limits=PATIENT)

    async def ask() -> None:
        transport = AsyncRobotsTransport(robots, httpx2.AsyncHTTPTransport())
        async with httpx2.AsyncClient(transport=transport) as client:
            await client.get(f"{site.origin}/open")
            with pytest.raises(Disallowed):
                await client.get(f"{site.origin}/closed")
        await robots.close()  # its connections are of this loop

    asyncio.run(ask())
    asyncio.run(ask())

    assert site.asked_for_robots == 1


def test_wrong_kind_of_client() -> None:
    """The asynchronous transport takes the asynchronous client, and is told at once."""
    with pytest.raises(verger.InvalidOption, match=r"^`robots` is `Client") as raised:
        AsyncRobotsTransport(verger.Client(USER_AGENT), httpx.AsyncHTTPTransport())  # type: ignore[arg-type]

    assert raised.value.hint == "pass a `verger.AsyncClient`"
