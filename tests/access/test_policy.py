"""Policies: verger and the reference say the same after every access result.

In: every status from 100 to 999, every failure, at the times where an answer may change, with and
without a copy and knowledge of the site, in the eight dialects and in dialects with a knob turned.
Out: the policies that differ, of which there are none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice, product
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

import verger
from access.results import COPY, NOW, URL, outcome_of, policy_of, result_of
from property_settings import examples
from reference.access import (
    ACCESS_FLIPS,
    ACCESS_SWITCHES,
    DAY,
    FAILURES,
    HOUR,
    MONTH,
    AccessFlip,
    AccessSwitches,
    Event,
    Outcome,
    judged,
)
from support import NAMES, turned
from verger.access.policy import UNREACHABLE, policy_after, reason_of
from verger.access.result import AccessResult, Failure

pytestmark = pytest.mark.slow

Pair = tuple[verger.Dialect, AccessSwitches]
Difference = tuple[str, Event, Outcome, Outcome]
"""Dialect, event, what the reference says, what verger says."""

STATUSES = range(100, 1_000)
ATTEMPTS = (
    *(Event(status=status) for status in STATUSES),
    *(Event(status=status, empty=True) for status in (200, 201, 204, 206, 299)),
    *(Event(failure=failure) for failure in FAILURES),
    Event(status=200, failure="broken-body"),
    Event(status=404, failure="broken-body"),
)
DISTINCT = [attempt for attempt in ATTEMPTS if attempt.status in (None, 200, 302, 404, 429, 503)]
SHOWN = 5
SINCE = (0, 12 * HOUR - 1, 12 * HOUR, 12 * HOUR + 1, MONTH - 1, MONTH, MONTH + 1, 400 * DAY)
KNOWN = tuple(product((False, True), (None, False, True), (False, True)))
"""Whether there is a copy, whether the site works, whether its 5xx mean 404."""


def named(name: str) -> Pair:
    return verger.DIALECTS[name], ACCESS_SWITCHES[name]


def altered(pair: Pair, knob: str, value: Any) -> Pair:
    """Return the pair with one knob turned on both sides."""
    return turned(pair[0], **{knob: value}), replace(pair[1], **{knob: value})


def differences(pair: Pair, events: Iterable[Event]) -> list[Difference]:
    """Return the first events after which the two sides permit different things."""
    dialect, switches = pair
    asked = ((event, judged(event, switches), outcome_of(event, dialect)) for event in events)
    found = ((dialect.name, *row) for row in asked if row[1] != row[2])
    return list(islice(found, SHOWN))


def events(attempts: Iterable[Event] = ATTEMPTS) -> Iterator[Event]:
    """Yield every attempt at every time with everything that may be known."""
    for attempt, since, (copy, works, errors) in product(attempts, SINCE, KNOWN):
        yield replace(
            attempt,
            unreachable_for=since,
            copy=copy,
            site_works=works,
            errors_for_missing=errors,
        )


@pytest.mark.parametrize("name", NAMES)
def test_agrees(name: str) -> None:
    """In the named dialects."""
    assert not differences(named(name), events())


@pytest.mark.parametrize(
    ("name", "ladder"), [("google", "none"), ("google", "2023"), ("koster-1996", "2026")]
)
def test_agrees_on_another_ladder(name: str, ladder: str) -> None:
    """With the ladder that a dialect does not have by itself."""
    assert not differences(altered(named(name), "google_unreachable", ladder), events())


def test_failures_are_all_asked_about() -> None:
    """The reference has an answer to every way in which a fetch may fail."""
    assert set(FAILURES) == set(get_args(Failure))


# Turned knobs

effects = st.sampled_from(["allow", "disallow", "defer"])
seconds = st.none() | st.sampled_from([0, 1, 12 * HOUR, DAY, MONTH, 2 * MONTH])
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "max_redirects": st.integers(0, 50),
    "too_many_redirects": effects,
    "disallowed_redirect": st.sampled_from(["follow", "unavailable"]),
    "forbidden": effects,
    "status_429": effects,
    "unreachable": effects,
    "yandex_errors": st.sampled_from(["open", "rfc9309"]),
    "google_unreachable": st.sampled_from(["none", "2023", "2026"]),
    "stale_when_unreachable": seconds,
    "unreachable_limit": seconds,
    "conditional_get": st.booleans(),
    "cache_headers": st.sampled_from(["all", "cache-control", "max-age"]),
    "default_lifetime": st.integers(0, 10**9),
    "max_lifetime": st.none() | st.integers(0, 10**9),
}
any_events = st.builds(
    replace,
    st.sampled_from(ATTEMPTS),
    unreachable_for=st.sampled_from((*SINCE, 1, DAY, 2 * MONTH, 2 * MONTH + 1))
    | st.floats(0, 10**8),
    copy=st.booleans(),
    site_works=st.sampled_from([None, False, True]),
    errors_for_missing=st.booleans(),
)


def test_every_knob_has_values() -> None:
    """Every access knob is turned below."""
    assert set(VALUES) == set(AccessSwitches.__dataclass_fields__)


@examples(1_000)
@given(st.sampled_from(NAMES), st.sampled_from(sorted(VALUES)), any_events, st.data())
def test_agrees_with_a_knob_turned(name: str, knob: str, event: Event, data: st.DataObject) -> None:
    """In dialects that are one access knob away from a named one."""
    pair = altered(named(name), knob, data.draw(VALUES[knob]))

    assert not differences(pair, [event])


@examples(500)
@given(st.sampled_from(NAMES), st.fixed_dictionaries(VALUES), any_events)
def test_agrees_with_every_knob_turned(name: str, knobs: dict[str, Any], event: Event) -> None:
    """In dialects of which all access knobs are the caller's own."""
    dialect, switches = named(name)

    assert not differences((turned(dialect, **knobs), replace(switches, **knobs)), [event])


