"""Every word of `make` in a bare clone: what it runs is there by then, and it compiles no more."""

import re
import subprocess
from pathlib import Path

import pytest

from support import CHECKOUT

WORDS = re.findall(r"^## ([a-z-]+): ", (CHECKOUT / "Makefile").read_text("utf-8"), re.MULTILINE)
MADE = {".venv", "build", "target"}
"""What a bare clone does not have, and `make` writes."""

RUN = re.compile(r"(?<!/)\.venv/bin/python (?:-m )?(?P<what>[\w./]+)")
OF_DEVELOPMENT = re.compile(
    r"\.venv/bin/(python -m (pytest|mypy|ruff)|pre-commit|towncrier|basedpyright)"
)
INSTALLS = "-r requirements/dev.txt"
COMPILES = "-m maturin develop"
WITHOUT_PYTHON = ("npm", "wasm", "page", "vscode", "notices", "corpus", "changelog", "requirements")
"""Words that need no compiled package of Python."""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bare")
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", "HEAD"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        (folder / name).symlink_to(CHECKOUT / name)
    return folder


def commands(bare: Path, word: str) -> str:
    """Return what a word would run."""
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", word],
        cwd=bare,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def imports_verger(what: str) -> bool:
    """Return whether a program of the tree imports the package, which then has to be compiled."""
    path = CHECKOUT / what.replace(".", "/").removesuffix("/py")
    files = [path.with_suffix(".py")] if path.with_suffix(".py").exists() else path.glob("*.py")
    return any(
        re.search(r"^(?:import|from) verger\b", each.read_text(), re.MULTILINE) for each in files
    )


@pytest.mark.parametrize("word", WORDS)
def test_a_word_finds_what_it_runs(bare: Path, word: str) -> None:
    """The tools of development are installed before one runs, and verger is compiled."""
    said = commands(bare, word)
    tool, installed = OF_DEVELOPMENT.search(said), said.find(INSTALLS)
    needing = [found for found in RUN.finditer(said) if imports_verger(found["what"])]
    compiled = said.find(COMPILES)

    assert tool is None or 0 <= installed < tool.start(), tool
    assert not needing or 0 <= compiled < needing[0].start(), needing[0]["what"]


@pytest.mark.parametrize("word", WITHOUT_PYTHON)
def test_a_word_compiles_no_more_than_it_needs(bare: Path, word: str) -> None:
    """What is made for JavaScript, for editors or by tools alone needs no package of Python."""
    assert COMPILES not in commands(bare, word)
