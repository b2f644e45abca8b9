"""The guard: a request is checked by the file of its origin, whichever of five schemes it has.

In: URLs. Out: the URL to judge, or none, and what a guard does. HTTP clients may pass any of them.
"""

import asyncio

import pytest

import verger
from verger.errors import InvalidOption
from verger.integrations.guard import AsyncGuard, Disallowed, Guard, governed_url, unguarded

GOVERNED = {
    "http://a.example/x": "http://a.example/x",
    "https://a.example/x": "https://a.example/x",
    "ftp://a.example/x": "ftp://a.example/x",
    "ws://a.example/x": "http://a.example/x",
    "wss://a.example/x": "https://a.example/x",
    "WSS://a.example:8443/x?a:b": "https://a.example:8443/x?a:b",
    "HTTP://a.example/x": "HTTP://a.example/x",
}
OTHERS = ("data:text/plain,a", "file:///x", "mailto:a@a.example", "tel:+1-201-555-0123", "raw:<p>")
NO_URLS = (
    "",
    "x",
    "/x",
    "?x",
    "//a.example/x",
    "wss",
    " http://a.example/x",
    "a.example/x",
    "a.example:8443/x",
    "localhost:8000",
    "localhost:8000?x",
    "127.0.0.1:80/x",
    "[::1]:80/x",
)
CLOSED = {
    f"{scheme}://a.example{port}": b"User-agent: *\nDisallow: /"
    for scheme in ("http", "https", "ftp")
    for port in ("", ":8443")
}


@pytest.mark.parametrize("url", GOVERNED)
def test_governed(url: str) -> None:
    """A guard refuses it, unless it is told not to look."""
    robots = verger.Client("ExampleBot/1.0", overrides=CLOSED)
    guard = Guard(robots)

    assert GOVERNED[url] == governed_url(url)
    with pytest.raises(Disallowed, match="is disallowed by line 2"):
        guard.admit(url)
    with unguarded():
        guard.admit(url)
    robots.close()


@pytest.mark.parametrize("url", GOVERNED)
def test_governed_without_threads(url: str) -> None:
    """So does one of an event loop."""

    async def admit() -> None:
        async with verger.AsyncClient("ExampleBot/1.0", overrides=CLOSED) as robots:
            await AsyncGuard(robots).admit(url)

    with pytest.raises(Disallowed, match="is disallowed by line 2"):
        asyncio.run(admit())


@pytest.mark.parametrize("url", OTHERS)
def test_others(url: str) -> None:
    """No file governs these, and no guard stops them."""
    robots = verger.Client("ExampleBot/1.0", overrides=CLOSED)
    Guard(robots).admit(url)

    assert governed_url(url) is None
    robots.close()


@pytest.mark.parametrize("url", NO_URLS)
def test_no_urls(url: str) -> None:
    """A redirect may name a path alone, and some clients find a host in what has no scheme."""
    robots = verger.Client("ExampleBot/1.0", overrides=CLOSED)
    with pytest.raises(verger.InvalidTarget, match="does not begin with a scheme"):
        Guard(robots).admit(url)

    with unguarded():
        Guard(robots).admit(url)
    robots.close()


def test_no_pacer() -> None:
    """A number of seconds is none."""
    with verger.Client("ExampleBot/1.0") as robots, pytest.raises(InvalidOption, match="`pacer`"):
        Guard(robots, 1.0)  # type: ignore[arg-type]


def test_the_file_itself_with_a_fragment() -> None:
    """It may be requested where the access policy closes the site (RFC 9309 section 2.2.2)."""
    robots = verger.Client("ExampleBot/1.0", overrides={"http://a.example": "disallow"})
    guard = Guard(robots)
    guard.admit("http://a.example/robots.txt#x")

    with pytest.raises(Disallowed):
        guard.admit("http://a.example/#x")
    robots.close()
