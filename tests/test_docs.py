"""What the README and the guides show is what happens."""

import doctest
import os
import re
import shlex
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


def shown_commands() -> list[tuple[str, str]]:
    """Command and output of each console block; the guides bring files and tests of their own."""
    shown = [block.partition("\n") for block in blocks(ROOT / "README.md", "console")]
    return [(command.removeprefix("$ "), output) for command, _, output in shown]


def run(command: str) -> str:
    arguments = [sys.executable, "-m", *shlex.split(command)]
    environment = {"PATH": os.environ["PATH"], "NO_COLOR": "1"}
    done = subprocess.run(
        arguments, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize(("command", "output"), shown_commands())
def test_shown_command_prints_what_is_shown(command: str, output: str) -> None:
    """A reader who copies a command from the README sees what it shows."""
    assert output == run(command)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_python_prints_what_is_shown(page: Path) -> None:
    """The Python blocks of a page are one session, and run."""
    session = "\n".join(blocks(page, "python"))
    test = doctest.DocTestParser().get_doctest(session, {}, page.name, str(page), 0)
    result = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE).run(test)

    assert result.failed == 0


def test_readme_shows_commands_and_python() -> None:
    """The two tests above have something to run."""
    assert len(shown_commands()) == 3
    assert "".join(blocks(ROOT / "README.md", "python")).count(">>> ") >= 10


def test_generated_pages_are_not_stale() -> None:
    """docs/dialects.md, docs/divergences.md and docs/findings.md are what `make docs` writes."""
    command = [sys.executable, str(ROOT / "tools" / "pages.py"), "--check"]

    assert subprocess.run(command, check=False).returncode == 0


def test_links_lead_somewhere() -> None:
    """Every relative link of a page names a file that exists."""
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
