"""JSON output follows the published schema, whatever is asked."""

import json
from pathlib import Path
from typing import Any

import pytest

import verger

from .conftest import Run, validator

pytestmark = pytest.mark.usefixtures("folder")

VALIDATOR = validator("check")

ROBOTS = (
    b"User-agent: A\nDisallow: /x/*.y$\nAllow: /x\nDisallow:\nAllow: /caf\xe9\nDisallow: /\x1b\n\n"
    b"User-agent: empty\n\nUser-agent: *\nDisallow: /all\n"
)


def answers(run: Run, *words: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    """Ask, and return the objects."""
    Path("robots.txt").write_bytes(ROBOTS)
    done = run("check", "--format", "jsonl", *words, stdin=stdin)
    assert done.data.isascii()
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.mark.parametrize("verbose", [[], ["--verbose"]])
def test_every_answer_follows_the_schema(run: Run, verbose: list[str]) -> None:
    """Whatever decides, and whatever cannot be decided, in every dialect."""
    urls = b"/\n/x/1.y\n/x\n/all\n/caf\xe9\n/\x1b\n/robots.txt\nno url\nhttps:///\n\xff\n"
    asked = (
        "--robots",
        "robots.txt",
        "--agent",
        "A",
        "--agent",
        "B",
        "--agent",
        "empty",
        "--dialect",
        "all",
        *verbose,
    )
    found = answers(run, *asked, "-", stdin=urls + b"x" * (1 << 21))

    assert 11 * 3 * 8 == len(found)
    assert [] == [error.message for each in found for error in VALIDATOR.iter_errors(each)]
    assert {True, False, None} == {each["allowed"] for each in found}


def test_answers_of_a_folder_follow_the_schema(run: Run) -> None:
    """A missing file, a path and a URL of nowhere are answers with an error."""
    Path("sites").mkdir()
    Path("sites/a.example").write_bytes(ROBOTS)
    urls = ("https://a.example/x", "https://gone.example/", "/path", "no url")
    found = answers(run, "--snapshot", "sites", "--agent", "A", "--", *urls)

    assert [] == [error.message for each in found for error in VALIDATOR.iter_errors(each)]
    assert [None, "no-file", "no-host", "invalid-target"] == [
        each["error"] and each["error"]["type"] for each in found
    ]
    assert ["sites/a.example", None, None, None] == [each["file"] for each in found]


def test_an_object_says_what_the_python_api_says(run: Run) -> None:
    """Field by field, the object is the decision."""
    (found,) = answers(run, "--robots", "robots.txt", "--agent", "A", "--verbose", "/x/1.y")
    decision = verger.parse(ROBOTS).decide("/x/1.y", "A")
    assert decision.rule is not None
    assert decision.group is not None

    assert (False, "MOST_SPECIFIC_RULE", 2) == (found["allowed"], found["reason"], found["line"])
    assert decision.section == found["section"]
    assert decision.target == found["target"]
    assert list(decision.rule.span) == found["rule"]["span"]
    assert list(decision.group.start_lines) == found["group"]["start_lines"]
    assert [[list(a), list(b)] for a, b in decision.matched] == [
        [piece["pattern"], piece["target"]] for piece in found["matched"]
    ]
    assert [3] == [rule["line"] for rule in found["beaten"]]


def test_an_object_has_the_findings_that_touch_it(run: Run, folder: Path) -> None:
    """Those in the groups of its crawler, that of the rule that decided first."""
    body = b"User-agent: A\nDisallow: b\nDisallow: /c d\n\nUser-agent: B\nDisallow: e\n"
    (folder / "f.txt").write_bytes(body)

    (found,) = answers(run, "--robots", "f.txt", "--agent", "A", "--verbose", "/c%20d")

    assert [] == list(VALIDATOR.iter_errors(found))
    assert [(3, "unsafe-byte"), (2, "pattern-without-slash")] == [
        (each["line"], each["code"]) for each in found["findings"]
    ]
