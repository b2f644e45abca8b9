"""Bad input for every command and every option: one error, a hint, exit code 2, nothing written.

In: the grammars of all commands, and two tables: for each option the values that it refuses, and
for each input what becomes of a file that cannot be read, or holds something else. An option or an
input without a row fails the tests.
"""

import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from argparse import Action
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import pytest
from tools import command_tree as tree

from bulk.report import scans
from cache.samples import filled
from verger.cli.options import file

from .conftest import Done, Run
from .console import environment, run_here
from .test_cache import entries

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="devices and pipes of Linux")

STRING = "ExampleBot/1.0 (+https://example.com/bot)"
NOWHERE = "--connect-to=::127.0.0.1:1"

CHECK = ("check", "--robots=robots.txt", "--agent=A", "/")
CHECK_LIVE = ("check", f"--user-agent={STRING}", NOWHERE, "http://a.example/")
AGENTS = ("agents", "robots.txt")
AGENTS_LIVE = ("agents", NOWHERE, "http://a.example")
DIFF = ("diff", "robots.txt", "new.txt")
DIFF_LIVE = ("diff", NOWHERE, "http://a.example", "new.txt")
COMPARE = ("compare", "robots.txt")
COMPARE_LIVE = ("compare", NOWHERE, "http://a.example")
TEST = ("test", "ok.robots.toml")
TEST_RECORD = ("test", "--record", "--robots=robots.txt")
TEST_LIVE = ("test", "--robots=http://a.example", NOWHERE, "ok.robots.toml")
FILTER = ("filter", "--snapshot=sites", "--agent=A", "urls.txt")
FILTER_LIVE = ("filter", f"--user-agent={STRING}", NOWHERE, "--cache=none", "urls.txt")
AUDIT = ("audit", "--robots=robots.txt", "access.log")
AUDIT_LIVE = ("audit", "--robots=http://a.example", NOWHERE, "access.log")
BLOCK = ("block", "--robots=robots.txt", "--agent=A")
BLOCK_LIVE = ("block", "--robots=http://a.example", "--agent=A", NOWHERE)
ALLOW = ("allow", "--robots=robots.txt", "--agent=A")
ALLOW_LIVE = ("allow", "--robots=http://a.example", "--agent=A", NOWHERE)
MINIMISE = ("minimise", "--robots=robots.txt")
MINIMISE_LIVE = ("minimise", "--robots=http://a.example", NOWHERE)
LINT = ("lint", "robots.txt")
LINT_LIVE = ("lint", NOWHERE, "http://a.example")
SCAN = ("scan", "captures.csv", "--output=o.parquet")
REPORT = ("report", "scan.parquet", "--output=o.html")
REFRESH = ("cache", "refresh", "--cache=c.sqlite", f"--user-agent={STRING}", NOWHERE)
CACHED = "--cache=c.sqlite"
ELSEWHERE = ("--behind-proxy", "--listen=192.0.2.1:80")
"""An address that this machine does not have: the service does not begin to serve."""
SERVE = ("serve", f"--user-agent={STRING}", "--cache=none", *ELSEWHERE)
WATCH = ("watch", "http://a.example", "--archive=a.db", "--once", f"--user-agent={STRING}", NOWHERE)
HISTORY = ("history", "a.example", "--archive=h.db")
MCP = ("mcp", f"--user-agent={STRING}", "--cache=none")

FAR = "x" * 300
"""A name that is longer than the system allows."""

SECONDS = ("", "0", "-1", "nan", "inf", "x", "1s", "1_0", "３", " 3 ", "1e300", "9" * 5_000)  # noqa: RUF001
COUNTS = ("", "0", "-1", "1.5", "x", "1_0", "3 ", "9" * 12, "9" * 5_000)
NOBODY = (
    *("", " ", "\t", ",", "A,", ",A", "A,,B", "A, ,B", "GPTBot:", "GPTBot|CCBot", "GPTBot;CCBot"),
    *("GPTBot CCBot", " GPTBot", "GPTBot ", "GPTBot\n", "A\0", "GPTBot*", '"GPTBot"', "a@b", "a=b"),
    *("User-agent: GPTBot", "GPTBot\u00a0", "\u202eGPTBot", "GPT\u200dBot", "GPTBo\u0301t"),
    *("\udcff", "\ud800"),
)
"""No crawler is called so: what is asked about it would be *allowed*."""

