"""Progress on stderr: what the bar says, and when there is one."""

import io
import sys

import pytest

from verger.cli import progress
from verger.cli.app import main
from verger.cli.progress import line_of

from .test_csv_table import Terminal

pytestmark = pytest.mark.usefixtures("robots")


@pytest.mark.parametrize(
    ("number", "seconds", "share", "shown"),
    [
        (1_024, 2.0, 0.5, "[############------------]  50%  1,024 URLs  512/s  2 s left"),
        (10, 1.0, 1.0, "[########################] 100%  10 URLs  10/s  0 s left"),
        (10, 1.0, 1.5, "[########################] 100%  10 URLs  10/s  0 s left"),
        (2_000, 1.0, None, "2,000 URLs  2,000/s"),
        (0, 0.0, 0.0, "0 URLs  0/s"),
    ],
)
def test_bar(number: int, seconds: float, share: float | None, shown: str) -> None:
    """Count and rate always; share and time left only where the total is known."""
    assert shown == line_of(number, seconds, share)


@pytest.mark.parametrize(
    ("stdout", "output", "shown"),
    [
        (io.TextIOWrapper, "-", True),
        (Terminal, "-", False),
        (Terminal, "answers.txt", True),
        (Terminal, "/dev/null", True),
    ],
)
def test_only_beside_an_output_that_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, stdout: type[io.TextIOWrapper], output: str, shown: bool
) -> None:
    """With answers on the same terminal the bar would be in their way."""
    err = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", stdout(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", Terminal(err, encoding="utf-8"))
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    words = ["check", "--robots", "robots.txt", "--agent", "A", "--output", output]
    main([*words, *["/"] * progress.LOOK_EVERY * 2])
    sys.stderr.flush()

    assert shown == (b"] 100%  128 URLs" in err.getvalue())
    assert not shown or err.getvalue().endswith(b"\r\x1b[K")


def test_messages_take_the_place_of_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error is a line of its own, never behind a bar."""
    err = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", Terminal(err, encoding="utf-8"))
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    main(["check", "--robots", "robots.txt", "--agent", "A", *["/"] * 64, "no url", "/"])
    sys.stderr.flush()

    assert b"\x1b[K\r\x1b[Kerror: `no url`" in err.getvalue()
