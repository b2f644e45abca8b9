"""The guide shows what the command prints, and names all that it can."""

from pathlib import Path

import pytest

from verger.cli.app import COMMANDS
from verger.cli.grammar import grammar_of

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


FIRST_MINUTES = [f"../{reader}" for reader in ("crawler", "site-owner", "researcher")]


@pytest.mark.parametrize("name", [*COMMANDS, "changes", *FIRST_MINUTES])
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


def test_guide_names_every_option() -> None:
    """No option goes undocumented."""
    page = (GUIDES / "check.md").read_text(encoding="utf-8")
    options = {name for name in grammar_of("check")._option_string_actions if name.startswith("--")}

    assert set() == {name for name in options if name not in page}
