"""Five weeks without robots.txt: what each dialect makes of it, with and without a copy.

In: a site that fails from its second fetch on, asked every hour. Out: what is permitted, as the
outcome at some times since the failures began.
"""

from typing import Any

import pytest

from client.stage import (
    DAY,
    FILE,
    HOUR,
    MINUTE,
    NOW,
    PAGE,
    SECRET,
    SITE,
    Stage,
    dialects,
    moved,
    run,
    stage,
)
from verger.access.policy import SiteFacts

LOOP = moved(f"{SITE}/robots.txt")
COUNTED_APART = {"loop-dns": (LOOP, "dns"), "loop-429": (LOOP, 429), "dns-loop": ("dns", LOOP)}
"""What a site answers for some days, and then."""

# Just after a failure, after more than 12 hours and the longest wait between two attempts, at the
# end of the 30 days, and past them by more than that wait.
TIMES = (HOUR, 17 * HOUR, 30 * DAY - 5 * HOUR, 30 * DAY + 5 * HOUR, 35 * DAY)

WITH_COPY = {
    "original-1994": "defer defer defer defer defer",
    "koster-1996": "defer defer defer defer defer",
    "koster-rep-00": "copy copy copy copy copy",
    "rfc9309": "copy copy copy copy copy",
    "google": "closed copy copy closed closed",
    "googlebot-cpp": "closed copy copy closed closed",
    "yandex": "open open open open open",
    "bing": "closed closed closed copy copy",
}
WITHOUT_COPY = {
    "original-1994": "defer defer defer defer defer",
    "koster-1996": "defer defer defer defer defer",
    "koster-rep-00": "closed closed closed open open",
    "rfc9309": "closed closed closed open open",
    "google": "closed open open closed closed",
    "googlebot-cpp": "closed open open closed closed",
    "yandex": "open open open open open",
    "bing": "closed closed closed open open",
}
EFFECTS = {"disallow_all": "closed", "allow_all": "open", "defer": "defer"}