@pytest.mark.parametrize("flip", ACCESS_FLIPS, ids=lambda flip: f"{flip.switch}-{flip.dialect}")
def test_turning_one_knob(flip: AccessFlip) -> None:
    """Turned alone, a knob changes what is permitted after an event, on both sides."""
    pair = named(flip.dialect)
    dialect, switches = altered(pair, flip.switch, flip.value)

    assert [flip.before, flip.after] == [judged(flip.event, side) for side in (pair[1], switches)]
    assert [flip.before, flip.after] == [outcome_of(flip.event, it) for it in (pair[0], dialect)]


def test_every_policy_knob_is_turned() -> None:
    """The knobs that policies hang on have a flip; the others shape chains and lifetimes."""
    others = {
        *("max_redirects", "disallowed_redirect", "conditional_get"),
        *("cache_headers", "default_lifetime", "max_lifetime"),
    }

    assert {flip.switch for flip in ACCESS_FLIPS} == set(VALUES) - others


# What a policy says of itself


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_has_its_reason(name: str) -> None:
    """A policy names its cause in capitals and the document that says what follows from it."""
    dialect = verger.DIALECTS[name]
    policies = {
        (policy.reason, policy.section)
        for attempt, copy in product(ATTEMPTS, (False, True))
        for policy in [policy_of(replace(attempt, copy=copy), dialect)]
    }

    assert policies
    assert not {reason for reason, _ in policies if not is_name(reason)}
    assert not {reason for reason, section in policies if not section.strip()}


def is_name(reason: str) -> bool:
    return reason.isupper() and reason.replace("_", "").isalnum()


@pytest.mark.parametrize(
    ("event", "reason", "section"),
    [
        (Event(status=200), "SUCCESSFUL", "2.3.1.1"),
        (Event(failure="too-many-redirects"), "TOO_MANY_REDIRECTS", "2.3.1.2"),
        (Event(failure="redirect-disallowed"), "REDIRECT_DISALLOWED", "2.3.1.2"),
        (Event(status=404), "UNAVAILABLE", "2.3.1.3"),
        (Event(status=401), "FORBIDDEN", "2.3.1.3"),
        (Event(status=403), "FORBIDDEN", "2.3.1.3"),
        (Event(status=503), "SERVER_ERROR", "2.3.1.4"),
        (Event(status=302), "UNDEFINED_STATUS", "2.3.1.4"),
        (Event(status=600), "UNDEFINED_STATUS", "2.3.1.4"),
        (Event(status=206), "BROKEN_BODY", "2.3.1.4"),
        (Event(status=200, failure="broken-body"), "BROKEN_BODY", "2.3.1.4"),
        (Event(failure="dns"), "NETWORK_ERROR", "2.3.1.4"),
        (Event(failure="timeout"), "NETWORK_ERROR", "2.3.1.4"),
        (Event(failure="redirect-refused"), "REDIRECT_REFUSED", "2.3.1.4"),
        (Event(failure="redirect-invalid"), "REDIRECT_REFUSED", "2.3.1.4"),
        (Event(status=503, unreachable_for=MONTH + 1), "UNREACHABLE_FOR_LONG", "2.3.1.4"),
    ],
)
def test_reason(event: Event, reason: str, section: str) -> None:
    """Each cause has its name, and in RFC 9309 its section."""
    policy = policy_of(event, verger.RFC9309)

    assert (reason, f"RFC 9309 section {section}") == (policy.reason, policy.section)


