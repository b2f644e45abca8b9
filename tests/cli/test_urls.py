"""URLs from the command line and from stdin."""

import bz2
import io
import sys
import tempfile
from pathlib import Path

import pytest

from verger.access.answer import Unanswered
from verger.cli.urls import LONGEST, Urls

from .conftest import Run


def urls_of(monkeypatch: pytest.MonkeyPatch, data: bytes, *words: str) -> list[object]:
    """Return all URLs of words and of a stdin that holds `bytes`."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    return list(Urls(words))


@pytest.mark.parametrize(
    ("data", "urls"),
    [
        (b"", []),
        (b"/a\n/b", ["/a", "/b"]),
        (b"/a\r\n\r\n  /b \n\n", ["/a", "/b"]),
        (b"\xef\xbb\xbf/a\n", ["/a"]),
        (b"/\xff\xc3\xa9\n", ["/\udcffé"]),
        (b"/a\x00b\n", ["/a\x00b"]),
        (b"/a\x0bb\xe2\x80\xa8c\n", ["/a\x0bb\u2028c"]),
    ],
)
def test_lines_of_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes, urls: list[str]) -> None:
    """One URL a line, whatever its bytes; blank lines are none."""
    assert urls == urls_of(monkeypatch, data, "-")


@pytest.mark.parametrize("command", ["check --agent A -", "filter --snapshot s --agent A"])
def test_a_packed_stdin(run: Run, folder: Path, command: str) -> None:
    """It is refused as a whole, with a hint."""
    (folder / "s").mkdir()
    done = run(*command.split(), stdin=bz2.compress(b"https://a.example/\n"))

    assert (2, "") == (done.code, done.out)
    assert done.err == (
        "error: `stdin` is compressed with bzip2\nhint: unpack it first: `bzip2 -dc`\n"
    )


def test_order_of_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stdin stands where `-` stands; a second `-` finds nothing more."""
    assert ["/1", "/a", "/2"] == urls_of(monkeypatch, b"/a\n", "/1", "-", "/2", "-")


@pytest.mark.parametrize("length", [LONGEST + 1, LONGEST + 2, 3 * LONGEST, 3 * (LONGEST + 1)])
def test_a_line_that_is_no_url(monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """An endless line is one problem with its number, and the lines behind it are read."""
    before, problem, behind = urls_of(monkeypatch, b"/a\n" + b"x" * length + b"\n/b\n", "-")

    assert ("/a", "/b") == (before, behind)
    assert isinstance(problem, Unanswered)
    assert problem.message.startswith("line 2 of stdin has more than 1,048,576 bytes: `xxx")


def test_a_line_as_long_as_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest line is still a URL."""
    url = b"/" + b"x" * (LONGEST - 2)

    assert [url.decode(), "/b"] == urls_of(monkeypatch, url + b"\n/b", "-")


def test_share_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The share is known for URLs of the command line and for a file, not for a pipe."""
    words = Urls(["/a", "/b"])
    next(iter(words))
    with tempfile.TemporaryFile() as file:
        file.write(b"/a\n/b\n")
        file.seek(0)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(file))
        lines = Urls(["-"])
        list(lines)
        from_file = lines.share_taken
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"/a\n")))

    assert (0.5, 1.0) == (words.share_taken, from_file)
    assert Urls(["-"]).share_taken is None
    assert Urls(["-", "/a"]).share_taken is None


@pytest.mark.usefixtures("robots")
def test_bytes_survive(run: Run) -> None:
    """A URL that is not UTF-8 comes back byte for byte."""
    url = b"/\xff\xfe\x80caf\xc3\xa9"
    done = run(
        "check", "--robots", "robots.txt", "--agent", "A", "--format", "csv", "-", stdin=url + b"\n"
    )

    assert url == done.data.splitlines()[1].partition(b",")[0]
