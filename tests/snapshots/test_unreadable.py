"""Folders of robots.txt files that this user may not read, as a whole or in part."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from cli.conftest import Done

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")

UNPRIVILEGED = """
import contextlib, io, json, os, sys
from verger.cli.app import main

def run(words):
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()

words = sys.argv[1:]
run(words)  # imports what this user may import
if os.geteuid() == 0:  # whom permissions do not hold back
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(json.dumps(run(words)))
"""

Ask: TypeAlias = Callable[..., Done]


@pytest.fixture
def sites(open_folder: Path) -> Path:
    """A folder with the files of two sites."""
    sites = open_folder / "sites"
    sites.mkdir(mode=0o755)
    for host in ("a.example", "b.example", "c.example"):
        (sites / host).write_text("User-agent: *\nDisallow: /private\n")
    (open_folder / "urls.txt").write_text("".join(f"https://{at}.example/\n" for at in "abcd"))
    return sites


@pytest.fixture
def ask(open_folder: Path) -> Ask:
    """Ask about the sites, as a user whom permissions hold back."""

    def ask(*words: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, *words],
            cwd=open_folder,
            capture_output=True,
            text=True,
            check=True,
        )
        code, out, err = json.loads(done.stdout)
        return Done(code, out, err, out.encode())

    return ask


QUESTIONS = {
    "filter": ("filter", "--snapshot", "sites", "--agent", "A", "urls.txt"),
    "check": ("check", "--snapshot", "sites", "--agent", "A", "https://a.example/"),
    "diff": ("diff", "sites", "sites", "--output", "-", "--format", "csv"),
    "scan": ("scan", "sites", "--output", "/dev/null"),
}


@pytest.mark.parametrize("command", QUESTIONS)
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111], ids=oct)
def test_folder(mode: int, command: str, sites: Path, ask: Ask) -> None:
    """One that cannot be listed or entered is an error, not a snapshot of nothing."""
    sites.chmod(mode)
    done = ask(*QUESTIONS[command])
    sites.chmod(0o755)

    assert (2, "") == (done.code, done.out), done.err
    assert done.err.splitlines() == [
        "error: cannot read `sites`: permission denied",
        "hint: let this user list and enter it, or name another folder",
    ]


@pytest.mark.parametrize("strict", [True, False])
def test_file(strict: bool, sites: Path, ask: Ask) -> None:
    """Its rows have no answer, and the first such file is named with the system's reason."""
    for host in ("b.example", "c.example"):
        (sites / host).chmod(0)
    done = ask(*QUESTIONS["filter"], *["--strict"][: int(strict)])

    assert (2, "https://a.example/\n") == (done.code, done.out)
    said = "note: the first file that cannot be read is `sites/b.example`: permission denied"
    assert said in done.err.splitlines()
    assert ["unanswered", "3", "75.0%"] in [line.split() for line in done.err.splitlines()]
    assert "2  the file of the snapshot cannot be read" in done.err


def test_file_that_is_compared(sites: Path, ask: Ask) -> None:
    """A comparison of snapshots names the first one, too, and does not compare its site."""
    (sites / "b.example").chmod(0)
    done = ask(*QUESTIONS["diff"])

    said = "note: the first file that cannot be read is `sites/b.example`: permission denied"
    assert said in done.err.splitlines()
    assert 0 == done.code


def test_a_link_that_leads_nowhere(sites: Path, ask: Ask) -> None:
    """It stands for a file that is elsewhere: none of another name takes its place."""
    (sites / "d.example").symlink_to("nowhere")
    (sites / "d.example.txt").write_text("User-agent: *\nAllow: /\n")
    done = ask(*QUESTIONS["filter"], "--strict")

    assert 2 == done.code
    assert "`sites/d.example`: no such file or directory" in done.err


def test_link(sites: Path, ask: Ask) -> None:
    """A file behind a link into a shut folder is there, and cannot be read."""
    shut = sites.with_name("shut")
    shut.mkdir(mode=0)
    (sites / "d.example").symlink_to(shut / "d.example")
    done = ask(*QUESTIONS["filter"], "--strict")
    shut.chmod(0o755)

    assert 2 == done.code
    assert "`sites/d.example`: permission denied" in done.err
