"""Checks: each fires on its files, is quiet on near misses, and mends what it finds."""

import re
import tomllib
from collections import Counter
from typing import Any

import pytest

from lint.cases import FOLDER, Case, all_cases
from programs import printed
from support import CHECKOUT
from verger.analysis.proof import says_the_same
from verger.lint import Settings, all_checks, fixed, lint
from verger.lint.check import UNTOLD

CASES = all_cases()
CHECKS = {check.name: check for check in all_checks().values()}


def test_every_check_has_cases() -> None:
    """A check has a file on which it fires, and two near misses; no file is left over."""
    counts = Counter((case.check, case.is_quiet) for case in CASES)

    assert set(CHECKS) == {path.stem for path in FOLDER.glob("*.toml")}
    assert [] == [name for name in CHECKS if not counts[name, False] or counts[name, True] < 2]


def test_every_check_says_why_it_matters() -> None:
    """Its doc comment has one paragraph for that, which stands apart from the rest."""
    for name, check in CHECKS.items():
        paragraphs = [part.lstrip() for part in (check.find.__doc__ or "").split("\n\n")]

        assert 1 == sum(part.startswith("Why: ") for part in paragraphs), name
        assert "Why: " not in check.doc, name
        assert check.why != UNTOLD, name
        assert not check.why.endswith("."), name
        assert "\n" not in check.why, name


def test_checks_find_the_same_without_doc_comments() -> None:
    """`python -OO` drops what the checks say of themselves, and nothing of what they find."""
    program = """
        from verger.lint import all_checks, lint
        from verger.lint.check import UNTOLD
        print({(each.doc, each.why) for each in all_checks().values()} == {("", UNTOLD)})
        print([each.code for each in lint(b"User-agent: *\\nDisallow: x\\nfoo: 1\\n").diagnostics])
    """

    assert "True\n['RT301', 'RT114']\n" == printed(program, PYTHONOPTIMIZE="2")


def test_ids_are_unique() -> None:
    """A case is named by its check and its id."""
    counts = Counter(map(str, CASES))

    assert [] == [name for name, count in counts.items() if count > 1]


def test_near_misses_say_why() -> None:
    """A comment stands above each near miss."""
    for path in FOLDER.glob("*.toml"):
        lines = path.read_text("utf-8").splitlines()
        above = [lines[at - 1] for at, line in enumerate(lines) if line == "[[quiet]]"]

        assert all(line.startswith("# ") for line in above), path.name


def test_every_check_with_a_fix_has_a_mended_file() -> None:
    """A check that can mend what it finds shows it; one that cannot says so."""
    mended = {case.check for case in CASES if "fixed" in case.row}

    assert mended == {name for name, check in CHECKS.items() if check.fix in ("safe", "unsafe")}


@pytest.mark.parametrize("case", CASES, ids=str)
def test_check_fires_where_it_should(case: Case) -> None:
    """The check reports the lines of the case, and no others."""
    report = lint(case.body, settings=case.settings, url=case.url, name=case.name)

    assert case.lines == [each.line for each in report.diagnostics]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_spans_lie_in_the_file(case: Case) -> None:
    """What is underlined, and what is edited, stands in the file."""
    for each in lint(case.body, settings=case.settings, url=case.url, name=case.name).diagnostics:
        spans = [each.span, *(edit.span for edit in (each.fix.edits if each.fix else ()))]

        assert all(0 <= start <= stop <= len(case.body) for start, stop in spans)
        assert all(related.line != 0 for related in each.related)


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_quiet], ids=str)
def test_fix_mends_what_the_check_finds(case: Case) -> None:
    """With the fixes made, the file is the mended one, and the check is quiet."""
    mended = fixed(case.body, settings=case.settings, url=case.url, unsafe=True)

    assert case.fixed == mended.body
    if "fixed" in case.row:
        assert () == mended.diagnostics


@pytest.mark.parametrize("case", CASES, ids=str)
def test_safe_fixes_keep_every_decision(case: Case) -> None:
    """Without unsafe fixes, the file says the same as before."""
    mended = fixed(case.body, url=case.url)

    assert says_the_same(case.body, mended.body, url=case.url)


@pytest.mark.parametrize("name", CHECKS)
def test_page_says_what_there_is_to_say(name: str) -> None:
    """A doc comment has a summary, says what to use instead, and how far to trust a fix."""
    check = CHECKS[name]
    parts = check.doc.split("\n\n")
    labels = [part.split(":")[0].strip() for part in parts]

    assert check.summary.endswith(".")
    assert labels.count("Use instead") == 1
    assert labels.count("Fix") == (check.fix in ("safe", "unsafe"))
    assert (CHECKOUT / "docs" / "checks" / f"{name}.md").is_file()


def strangers_words(text: str) -> str:
    """Return what a sentence says outside its quotations."""
    return re.sub("`[^`]*`", "", text)


@pytest.mark.parametrize("case", [case for case in CASES if len(case.body) < 10_000], ids=str)
def test_no_message_lets_a_file_speak(case: Case) -> None:
    """A backtick in a field, a value or a comment ends no quotation."""
    for place in (rb":", rb"(?<=\S)$", rb"$"):
        body = re.sub(place, rb"`zqz` " + place[:1] * (place == b":"), case.body, flags=re.M)
        for each in lint(body, url=case.url, settings=case.settings).diagnostics:
            told = [each.message, *(one.message for one in each.related)]
            told += [each.fix.title] if each.fix else []

            assert "zqz" not in "".join(map(strangers_words, told)), told


FINDINGS = tomllib.loads((CHECKOUT / "conformance/findings/codes.toml").read_text("utf-8"))["case"]
AS_READ = [case for case in FINDINGS if case.get("knobs", {}).keys() <= {"extensions"}]
"""Those that need no other limits than a dialect has: lint finds RT106, RT107 and RT321 there."""


@pytest.mark.parametrize("case", AS_READ, ids=lambda case: str(case["code"]))
def test_lint_reports_what_the_parser_finds(case: dict[str, Any]) -> None:
    """Each line with a finding of the core has a diagnostic."""
    body = str(case["robots"]).encode(case.get("encoding", "utf-8"))
    targets = Settings(targets=(case.get("dialect", "rfc9309"),))

    assert case["line"] in [each.line for each in lint(body, settings=targets).diagnostics]
