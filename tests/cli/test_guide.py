"""The guide shows what the command prints, and names all that it can."""

from pathlib import Path
from typing import get_args

import pytest
from tools import command_tree as tree

from verger.bulk.audit.output import CRAWLER_COLUMNS, RULE_COLUMNS
from verger.bulk.filter.writing import COLUMNS
from verger.cli.app import COMMANDS
from verger.crawlers import PURPOSES
from verger.crawlers.survey import Posture

from .console import led_to, timeless, transcripts
from .web import Page, Site, web

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"

SITES: dict[str, Site] = {
    "example.com": b"# Crawlers of example.com, read this first\n"
    b"User-agent: ExampleBot\nUser-agent: GPTBot\nAllow: /private/press\nDisallow: /private\n"
    b"Disallow: /*/draft-*.html$  # not ready\n\nUser-agent: *\nDisallow:\n",
    "www.example.com": Page(301, headers={"Location": "https://example.com/robots.txt"}),
    "gone.example": 404,
    "down.example": 503,
}
"""What the guides say these sites have."""


FIRST_MINUTES = [f"../{page}" for page in ("README", "crawler", "site-owner", "researcher")]


@pytest.mark.parametrize("name", [*COMMANDS, "changes", "use", "stances", *FIRST_MINUTES])
def test_guide_shows_what_is_printed(name: str, tmp_path: Path) -> None:
    """Every console block of the guide, run in order, prints what stands there."""
    page = (GUIDES / f"{name}.md").read_text(encoding="utf-8")
    here, home = tmp_path / "here", tmp_path / "home"
    here.mkdir()
    home.mkdir()
    with web(SITES, home) as stage:
        shown, now = zip(*transcripts(page, here, **led_to(stage, home)), strict=True)

    assert list(map(timeless, shown)) == list(map(timeless, now))


def test_readme_shows_what_is_printed(tmp_path: Path) -> None:
    """A reader who makes the file and copies a command from the README sees what it shows."""
    page = (GUIDES.parents[1] / "README.md").read_text(encoding="utf-8")
    shown, now = zip(*transcripts(page, tmp_path), strict=True)

    assert len(shown) == 3
    assert shown == now


SHARED = {"--help", "--quiet"}
"""Words of all commands."""


@pytest.mark.parametrize("command", list(tree.commands()), ids=lambda command: str(command.name))
def test_guide_names_every_option(command: tree.Command) -> None:
    """No option goes undocumented; those that `check` has, too, its guide may explain."""
    pages = [GUIDES / f"{name}.md" for name in (command.words[0], "check")]
    if command.name == "allow":
        pages.append(GUIDES / "block.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    names = {name for option in command.options for name in option.option_strings}

    assert set() == {name for name in names - SHARED if name[:2] == "--" and name not in text}


def test_guides_name_every_value() -> None:
    """No purpose, posture or column goes undocumented."""
    audit = [f"`{name}`" for name, _, _ in (*CRAWLER_COLUMNS, *RULE_COLUMNS)]
    values = {
        "agents": [*PURPOSES, *get_args(Posture)],
        "audit": audit,
        "filter": [f"`{name}`" for name in COLUMNS],
    }
    for name, words in values.items():
        page = (GUIDES / f"{name}.md").read_text(encoding="utf-8")

        assert set() == {word for word in words if word not in page}
