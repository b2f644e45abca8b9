"""The guide shows what the command prints, and names all that it can."""

from pathlib import Path

import pytest

from verger.cli.app import COMMANDS
from verger.cli.commands.check import parser

from .console import timeless, transcripts

GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"


@pytest.mark.parametrize("command", COMMANDS)
def test_guide_shows_what_is_printed(command: str, tmp_path: Path) -> None:
    """Every console block of the guide, run in order, prints what stands there."""
    page = (GUIDES / f"{command}.md").read_text(encoding="utf-8")
    shown, now = zip(*transcripts(page, tmp_path), strict=True)

    assert list(map(timeless, shown)) == list(map(timeless, now))


def test_guide_names_every_option() -> None:
    """No option goes undocumented."""
    page = (GUIDES / "check.md").read_text(encoding="utf-8")
    options = {name for name in parser()._option_string_actions if name.startswith("--")}

    assert set() == {name for name in options if name not in page}