TOKENS = (*NOBODY, "a/1", "Mozilla/5.0 (compatible; GPTBot/1.2)", "/2.1", "(GPTBot)", "/")
STRINGS = (*NOBODY, "(a)", "/1", "/", "a\nb/1", "Mozilla/5.0 (X11; Linux x86_64)")
FIELDS = (
    *("", "x", ": x", "X: a\nb", "X: a\r\n", "X: \n", "X\r\n: a", "\nX: a", "X\r: a"),
    *("Host: x", "X Y: x", "origin=a.example X: x", "origin= X: x"),
)
ROUTES = ("", "x", "a:b", "::", "a:1:b:x", "a:1:b:70000")
PROXIES = ("", "x", "ENV", "socks4://a.example", "ftp://a.example", "http://", "http://a.example:0")
PRIVATE = ("", " ", "a b", "10.0.0.0/99")
OVERRIDES = (
    *("", "x", "=allow", "http://a.example", "http://a.example=", "a.example=allow"),
    *("http://a.example/x=allow", "http://a.example?x=allow", "http://u@a.example=allow"),
    *("http://a.example\\x=allow", "gopher://a.example=allow", "http://a.example=ALLOW"),
    *("http://a.example=missing.txt", "http://a.example=sites", "http://a.example=a\0b"),
)
TIMES = ("", "x", "2026-13-01", "2026", "now")


def network(words: Sequence[str], *left_out: str) -> dict[str, tuple[Sequence[str], Sequence[str]]]:
    """Return the rows of the options that say how to fetch, with words of a command that does."""
    all_ = {
        "--user-agent": STRINGS,
        "--header": FIELDS,
        "--timeout": SECONDS,
        "--connect-to": ROUTES,
        "--proxy": PROXIES,
        "--private": PRIVATE,
    }
    return {
        f"{_command(words)} {option}": (words, values)
        for option, values in all_.items()
        if option not in left_out
    }


def _command(words: Sequence[str]) -> str:
    return " ".join(words[: 2 if words[0] == "cache" else 1])


