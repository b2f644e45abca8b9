"""What the guides of the frameworks show is what happens; their tables are those of the tests."""

import re
from pathlib import Path

import pytest

from shown_python import not_imported, run_again
from support import CHECKOUT

from .crawls import CRAWLS
from .test_framework_faults import FORBIDDEN

GUIDES = CHECKOUT / "docs" / "guides"
BLOCK = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| [^|]+ \| (\d) \| (\d) \|$", re.MULTILINE)


@pytest.mark.parametrize("name", ["scrapy", "crawlee", "crawl4ai"])
def test_shown_examples_print_what_is_shown(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The examples of a guide are one session, and run."""
    monkeypatch.chdir(tmp_path)  # where Crawlee puts its storage
    page = (GUIDES / f"{name}.md").read_text("utf-8")
    shown = BLOCK.findall(page)

    assert shown
    assert shown == run_again(shown)
    assert [] == not_imported(shown)


@pytest.mark.parametrize("framework", CRAWLS)
def test_fault_tables_are_those_of_the_tests(framework: str) -> None:
    """The rows of a guide, in order: what a framework sends alone, and nothing with verger."""
    page = (GUIDES / f"{framework.lower()}.md").read_text("utf-8")
    column = list(CRAWLS).index(framework)

    rows = [(int(alone), int(after)) for alone, after in ROW.findall(page)]

    assert [(row[column], 0) for row in FORBIDDEN.values()] == rows
