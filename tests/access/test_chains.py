"""Chains of redirects: how far a dialect follows them, and what it makes of one too long.

In: replies by script. Out: the plan's result and the policy after it, beside the reference. The
rules of whatever file stands at the end are those of the initial authority (RFC 9309 section
2.3.1.2); which requests are conditional is told here too.
"""

from dataclasses import replace
from typing import Any

import pytest

import verger
from access.events import outcome
from access.results import FILE, NOW, URL
from access.scripts import CLOSED_URL, PLAIN, SITE, fetch, found, redirect, redirects
from reference.access import ACCESS_SWITCHES, chained
from support import NAMES, turned
from verger.access.policy import policy_after
from verger.access.result import AccessResult
from verger.fetching.transport import Reply

KEPT = AccessResult(
    URL,
    NOW - 100_000,
    status=200,
    body=b"User-agent: *\nDisallow: /kept\n",
    headers={"etag": '"1"', "last-modified": "Sat, 28 Feb 2026 12:00:00 GMT"},
)
NOT_MODIFIED = Reply(304, [("Cache-Control", "max-age=60")])
CONDITIONS = {"If-None-Match": '"1"', "If-Modified-Since": "Sat, 28 Feb 2026 12:00:00 GMT"}


@pytest.mark.parametrize("most", [None, 0, 1, 10])
@pytest.mark.parametrize("hops", [0, 1, 4, 5, 6, 10, 11])
@pytest.mark.parametrize("name", NAMES)
def test_length(name: str, hops: int, most: int | None) -> None:
    """A chain is followed up to `max_redirects`, and one more is what the dialect says it is."""
    knobs: dict[str, Any] = {} if most is None else {"max_redirects": most}
    dialect = turned(verger.DIALECTS[name], **knobs)
    switches = replace(ACCESS_SWITCHES[name], **knobs)
    is_followed = hops <= switches.max_redirects
    chain = redirects(hops if is_followed else switches.max_redirects + 1)
    fetched = fetch(dialect, [*chain, found()] if is_followed else chain)
    said = outcome(fetched, dialect)

    assert chained(hops, switches) == ("follow" if said == "parse" else said)
    assert len(fetched.requests) == min(hops, switches.max_redirects) + 1
    assert len(fetched.result.redirects) == len(fetched.requests) - 1


@pytest.mark.parametrize("effect", ["allow", "disallow", "defer"])
def test_too_many_redirects(effect: str) -> None:
    """The knob says what a chain too long permits, and nothing else."""
    dialect = turned(verger.RFC9309, too_many_redirects=effect)
    names = {"allow": "allow_all", "disallow": "disallow_all", "defer": "defer"}

    assert names[effect] == outcome(fetch(dialect, redirects(6)), dialect)
    assert outcome(fetch(dialect, [*redirects(5), found()]), dialect) == "parse"
    assert outcome(fetch(dialect, [found(status=404)]), dialect) == "allow_all"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("knob", [None, "follow", "unavailable"])
def test_disallowed_redirect(knob: str | None, name: str) -> None:
    """The knob says whether a chain may lead through a URL that is closed to the crawler."""
    knobs: dict[str, Any] = {} if knob is None else {"disallowed_redirect": knob}
    dialect = turned(verger.DIALECTS[name], **knobs)
    switches = replace(ACCESS_SWITCHES[name], **knobs)
    expected = chained(1, switches, disallowed=True)
    replies: list[Reply] = redirects(1, through=CLOSED_URL)
    fetched = fetch(dialect, [*replies, found()] if expected == "follow" else replies)
    said = outcome(fetched, dialect)

    assert expected == ("follow" if said == "parse" else said)


@pytest.mark.parametrize("name", NAMES)
def test_loop(name: str) -> None:
    """A chain that comes back to where it was is as good as one too long (of no length)."""
    dialect = verger.DIALECTS[name]
    loops = [
        [redirect("/robots.txt")],
        [redirect(URL)],
        [redirect(f"{URL}#again")],
        [redirect("/a"), redirect("/b"), redirect("/a")],
        [redirect("https://www.example.com/robots.txt"), redirect(URL)],
    ]
    expected = chained(10**6, ACCESS_SWITCHES[name])

    assert [expected] * len(loops) == [outcome(fetch(dialect, loop), dialect) for loop in loops]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 305, 307, 308, 399])
