"""`verger.testing`: what its documentation says can be served is served, the rest is told."""

import asyncio
import doctest
from typing import Any, get_args

import pytest

import verger
import verger.testing
from verger.access.result import Failure
from verger.errors import RobotsError
from verger.fetching.transport import HopFailed, Reply, Request
from verger.testing import MemoryTransport, async_client, client

SITE = "https://example.com"
FILE = b"User-agent: *\nDisallow: /a\n"


def test_example_of_the_docstring() -> None:
    """The example at the top works as it stands."""
    text = verger.testing.__doc__ or ""
    example = text[text.index("    with ") : text.index("\n\nNo socket")]
    names: dict[str, Any] = {"verger": verger}
    exec(f"if True:\n{example}", names)

    assert names["web"].allowed(f"{SITE}/b")
    assert doctest.testmod(verger.testing).failed == 0


@pytest.mark.parametrize(
    ("served", "allowed", "reason"),
    [
        (FILE, False, "MOST_SPECIFIC_RULE"),
        (FILE.decode(), False, "MOST_SPECIFIC_RULE"),
        ("", True, "NO_GROUP"),
        (b"", True, "NO_GROUP"),
        (404, True, "UNAVAILABLE"),
        (503, False, "SERVER_ERROR"),
        (Reply(200, [], FILE), False, "MOST_SPECIFIC_RULE"),
        (Reply(302, [("Location", "https://moved.example/x")]), False, "SERVER_ERROR"),
        (lambda _: Reply(200, [], FILE), False, "MOST_SPECIFIC_RULE"),
        *((failure, None, None) for failure in get_args(Failure) if failure != "redirect-refused"),
    ],
)
def test_served(served: Any, allowed: bool | None, reason: str | None) -> None:
    """Bytes, a status, a whole reply, a function, and every failure by its name.

    A redirect is refused only behind a redirect.
    """
    with client({SITE: served, "https://moved.example/x": 500}) as web:
        answer = web.decide(f"{SITE}/a")

    if allowed is None:
        assert answer.result is not None
        assert answer.result.failure == served
    else:
        assert (answer.allowed, answer.reason) == (allowed, reason)


@pytest.mark.parametrize(
    "key",
    [SITE, f"{SITE}/", "HTTPS://EXAMPLE.com:443", f"{SITE}/robots.txt", "https://u@example.com"],
)
def test_origin_means_its_file(key: str) -> None:
    """An origin, however it is written, means its robots.txt."""
    with client({key: FILE}) as web:
        assert not web.allowed(f"{SITE}/a")


def test_default() -> None:
    """What nobody mentioned is what `default` says; else there is nothing."""
    with client({}) as web, client({}, default=503) as broken:
        assert web.decide(f"{SITE}/a").reason == "UNAVAILABLE"
        assert broken.decide(f"{SITE}/a").reason == "SERVER_ERROR"


def test_dialect_and_user_agent() -> None:
    """The dialect and the crawler are the test's to choose."""
    file = b"User-agent: OtherBot\nDisallow: /\n"
    with client({SITE: file}, user_agent="OtherBot/2.0") as web:
        assert not web.allowed(f"{SITE}/b")
    with client({SITE: 503}, dialect="original-1994") as web:
        assert web.decide(f"{SITE}/b").access.effect == "defer"


def test_async_client() -> None:
    """The asynchronous client has the same web."""

    async def ask() -> bool:
        async with async_client({SITE: FILE}) as web:
            return await web.allowed(f"{SITE}/a")

    assert not asyncio.run(ask())


def test_requests() -> None:
    """The transport tells what was asked for, in order, with the fields that were sent."""
    moved = Reply(301, [("Location", "/x")])
    transport = MemoryTransport({SITE: moved, f"{SITE}/x": FILE})
    web = verger.Client("ExampleBot/1.0", transport=transport)
    web.allowed(f"{SITE}/a")
    web.close()

    assert [request.url for request in transport.requests] == [f"{SITE}/robots.txt", f"{SITE}/x"]
    assert transport.requests[0].headers["User-Agent"] == "ExampleBot/1.0"


def test_function_may_fail() -> None:
    """A function may raise what a transport raises."""

    def serve(_: Request) -> Reply:
        raise HopFailed("reset", "in the middle")

    with client({SITE: serve}) as web:
        answer = web.decide(f"{SITE}/a")

    assert answer.result is not None
    assert (answer.result.failure, answer.result.detail) == ("reset", "in the middle")


@pytest.mark.parametrize("served", ["timeuot", None, 1.5, [FILE]])
def test_what_cannot_be_served(served: Any) -> None:
    """A slip in a failure's name is told at once, not by a site that is closed."""
    with pytest.raises(RobotsError, match="cannot be served\nhint: serve the bytes"):
        MemoryTransport({SITE: served})
    with pytest.raises(RobotsError, match="cannot be served"):
        MemoryTransport({}, default=served)


@pytest.mark.parametrize("key", ["example.com", "", "/robots.txt"])
def test_what_is_no_site(key: str) -> None:
    """A key without a scheme is told at once, too; a host with the origin that it means."""
    meant = "https://example.com"
    with pytest.raises(verger.InvalidTarget, match="in `sites` is not an origin") as told:
        MemoryTransport({key: FILE})

    assert f"pass `{meant}`, with its scheme" == told.value.hint
