"""Findings: every code has a file that shows it, and says what, where and how much it matters."""

import pickle
import tomllib
from pathlib import Path
from typing import Any

import pytest

import verger
from verger._core import _FINDING_CODES

CASES = tomllib.loads(
    (Path(__file__).parent.parent / "conformance/findings/codes.toml").read_text()
)
BY_CODE = {case["code"]: case for case in CASES["case"]}


def parsed(case: dict[str, Any]) -> verger.RobotsTxt:
    body = case["robots"].encode(case.get("encoding", "utf-8"))
    dialect = verger.DIALECTS[case.get("dialect", "rfc9309")]
    return verger.parse(body, dialect=dialect.replace(small_limits=True, **case.get("knobs", {})))


@pytest.mark.parametrize("code", verger.FindingCode)
def test_each_code_is_found(code: str) -> None:
    """The file of each code has it, in its line, with its sentence."""
    case = BY_CODE[code]

    found = {(each.line, each.code, each.message) for each in parsed(case).findings}

    assert (case["line"], code, case["message"]) in found


def test_the_table_has_no_other_codes() -> None:
    """There is one file for each code, in the order of the table."""
    codes = [case["code"] for case in CASES["case"]]

    assert list(verger.FindingCode) == codes == [code for code, *_ in _FINDING_CODES]


def test_a_finding_says_how_much_it_matters() -> None:
    """A finding carries the severity and the page of its code."""
    [finding] = verger.parse("User-agent: *\nDisallow: private\n").findings
    code = verger.FindingCode(finding.code)

    assert ("error", "docs/findings.md#pattern-without-slash") == (finding.severity, finding.page)
    assert (code.severity, code.page) == (finding.severity, finding.page)
    assert code is verger.FindingCode.PATTERN_WITHOUT_SLASH


def test_a_code_of_ones_own_has_no_page() -> None:
    """A finding that somebody else made is a note without page."""
    finding = verger.Finding(1, "my-code", "so it is")

    assert ("note", None) == (finding.severity, finding.page)


def test_codes_are_values() -> None:
    """Codes can be compared, hashed and pickled."""
    for code in verger.FindingCode:
        assert code is pickle.loads(pickle.dumps(code))
        assert code.sentence.endswith(".")
    assert len(verger.FindingCode) == len(set(verger.FindingCode))
    with pytest.raises(ValueError, match="'my-code' is not a valid FindingCode"):
        verger.FindingCode("my-code")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("*bot*", "the line does not apply to `bot`"),
        ("*Googlebot", "the line does not apply to `Googlebot`"),
        ("**", "no crawler has such a product token"),
        ("*/1.0", "no crawler has such a product token"),
        ("Googlebot*", None),
        ("* # all", None),
    ],
)
def test_wildcards_in_names(value: str, message: str | None) -> None:
    """A name with a star in front names nobody; one behind it does no harm."""
    findings = verger.parse(f"User-agent: {value}\nDisallow: /\n").findings

    assert [message] * (message is not None) == [
        finding.message for finding in findings if finding.code == "unmatched-agent"
    ]
