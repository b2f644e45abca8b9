"""Nothing hostile reaches a terminal: every command, in every format, and every message.

In: URLs, crawlers, files, headers and names that hold what a terminal would act on. Out: what came
out of a pseudo-terminal, with stdout and stderr on it. A command that is not in the table here
fails the tests.
"""

import io
import json
import os
import re
import shutil
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from bulk.report import scans
from cache.samples import filled
from verger.access.entry import Entry
from verger.access.result import AccessResult
from verger.cli import grammar
from verger.cli.app import COMMANDS, main
from verger.cli.commands import cache
from verger.expectations.recording import Recorded, text_of, toml_of
from verger.showing.palette import STYLES
from verger.untrusted_text import printable

from .console import run_here
from .test_csv_table import Terminal
from .web import Page, Web, web

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes, and pty")

MARK = "\x1b[34m"
"""A colour that no command uses."""

ACTING = f"{MARK}\x07\x7f\x9b1m\x85\u202e\u2066\u200f\u061c\u200b\u2028\u2029\u3164\U000e0041"
HOSTILE = f"{ACTING}\udcff"
"""With a byte that is not UTF-8."""

NAME = f"=n{HOSTILE}"
STORE = f"store{HOSTILE}"
TABLE = f"{HOSTILE}.parquet"
ARCHIVE = f"archive{HOSTILE}"
STRING = "ExampleBot/1.0 (+https://example.com/bot)"
BYTES = ACTING.encode() + b"\xff"


@dataclass(frozen=True, slots=True)
class Scene:
    """What one command is asked, and a folder full of trouble to ask it about."""

    words: Sequence[str]
    formats: Sequence[str] = ("",)
    """`--format`; none of them is binary."""
    is_fetching: bool = False


