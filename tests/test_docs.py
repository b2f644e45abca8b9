"""What the README and the guides show is what happens."""

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> Iterator[str]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match[1] == language:
            yield match[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_python_prints_what_is_shown(page: Path) -> None:
    """The Python blocks of a page are one session, and run."""
    session = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE).run(test)

    assert result.failed == 0


def test_readme_shows_python() -> None:
    """The test above has something to run."""
    assert "".join(blocks(ROOT / "README.md", "python")).count(">>> ") >= 4


@pytest.mark.parametrize("tool", ["pages.py", "man.py", "completion.py", "suite.py"])
def test_generated_pages_are_not_stale(tool: str) -> None:
    """Generated pages, and the files of the suite, are what `make docs` writes, in any terminal."""
    command = [sys.executable, str(ROOT / "tools" / tool), "--check"]
    narrow = os.environ | {"COLUMNS": "40"}

    assert subprocess.run(command, check=False, env=narrow).returncode == 0


def test_manual_pages_have_no_backticks() -> None:
    """A terminal would show them as they are; what help writes between them is bold."""
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "man").rglob("*.1")}

    assert "verger.1" in pages
    assert [] == [name for name, text in pages.items() if "`" in text]
    assert r"\fB\-\fR for stdin" in pages["verger-lint.1"]


LINTERS = (["mandoc", "-Tlint", "-Wwarning"], ["groff", "-man", "-Tutf8", "-ww", "-z"])


@pytest.mark.parametrize("linter", LINTERS, ids=lambda words: words[0])
def test_manual_pages_are_well_formed(linter: list[str]) -> None:
    """What shows manual pages has nothing to warn of."""
    if shutil.which(linter[0]) is None:
        pytest.skip(f"{linter[0]} is not installed")
    pages = sorted((ROOT / "man").rglob("*.1"))
    done = subprocess.run([*linter, *pages], capture_output=True, text=True, check=False)

    said = (done.stdout + done.stderr).splitlines()

    # no page has a date: it is as old as the code, and the same whenever it is made
    assert [] == [line for line in said if "missing date" not in line]


def test_links_lead_somewhere() -> None:
    """Every relative link of a page names a file that exists."""
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
