"""CSV output: what any reader of CSV gets back."""

import csv
import io
import os
import sys
from pathlib import Path

import pytest

from verger.cli.app import main
from verger.cli.commands.check_output import HEADER

from .conftest import Run


@pytest.mark.usefixtures("folder")
def test_hostile_fields(run: Run) -> None:
    """Quotes, commas and formulas of strangers stay within their fields."""
    Path("robots.txt").write_bytes(b'User-agent: *\nDisallow: /"a,b"\nDisallow: =1+2\n')
    words = ("check", "--robots", "robots.txt", "--agent", "A", "--format", "csv")
    done = run(*words, "--dialect", "original-1994", "--", '/"a,b"c', 'no,"url"')
    header, answer, problem = csv.reader(io.StringIO(done.out, newline=""))

    assert list(HEADER) == header
    assert ['/"a,b"c', 'Disallow: /"a,b"'] == [answer[0], answer[7]]
    assert ['no,"url"', "", "", "", "", "", ""] == [problem[0], *problem[3:9]]


@pytest.mark.usefixtures("robots")
def test_header_without_rows(run: Run) -> None:
    """No URLs make a table without rows, not a file without columns."""
    done = run("check", "--robots", "robots.txt", "--agent", "A", "--format", "csv", "-")

    assert ",".join(HEADER) + "\n" == done.out


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
@pytest.mark.usefixtures("folder")
def test_where_bytes_survive(run: Run) -> None:
    """URL, rule and file come back byte for byte; a message shows a byte as `\\xff`."""
    name = os.fsdecode(b"robots-\xff")
    Path(name).write_bytes(b"User-agent: *\nDisallow: /\xfe\n")
    words = ("check", "--robots", name, "--agent", "A", "--format", "csv", "-")
    done = run(*words, stdin=b"/\xfe\nno \xfd\n")
    _, answer, problem = done.data.splitlines()

    assert (b"/\xfe", b"Disallow: /\xfe", b"robots-\xff") == tuple(
        answer.split(b",")[field] for field in (0, 7, 9)
    )
    assert b"no \xfd" == problem.split(b",")[0]
    assert b"`no \\xfd` is not a URL" in problem


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say so."""
        return True


@pytest.mark.usefixtures("robots")
def test_nothing_acts_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal even CSV shows escapes instead of sending them."""
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(data, encoding="utf-8"))
    main(["check", "--robots", "robots.txt", "--agent", "A", "--format", "csv", "/\x1b[31m\u202e"])
    sys.stdout.flush()

    assert b"\x1b" not in data.getvalue()
    assert data.getvalue().splitlines()[1].startswith(b"/\\x1b[31m\\u202e,A,")


@pytest.mark.usefixtures("robots")
@pytest.mark.parametrize("command", ["check", "agents"])
def test_a_terminal_that_does_not_read_utf_8(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes of a letter in UTF-8, such as 0x9B, would act there; it is shown as an escape."""
    Path("r\u011b.txt").write_text("User-agent: r\u011b\nDisallow: /\n", encoding="utf-8")
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(data, encoding="latin-1"))
    asked = {
        "check": ["check", "--robots", "r\u011b.txt", "--agent", "A", "/\u011b"],
        "agents": ["agents", "r\u011b.txt"],
    }
    main([*asked[command], "--format", "csv"])
    sys.stdout.flush()

    assert b"\x9b" not in data.getvalue()
    assert b"\\u011b" in data.getvalue()
