"""What guards are told: what becomes of a disallowed request, whose name counts, how long to wait.

In: every guarded client, and sites on loopback. Out: what the client's users get.
"""

import asyncio
import warnings

import pytest

import verger
from faults.stage import redirect
from integrations.clients import DRIVERS, USER_AGENT, Driver, Options
from integrations.faults import played
from integrations.sites import Web
from patience import BRIEF
from verger.client.identity import TokenNotSent
from verger.integrations.guard import AsyncGuard, Disallowed, Guard

CLOSED = b"User-agent: *\nDisallow: /closed\n"
NO_OPTIONS: Options = {}
OTHER = "OtherBot/2.0 (+https://other.example/bot)"
NAMED = b"User-agent: OtherBot\nDisallow: /\n\nUser-agent: *\nDisallow: /closed\n"


@pytest.fixture(params=DRIVERS, ids=lambda driver: driver.name)
def driver(request: pytest.FixtureRequest) -> Driver:
    found: Driver = request.param
    return found


class Skipped(Disallowed):
    """What a program raises for what it skips; no retry loop knows it."""


# What becomes of a disallowed request


def test_an_answer_in_place_of_an_exception(driver: Driver, web: Web) -> None:
    """An empty 403 that says why, also where a redirect leads; nothing is sent."""
    site = web.site({"/a": redirect("/closed/b")}, robots=CLOSED)

    with driver.opened(NO_OPTIONS, {"disallowed": "answer"}) as browser:
        statuses = [browser.ask(f"{site.origin}/{page}") for page in ("open", "closed", "a")]

    assert [200, 403, 403] == statuses
    assert ["/open", "/a"] == site.paths
    why = "is disallowed by line 2, `Disallow: /closed` (RFC 9309 section 2.2.2)"
    for status, page in zip(statuses[1:], ("closed", "closed/b"), strict=True):
        assert f"`{site.origin}/{page}` {why}" == status.reason
        assert "MOST_SPECIFIC_RULE" == status.fields["x-verger-disallowed"]
        assert ("no-store", "0") == (
            status.fields["cache-control"],
            status.fields["content-length"],
        )


def test_a_reason_with_letters_of_other_scripts(driver: Driver, web: Web) -> None:
    """A reason phrase has none: they are escaped."""
    site = web.site(robots="User-agent: *\nDisallow: /ж\n".encode())

    with driver.opened(NO_OPTIONS, {"disallowed": "answer"}) as browser:
        status = browser.ask(f"{site.origin}/%D0%B6")

    assert status == 403
    assert r"`Disallow: /\u0436`" in status.reason


def test_a_class_of_ones_own(driver: Driver, web: Web) -> None:
    """It is raised as it is, and is none of the client's exceptions, which loops try again."""
    site = web.site({"/a": redirect("/closed")}, robots=CLOSED)

    for kind in (Skipped, Disallowed):
        with driver.opened(NO_OPTIONS, {"disallowed": kind}) as browser:
            for page in ("closed", "a"):
                with pytest.raises(Disallowed) as raised:
                    browser.ask(f"{site.origin}/{page}")

                assert kind is type(raised.value)
                assert not isinstance(raised.value, driver.family)


@pytest.mark.parametrize(
    "options",
    [
        {"disallowed": "skip"},
        {"disallowed": ValueError},
        {"disallowed": None},
        {"token": "server"},
        {"token": None},
    ],
    ids=str,
)
def test_options_that_there_are_not(driver: Driver, options: Options) -> None:
    """Are refused when the guard is made, with what there is."""
    with (
        pytest.raises(verger.InvalidOption, match=f"`{next(iter(options))}` is") as raised,
        driver.opened(NO_OPTIONS, options),
    ):
        pass

    assert raised.value.hint is not None
    assert raised.value.hint.startswith("pass `")


# Whose name counts


