"""What every guarded client does alike: each behaviour with each client, over real sockets."""

import pickle
import time
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import verger
from faults.stage import redirect, response
from integrations.clients import DRIVERS, USER_AGENT, Driver, Opened, Options
from integrations.conftest import TICK
from integrations.sites import Web
from verger.integrations.guard import Disallowed, unguarded

CLOSED = b"User-agent: *\nDisallow: /closed\n"
NO_OPTIONS: Options = {}
NOW = 1_800_000_000.0


@pytest.fixture(params=DRIVERS, ids=lambda driver: driver.name)
def driver(request: pytest.FixtureRequest) -> Driver:
    found: Driver = request.param
    return found


def guarded(driver: Driver, pacer: verger.Pacer | None = None, **robots: object) -> Opened:
    return driver.opened(robots, {"pacer": pacer})


# The answer


def test_disallowed_is_raised_before_anything_is_sent(driver: Driver, web: Web) -> None:
    """The exception has the URL, the decision and its line; the page was not asked for."""
    site = web.site(robots=CLOSED)
    url = f"{site.origin}/closed/a"

    with guarded(driver) as browser, pytest.raises(Disallowed) as raised:
        browser.ask(url)

    error = raised.value
    assert [] == site.paths
    assert url == error.url
    assert (2, "MOST_SPECIFIC_RULE") == (error.answer.line, error.answer.reason)
    assert error.answer.decision is not None
    assert not error.answer.decision.allowed
    assert f"`{url}` is disallowed by line 2, `Disallow: /closed`" in str(error)


def test_disallowed_is_of_the_family(driver: Driver, web: Web) -> None:
    """Whoever catches what the client raises catches it, and so does who catches verger's own."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        for family in (driver.family, verger.RobotsError, Disallowed):
            with pytest.raises(family):
                browser.ask(f"{site.origin}/closed")


def test_disallowed_can_be_pickled(driver: Driver, web: Web) -> None:
    """It goes to another process as it is."""
    site = web.site(robots=CLOSED)
    with guarded(driver) as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/closed")

    copy = pickle.loads(pickle.dumps(raised.value))

    assert type(raised.value) is type(copy)
    assert str(raised.value) == str(copy)
    assert raised.value.answer.url == copy.url


def test_rule_of_a_stranger_is_quoted(driver: Driver, web: Web) -> None:
    """Neither a terminal nor a backtick in a rule acts where the message is shown."""
    site = web.site(robots=b"User-agent: *\nDisallow: /a*`*\nDisallow: /b*\x1b*\n")

    with guarded(driver) as browser:
        for page, rule in (("a%60", r"/a*\x60*"), ("b%1b", r"/b*\x1b*")):
            with pytest.raises(Disallowed) as raised:
                browser.ask(f"{site.origin}/{page}")
            assert f"`Disallow: {rule}`" in str(raised.value)


def test_allowed_is_sent(driver: Driver, web: Web) -> None:
    """What the rules leave open is fetched, and robots.txt once."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        assert [200, 200] == [browser.ask(f"{site.origin}/{page}") for page in ("a", "b")]

    assert ["/a", "/b"] == site.paths
    assert site.asked_for_robots == 1


def test_unreachable_says_when_to_ask_again(driver: Driver, web: Web) -> None:
    """Where robots.txt is unreachable the exception names the policy and the time."""
    busy = response(b"", "Retry-After: 120", status="503 Busy")
    site = web.site({"/robots.txt": busy})

    with guarded(driver, clock=lambda: NOW) as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    error = raised.value
    assert ("SERVER_ERROR", "disallow_all") == (error.answer.reason, error.answer.access.effect)
    assert error.ask_again_at == NOW + 120
    again = f"{datetime.fromtimestamp(error.ask_again_at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    assert f"`{site.origin}/robots.txt` is requested again after {again}" == error.hint
    assert f"{site.origin}/robots.txt answered 503 (RFC 9309 section 2.3.1.4)" in error.message


def test_defer_is_no_permission(driver: Driver, web: Web) -> None:
    """A dialect that defers sends nothing either."""
    site = web.site({"/robots.txt": response(b"", status="503 Busy")})

    with guarded(driver, dialect="koster-1996") as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    assert raised.value.answer.access.effect == "defer"
    assert [] == site.paths


def test_word_of_the_operator(driver: Driver, web: Web) -> None:
    """An override decides without a request, and stands for ever."""
    site, other = web.site(robots=CLOSED), web.site()
    overrides = {site.origin: "allow", other.origin: "disallow"}

    with guarded(driver, overrides=overrides) as browser:
        assert browser.ask(f"{site.origin}/closed") == 200
        with pytest.raises(Disallowed) as raised:
            browser.ask(f"{other.origin}/")

    assert (None, None) == (raised.value.ask_again_at, raised.value.hint)
    assert [] == other.heads


