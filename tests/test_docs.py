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

from shown_python import not_imported, run_again

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"^```text file=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> Iterator[str]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match[1] == language:
            yield match[2]


def to_copy(page: Path) -> list[str]:
    """Return the blocks that a reader copies; not those for a file of the reader's, which begin
    with its name, and not examples of the interpreter."""
    return [
        block
        for block in blocks(page, "python")
        if not block.startswith("# ") and ">>> " not in block
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_python_prints_what_is_shown(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Python blocks of a page are one session, and run beside its files."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILE.findall(page.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert to_copy(page) == run_again(to_copy(page))

    session = "\n".join(block for block in blocks(page, "python") if ">>> " in block)
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE).run(test)
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_python_imports_what_it_uses(page: Path) -> None:
    """A reader may copy one block alone: none relies on the imports of another."""
    assert [] == not_imported(to_copy(page))


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs" / "guides").glob("*.md")), ids=lambda page: page.name
)
def test_guides_show_no_prompts(page: Path) -> None:
    """A prompt would have to be removed by hand from what is copied."""
    assert [] == [block for block in blocks(page, "python") if ">>> " in block]


def test_readme_shows_python() -> None:
    """The tests above have something to run."""
    assert "".join(to_copy(ROOT / "README.md")).count("# > ") >= 3


@pytest.mark.parametrize("tool", ["pages.py", "man.py", "completion.py", "suite.py", "stances.py"])
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