@pytest.mark.parametrize(
    ("status_429", "section"),
    [
        ("allow", "RFC 9309 section 2.3.1.3"),
        ("disallow", "RFC 6585 section 4"),
        ("defer", "RFC 6585 section 4"),
    ],
)
@pytest.mark.parametrize("name", ["rfc9309", "bing"])
def test_section_of_429(name: str, status_429: str, section: str) -> None:
    """RFC 9309 permits everything after any 4xx; so another document explains a closed site."""
    policy = policy_of(Event(status=429), verger.DIALECTS[name].replace(status_429=status_429))

    assert ("TOO_MANY_REQUESTS", section) == (policy.reason, policy.section)


def test_unreachable_files_have_reasons_of_their_own() -> None:
    """They are those of all results that are unreachable, and of no others."""
    results = [result_of(event) for event in ATTEMPTS]

    assert {result.access == "unreachable" for result in results} == {False, True}
    assert [result.access == "unreachable" for result in results] == [
        reason_of(result) in UNREACHABLE for result in results
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_is_used_for_trouble_alone(name: str) -> None:
    """A response that can be judged is judged; the copy stands in for nothing else."""
    dialect = verger.DIALECTS[name]
    judgeable = [*range(200, 206), *range(207, 300), *range(400, 429), *range(430, 500)]
    used = [s for s in judgeable if outcome_of(Event(s, copy=True), dialect) == "use_cached"]

    assert not used


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_never_closes(name: str) -> None:
    """With a copy a crawler may do what it might without one, or what the copy's rules say."""
    dialect = verger.DIALECTS[name]
    worse = [
        event
        for event in events(DISTINCT)
        if event.copy
        and outcome_of(event, dialect)
        not in ("use_cached", outcome_of(replace(event, copy=False), dialect))
    ]

    assert not worse


@given(
    st.sampled_from(NAMES),
    st.integers() | st.none(),
    st.none() | st.sampled_from(FAILURES),
    st.floats(),
    st.booleans(),
)
def test_never_raises(
    name: str, status: int | None, failure: str | None, since: float, copy: bool
) -> None:
    """Any number stands for a status or a time, also those that neither can be."""
    event = Event(status, failure, unreachable_for=since, copy=copy)
    policy = policy_of(event, verger.DIALECTS[name])

    assert policy.effect in ("rules", "allow_all", "disallow_all", "defer")
    assert not policy.copy or (copy and policy.effect == "rules")


def test_nothing_known_is_the_default() -> None:
    """Without keywords nothing is known: no copy, no run of failures, no site."""
    event = Event(status=503)

    assert policy_of(event, verger.GOOGLE) == policy_after(result_of(event), verger.GOOGLE)


def test_policies_are_values() -> None:
    """The same facts give equal policies, of one hash, whose `repr` says what they are."""
    first, second = (policy_of(Event(status=503), verger.RFC9309) for _ in range(2))

    assert first == second
    assert hash(first) == hash(second)
    assert first.reason in repr(first)


def test_a_truncated_file_is_parsed() -> None:
    """A file that goes on behind the cap is a success: what is there is read."""
    result = AccessResult(URL, NOW, status=200, body=COPY.body, truncated=True)
    effects = {name: policy_after(result, verger.DIALECTS[name]).effect for name in NAMES}

    assert dict.fromkeys(NAMES, "rules") == effects