@pytest.mark.parametrize("status", ["503 Busy", "200 OK"])
def test_robots_txt_itself_is_allowed(driver: Driver, web: Web, status: str) -> None:
    """RFC 9309 section 2.2.2: whatever it says, and though it be unreachable."""
    site = web.site({"/robots.txt": response(b"User-agent: *\nDisallow: /\n", status=status)})

    with guarded(driver) as browser:
        assert browser.ask(f"{site.origin}/robots.txt") == int(status[:3])
        with pytest.raises(Disallowed):
            browser.ask(f"{site.origin}/robots.txt.bak")


# Redirects


def test_redirect_is_judged(driver: Driver, web: Web) -> None:
    """A page that leads to a disallowed one of its site is fetched, and that one is not."""
    site = web.site({"/a": redirect("/b"), "/b": redirect("/closed")}, robots=CLOSED)

    with guarded(driver) as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    assert f"{site.origin}/closed" == raised.value.url
    assert ["/a", "/b"] == site.paths


def test_redirect_to_another_origin_is_judged(driver: Driver, web: Web) -> None:
    """By the rules of that origin, of which nothing but robots.txt is asked for."""
    other = web.site(robots=b"User-agent: ExampleBot\nDisallow: /\n")
    site = web.site({"/a": redirect(f"{other.origin}/open")}, robots=CLOSED)

    with guarded(driver) as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    assert f"{other.origin}/open" == raised.value.url
    assert ([], 1) == (other.paths, other.asked_for_robots)


def test_redirect_from_post_is_judged(driver: Driver, web: Web) -> None:
    """A form leads to a page, with another method: judged as any."""
    site = web.site({"/form": redirect("/closed", "303 See Other")}, robots=CLOSED)

    with guarded(driver) as browser, pytest.raises(Disallowed):
        browser.ask(f"{site.origin}/form", method="POST", body=b"a=1")

    assert ["/form"] == site.paths


def test_redirect_to_the_private_network(driver: Driver, web: Web) -> None:
    """With `public_only` neither a page there nor its robots.txt is asked for."""
    inside = web.site(robots=b"")
    leading = redirect(inside.origin.replace("127.0.0.1", "localhost") + "/secret")
    site = web.site({"/a": leading})
    robots = {site.origin: b""}

    guard = guarded(driver, public_only=True, overrides=robots)
    with guard as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    assert raised.value.answer.reason == "NETWORK_ERROR"
    assert [] == inside.heads


def test_what_another_client_stored_of_the_private_network(
    driver: Driver, web: Web, tmp_path: Path
) -> None:
    """With `public_only` it is not there: the page is not asked for because somebody else might."""
    store = tmp_path / "store.sqlite3"
    site = web.site(robots=b"")
    with verger.Client("ExampleBot/1.0", store=store) as others:
        assert others.allowed(f"{site.origin}/a")

    guard = guarded(driver, public_only=True, store=store)
    with guard as browser, pytest.raises(Disallowed) as raised:
        browser.ask(f"{site.origin}/a")

    assert raised.value.answer.reason == "NETWORK_ERROR"
    assert ([], 1) == (site.paths, site.asked_for_robots)


# What is judged is what is sent


@pytest.mark.parametrize(
    "path",
    [
        "/open/../closed",
        "/open/%2e%2e/closed",
        "/./closed",
        "/%63losed",
        "/closed#fragment",
        "/closed?a=b",
        "/closed;a",
    ],
)
def test_spellings_of_a_disallowed_url(driver: Driver, web: Web, path: str) -> None:
    """However it is written, it is not sent."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser, pytest.raises(Disallowed):
        browser.ask(site.origin + path)

    assert [] == site.paths


@pytest.mark.parametrize(
    ("path", "open_as"), [("/closed/../open", "/open"), ("//closed", "//closed")]
)
def test_path_is_judged_as_it_is_sent(driver: Driver, web: Web, path: str, open_as: str) -> None:
    """Some clients send dot segments, which servers remove; some make `/closed` of `//closed`."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        try:
            browser.ask(f"{site.origin}{path}")
        except Disallowed:
            assert [] == site.paths
        else:
            assert [open_as] == [verger.requested_url(sent) for sent in site.paths]


def test_user_in_the_url(driver: Driver, web: Web) -> None:
    """Neither hides the host, nor is sent with robots.txt."""
    site = web.site(robots=CLOSED)
    url = site.origin.replace("http://", "http://user:secret@")

    with guarded(driver) as browser, pytest.raises((Disallowed, OSError, ValueError)):
        browser.ask(f"{url}/closed")

    assert [] == site.paths
    assert not any(b"uthorization" in head or b"secret" in head for head in site.heads)


def test_credentials_stay_with_their_requests(driver: Driver, web: Web) -> None:
    """Cookies and keys of a request are not sent with robots.txt, of whatever host."""
    other = web.site()
    site = web.site({"/a": redirect(f"{other.origin}/b")})
    secrets = {"Authorization": "Bearer secret", "Cookie": "id=secret"}

    with guarded(driver) as browser:
        assert browser.ask(f"{site.origin}/a", headers=secrets) == 200

    files = [head for head in site.heads + other.heads if b" /robots.txt " in head]
    assert len(files) == 2
    assert not any(b"secret" in head for head in files)
    assert all(f"user-agent: {USER_AGENT}".lower().encode() in head.lower() for head in files)


