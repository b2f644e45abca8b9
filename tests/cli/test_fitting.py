"""Help on a narrow terminal: nothing is lost, and no line is longer than it must be."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from verger.cli import tree
from verger.cli.app import main
from verger.cli.fitting import HELP_WIDTH, WIDEST, fit

COMMANDS = [command.name for command in tree.commands()]


def help_of(words: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the help of a command, for a stream that is no terminal."""
    with suppress(SystemExit):
        main([*words.split(), "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("width", [24, 44, 60])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_narrow_help(
    name: str,
    width: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A line is longer than the terminal only if one word of it is, or if it is to be copied."""
    whole = help_of(name, capsys)
    monkeypatch.setenv("COLUMNS", str(width))
    narrow = help_of(name, capsys)
    before, kept = _parted(whole)

    assert narrow.endswith(kept)
    before_kept = narrow.removesuffix(kept)
    assert before.split() == before_kept.split()
    for line in before_kept.split("\n"):
        longest = max(map(len, line.split()), default=0)
        assert len(line) <= max(width, len(line) - len(line.lstrip()) + longest), line


def _parted(whole: str) -> tuple[str, str]:
    """Return help up to its exit codes, and what is to be copied after them."""
    before, codes, after = whole.partition("\nexit code:\n")
    last, gap, kept = after.partition("\n\n")
    return before + codes + last + gap, kept


def test_wide_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Help is written for lines of this width."""
    for name in COMMANDS:
        whole = help_of(name, capsys)
        assert whole == fit(whole, HELP_WIDTH)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_is_no_wider(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even examples are, which are never wrapped."""
    assert [] == [line for line in help_of(name, capsys).splitlines() if len(line) > HELP_WIDTH]


@pytest.mark.parametrize(
    ("columns", "least", "most"),
    [("40", 30, 60), ("1", 20, 60), *((odd, 70, HELP_WIDTH) for odd in ("", "0", "-9", "wide"))],
)
def test_columns_of_a_pipe(
    columns: str,
    least: int,
    most: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`COLUMNS` counts for a pipe, too, as argparse has it; a long word takes more."""
    monkeypatch.setenv("COLUMNS", columns)
    before = help_of("check", capsys).partition("examples:")[0]

    assert least < max(map(len, before.splitlines())) <= most


@pytest.mark.parametrize("columns", ["100", "999", "9" * 9_999])
def test_columns_without_end(
    columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help is wide, but readable."""
    monkeypatch.setenv("COLUMNS", columns)

    assert HELP_WIDTH < max(map(len, help_of("check", capsys).splitlines())) <= WIDEST


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_columns() -> None:
    """`COLUMNS` comes before what the terminal says."""
    import pty

    ours, theirs = pty.openpty()
    verger = Path(sys.executable).with_name("verger")
    environment = {"COLUMNS": "40", "TERM": "dumb"}
    with subprocess.Popen([verger, "cache", "--help"], stdout=theirs, env=environment) as command:
        os.close(theirs)
        text = "".join(_chunks(ours))
    assert command.returncode == 0
    assert max(map(len, text.partition("examples:")[0].splitlines())) <= 40


def _chunks(terminal: int) -> Iterator[str]:
    """Yield what programs write to a terminal, until the last of them ends."""
    with suppress(OSError), os.fdopen(terminal, "rb", buffering=0) as output:
        while chunk := output.read(4_096):
            yield chunk.decode()
