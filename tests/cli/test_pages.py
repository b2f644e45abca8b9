"""Pages of commands and what they print: snapshots, which are reviewed like code.

In: Markdown. A block `text file=NAME` is a file, a block `console` commands behind `$ ` with all
that each prints, both streams in the order of a terminal, and its exit code in brackets unless it
is 0. `verger` runs in this process, everything else in a shell, also what stands before a `|`.
`{web}` stands for the options that lead to the sites below, and `cache.sqlite` holds some entries.
It is always `NOW`, so that no age depends on how long a command takes.
Out: the page as it would be if it were printed now. `VERGER_WRITE_SNAPSHOTS=1 pytest` writes the
pages anew; read the difference before you commit it.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cache.samples import filled
from verger.cli.app import main

from .console import FENCED, committing
from .test_cache import entries
from .web import Page, Site, Web, web

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tools of Linux")

PAGES = sorted(Path(__file__).with_name("pages").glob("*.md"))

RULES = b"User-agent: ExampleBot\nDisallow: /private\n\nUser-agent: *\nDisallow: /all\n"
SITES: dict[str, Site] = {
    "example.com": RULES,
    "www.example.com": Page(301, headers={"Location": "https://example.com/robots.txt"}),
    "html.example": Page(200, RULES, {"Content-Type": "text/html"}),
    "broken.example": Page(200, b"\x1f\x8b", {"Content-Encoding": "gzip"}),
    "hostile.example": Page(200, RULES, {"Content-Type": "\x1b]0;owned"}),
    "gone.example": 404,
    "refused.example": 403,
    "down.example": 503,
    "busy.example": Page(429, headers={"Retry-After": "300"}),
    "round.example": Page(302, headers={"Location": "/robots.txt"}),
}

NOW = 1_780_000_000.0
CLOCKS = (
    "cache.purging",
    "cli.commands.agents",
    "cli.live",
    "client.refresh",
    "objects.diff",
)
"""The modules that ask for the time."""

Terminal = Callable[[str], str]


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """Serve the sites of the pages."""
    with web(SITES, tmp_path_factory.mktemp("web")) as servers:
        yield servers


@pytest.fixture
def terminal(folder: Path, sites: Web, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return what runs a command line, and gives what it prints."""
    for name, value in (committing(folder) | {"XDG_CACHE_HOME": str(folder / "home")}).items():
        monkeypatch.setenv(name, value)
    for module in CLOCKS:
        monkeypatch.setattr(f"verger.{module}.time", lambda: NOW)
    filled("cache.sqlite", entries(NOW))

    def printed(line: str) -> str:
        before, _, command = line.rpartition(" | verger ")
        if not before and not line.startswith("verger "):
            return subprocess.run(
                ["sh", "-c", f"exec 2>&1; {line}"], stdout=subprocess.PIPE, text=True, check=False
            ).stdout
        given = subprocess.run(["sh", "-c", before], capture_output=True, check=True).stdout
        words = shlex.split(command.removeprefix("verger "))
        at = words.index("{web}") if "{web}" in words else len(words)
        words[at : at + 1] = sites.options if at < len(words) else ()
        data = io.BytesIO()
        both = io.TextIOWrapper(data, encoding="utf-8", write_through=True)
        with monkeypatch.context() as streams:
            streams.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            streams.setattr(sys, "stdout", both)
            streams.setattr(sys, "stderr", both)
            code = main(words)
        both.flush()
        text = data.getvalue().decode("utf-8", "backslashreplace")
        text = text.replace("\r", "\\r").replace(str(folder), "/here")
        text = re.sub(r"^time .*$", "time", text, flags=re.M)
        return f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}" + (
            f"[{code}]\n" if code else ""
        )

    return printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_page(page: Path, terminal: Terminal) -> None:
    """Every command of a page, run in order, prints what stands there."""
    text = page.read_text(encoding="utf-8")
    now = "".join(printed_now(text, terminal))
    if os.environ.get("VERGER_WRITE_SNAPSHOTS"):
        page.write_text(now, encoding="utf-8")

    assert page.read_text(encoding="utf-8") == now


def printed_now(page: str, terminal: Terminal) -> Iterator[str]:
    """Lay down the files of a page; yield its pieces with what its commands print now."""
    end = 0
    for block in FENCED.finditer(page):
        yield page[end : block.start("text")]
        end = block.end("text")
        if block["name"]:
            Path(block["name"]).parent.mkdir(parents=True, exist_ok=True)
            Path(block["name"]).write_text(block["text"], encoding="utf-8")
            yield block["text"]
        else:
            lines = [line for line in block["text"].splitlines() if line.startswith("$ ")]
            yield from (f"{line}\n{terminal(line.removeprefix('$ '))}" for line in lines)
    yield page[end:]