SCENES = {
    "check": Scene(
        ("check", "--robots", NAME, "--agent", "A", "--agent", "B", "--", f"/{HOSTILE}", HOSTILE)
    ),
    "check -v": Scene(("check", "-v", "--robots", NAME, "--agent", "A", f"/{HOSTILE}/x", HOSTILE)),
    "check --snapshot": Scene(
        (
            "check",
            "--snapshot",
            ".",
            "--agent",
            "A",
            f"http://e.com/{HOSTILE}",
            f"http://{HOSTILE}/",
        )
    ),
    "check fetching": Scene(
        ("check", "--user-agent", STRING, "-v", f"http://e.com/{HOSTILE}", "http://moved.com/"),
        is_fetching=True,
    ),
    "check with a broken cache": Scene(
        ("check", "--user-agent", STRING, "--cache", NAME, f"http://e.com/{HOSTILE}"),
        is_fetching=True,
    ),
    "agents": Scene(("agents", NAME, "--lines")),
    "agents in tables": Scene(("agents", NAME)),
    "agents fetching": Scene(("agents", "http://moved.com/"), is_fetching=True),
    "diff": Scene(("diff", NAME, NAME + ".txt")),
    "diff of everything": Scene(("diff", "--verbose", NAME + ".txt", NAME)),
    "diff fetching": Scene(("diff", "http://moved.com/", NAME), is_fetching=True),
    "diff in git": Scene(("diff", f"HEAD:{HOSTILE}", NAME)),
    "snapshots compared": Scene(("diff", ".", "later", "--output=-")),
    "compare": Scene(("compare", NAME)),
    "block": Scene(("block", "--robots", NAME, "--agent", "A", "--", f"/{HOSTILE}", f"*{HOSTILE}")),
    "block in place": Scene(("block", "--robots", NAME, "--agent", "B", "--in-place")),
    "block fetching": Scene(
        ("block", "--agent", "B", "--robots", "http://moved.com/"), is_fetching=True
    ),
    "block refused": Scene(("block", "--robots", NAME, "--agent", "A", "--", HOSTILE)),
    "allow": Scene(("allow", "--robots", NAME, "--agent", "GPTBot", "--", f"/{HOSTILE}")),
    "minimise": Scene(("minimise", "--robots", NAME)),
    "minimise of another kind": Scene(("minimise", "--robots", NAME + ".jsonl")),
    "test": Scene(("test", "--robots", NAME, NAME + ".robots.toml")),
    "test --verbose": Scene(("test", "--robots", NAME, "--verbose", NAME + ".robots.toml")),
    "test of a broken file": Scene(("test", NAME)),
    "test --record": Scene(("test", "--record", "--robots", "e.com", "--", f"/{ACTING}")),
    "test --record of a file": Scene(("test", "--record", "--robots", "e.com")),
    "test fetching": Scene(
        ("test", "--robots", "http://moved.com/", NAME + ".robots.toml"), is_fetching=True
    ),
    "lint": Scene(("lint", NAME, NAME + ".txt", "--fail-on", "note")),
    "lint fetching": Scene(("lint", "http://moved.com/"), is_fetching=True),
    "fmt": Scene(("fmt", "--diff", NAME, NAME + ".txt")),
    "fmt to check": Scene(("fmt", "--check", NAME)),
    "filter": Scene(("filter", "--snapshot", ".", "--agent", "A", NAME + ".txt", NAME + ".jsonl")),
    "filter fetching": Scene(
        ("filter", "--user-agent", STRING, "--cache", "none", NAME + ".txt"), is_fetching=True
    ),
    "audit": Scene(("audit", "--robots", NAME, "--everyone", NAME + ".log", "gone" + HOSTILE)),
    "audit by rule": Scene(
        ("audit", "--robots", NAME, "--everyone", "--by", "rule", NAME + ".log")
    ),
    "watch": Scene(
        (
            "watch",
            "http://moved.com/",
            NAME + ".txt",
            "--archive",
            "new.archive",
            "--once",
            "--user-agent",
            STRING,
        ),
        is_fetching=True,
    ),
    "history": Scene(("history", "http://e.com/", "--archive", ARCHIVE)),
    "history at a time": Scene(
        ("history", "http://e.com/", "--archive", ARCHIVE, "--at", "2026-01-07")
    ),
    "history for a crawler": Scene(
        (
            "history",
            f"http://e.com/{HOSTILE}",
            "--archive",
            ARCHIVE,
            "--at",
            "2026-01-07",
            "--agent",
            "A",
        )
    ),
    "scan": Scene(("scan", NAME + ".csv", "--output", f"o{HOSTILE}.parquet")),
    "report": Scene(("report", TABLE, "--output", f"r{HOSTILE}.html")),
    "completion": Scene(("completion", "bash")),
    "cache list": Scene(("cache", "list", "--cache", STORE)),
    "cache show": Scene(("cache", "show", "--cache", STORE, "http://e.com")),
    "cache refresh": Scene(
        ("cache", "refresh", "--cache", STORE, "--user-agent", STRING, "--all"),
        is_fetching=True,
    ),
    "cache export": Scene(("cache", "export", "--cache", STORE, "--output", f"e{HOSTILE}.parquet")),
    "cache purge": Scene(("cache", "purge", "--cache", STORE, "--all")),
}
PROTOCOLS = {"lsp", "mcp", "serve"}
"""Commands that speak JSON with a program, and not with a terminal; what `serve` logs is JSON."""

TEXTS_ONLY = {"agents"}
"""Scenes with options that are for text."""

REFUSED = {
    ("diff of everything", "json"),
    *(("check -v", "csv"), ("check fetching", "csv")),
    *(("audit by rule", "text"), ("audit by rule", "json")),
    *(("test --verbose", "json"), ("test --verbose", "junit")),
}
"""Formats that an option of a scene is not for."""


def formats_of(words: Sequence[str]) -> Sequence[str]:
    """Return the formats of a command that are not binary, as the command lists them."""
    known = grammar_of(*words[: 2 if words[0] == "cache" else 1])
    formats = known._option_string_actions.get("--format")
    return [name for name in formats.choices or () if name != "parquet"] if formats else ("",)


def grammar_of(command: str, *more: str) -> ArgumentParser:
    """Return the grammar of a command."""
    return cache.grammar_of(*more) if more else grammar.grammar_of(command)