def test_every_redirect_is_followed(status: int) -> None:
    """Any 3xx that says where to go, but for 304."""
    fetched = fetch(verger.RFC9309, [redirect("/other.txt", status=status), found()])

    assert [URL, f"{SITE}/other.txt"] == [request.url for request in fetched.requests]
    assert fetched.result.final_url == f"{SITE}/other.txt"
    assert fetched.result.body == FILE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "reply",
    [Reply(301, []), Reply(302, [("Location", "")]), Reply(304, []), Reply(304, [PLAIN])],
    ids=["301 without", "302 empty", "304", "304 with"],
)
def test_no_redirect_at_all(reply: Reply, name: str) -> None:
    """A 3xx that leads nowhere is unreachable, and so is a 304 that nobody asked for."""
    dialect = verger.DIALECTS[name]
    fetched = fetch(dialect, [reply])

    assert fetched.result.access == "unreachable"
    assert outcome(fetch(dialect, [found(status=500)]), dialect) == outcome(fetched, dialect)


@pytest.mark.parametrize("target", ["ftp://example.com/robots.txt", "mailto:a@b", "http://"])
def test_other_schemes_are_not_followed(target: str) -> None:
    """Only http and https, as the product has it; a target that is none makes it unreachable."""
    fetched = fetch(verger.RFC9309, [redirect(target)])

    assert fetched.result.failure == "redirect-invalid"
    assert outcome(fetched, verger.RFC9309) == "disallow_all"


def test_the_initial_authority_is_asked_about() -> None:
    """Whatever the chain, the result stands for the origin that was asked first."""
    fetched = fetch(verger.RFC9309, [*redirects(3), found()])

    assert fetched.result.url == URL
    assert [True, False, False, False] == [request.named for request in fetched.requests]


# Conditional requests


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("knob", [None, False, True])
def test_conditional_get(knob: bool | None, name: str) -> None:
    """The knob says whether a kept copy is renewed by asking whether it still is the file."""
    dialect = verger.DIALECTS[name]
    dialect = dialect if knob is None else turned(dialect, conditional_get=knob)
    expected = ACCESS_SWITCHES[name].conditional_get if knob is None else knob
    (request,) = fetch(dialect, [found()], copy=KEPT).requests
    sent = {name: value for name, value in request.headers.items() if name in CONDITIONS}

    assert (CONDITIONS if expected else {}) == sent


@pytest.mark.parametrize("name", NAMES)
def test_not_modified(name: str) -> None:
    """The answer 304 makes the copy a success of now; unasked, the file is unreachable."""
    dialect = verger.DIALECTS[name]
    result = fetch(dialect, [NOT_MODIFIED], copy=KEPT).result
    policy = policy_after(result, dialect)

    if ACCESS_SWITCHES[name].conditional_get:
        assert (result.body, result.fetched_at, result.status) == (KEPT.body, NOW, 200)
        assert result.headers == {**KEPT.headers, "cache-control": "max-age=60"}
        assert (policy.effect, policy.copy) == ("rules", False)
    else:
        assert result.access == "unreachable"


def test_a_copy_without_validators_is_fetched_anew() -> None:
    """Nothing to ask with: no condition, and a 304 is out of place."""
    bare = replace(KEPT, headers={})
    (request,) = fetch(verger.RFC9309, [found()], copy=bare).requests

    assert not CONDITIONS.keys() & request.headers.keys()
    assert fetch(verger.RFC9309, [NOT_MODIFIED], copy=bare).result.access == "unreachable"


def test_validators_are_those_of_one_url() -> None:
    """A copy that came from elsewhere is asked for there, at the end of the same chain."""
    moved = replace(KEPT, redirects=(f"{SITE}/moved.txt",))
    first, second = fetch(
        verger.RFC9309, [redirect("/moved.txt"), NOT_MODIFIED], copy=moved
    ).requests

    assert not CONDITIONS.keys() & first.headers.keys()
    assert CONDITIONS.keys() <= second.headers.keys()
