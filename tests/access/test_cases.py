"""The project's own cases of access, as data in `conformance/access/`, in all eight dialects.

In: one TOML file for each section of RFC 9309 and each vendor's page. Each case is one attempt, one
chain of redirects, or the header fields of one response; its README says how to read them. Rows of
`observed` have tests of their own.
"""

import tomllib
from dataclasses import replace
from typing import Any

import pytest

import verger
from access.events import outcome
from access.results import answered, outcome_of
from access.scripts import CLOSED_URL, fetch, found, redirects
from reference.access import ACCESS_SWITCHES, AccessSwitches, Event, chained, judged
from support import CHECKOUT, NAMES, expect_cases, expect_differences, turned
from verger.access.freshness import lifetime

Case = dict[str, Any]
FOLDER = CHECKOUT / "conformance" / "access"
FILES = sorted(FOLDER.glob("*.toml"))
CASES: list[Case] = [
    case
    for file in FILES
    for case in tomllib.loads(file.read_text("utf-8"))["case"]
    if "observed" not in case
]
# Asked through a plan rather than the policy: its answer lies in the request that is sent.
ELSEWHERE = {"conditional_get"}


def expected_of(case: Case) -> dict[str, object]:
    """Return what each dialect is to answer."""
    differs = case.get("differs", {})
    rows = {name: differs.get(name, case["expect"]) for name in NAMES}
    return {name: next(iter(row.values())) for name, row in rows.items()}


def event_of(case: Case) -> Event:
    return Event(**case["result"], **case.get("known", {}))


def is_chain(case: Case) -> bool:
    return "redirects" in case.get("result", {})


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: Case) -> None:
    """Outcome or lifetime is that of the case, in every dialect."""
    knobs = case.get("knobs", {})
    dialects = {name: turned(verger.DIALECTS[name], **knobs) for name in NAMES}

    assert expected_of(case) == {name: asked(case, dialects[name]) for name in NAMES}


def asked(case: Case, dialect: verger.Dialect) -> object:
    """Return what verger says."""
    if "headers" in case:
        return lifetime(answered(case["headers"]), dialect)
    return followed(case, dialect) if is_chain(case) else outcome_of(event_of(case), dialect)


def followed(case: Case, dialect: verger.Dialect) -> str:
    """Return what becomes of a chain, whose end is asked for only where it is followed."""
    hops, is_closed = case["result"]["redirects"], case["result"].get("disallowed", False)
    chain = redirects(hops, through=CLOSED_URL if is_closed else None)
    for asked_for in range(1, hops + 1):
        try:
            fetched = fetch(dialect, chain[:asked_for])
        except AssertionError:
            continue
        return outcome(fetched, dialect)
    said = outcome(fetch(dialect, [*chain, found()]), dialect)
    return "follow" if said == "parse" else said


@pytest.mark.parametrize(
    "case", [case for case in CASES if "result" in case], ids=lambda case: str(case["id"])
)
def test_reference_agrees(case: Case) -> None:
    """The reference gives the same answers, so that a wrong row cannot hide a wrong policy."""
    knobs = case.get("knobs", {})
    switches = {name: replace(ACCESS_SWITCHES[name], **knobs) for name in NAMES}

    assert expected_of(case) == {name: referred(case, switches[name]) for name in NAMES}


def referred(case: Case, switches: AccessSwitches) -> str:
    """Return what the reference says."""
    if not is_chain(case):
        return judged(event_of(case), switches)
    is_closed = case["result"].get("disallowed", False)
    return chained(case["result"]["redirects"], switches, disallowed=is_closed)


def test_cases_are_well_formed() -> None:
    """Ids are unique, and a dialect is named under `differs` only where it does differ."""
    keys = {"id", "result", "headers", "known", "knobs", "expect", "differs"}

    assert len(CASES) == len({case["id"] for case in CASES}) > 90
    for case in CASES:
        assert keys >= set(case), case["id"]
        assert ("result" in case) != ("headers" in case), case["id"]
        assert set(case["expect"]) == {"lifetime" if "headers" in case else "outcome"}, case["id"]
        expect_differences(case)


def test_every_file_has_cases() -> None:
    """No file is empty, and each says on its first line which document it follows."""
    expect_cases(FILES)


@pytest.mark.parametrize("knob", sorted(set(AccessSwitches.__dataclass_fields__) - ELSEWHERE))
def test_every_knob_has_a_case(knob: str) -> None:
    """For each knob there is a case that sets it, and whose answer then is another."""
    hanging = [
        case["id"]
        for case in CASES
        if knob in case.get("knobs", {})
        and any(asked(case, verger.DIALECTS[name]) != expected_of(case)[name] for name in NAMES)
        and len(case["knobs"]) == 1
    ]

    assert hanging