VALUES: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "check --agent": (CHECK, TOKENS),
    "check --robots-url": (CHECK, ("", "x", "gopher://a.example/", "http://")),
    "check --override": (
        ("check", "--snapshot=sites", "--agent=A", "http://a.example/"),
        OVERRIDES,
    ),
    **network(CHECK_LIVE),
    "agents --agent": (AGENTS, (*TOKENS, "a,b")),
    **network(AGENTS_LIVE, "--user-agent"),
    "agents --user-agent": (AGENTS_LIVE, ("", " ", "a\nb/1")),
    "diff --agent": (DIFF, (*TOKENS, "a,b")),
    **network(DIFF_LIVE, "--user-agent"),
    "diff --user-agent": (DIFF_LIVE, ("", " ", "a\nb/1")),
    "compare --agent": (COMPARE, (*TOKENS, "a,b")),
    **network(COMPARE_LIVE, "--user-agent"),
    "compare --user-agent": (COMPARE_LIVE, ("", " ", "a\nb/1")),
    "test --agent": (TEST_RECORD, TOKENS),
    **network(TEST_LIVE, "--user-agent"),
    "test --user-agent": (TEST_LIVE, ("", " ", "a\nb/1")),
    "filter --agent": (FILTER, TOKENS),
    "filter --column": (("filter", "--snapshot=sites", "--agent=A", "urls.csv"), ("", "x", "URL")),
    "filter --columns": (
        ("filter", "--snapshot=sites", "--agent=A", "--format=csv", "urls.csv"),
        ("", "x", "url,x", ",", "ALL"),
    ),
    "filter --connections": (FILTER_LIVE, COUNTS),
    "filter --per-address": (FILTER_LIVE, COUNTS),
    "filter --override": (FILTER_LIVE, OVERRIDES),
    **network(FILTER_LIVE),
    "audit --agent": (AUDIT, (*TOKENS, "a,b")),
    "audit --host": (AUDIT, ("", " ", "a/b", "a b")),
    "audit --grace": (
        (*AUDIT[:1], "--history=history", "access.log"),
        ("", "x", "-1h", "1y", "24"),
    ),
    "audit --since": (AUDIT, TIMES),
    "audit --until": (AUDIT, TIMES),
    "audit --log-format": (
        AUDIT,
        ("", "x", "$x $request", "%Z %r", "%h%l %r", "$status", "\udcff", "$request\n$x"),
    ),
    "audit --log-field": (AUDIT, ("", "x", "=", "x=y", "time=")),
    "audit --top": (AUDIT, tuple({*COUNTS} - {"0"})),
    **network(AUDIT_LIVE, "--user-agent"),
    "audit --user-agent": (AUDIT_LIVE, ("", " ", "a\nb/1")),
    "block --agent": (BLOCK, (*TOKENS, "a,b")),
    "block --except": (BLOCK, (*TOKENS, "a,b", "A")),
    **network(BLOCK_LIVE, "--user-agent"),
    "block --user-agent": (BLOCK_LIVE, ("", " ", "a\nb/1")),
    "allow --agent": (ALLOW, (*TOKENS, "a,b")),
    "allow --except": (ALLOW, (*TOKENS, "a,b", "A")),
    **network(ALLOW_LIVE, "--user-agent"),
    "allow --user-agent": (ALLOW_LIVE, ("", " ", "a\nb/1")),
    **network(MINIMISE_LIVE, "--user-agent"),
    "minimise --user-agent": (MINIMISE_LIVE, ("", " ", "a\nb/1")),
    "lint --select": (LINT, ("", " ", "x", "RT9", "shadowed", "RT304,", "\udcff")),
    "lint --ignore": (LINT, ("", " ", "x", "RT9", "shadowed", "RT304,", "\udcff")),
    "lint --target": (LINT, ("", " ", "x", "Google", "google,", "all")),
    "lint --about": (("lint",), ("", " ", "x", "RT3", "RT999")),
    **network(LINT_LIVE, "--user-agent"),
    "lint --user-agent": (LINT_LIVE, ("", " ", "a\nb/1")),
    "scan --agent": (SCAN, (*TOKENS, "a,b")),
    "scan --base": (SCAN, ("", "x")),
    "scan --columns": (SCAN, ("", "x", "x=y", "url=", "url=gone,body=gone")),
    "scan --threads": (SCAN, COUNTS),
    "report --title": (REPORT, ("",)),
    "test --fingerprint": (
        ("test", "--robots=robots.txt"),
        ("", "x", "0" * 31, "0" * 33, "g" * 32),
    ),
    "watch --every": (WATCH[:3] + WATCH[4:], ("", "x", "-1h", "1y", "24", "6")),
    "watch --webhook": (WATCH, ("", "x", "a.example", "ftp://a.example", "//a.example")),
    "watch --errors-after": (WATCH, COUNTS),
    "watch --agent": (WATCH, (*TOKENS, "a,b")),
    **network(WATCH),
    "history --agent": (HISTORY, (*TOKENS, "a,b")),
    "history --at": (HISTORY, TIMES),
    "history --shown-to": (HISTORY, ("a\nb/1", "a\x01b")),
    "cache refresh --agent": ((*REFRESH, "--all"), TOKENS),
    **network((*REFRESH, "--all")),
    "serve --agent": (SERVE, TOKENS),
    "serve --listen": (
        (*SERVE[:3], "--token-file=gone"),
        ("", "8080", "127.0.0.1", ":8080", "127.0.0.1:x", "a:65536", "a:-1"),
    ),
    "serve --workers": (SERVE, COUNTS),
    **network(SERVE),
    "mcp --agent": (MCP, TOKENS),
    **network(MCP),
    "cache purge --older-than": (("cache", "purge", CACHED), ("", "0", "x", "-1d", "1y", "1.5d")),
}
"""For each option whose value is free text: words that are fine without it, and bad values."""

CHOICES = (
    *("nope", "", " ", "TEXT", "rfc9309 ", "google,bing", "google+", "google+tie=x", "own+nope"),
    *("all+content-usag", "rfc9309+parse_limit=1", "+content-usage"),
)
"""No option with a fixed set of values has one of these."""

OF_KNOBS = ("error: `x` is not a value of `tie`", "error: `parse_limit` is 1: ")
"""What options for a dialect say of these instead of *unknown*."""

STAGE = ("gone", "folder", "dangling", "loop", "mem", "zero", FAR, "in-a-file")
"""What no command can read: made by `stage`, or not there."""

ODD = ("empty", "binary", "null")
"""What can be read, and is a file of hardly anything."""


@dataclass(frozen=True, slots=True)
class Input:
    """An option or argument that names a file that is read.

    words:   the command; `{}` stands for the file.
    ending:  how the names of such files end.
    fine:    what it may be, though it looks odd, with the exit code.
    """

    words: Sequence[str]
    ending: str = ""
    fine: dict[str, int] = field(default_factory=dict)


