"""The project's own cases, as data in `conformance/`, in all eight dialects.

In: one TOML file for each section of RFC 9309 and each vendor's page. Each case is one question;
`expect` is the answer of `rfc9309` and of every dialect that `differs` does not name. The Rust
tests read the same files.
"""

import tomllib
from typing import Any

import pytest

import verger
from reference import SWITCHES
from support import CHECKOUT, NAMES, Outcome, decided, expect_cases, expect_differences, referred

FOLDER = CHECKOUT / "conformance"
FILES = sorted(FOLDER.glob("*.toml"))
Case = dict[str, Any]
CASES: list[Case] = [
    case for file in FILES for case in tomllib.loads(file.read_text("utf-8"))["case"]
]


def answer_of(row: dict[str, Any]) -> Outcome:
    return row["error"] if "error" in row else (row["allowed"], row.get("line"))


def expected_of(case: Case) -> dict[str, Outcome]:
    """Return what each dialect is to answer."""
    differs = case.get("differs", {})
    return {name: answer_of(differs.get(name, case["expect"])) for name in NAMES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_case(case: Case) -> None:
    """Decision and line are those of the case, in every dialect."""
    token, url = case["ask"]["token"], case["ask"]["url"]
    files = {name: verger.parse(case["robots"], dialect=name) for name in NAMES}

    assert expected_of(case) == {name: decided(files[name], token, url) for name in NAMES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_reference_agrees(case: Case) -> None:
    """The reference gives the same answers, so that a wrong row cannot hide a wrong core."""
    token, url, data = case["ask"]["token"], case["ask"]["url"], case["robots"].encode()
    asked = {name: referred(data, SWITCHES[name], token, url) for name in NAMES}

    assert expected_of(case) == asked


def test_cases_are_well_formed() -> None:
    """Ids are unique, and a dialect is named under `differs` only where it does differ."""
    needed = {"id", "about", "section", "level", "robots", "ask", "expect"}

    assert len(CASES) == len({case["id"] for case in CASES})
    for case in CASES:
        assert needed <= set(case) <= needed | {"strength", "differs"}, case["id"]
        assert case["level"] in ("normative", "decision"), case["id"]
        assert case.get("strength", "SHOULD") == "SHOULD", case["id"]
        expect_differences(case)


def test_every_file_has_cases() -> None:
    """No file is empty, and each says on its first line which document it follows."""
    expect_cases(FILES)


@pytest.mark.parametrize("name", NAMES)
def test_every_dialect_differs_from_every_other(name: str) -> None:
    """Between any two dialects there is a case that tells them apart."""
    answers = {other: [expected_of(case)[other] for case in CASES] for other in NAMES}
    same = {other for other in NAMES if other != name and answers[other] == answers[name]}

    assert not same
