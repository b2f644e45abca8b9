"""What is not a parsed file, or not a sequence of names, is refused by its name."""

from collections.abc import Callable

import pytest

from verger import parse
from verger.analysis import Editor, block, compare, diff, minimise, prove
from verger.bulk.audit import audit_logs
from verger.crawlers import survey_of

FILE = parse("User-agent: *\nDisallow: /a\n")
TEXT = "User-agent: *\nDisallow: /a\n"

NO_FILES: dict[str, Callable[[], object]] = {
    "old": lambda: diff(TEXT, FILE),  # type: ignore[arg-type]
    "new": lambda: prove(FILE, TEXT),  # type: ignore[arg-type]
    "robots": lambda: compare(TEXT, ["google"]),  # type: ignore[arg-type]
    "robots of block": lambda: block(TEXT, ["GPTBot"]),  # type: ignore[arg-type]
    "robots of minimise": lambda: minimise(TEXT),  # type: ignore[arg-type]
    "robots of Editor": lambda: Editor(TEXT),  # type: ignore[arg-type]
    "robots of survey_of": lambda: survey_of(TEXT),  # type: ignore[arg-type]
}

ONE_TEXT: dict[str, Callable[[], object]] = {
    "crawlers of diff": lambda: diff(FILE, FILE, crawlers="GPTBot"),
    "crawlers of compare": lambda: compare(FILE, ["google"], crawlers="GPTBot"),
    "crawlers of survey_of": lambda: survey_of(FILE, crawlers="GPTBot"),
    "crawlers of audit_logs": lambda: audit_logs([], [], crawlers="GPTBot"),
    "dialects of compare": lambda: compare(FILE, "google"),
    "purposes of survey_of": lambda: survey_of(FILE, purposes="training"),
}


@pytest.mark.parametrize("case", NO_FILES)
def test_a_text_in_place_of_a_file(case: str) -> None:
    """The message names the argument, and what makes a file of a text."""
    name = case.split()[0]
    with pytest.raises(TypeError, match=rf"`{name}` must be a RobotsTxt \(`verger.parse`.*not str"):
        NO_FILES[case]()


@pytest.mark.parametrize("case", ONE_TEXT)
def test_one_text_in_place_of_several(case: str) -> None:
    """It would be read as names of one letter each."""
    name = case.split()[0]
    with pytest.raises(TypeError, match=rf"`{name}` must be a sequence .*, not one str"):
        ONE_TEXT[case]()


def test_a_token_that_is_not_a_text() -> None:
    """The message names its type."""
    with pytest.raises(TypeError, match="`crawlers` must hold product tokens, not int"):
        diff(FILE, FILE, crawlers=[3])  # type: ignore[list-item]