def outcomes(on: Stage, began: float) -> str:
    """Return what holds at `TIMES` after the first failure, asking every hour."""

    async def ask() -> list[str]:
        told = []
        for hour in range(TIMES[-1] // HOUR + 1):
            on.clock.now = began + hour * HOUR
            outcome = await permitted(on)
            if hour * HOUR in TIMES:
                told.append(outcome)
        return told

    return " ".join(run(ask()))


async def permitted(on: Stage) -> str:
    """Return what a client says of two pages; it must be what the policy says."""
    answer = await on.client.decide(SECRET)
    access = answer.access
    if access.effect == "rules":
        assert (access.copy, await on.client.allowed(PAGE)) == (True, True)
        assert (answer.allowed, answer.line) == (False, 2)
        return "copy"
    assert answer.allowed is (access.effect == "allow_all")
    return EFFECTS[access.effect]


@pytest.mark.parametrize("served", [503, "timeout", "dns"])
@pytest.mark.parametrize("name", dialects())
def test_without_copy(name: str, served: Any) -> None:
    """What was never there closes a site for a time; how long is the dialect's."""
    assert WITHOUT_COPY[name] == outcomes(stage(served, dialect=name), NOW)


@pytest.mark.parametrize("served", [503, "timeout", 206])
@pytest.mark.parametrize("name", dialects())
def test_with_copy(name: str, served: Any) -> None:
    """The last good file may stand in, in some dialects at once, in others later or never."""
    on = stage(FILE, dialect=name)

    assert run(on.client.allowed(PAGE))

    on.web.sites = {}
    on.web.default = served
    assert WITH_COPY[name] == outcomes(on, NOW + 8 * DAY)


SELDOM = {
    "original-1994": "defer",
    "koster-1996": "defer",
    "koster-rep-00": "closed",
    "rfc9309": "closed",
    "google": "open",
    "googlebot-cpp": "open",
    "yandex": "open",
    "bing": "closed",
}
"""A file that was seen to be unreachable for a week: longer than 12 hours, shorter than 30 days."""


@pytest.mark.parametrize("times", [(0, 35), (0, 8, 200), (0, 35, 70, 105)])
@pytest.mark.parametrize("name", dialects())
def test_asked_seldom(name: str, times: tuple[int, ...]) -> None:
    """Two failures five weeks apart are no month without a file: nobody looked in between."""
    on = stage(503, dialect=name)
    for day in times:
        on.clock.now = NOW + day * DAY
        said = run(permitted(on))

    assert SELDOM[name] == said


@pytest.mark.parametrize("first", [0.0, 946_684_799.0, NOW + 20 * 365 * DAY])
@pytest.mark.parametrize("name", dialects())
def test_a_first_clock_that_was_wrong(name: str, first: float) -> None:
    """A machine whose clock is set after the first failure has seen one failure, not a long run."""
    on = stage(503, dialect=name)
    for now in (first, NOW, NOW + 2 * MINUTE):
        on.clock.now = now
        said = run(permitted(on))

    assert {"defer": "defer", "open": "open" if name == "yandex" else "closed"}.get(
        SELDOM[name], "closed"
    ) == said


def test_a_clock_that_runs_ahead_for_a_while() -> None:
    """What was counted while a clock was wrong does not count once it is right."""
    on = stage(503)
    for now in (NOW, *(2.5e9 + week * 7 * DAY for week in range(6)), NOW + HOUR):
        on.clock.now = now
        said = run(permitted(on))

    assert "closed" == said


def test_site_that_works() -> None:
    """Google opens a site after 30 days, where the rest of it is known to answer."""
    facts = {PAGE: SiteFacts(works=True)}
    on = stage(503, dialect="google", facts=facts)

    assert outcomes(on, NOW) == "closed open open open open"


@pytest.mark.parametrize("name", dialects())
def test_good_again(name: str) -> None:
    """A file that comes back binds with the next attempt, however long it was away."""
    on = stage(503, dialect=name)
    outcomes(on, NOW)
    on.web.sites = {SITE: FILE}
    on.clock.now += 7 * DAY
    answer = run(on.client.decide(SECRET))

    assert (answer.allowed, answer.access.copy, answer.line) == (False, False, 2)


def test_gone_for_good() -> None:
    """A 404 after a good file says that there is none any more: the copy goes with it."""
    on = stage(FILE)
    run(on.client.allowed(PAGE))
    on.web.sites, on.web.default = {}, 404
    on.clock.now += 2 * DAY

    assert run(on.client.allowed(SECRET))

    on.web.default = 503
    on.clock.now += 2 * DAY
    assert run(on.client.decide(SECRET)).access.reason == "SERVER_ERROR"


@pytest.mark.parametrize("name", dialects())
def test_redirect_loops(name: str) -> None:
    """Who defers asks again soon, then less and less often; the others wait a lifetime."""
    on = stage(FILE, dialect=name)
    run(on.client.allowed(PAGE))
    on.web.sites = {SITE: LOOP}
    waits = []
    for _ in range(4):
        site = run(on.client.refresh(PAGE))
        waits.append(site.fresh_until - on.clock.now)
        on.clock.now += 1

    if name in ("original-1994", "koster-1996"):
        assert ("defer", "TOO_MANY_REDIRECTS") == (site.access.effect, site.access.reason)
        assert [60, 120, 240, 480] == waits
    else:
        assert ("allow_all", 1) == (site.access.effect, len(set(waits)))
        assert min(waits) >= HOUR

    on.web.sites = {SITE: 404}
    site = run(on.client.refresh(PAGE))
    assert ("allow_all", 0) == (site.access.effect, site.entry and site.entry.failures)


@pytest.mark.parametrize(("before", "after"), COUNTED_APART.values(), ids=COUNTED_APART)
@pytest.mark.parametrize("name", dialects())
def test_failures_and_loops_are_counted_apart(name: str, before: Any, after: Any) -> None:
    """A failure after any number of loops is the first of its kind, and so is the reverse."""
    on = stage(before, dialect=name)
    for _ in range(5):
        run(on.client.refresh(PAGE))
        on.clock.now += DAY
    on.web.sites, on.web.default = {}, after
    site = run(on.client.refresh(PAGE))

    assert site.entry is not None
    assert site.entry.failures == 1
    if after != LOOP or site.access.effect == "defer":
        assert 60 == site.fresh_until - on.clock.now