ROBOTS = {"empty": 0, "binary": 0, "null": 0}
"""A robots.txt file is never wrong; what is odd about it is noted."""

CHANGED = dict.fromkeys(ROBOTS, 1)
"""What differs from it has other answers."""
EDITED = {"empty": 0, "null": 0}
"""What is not a robots.txt file is not edited."""

LINTED = ROBOTS | {"binary": 1}
"""What is not text is a finding."""

LINES = {"empty": 0, "null": 0}

MADE = ("gone", "empty")
"""Where there is no cache, one is made."""

FOLDER = {"folder": 0}
"""Files may lie in a folder."""

UNANSWERED = {"folder": 2}
"""The folder has no file of the site."""

FILTERED = ("filter", "--snapshot=sites", "--agent=A", "{}")
FILTER_CACHED = ("filter", f"--user-agent={STRING}", NOWHERE, "--cache={}", "urls.txt")

INPUTS: dict[str, Sequence[Input]] = {
    "check --robots": [Input(("check", "--robots={}", "--agent=A", "/"), fine=ROBOTS)],
    "check --snapshot": [Input(("check", "--snapshot={}", "--agent=A", "-"), fine=FOLDER)],
    "check --cache": [Input((*CHECK_LIVE, "--cache={}"), fine=dict.fromkeys(MADE, 1))],
    "check --ca-bundle": [Input((*CHECK_LIVE, "--ca-bundle={}"))],
    "agents SITE": [Input(("agents", "{}"), fine=ROBOTS)],
    "agents --robots": [Input(("agents", "--robots={}"), fine=ROBOTS)],
    "agents --cache": [Input((*AGENTS_LIVE, "--cache={}"), fine=dict.fromkeys(MADE, 0))],
    "agents --ca-bundle": [Input((*AGENTS_LIVE, "--ca-bundle={}"))],
    "diff OLD NEW": [
        Input(("diff", "{}", "new.txt"), fine=CHANGED),
        Input(("diff", "new.txt", "{}"), fine=CHANGED),
        Input(("diff", "{}", "sites", "--output=o.csv"), fine=FOLDER),
        Input(("diff", "sites", "{}", "--output=o.csv"), fine=FOLDER),
    ],
    "diff --cache": [Input((*DIFF_LIVE, "--cache={}"), fine=dict.fromkeys(MADE, 2))],
    "diff --ca-bundle": [Input((*DIFF_LIVE, "--ca-bundle={}"))],
    "compare FILE": [Input(("compare", "{}", "--with=google"), fine=ROBOTS)],
    "compare --robots": [Input(("compare", "--robots={}", "--with=google"), fine=ROBOTS)],
    "compare --cache": [Input((*COMPARE_LIVE, "--cache={}"), fine=dict.fromkeys(MADE, 2))],
    "compare --ca-bundle": [Input((*COMPARE_LIVE, "--ca-bundle={}"))],
    "test FILE|URL": [Input(("test", "{}"), ".robots.toml")],
    "test --robots": [
        Input(("test", "--robots={}", "ok.robots.toml"), fine=dict.fromkeys(ROBOTS, 1)),
        Input(("test", "--record", "--robots={}"), fine=ROBOTS),
    ],
    "test --cache": [Input((*TEST_LIVE, "--cache={}"), fine=dict.fromkeys(MADE, 0))],
    "test --ca-bundle": [Input((*TEST_LIVE, "--ca-bundle={}"))],
    "filter FILE": [
        Input(FILTERED, fine=LINES),
        Input(FILTERED, ".csv", fine=LINES),
        Input(FILTERED, ".jsonl", fine=LINES),
        Input(FILTERED, ".parquet"),
        Input(FILTERED, ".txt.gz", fine=LINES),
    ],
    "filter --snapshot": [
        Input(("filter", "--snapshot={}", "--agent=A", "urls.txt"), fine=UNANSWERED),
        Input(("filter", "--snapshot={}", "--agent=A", "urls.txt"), ".warc", fine=UNANSWERED),
    ],
    "filter --cache": [Input(FILTER_CACHED, fine=dict.fromkeys(MADE, 0))],
    "filter --ca-bundle": [Input((*FILTER_LIVE, "--ca-bundle={}"))],
    "audit ACCESS_LOG": [Input(("audit", "--robots=robots.txt", "{}"), fine=LINES)],
    "audit --robots": [Input(("audit", "--robots={}", "access.log"), fine=ROBOTS)],
    "audit --history": [Input(("audit", "--history={}", "access.log"))],
    "audit --ca-bundle": [Input((*AUDIT_LIVE, "--ca-bundle={}"))],
    "block --robots": [Input(("block", "--robots={}", "--agent=A"), fine=EDITED)],
    "block --ca-bundle": [Input((*BLOCK_LIVE, "--ca-bundle={}"))],
    "allow --robots": [Input(("allow", "--robots={}", "--agent=A"), fine=EDITED)],
    "allow --ca-bundle": [Input((*ALLOW_LIVE, "--ca-bundle={}"))],
    "minimise FILE": [Input(("minimise", "{}"), fine=EDITED)],
    "minimise --robots": [Input(("minimise", "--robots={}"), fine=EDITED)],
    "minimise --ca-bundle": [Input((*MINIMISE_LIVE, "--ca-bundle={}"))],
    "lint FILE": [
        Input(("lint", "{}"), fine=LINTED),
        Input(("lint", "--fix", "{}"), fine={"empty": 0, "binary": 1}),  # a device is not replaced
        Input(("lint", "--diff", "--unsafe-fixes", "{}"), fine=dict.fromkeys(ROBOTS, 0)),
    ],
    "lint --config": [Input(("lint", "--config={}", "robots.txt"))],
    "lint --ca-bundle": [Input((*LINT_LIVE, "--ca-bundle={}"))],
    "fmt FILE": [
        Input(("fmt", "{}"), fine={"empty": 0}),
        Input(("fmt", "--check", "{}"), fine=EDITED),
    ],
    "scan --inputs": [
        Input(("scan", "--inputs={}", "--output=o.parquet"), ".txt"),
        Input(("scan", "--inputs={}", "--output=o.parquet"), ".gz"),
    ],
    "scan FILE": [
        Input(("scan", "{}", "--output=o.parquet"), ".warc.gz"),
        Input(("scan", "{}", "--output=o.parquet"), ".warc"),
        Input(("scan", "{}", "--output=o.parquet"), ".csv"),
        Input(("scan", "{}", "--output=o.parquet"), ".jsonl", fine=LINES),
        Input(("scan", "{}", "--output=o.parquet"), ".parquet"),
    ],
    "scan --known": [Input((*SCAN, "--known={}"), ".parquet")],
    "report SCAN": [Input(("report", "{}", "--output=o.html"))],
    "cache list --cache": [Input(("cache", "list", "--cache={}"))],
    "cache show --cache": [Input(("cache", "show", "--cache={}", "http://a.example"))],
    "cache refresh --cache": [Input(("cache", "refresh", "--cache={}", *REFRESH[3:], "--all"))],
    "cache refresh --ca-bundle": [Input((*REFRESH, "--all", "--ca-bundle={}"))],
    "cache export --cache": [Input(("cache", "export", "--cache={}", "--output=o.parquet"))],
    "serve --cache": [
        Input(("serve", SERVE[1], "--cache={}", *ELSEWHERE), fine=dict.fromkeys(MADE, 2))
    ],
    "serve --ca-bundle": [Input((*SERVE, "--ca-bundle={}"))],
    "serve --snapshot": [Input(("serve", "--snapshot={}", *ELSEWHERE), fine={"folder": 2})],
    "serve --token-file": [Input((*SERVE[:3], SERVE[-1], "--token-file={}"))],
    "watch ORIGIN": [Input(("watch", "{}", *WATCH[2:]))],
    "watch --archive": [
        Input((*WATCH[:2], "--archive={}", *WATCH[3:]), fine=dict.fromkeys(MADE, 0))
    ],
    "watch --expect": [Input((*WATCH, "--expect={}"), ".robots.toml")],
    "watch --webhook-secret": [
        Input((*WATCH, "--webhook=http://127.0.0.1:1", "--webhook-secret={}")),
    ],
    "watch --ca-bundle": [Input((*WATCH, "--ca-bundle={}"))],
    "history --archive": [Input((*HISTORY[:2], "--archive={}"))],
    "history --import": [
        Input((*HISTORY, "--import={}")),
        Input((*HISTORY, "--import={}"), ".csv"),
    ],
    "mcp --cache": [Input((*MCP[:2], "--cache={}"), fine=dict.fromkeys(MADE, 0))],
    "mcp --ca-bundle": [Input((*MCP, "--ca-bundle={}"))],
    "cache purge --cache": [Input(("cache", "purge", "--cache={}", "--all"))],
}

