"""Matrices: as wide as their lines need, and upright where they would be too wide."""

import io
import os
import sys
from pathlib import Path

import pytest

from verger.access import answer
from verger.cli.app import main
from verger.options import UseName

from .conftest import Run
from .test_csv_table import Terminal

pytestmark = pytest.mark.usefixtures("robots")

ASK = ("check", "--robots", "robots.txt", "--agent", "ExampleBot", "--agent", "CCBot")
ROW = "disallowed line 3  allowed            "


@pytest.mark.parametrize(
    ("lines", "width"), [(6, len("disallowed line 6")), (1_234, len("disallowed line 1234"))]
)
def test_cells_fit_the_lines_of_one_file(run: Run, lines: int, width: int) -> None:
    """No answer can be wider than one about the last line, and none pads for more."""
    Path("robots.txt").write_bytes(
        b"User-agent: ExampleBot\nDisallow: /\n" + b"#\r\n" * (lines - 2)
    )
    heading = run(*ASK, "/").out.partition("\n")[0]

    assert width + 2 == heading.index("CCBot")


@pytest.mark.parametrize("more", [(), ("--summary",), ("--format", "csv"), ("--format", "jsonl")])
def test_an_answer_about_a_use_is_asked_for_once(
    run: Run, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    """What is printed is what is counted, in the matrix and in tables."""
    asked: list[str] = []
    made = answer.Use.__init__

    def init(use: answer.Use, of: answer.Answer, purpose: UseName) -> None:
        asked.append(of.url)
        made(use, of, purpose)

    monkeypatch.setattr(answer.Use, "__init__", init)
    run(*ASK, "--use", "search", *more, "/", "/a")

    assert ["/", "/", "/a", "/a"] == asked


def test_cells_fit_the_lines_of_many_files(run: Run) -> None:
    """Files of a folder come one after another: there is room for six digits from the start."""
    Path("example.com").write_bytes(b"User-agent: *\nDisallow: /\n")
    ask = ("check", "--snapshot", ".", "--no-summary", "--agent", "A", "--agent", "B")
    heading = run(*ask, "https://example.com/").out.partition("\n")[0]

    assert len("disallowed line 999999") + 2 == heading.index("B")


@pytest.mark.parametrize("words", [["{url}"], ["-"], ["/", "{url}"]])
@pytest.mark.parametrize(("room", "is_upright"), [(0, False), (1, True)])
def test_upright_where_a_row_is_too_wide(
    run: Run, words: list[str], room: int, *, is_upright: bool
) -> None:
    """Without a terminal a row may take 100 columns; the URLs that are known decide for all."""
    url = "/" + "x" * (100 - len(ROW) - 1 + room)
    done = run(*ASK, *[word.format(url=url) for word in words], stdin=url.encode())

    assert is_upright == ("\n  ExampleBot  " in f"\n{done.out}")
    assert is_upright == (f"{url}\n  ExampleBot  allowed\n  CCBot       allowed\n" in done.out)


@pytest.mark.parametrize(
    ("columns", "url", "is_upright"),
    [("200", "/" + "x" * 100, False), ("50", "/private/a/b/c", True), ("", "/" + "x" * 60, True)],
)
def test_width_of_a_terminal(
    monkeypatch: pytest.MonkeyPatch, columns: str, url: str, *, is_upright: bool
) -> None:
    """A terminal says how wide it is, or COLUMNS does; one that does not know has 80 columns."""
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(data, encoding="utf-8"))
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("NO_COLOR", "1")
    main([*ASK, url])
    sys.stdout.flush()

    assert is_upright == data.getvalue().startswith(url.encode())


def test_asked_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where COLUMNS is not set, the width is that of the terminal behind stdout."""
    asked = []

    def size(descriptor: int) -> os.terminal_size:
        asked.append(descriptor)
        return os.terminal_size((40, 25))

    data = io.BytesIO()
    stream = Terminal(data, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(os, "get_terminal_size", size)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    main([*ASK, "/all"])
    stream.flush()

    assert asked
    assert b"/all\n  ExampleBot  allowed\n  CCBot       disallowed line 6\n" == data.getvalue()
