"""What changed is told in files, one for each change, that towncrier can put together."""

import re
import tomllib
from pathlib import Path

import pytest

from support import CHECKOUT

TOWNCRIER = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["tool"]["towncrier"]
TYPES = [kind["directory"] for kind in TOWNCRIER["type"]]
FRAGMENTS = sorted((CHECKOUT / TOWNCRIER["directory"]).glob("[!.]*"))


def test_answers_that_changed_come_first() -> None:
    """The order of the headings is that of the importance for people who upgrade."""
    assert ["decisions", "removed", "changed", "added", "fixed"] == TYPES


@pytest.mark.parametrize("path", FRAGMENTS, ids=lambda path: path.name)
def test_fragment_is_found_and_says_something(path: Path) -> None:
    """towncrier passes over a name that it does not know, and lists an empty file as nothing."""
    assert re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(TYPES)})\.md", path.name)
    assert path.read_text("utf-8").strip().endswith((".", "```"))


def test_a_release_has_where_to_write() -> None:
    """Without its marker, towncrier would write above the title."""
    page = (CHECKOUT / TOWNCRIER["filename"]).read_text("utf-8")

    assert 1 == page.count(TOWNCRIER["start_string"])
    assert len(page.splitlines()) < 100