OUTPUTS = {"check --output", "agents --output", "compare --output", "diff --output",
           "lint --output", "filter --output", "test --output", "audit --output",
           "scan --output", "scan --records",
           "block --output", "allow --output", "minimise --output",
           "report --output", "cache export --output", "watch --output", "watch --feed",
           "history --output", "history --chart", "history --export"}  # fmt: skip
"""Whose places are looked at in test_outputs.py."""


@pytest.fixture(autouse=True)
def stage(copied: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work where there is an input for every command, and what is none, under every ending."""
    folder = copied()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    return folder


@pytest.fixture(scope="module")
def copied(inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    """Return what gives a copy of the inputs: the last one, until a test changes it."""
    folder, before = Path(), dict[str, Stamp]()

    def copy() -> Path:
        nonlocal folder, before
        if not before or before != state(folder):
            folder = tmp_path_factory.mktemp("stage")
            shutil.copytree(inputs, folder, symlinks=True, dirs_exist_ok=True)
            before = state(folder)
        return folder

    return copy


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make once what the tests get copies of."""
    folder = tmp_path_factory.mktemp("inputs")
    for name in ("sites", "history"):
        (folder / name).mkdir()
    for name in ("robots.txt", "new.txt", "sites/a.example", "history/2026-01-01.txt"):
        (folder / name).write_bytes(b"User-agent: *\nDisallow: /private\n")
    (folder / "ok.robots.toml").write_text(EXPECTATIONS)
    (folder / "urls.txt").write_bytes(b"http://a.example/\n")
    (folder / "urls.csv").write_bytes(b"url\nhttp://a.example/\n")
    (folder / "captures.csv").write_bytes(b"url,body\na.example,User-agent: *\n")
    (folder / "access.log").write_bytes(
        b'1.2.3.4 - - [05/Jan/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "GPTBot/1"\n'
    )
    scans.write(folder / "scan.parquet", [scans.Capture()])
    filled(folder / "c.sqlite", entries())
    for ending in {each.ending for rows in INPUTS.values() for each in rows}:
        (folder / f"folder{ending}").mkdir()
        (folder / f"empty{ending}").touch()
        (folder / f"binary{ending}").write_bytes(bytes(range(256)) * 9)
        for name, target in LINKS.items():
            (folder / f"{name}{ending}").symlink_to(target or f"{name}{ending}")
    return folder


EXPECTATIONS = """\
robots = "robots.txt"
expect = [{ agent = "A", url = "/private", allowed = false }]
"""

LINKS = {
    "dangling": "nowhere",
    "loop": "",
    "mem": "/proc/self/mem",
    "null": "/dev/null",
    "zero": "/dev/zero",
}
"""Where links lead: to nothing, to themselves, to what cannot be read, is empty, has no end."""


Stamp: TypeAlias = tuple[int, int, int]


def state(folder: Path) -> dict[str, Stamp]:
    """Return every file, and what differs once it was written or replaced.

    What SQLite lays beside a database is left out.
    """
    files: dict[str, Stamp] = {}
    for entry in entries_below(folder):
        if not entry.name.endswith(("-wal", "-shm")):
            found = entry.stat(follow_symlinks=False)
            is_folder = stat.S_ISDIR(found.st_mode)
            written = (0, 0) if is_folder else (found.st_mtime_ns, found.st_size)
            files[entry.path] = (found.st_ino, *written)
    return files


def entries_below(folder: str | Path) -> Iterator["os.DirEntry[str]"]:
    """Yield what lies in a folder, and in those below it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from entries_below(entry.path)


def expect_refused(done: Done, folder: Path, before: dict[str, Stamp]) -> None:
    """One error, one hint, exit code 2, and everything as it was."""
    assert (2, "") == (done.code, done.out), done
    assert ["error:", "hint:"] == [line.partition(" ")[0] for line in done.err.splitlines()]
    assert before == state(folder)
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


# The tables are complete


def values() -> Iterator[tuple[tree.Command, str, Action]]:
    """Yield every option that takes a value, and every argument, with its type."""
    for command in tree.commands():
        for option in command.options:
            if option.nargs != 0:
                yield command, option.option_strings[-1], option
        if command.positional is not None:
            yield command, str(command.positional.metavar), command.positional


def test_every_option_has_a_row() -> None:
    """A new option, and a new input, is looked at here."""
    free, files = set(), set()
    for command, name, action in values():
        if action.type is file:
            files.add(f"{command.name} {name}")
        elif name.startswith("-") and not (action.choices or ()):
            free.add(f"{command.name} {name}")

    assert free == VALUES.keys()
    assert files == INPUTS.keys() | OUTPUTS


# Values


@pytest.mark.parametrize("name", VALUES)
def test_bad_values(name: str, run: Run, stage: Path) -> None:
    """A value that means nothing is refused, and the message is about it."""
    words, refused = VALUES[name]
    option = name.rpartition(" ")[2]
    words = [word for word in words if not word.startswith(f"{option}=")]
    without = run(*words).err
    before = state(stage)
    for value in refused:
        done = run(*words, f"{option}={value}")

        assert len(done.err) < 400, value
        expect_refused(done, stage, before)
        assert without != done.err, value
    expect_refused(run(*VALUES[name][0], f"{option}={refused[0]}"), stage, before)


def choosing() -> list[tuple[str, str]]:
    return [
        (command.name, name)
        for command, name, action in values()
        if (action.choices or ()) and name.startswith("-")
    ]


@pytest.mark.parametrize(("command", "option"), choosing())
def test_bad_choices(command: str, option: str, run: Run, stage: Path) -> None:
    """A word that is not among the known ones is refused, whatever else is said."""
    before = state(stage)
    for value in CHOICES:
        done = run(*command.split(), f"{option}={value}")

        expect_refused(done, stage, before)
        begun = ("error: unknown ", *OF_KNOBS) if value else f"error: `{option}` is empty"
        assert done.err.startswith(begun)
        assert "unknown none" not in done.err


FLAGS = [
    (command.name, name)
    for command in tree.commands()
    for option in command.options
    for name in option.option_strings
    if option.nargs == 0 and name.startswith("--")
]


@pytest.mark.parametrize(("command", "option"), FLAGS)
def test_flags_take_no_value(command: str, option: str, run: Run, stage: Path) -> None:
    """`--quiet=no` is not quiet."""
    before = state(stage)

    expect_refused(run(*command.split(), f"{option}=no"), stage, before)


@pytest.mark.parametrize(
    ("command", "option"),
    [(command.name, name) for command, name, _ in values() if name.startswith("-")],
)
def test_values_are_needed(command: str, option: str, run: Run, stage: Path) -> None:
    """An option at the end of the line lacks its value; an unset variable of a shell is none."""
    before = state(stage)

    expect_refused(run(*command.split(), option), stage, before)
    empty = run(*command.split(), f"{option}=")
    expect_refused(empty, stage, before)
    assert f"`{option}`" in empty.err


@pytest.mark.parametrize("command", list(tree.commands()), ids=lambda command: str(command.name))
def test_dashes_are_no_value(command: tree.Command, run: Run, stage: Path) -> None:
    """`--output=--` names nothing: argparse of Python 3.11 would drop the dashes."""
    before = state(stage)
    for option in command.options:
        for name in option.option_strings:
            done = run(*command.words, f"{name}=--")

            expect_refused(done, stage, before)
            assert done.err.startswith(f"error: `{name}`: `--` is not a value\n")


@pytest.mark.parametrize(
    "command",
    [command for command in tree.commands() if command.positional is not None],
    ids=lambda command: str(command.name),
)
@pytest.mark.parametrize("words", [("",), ("robots.txt", ""), ("--", "")])
def test_empty_arguments(
    command: tree.Command, words: tuple[str, ...], run: Run, stage: Path
) -> None:
    """An unset variable of a shell is not the current folder."""
    before = state(stage)
    done = run(*command.words, *words)

    expect_refused(done, stage, before)
    is_unknown = command.name == "completion" and "robots.txt" in words
    assert done.err.startswith(
        f"error: {'unknown shell' if is_unknown else 'an argument is empty'}"
    )


# Inputs


def readings() -> Iterator[tuple[str, Input, str]]:
    """Yield every input with every file that it cannot be."""
    for name, rows in INPUTS.items():
        for each in rows:
            yield from ((name, each, kind) for kind in (*STAGE, *ODD))


@pytest.mark.parametrize(
    ("name", "each", "kind"),
    [
        pytest.param(name, each, kind, id=f"{name}{each.ending} {kind[:9]}")
        for name, each, kind in readings()
    ],
)
def test_bad_inputs(name: str, each: Input, kind: str, run: Run, stage: Path) -> None:
    """What cannot be read is refused, and what can be is read: no traceback, nothing replaced."""
    path = f"robots.txt/x{each.ending}" if kind == "in-a-file" else f"{kind}{each.ending}"
    before = state(stage)
    done = run(*(word.replace("{}", path) for word in each.words))

    if kind not in each.fine:
        expect_refused(done, stage, before)
        return
    assert each.fine[kind] == done.code, done
    assert "Traceback" not in done.err
    assert before.items() <= state(stage).items() or "cache" in name or "archive" in name
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


# Stdout


@pytest.mark.parametrize("words", [each.words for each in tree.commands()])
@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_help_on_devices(words: tuple[str, ...], device: str) -> None:
    """Help that cannot be written is an error like any other."""
    full = (
        b"error: cannot write the answers: no space left on device\n"
        b"hint: free some space there, or name a file on another disk\n"
    )

    assert ((2, full) if device == "/dev/full" else (0, b"")) == run_on(device, *words, "--help")


def run_on(device: str, *words: str) -> tuple[int, bytes]:
    """Return the exit code of a command whose stdout is a device, and its stderr."""
    with Path(device).open("wb") as stdout, tempfile.TemporaryFile() as stderr:
        code = run_here(words, Path(), stdout.fileno(), stderr.fileno())
        stderr.seek(0)
        return code, stderr.read()


TOLD = {
    "check": CHECK,
    "agents": AGENTS,
    "agents --all": ("agents", "--all"),
    "diff": DIFF,
    "compare": (*COMPARE, "--with=google"),
    "test": TEST,
    "filter": (*FILTER, "--format=csv"),
    "audit": AUDIT,
    "block": BLOCK,
    "allow": ALLOW,
    "minimise": MINIMISE,
    "completion": ("completion", "bash"),
    "cache list": ("cache", "list", CACHED),
    "cache show": ("cache", "show", CACHED, "https://example.com"),
    "cache refresh": (*REFRESH, "http://a.example"),
}


@pytest.mark.parametrize("name", TOLD)
def test_answers_on_full_devices(name: str) -> None:
    """What cannot be told is told so, with what to do."""
    code, said = run_on("/dev/full", *TOLD[name])
    *_, error, hint = said.decode().splitlines()

    assert 2 == code
    assert error.startswith("error: cannot write ")
    assert error.endswith(": no space left on device")
    assert "hint: free some space there, or name a file on another disk" == hint


SPOKEN = {
    "check": ("check", "--robots=robots.txt", "--agent=A", "-"),
    "check --robots": ("check", "--robots=-", "--agent=A", "/"),
    "agents": ("agents", "-"),
    "diff": ("diff", "-", "new.txt"),
    "compare": ("compare", "-"),
    "test": ("test", "--robots=-", "ok.robots.toml"),
    "test --record": ("test", "--record", "--robots=robots.txt", "-"),
    "lint": ("lint", "-"),
    "fmt": ("fmt", "-"),
    "filter": ("filter", "--snapshot=sites", "--agent=A"),
    "audit": ("audit", "--robots=robots.txt", "-"),
    "audit --robots": ("audit", "--robots=-", "access.log"),
    "block": ("block", "--robots=-", "--agent=A"),
    "allow": ("allow", "--robots=-", "--agent=A"),
    "minimise": ("minimise", "--robots=-"),
    "lsp": ("lsp",),
    "mcp": MCP,
}
"""Commands that read stdin."""


@pytest.mark.parametrize("name", SPOKEN)
@pytest.mark.parametrize(
    ("redirection", "why"), [("<&-", "it is closed"), ("0>o", "it is open only for writing")]
)
def test_stdin_that_cannot_be_read(name: str, redirection: str, why: str) -> None:
    """A stdin that is closed, or leads away, is said to be."""
    words = shlex.join([sys.executable, "-m", "verger", *SPOKEN[name]])
    done = subprocess.run(
        ["sh", "-c", f"{words} {redirection}"],
        capture_output=True,
        env=environment(),
        check=False,
    )
    error, hint = done.stderr.decode().splitlines()

    assert (2, b"") == (done.returncode, done.stdout)
    assert error.startswith("error: cannot read ")
    assert error.endswith(f" from stdin: {why}")
    assert hint.startswith("hint: ")


def test_closed_stdout() -> None:
    """So is a stdout that is not there."""
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -m verger --version >&-"],
        stderr=subprocess.PIPE,
        env=environment(),
        check=False,
    )

    assert 2 == done.returncode
    assert (
        b"error: cannot write the answers: stdout is closed\nhint: leave it open, or name a file\n"
        == done.stderr
    )