def test_another_name_is_told_once(driver: Driver, web: Web) -> None:
    """The client's rules decide, and each other name causes one warning."""
    site = web.site(robots=NAMED)

    with driver.opened(NO_OPTIONS, NO_OPTIONS) as browser:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            for name in (USER_AGENT, OTHER, OTHER, "Third/1", OTHER, "ExampleBot/2.0"):
                assert browser.ask(f"{site.origin}/a", headers={"User-Agent": name}) == 200
        told = [str(each.message) for each in seen if each.category is TokenNotSent]

    assert [name in text for name, text in zip((OTHER, "Third/1"), told, strict=True)] == [True] * 2
    assert all(text.endswith('pass `token="request"` to the guard') for text in told)


def test_the_name_of_the_request_counts(driver: Driver, web: Web) -> None:
    """With `token="request"` the rules are those of the name that is sent, of whoever sends it."""
    site = web.site(robots=NAMED)
    browsers = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

    with (
        warnings.catch_warnings(),
        driver.opened(NO_OPTIONS, {"token": "request"}) as browser,
    ):
        warnings.simplefilter("error", TokenNotSent)
        with pytest.raises(Disallowed) as raised:
            browser.ask(f"{site.origin}/a", headers={"User-Agent": OTHER})
        assert raised.value.answer.agent is not None
        for name in (USER_AGENT, browsers):
            assert browser.ask(f"{site.origin}/a", headers={"User-Agent": name}) == 200
            with pytest.raises(Disallowed):
                browser.ask(f"{site.origin}/closed", headers={"User-Agent": name})

    assert ["/a"] * 2 == site.paths
    assert site.asked_for_robots == 1


# How long to wait


def test_a_time_out_limits_the_guard(driver: Driver) -> None:
    """It raises what the client raises after a time-out, and the file is fetched all the same."""
    with played("time-out") as site, driver.opened(NO_OPTIONS, NO_OPTIONS) as browser:
        for _ in range(2):
            with pytest.raises(driver.late):
                browser.ask(site.pages[0], seconds=BRIEF)

        assert [] == site.fetched
        assert site.asked_for_robots == 1


def test_a_time_out_does_not_limit_turns(driver: Driver, web: Web) -> None:
    """A pacer is there to wait; only aiohttp has a time for all that a request takes."""
    site = web.site(robots=b"User-agent: *\nCrawl-delay: 1\n")

    with driver.opened(NO_OPTIONS, {"pacer": verger.Pacer()}) as browser:
        assert browser.ask(f"{site.origin}/a") == 200
        if driver.name == "aiohttp":
            with pytest.raises(TimeoutError):
                browser.ask(f"{site.origin}/b", seconds=BRIEF)
        else:
            assert browser.ask(f"{site.origin}/b", seconds=BRIEF) == 200


# Guards without a client of their own


def test_the_guard_for_any_client(web: Web) -> None:
    """`admit` raises, or returns why not; and takes the name and the time-out of a request."""
    site = web.site(robots=NAMED)
    with verger.Client(USER_AGENT) as robots:
        guard = Guard(robots, verger.Pacer(default_delay=0))
        assert guard.admit(f"{site.origin}/a") is None
        with pytest.raises(Disallowed):
            guard.admit(f"{site.origin}/closed")
        with pytest.raises(verger.InvalidTarget):
            guard.admit("http://a..example/")

        asking = Guard(robots, disallowed="answer", token="request")
        assert asking.admit(f"{site.origin}/a", user_agent=USER_AGENT) is None
        refused = asking.admit(f"{site.origin}/a", user_agent=OTHER)
        assert refused is not None
        assert f"{site.origin}/a" == refused.url


def test_late_without_a_client_of_its_own() -> None:
    """The exception says what did not come, and for how long it was waited for."""

    async def admit(url: str) -> None:
        async with verger.AsyncClient(USER_AGENT) as robots:
            await AsyncGuard(robots).admit(url, timeout=BRIEF)

    said = f"did not come within {BRIEF:g} s, the time-out of the request"
    with played("time-out") as site, pytest.raises(TimeoutError, match=said):
        asyncio.run(admit(site.pages[0]))