def test_every_command_has_a_scene() -> None:
    """A new command is looked at here, too."""
    seen = {
        " ".join(scene.words[:2]) if scene.words[0] == "cache" else scene.words[0]
        for scene in SCENES.values()
    }

    assert {
        *(COMMANDS.keys() - {"cache", *PROTOCOLS}),
        *(f"cache {name}" for name in cache.COMMANDS),
    } == seen


CASES = [
    (name, format_)
    for name, scene in SCENES.items()
    for format_ in (["text"] if name in TEXTS_ONLY else formats_of(scene.words))
    if (name, format_) not in REFUSED
]


@pytest.fixture
def stage(tmp_path: Path, inputs: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Lay down files with hostile names and hostile contents."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(inputs, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make once what every test gets a copy of."""
    folder = tmp_path_factory.mktemp("inputs")
    rules = (
        b"User-agent: *\nUser-agent: =n%s\nUser-agent: A\nDisallow: /%s\nSitemap: %s\n%s: x\n"
        b"User-agent: GPTBot\nDisallow: /%s\nContent-Usage: /%s train-ai=n\nAllow: /\n"
        % ((BYTES,) * 6)
    )
    for name in (NAME, "e.com"):
        (folder / name).write_bytes(rules)
    urls = [f"http://e.com/{HOSTILE}", f"http://e.com/x{HOSTILE}", f"http://{HOSTILE}.com/", NAME]
    answers = [
        Recorded(("A", f"B{ACTING}"), (f"/{ACTING}", f"/x{ACTING}"), is_allowed, None)
        for is_allowed in (False, True)
    ]
    document = toml_of(answers, robots=None, dialect="googlebot-cpp")  # which takes any crawler
    document += f"because = {text_of(ACTING)}\n"
    (folder / (NAME + ".robots.toml")).write_text(document)
    (folder / "later").mkdir()
    (folder / "later/e.com").write_bytes(b"")
    (folder / (NAME + ".txt")).write_bytes("\n".join(urls).encode("utf-8", "surrogateescape"))
    rows = [
        json.dumps({"url": url}) for url in [*urls, "http://e.com/a\r\nb", "http://e.com/\ud800"]
    ]
    (folder / (NAME + ".jsonl")).write_text("\n".join([*rows, '{"url": "\x1b[34m', "[]"]))
    line = b'%s - - [05/Jan/2026:10:00:00 +0000] "GET /%s HTTP/1.1" 200 5 "-" "%s"\n'
    agents = (b"GPTBot" + BYTES, BYTES + b"bot/1.0", b"=bot" + BYTES)
    (folder / (NAME + ".log")).write_bytes(
        b"".join(line % (BYTES, BYTES, agent) for agent in agents) + BYTES + b"\n" + line[:30]
    )
    (folder / (NAME + ".csv")).write_bytes(
        b"url,body,status\nhttp://e.com,%s,200\n%s,x,y\n" % (BYTES, BYTES)
    )
    scans.write(folder / "table", [scans.Capture(f"http://{ACTING}.com")])
    (folder / "table").rename(folder / TABLE)
    filled(folder / STORE, entries(rules))
    lay_down_history(folder, rules)
    return folder


def lay_down_history(folder: Path, rules: bytes) -> None:
    """Make an archive of two files of one site."""
    files = folder / "by date"
    files.mkdir()
    (files / "2026-01-05.txt").write_bytes(rules)
    (files / "2026-02-05.txt").write_bytes(rules + b"Disallow: /b%s\n" % BYTES)
    archive = str(folder / ARCHIVE)
    assert main(["history", "http://e.com", "--archive", archive, "--import", str(files)]) == 0


def entries(rules: bytes) -> list[Entry]:
    text = HOSTILE
    good = AccessResult(
        f"http://e.com/{text}",
        time.time() - 1e6,
        status=200,
        body=rules,
        headers={f"x-{text}": text},
        redirects=(f"http://e.com/{text}",),
        notes=(text,),
    )
    bad = AccessResult(f"http://f.com/{text}", time.time(), failure="refused", detail=text)
    return [Entry("http://e.com", good), Entry("http://f.com", bad, good, time.time(), 3)]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Serve hostile files behind hostile redirects."""
    body = b"User-agent: ExampleBot\nUser-agent: %s\nDisallow: /%s\n" % (BYTES, BYTES)
    wire = ACTING.encode().decode("latin-1").replace("\x85", "")
    served = {
        "e.com": Page(200, body, {"Content-Type": f"text/{wire}"}),
        "moved.com": Page(301, b"", {"Location": f"http://e.com/robots.txt?{wire}"}),
        "f.com": Page(503, body, {"Retry-After": wire}),
    }
    with web(served, tmp_path_factory.mktemp("web")) as serving:
        yield serving


def shown_on_a_terminal(words: Sequence[str], folder: Path) -> str:
    """Return what `verger` prints on a terminal, stdout and stderr, without what it paints."""
    master, slave = os.openpty()
    with ThreadPoolExecutor(1) as threads:
        reading = threads.submit(lambda: b"".join(iter(lambda: _read(master), b"")))
        try:
            code = run_here(words, folder, slave, TERM="xterm")
        finally:
            os.close(slave)
        data = reading.result()
    os.close(master)
    assert code in (0, 1, 2), data
    return unpainted(data.decode("utf-8"))  # strictly


def _read(master: int) -> bytes:
    try:
        return os.read(master, 65_536)
    except OSError:  # the other end is closed
        return b""


PAINT = re.compile(
    rf"\x1b\[(0|(?:{'|'.join(STYLES.values())})(?:;(?:{'|'.join(STYLES.values())}))*)m"
)


def unpainted(text: str) -> str:
    """Return text without the colours of `verger`'s own, and without its meter."""
    return PAINT.sub("", re.sub("\r[^\r\n]*\x1b\\[K", "", text.replace("\r\n", "\n")))


def acting_in(text: str) -> set[str]:
    """Return the characters of a text that a terminal would act on, or not show."""
    return {one for line in text.split("\n") for one in line if printable(one) != one}


@pytest.mark.parametrize(("name", "format_"), CASES, ids=lambda value: str(value) or "-")
def test_nothing_acts(name: str, format_: str, stage: Path, sites: Web) -> None:
    """Of all that a stranger could write, nothing acts; what was there is seen."""
    scene = SCENES[name]
    words = [*scene.words[:1], *(sites.options if scene.is_fetching else ()), *scene.words[1:]]
    if scene.words[0] == "cache" and scene.is_fetching:
        words = [*scene.words[:2], *sites.options, *scene.words[2:]]
    if format_ and format_ != "text":
        at = 2 if scene.words[0] == "cache" else 1
        words = [*words[:at], f"--format={format_}", *words[at:]]
    shown = shown_on_a_terminal(words, stage)

    assert set() == acting_in(shown), shown
    assert re.search(r"\\x1b\[34m|\\u001b\[34m", shown) or (name, format_) in QUIET, shown
    assert "Traceback" not in shown


QUIET = {("cache purge", ""), ("cache list", "text"), ("cache refresh", "text")}
QUIET |= {("agents", "text"), ("agents in tables", "text"), ("agents in tables", "csv")}
QUIET |= {("test --record of a file", "text"), ("history", "text")}
QUIET |= {("agents fetching", "csv"), ("completion", ""), ("block in place", "text")}
QUIET |= {("lint fetching", "markdown")}  # which writes signs as entities
QUIET |= {("snapshots compared", name) for name in ("text", "markdown", "json")}
QUIET |= {(name, form) for name in SCENES if "record" in name for form in ("json", "junit")}
QUIET |= {(name, form) for name in SCENES if name[:4] == "diff" for form in ("csv", "jsonl")}
"""Scenes in which nothing of a stranger is told; names that no crawler can have are none."""


@pytest.mark.parametrize("output", ["/dev/stdout", "-", "/dev/tty"])
@pytest.mark.parametrize(
    "words",
    [
        ("filter", "--snapshot", ".", "--agent", "A", NAME + ".txt"),
        ("block", "--robots", NAME, "--agent", "B"),
        ("block", "--robots", NAME, "--agent", "B", "--format", "json"),
        ("allow", "--robots", NAME, "--agent", "GPTBot"),
        ("minimise", "--robots", NAME),
        ("lint", "--diff", "--unsafe-fixes", NAME),
        ("test", "--record", "--robots", "e.com", "--agent=A"),
        ("audit", "--robots", NAME, "--everyone", NAME + ".log", "--format", "csv"),
        ("diff", ".", "later", "--format", "csv"),
        ("diff", NAME, "e.com"),
        ("diff", NAME, "e.com", "--format", "markdown"),
        ("compare", NAME),
        ("agents", NAME, "--lines"),
        ("agents", NAME, "--format", "csv"),
        ("check", "--robots", NAME, "--agent", "A", f"/{HOSTILE}", HOSTILE),
        ("check", "--robots", NAME, "--agent", "A", f"/{HOSTILE}", "--format", "csv"),
    ],
    ids=lambda words: " ".join((words[0], *words[-1:]))[:20],
)
def test_terminal_by_another_name(output: str, words: Sequence[str], stage: Path) -> None:
    """A terminal is one whatever it is called; without one of its own, `/dev/tty` is an error."""
    shown = shown_on_a_terminal((*words, "--output", output), stage)

    assert set() == acting_in(shown), shown


@pytest.mark.parametrize(
    "words",
    [
        ("filter", "--snapshot", ".", "--agent", "A", NAME + ".txt", "--format", "parquet"),
        ("audit", "--robots", NAME, NAME + ".log", "--format", "parquet"),
        ("scan", NAME + ".csv", "--output", "-"),
        ("scan", NAME + ".csv", "--output", "o.parquet", "--records", "/dev/stdout"),
        ("report", TABLE, "--output", "/dev/stdout"),
        ("cache", "export", "--cache", STORE, "--output", "-"),
    ],
    ids=lambda words: f"{words[0]}",
)
def test_what_is_no_text_is_refused(words: Sequence[str], stage: Path) -> None:
    """Parquet and pages go to files and pipes."""
    shown = shown_on_a_terminal(words, stage)

    assert "is not text for a terminal" in shown
    assert "hint: pass `--output FILE`" in shown


# Messages

GRAMMARS = [(name,) for name in COMMANDS if name != "cache"] + [
    ("cache", name) for name in cache.COMMANDS
]


def misuses() -> Iterator[tuple[str, ...]]:
    """Yield, for each command, hostile words in every place."""
    for command in GRAMMARS:
        yield (*command, HOSTILE)
        yield (*command, "--", HOSTILE, HOSTILE)
        yield (*command, f"--{HOSTILE}")
        yield (*command, f"--x={HOSTILE}")
        for option, action in grammar_of(*command)._option_string_actions.items():
            if action.nargs != 0:
                yield (*command, option, HOSTILE)
                yield (*command, f"{option}={HOSTILE}", HOSTILE)
                yield (*command, f"{option}={HOSTILE}", "--agent=A", "--output=o", "in", "/")
    yield (HOSTILE,)
    yield ("cache", HOSTILE)
    yield (f"--{HOSTILE}",)


@pytest.mark.parametrize(
    "words", list(misuses()), ids=lambda words: printable(" ".join(words))[:60]
)
def test_messages(words: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is wrong, it is said in words in which nothing acts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    data = terminal(monkeypatch)
    code = main(words)
    shown = unpainted(data.getvalue().decode("utf-8"))

    assert code in (0, 1, 2)
    assert set() == acting_in(shown), shown


def terminal(monkeypatch: pytest.MonkeyPatch) -> io.BytesIO:
    """Put stdout and stderr on a terminal; return what it gets."""
    data = io.BytesIO()
    for name, errors in (("stdout", "strict"), ("stderr", "backslashreplace")):
        stream = Terminal(data, encoding="utf-8", errors=errors, write_through=True)
        monkeypatch.setattr(sys, name, stream)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    return data
