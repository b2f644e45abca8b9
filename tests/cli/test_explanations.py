"""What a person reads: text output as snapshots, which are reviewed like code.

Each case is a robots.txt file and a question; its snapshot is all that is printed, both streams
in the order of a terminal, and the exit code. `VERGER_WRITE_SNAPSHOTS=1 pytest` writes them
anew; read the difference before you commit it.
"""

import io
import os
import sys
from pathlib import Path

import pytest

from verger.cli.app import main

pytestmark = pytest.mark.usefixtures("folder")

SNAPSHOTS = Path(__file__).resolve().parents[1] / "snapshots" / "check"
A = ("--agent", "A")

CASES: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "disallowed": (b"User-agent: a\nDisallow: /private\n", (*A, "https://e.com/private/a")),
    "allowed": (b"User-agent: *\nDisallow: /\nAllow: /p\n", (*A, "/page")),
    "tie": (b"User-agent: a\nDisallow: /p\nAllow: /p\n", (*A, "-v", "/page")),
    "wildcards": (b"User-agent: a\nDisallow: /*/**.pdf$ # none\n", (*A, "/x/y/z.pdf")),
    "trailing-star": (b"User-agent: a\nDisallow: /x*\n", (*A, "--dialect", "yandex", "/xyz")),
    "percent-encoding": (b"User-agent: a\nDisallow: /%63af\xc3\xa9\n", (*A, "/caf%c3%a9/")),
    "reserved-escape": (b"User-agent: a\nDisallow: /a?b=%2F\n", (*A, "/a?b=/c")),
    "index-page": (
        b"User-agent: a\nDisallow: /\nAllow: /x/index.html\n",
        (*A, "--dialect", "googlebot-cpp", "https://e.com/x/"),
    ),
    "index-page-with-wildcard": (
        b"User-agent: a\nDisallow: /\nAllow: /x*/index.html\x1b$\n",
        (*A, "--dialect", "googlebot-cpp", "https://e.com/x/y/"),
    ),
    "index-page-itself": (
        b"User-agent: a\nDisallow: /\nAllow: /x/index.html\n",
        (*A, "--dialect", "googlebot-cpp", "https://e.com/x/index.html"),
    ),
    "no-rule-matches": (b"User-agent: a\nDisallow: /x\n", (*A, "/y")),
    "no-rule-in-several-groups": (
        b"User-agent: a\nDisallow: /x\n\nUser-agent: b\nDisallow: /\n\nUser-agent: A\nAllow: /z\n",
        (*A, "/y"),
    ),
    "no-group": (b"User-agent: b\nDisallow: /\n", ("--agent", "A,C", "/")),
    "group-without-rules": (b"User-agent: b\nDisallow: /\n\nUser-agent: a\n", (*A, "/")),
    "robots-txt-itself": (b"User-agent: *\nDisallow: /\n", (*A, "https://e.com/robots.txt")),
    "file-over-limit": (b"#" * 512_001, (*A, "--dialect", "yandex", "/")),
    "cut-at-limit": (b"User-agent: a\nDisallow: /x\n#" + b"#" * 512_000, (*A, "/x")),
    "empty-rule": (b"User-agent: a\nDisallow:\n", (*A, "--dialect", "yandex", "/")),
    "first-match": (
        b"User-agent: a\nDisallow: /\nAllow: /p\n",
        (*A, "--dialect", "original-1994", "-v", "/p"),
    ),
    "many-start-lines": (
        b"User-agent: b\nUser-agent: a-bot\nUser-agent: A/1.0\nUser-agent: c\nDisallow: /\n",
        (*A, "/x"),
    ),
    "line-ends": (b"\xef\xbb\xbfUser-agent: a\r\r\nDisallow\t:\t/x\t#\t y\rAllow: /", (*A, "/x")),
    "hostile-file": (
        b"User-agent: a\x1b[31m\nUser-agent: \xe2\x80\xaea\n"
        b"Disallow: /\x1b]0;owned\x07*\xff\xe2\x80\xae\xc2\x9b1m # \x1b[2J\n",
        (*A, "--dialect", "original-1994", "/\x1b]0;owned\x07*\udcff\u202e\x9b1m\u2028x"),
    ),
    "long-pattern": (
        b"User-agent: "
        + b"a" * 500
        + b"\nUser-agent: a\nDisallow: /"
        + b"abc" * 2_000
        + b"*z"
        + b" " * 300
        + b"#"
        + b"x" * 500
        + b"\n",
        (*A, "/" + "abc" * 2_000 + "-" * 300 + "z" + "y" * 300),
    ),
    "wide-characters": (
        "User-agent: a\nDisallow: /日本e\u0301\n".encode(),
        (*A, "/日本é/日本e\u0301"),
    ),
    "wide-match": ("User-agent: a\nDisallow: /日本e\u0301*x\n".encode(), (*A, "/日本e\u0301-x")),
    "several-urls": (b"User-agent: a\nDisallow: /x\n", (*A, "/x", "https://e.com/y", "z")),
    "many-beaten": (b"User-agent: a\n" + b"Disallow: /\n" * 15 + b"Allow: /x\n", (*A, "-v", "/x")),
    "matrix-of-agents": (
        b"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n",
        (
            "--agent",
            "A",
            "--agent",
            "B",
            "--agent",
            "A-long-name-of-a-crawler",
            "/x",
            "/y",
            "https://e.com/\x1bz",
            "w",
        ),
    ),
    "matrix-of-dialects": (
        b"User-agent: a\nDisallow: /*x\nAllow: /\n",
        (*A, "--dialect", "all", "--", "/x"),
    ),
    "matrix-of-both": (
        b"User-agent: a\nDisallow: /*x\n",
        (
            "--agent",
            "A",
            "--agent",
            "B",
            "--dialect",
            "rfc9309",
            "--dialect",
            "original-1994",
            "--",
            "/x",
        ),
    ),
    "matrix-of-several-urls": (
        b"User-agent: a\nDisallow: /*x\n",
        (*A, "--dialect", "all", "--", "/x", "https://e.com/\x1bz", "w"),
    ),
    "matrix-of-late-lines": (
        b"# first\n" * 9_998 + b"User-agent: a\nDisallow: /x\n",
        ("--agent", "A", "--agent", "B", "/x"),
    ),
    "verbose-of-several": (
        b"User-agent: a\nDisallow: /x\n",
        ("--agent", "A", "--agent", "B", "-v", "https://e.com/x"),
    ),
    "late-lines": (
        b"# first\n" * 99_998 + b"User-agent: a\nDisallow: /x\n",
        (*A, "--dialect", "googlebot-cpp", "/x"),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_snapshot(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text is the one that was reviewed."""
    robots, words = CASES[name]
    Path("robots.txt").write_bytes(robots)
    shown = printed(words, monkeypatch)

    assert kept(SNAPSHOTS / f"{name}.txt", shown) == shown


def test_colour_adds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its colours a coloured explanation is the plain one."""
    Path("robots.txt").write_bytes(b"User-agent: a\nDisallow: /*x\n")
    words = (*A, "https://e.com/x")
    plain = printed(words, monkeypatch)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = printed(words, monkeypatch)
    monkeypatch.setenv("NO_COLOR", "1")

    assert plain == printed(words, monkeypatch)
    assert kept(SNAPSHOTS / "colour.txt", coloured) == coloured
    for code in ("\x1b[1;31m", "\x1b[31m", "\x1b[36m", "\x1b[0m"):
        assert code in coloured
        coloured = coloured.replace(code, "")
    assert plain == coloured


def test_every_snapshot_has_a_case() -> None:
    """A snapshot that no case makes would never be compared."""
    assert sorted([*CASES, "colour"]) == sorted(path.stem for path in SNAPSHOTS.iterdir())


def printed(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what the command prints to both streams, and its exit code."""
    data = io.BytesIO()
    stream = io.TextIOWrapper(data, encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)
    code = main(["check", "--robots", "robots.txt", *words])
    stream.flush()
    return f"{data.getvalue().decode()}exit {code}\n"


def kept(path: Path, shown: str) -> str:
    """Return a snapshot, after writing it where that is asked for."""
    if os.environ.get("VERGER_WRITE_SNAPSHOTS"):
        path.write_text(shown, encoding="utf-8")
    return path.read_text(encoding="utf-8")
