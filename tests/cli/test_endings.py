"""How the process ends when the world around it does not behave."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from patience import LONG

from .console import after_a_line, console, environment, talking_to

VERGER = [sys.executable, "-m", "verger"]
ASK = [*VERGER, "check", "--robots", "robots.txt", "--agent", "A", "--format", "csv"]

pytestmark = [
    pytest.mark.usefixtures("robots"),
    pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX"),
]


@pytest.mark.parametrize("command", [VERGER, [str(Path(sys.executable).with_name("verger"))]])
def test_both_names_of_the_command(command: list[str]) -> None:
    """`verger` and `python -m verger` are the same command."""
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("verger ")


def test_reader_that_goes_away() -> None:
    """`verger ... | head -1` ends without a word."""
    Path("urls.txt").write_bytes(b"/a\n" * 100_000)
    with Path("urls.txt").open("rb") as urls:
        command = subprocess.Popen(
            [*ASK, "-"], stdin=urls, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    assert (141, b"") == after_a_line(command)


def test_interrupt() -> None:
    """Ctrl-C ends a run that waits for URLs, without a word."""
    with talking_to([*ASK, "/a", "-"]) as command:
        assert command.stdin is not None
        assert command.stdout is not None
        assert command.stderr is not None
        command.stdin.write(b"/a\n" * 10_000)
        command.stdin.flush()
        command.stdout.readline()  # it is running
        command.send_signal(signal.SIGINT)

        assert 130 == command.wait(timeout=LONG)
        assert b"" == command.stderr.read()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk(robots: Path) -> None:
    """Answers that cannot be written are a failure, said with what to do."""
    shown = console("$ verger check --robots robots.txt --agent A / > /dev/full\n", robots.parent)

    assert "error: cannot write the answers: no space left on device" == shown.splitlines()[1]
    assert shown.splitlines()[2].startswith("hint: free some space there")
    assert 3 == len(shown.splitlines())


def test_closed_stdout(robots: Path) -> None:
    """Answers that go nowhere are a failure."""
    shown = console("$ verger check --robots robots.txt --agent A / >&-\n", robots.parent)

    assert "error: cannot write the answers: stdout is closed" == shown.splitlines()[1]


def test_ascii_output() -> None:
    """Where the output cannot say a character, text shows its escape instead of failing."""
    done = subprocess.run(
        [*VERGER, "check", "--robots", "robots.txt", "--agent", "A", "-v", "/é"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=False,
    )
    several = subprocess.run(
        [*VERGER, "check", "--robots", "robots.txt", "--agent", "A", "/é", "/"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=False,
    )

    assert (0, b"") == (done.returncode, done.stderr)
    assert several.stdout.startswith(b"/\\xe9\n")
