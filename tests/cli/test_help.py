"""Help on a narrow or a wide terminal."""

from contextlib import suppress

import pytest
from tools import command_tree as tree

from verger.cli.app import main
from verger.cli.grammar import HELP_WIDTH, WIDEST

COMMANDS = [command.name for command in tree.commands()]


def help_of(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the help of a command, for a stream that is no terminal."""
    with suppress(SystemExit):
        main([*words.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("width", [30, 44, 60])
@pytest.mark.parametrize("name", COMMANDS)
def test_narrow_help(
    name: str,
    width: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing is lost, and what is said of options fits unless one word of it does not."""
    whole = help_of(name, capsys)
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = help_of(name, capsys)
    _, _, options = narrow.partition("\noptions:\n")

    assert whole.split() == narrow.split()
    for line in options.partition("\nexit code:\n")[0].split("\n"):
        longest = max(map(len, line.split()), default=0)
        assert line.lstrip().startswith("-") or len(line) <= max(
            width, len(line) - len(line.lstrip()) + longest
        ), line


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_no_wider(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even examples are, which are never wrapped."""
    assert [] == [line for line in help_of(name, capsys).splitlines() if len(line) > HELP_WIDTH]


@pytest.mark.parametrize("columns", ["100", "999"])
def test_columns_without_end(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help is wide, but readable."""
    monkeypatch.setenv("COLUMNS", columns)

    assert HELP_WIDTH < max(map(len, help_of("check", capsys).splitlines())) <= WIDEST