@pytest.mark.parametrize("method", ["HEAD", "POST", "PUT", "OPTIONS"])
def test_every_method_is_judged(driver: Driver, web: Web, method: str) -> None:
    """Not only GET."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        assert browser.ask(f"{site.origin}/open", method=method) == 200
        with pytest.raises(Disallowed):
            browser.ask(f"{site.origin}/closed", method=method)

    assert ["/open"] == site.paths


def test_host_with_letters_of_other_scripts(driver: Driver) -> None:
    """The host that is judged is the one that the client would connect to, by its own IDNA."""
    guard = guarded(driver, overrides=dict.fromkeys(SHARP_S, "disallow"))
    with guard as browser, pytest.raises(Disallowed) as raised:
        browser.ask("http://faß.invalid/")

    connected = SHARP_S[driver.name == "urllib"]
    assert connected == raised.value.answer.origin


SHARP_S = ("http://xn--fa-hia.invalid", "http://fass.invalid")
"""IDNA 2008, and IDNA 2003, which the standard library speaks."""


def test_schemes_without_robots_txt(driver: Driver) -> None:
    """Are left to the client, which refuses them in its own words, or reads them."""
    with guarded(driver) as browser:
        if driver.name == "urllib":
            assert browser.ask("data:text/plain,a") == 200
            return
        with pytest.raises((driver.family, ValueError)) as raised:
            browser.ask("data:text/plain,a")

    assert not isinstance(raised.value, verger.RobotsError)


# Many at once


def test_first_contact_at_once(driver: Driver, web: Web) -> None:
    """However many requests begin at once, robots.txt is asked for once."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        assert [200] * 12 == browser.ask_all([f"{site.origin}/{page}" for page in range(12)])

    assert site.asked_for_robots == 1
    assert len(site.paths) == 12


def test_clients_come_and_go(driver: Driver, web: Web, tmp_path: Path) -> None:
    """With a store, the next client, in a loop of its own, asks for no file again."""
    site = web.site(robots=CLOSED)
    store = tmp_path / "robots.sqlite3"

    for _ in range(2):
        with guarded(driver, store=store) as browser:
            assert browser.ask(f"{site.origin}/a") == 200
            with pytest.raises(Disallowed):
                browser.ask(f"{site.origin}/closed")

    assert site.asked_for_robots == 1


# Opting out, and turns


def test_unguarded(driver: Driver, web: Web) -> None:
    """Within the context requests are sent unasked, and behind it no more."""
    site = web.site(robots=CLOSED)

    with guarded(driver) as browser:
        with unguarded():
            assert browser.ask(f"{site.origin}/closed") == 200
        assert [] == [head for head in site.heads if b"robots" in head]
        with pytest.raises(Disallowed):
            browser.ask(f"{site.origin}/closed")


def test_turns_are_waited_for(driver: Driver, web: Web, reserved: list[float]) -> None:
    """With a pacer requests to a site, also at once, are as far apart as its Crawl-delay."""
    site = web.site(robots=b"User-agent: *\nCrawl-delay: 0.2\n")

    with guarded(driver, verger.Pacer(default_delay=0)) as browser:
        assert [200] * 3 == browser.ask_all([f"{site.origin}/{page}" for page in range(3)])
        ended = time.time()

    assert [True] * 2 == [later - sooner > 0.19 for sooner, later in pairwise(reserved)]
    assert reserved[-1] <= ended + TICK


def test_rules_may_change_while_a_turn_is_waited_for(driver: Driver, web: Web) -> None:
    """What holds when the request would be sent counts, not what held when it was made."""
    site = web.site()
    later = [0.0]

    class Changing(verger.Pacer):
        """Gives a turn later, and until then the rules change."""

        def reserve(self, url: str, *rest: Any, **options: Any) -> float:
            if url.endswith("/b"):
                site.pages = {"/robots.txt": response(b"User-agent: *\nDisallow: /\n")}
                later[0] = 2 * 86_400.0
            return super().reserve(url, *rest, **options) + 0.01

    pacer = Changing(default_delay=0)
    with guarded(driver, pacer, clock=lambda: time.time() + later[0]) as browser:
        assert browser.ask(f"{site.origin}/a") == 200
        with pytest.raises(Disallowed):
            browser.ask(f"{site.origin}/b")

    assert (["/a"], 2) == (site.paths, site.asked_for_robots)


def test_disallowed_takes_no_turn(driver: Driver, web: Web) -> None:
    """A request that is not sent delays none that is."""
    site = web.site(robots=CLOSED)
    pacer = verger.Pacer()

    with guarded(driver, pacer) as browser:
        with pytest.raises(Disallowed):
            browser.ask(f"{site.origin}/closed")
        assert pacer.next_at(site.origin, None, now=0.0) == 0.0
        assert browser.ask(f"{site.origin}/a") == 200
    assert pacer.next_at(site.origin, None, now=0.0) > 0.0
