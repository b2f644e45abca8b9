"""The programs below examples/ run, and print what is expected of them."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.web import Page, web

EXAMPLES = Path(__file__).parent.parent / "examples"

LAST_LINES = {
    "ask": "GPTBot      disallowed  https://example.com/private/press/2026.pdf",
    "explain": "  /reviews   matched '/reviews'",
    "dialects": "strict          /a: Decision(disallowed, line=2, rule='Disallow: /a', "
    "reason=MOST_SPECIFIC_RULE)",
    "records": "line 5: `Dissallow` is read as `disallow` (misspelt-key)",
    "processes": "500 of 1000 URLs may be fetched",
}


CRAWLERS = ("polite_crawler_async", "polite_crawler_sync")
ROBOTS = b"User-agent: ExampleBot\nDisallow: /private\nCrawl-delay: 0.5\n"


def test_every_example_is_known() -> None:
    """An example that no test runs does not exist."""
    assert sorted(path.stem for path in EXAMPLES.glob("*.py")) == sorted([*LAST_LINES, *CRAWLERS])


@pytest.mark.parametrize("name", sorted(LAST_LINES))
def test_example_prints_its_last_line(name: str) -> None:
    """The example ends well and says what its reader is told."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.stderr == ""
    assert result.stdout.splitlines()[-1] == LAST_LINES[name]


@pytest.mark.parametrize("name", CRAWLERS)
def test_crawler_is_polite(name: str, tmp_path: Path) -> None:
    """On a real server: robots.txt once, what is disallowed never, the rest in time and by name."""
    pages = {
        "/robots.txt": ROBOTS,
        "/a": Page(200, b"page a"),
        "/b": Page(302, headers={"Location": "/private/c"}),
    }
    with web({"127.0.0.1": pages}, tmp_path) as stage:
        site = f"http://127.0.0.1:{stage.ports['http']}"
        urls = [f"{site}{path}" for path in ("/a", "/private/c", "/b", "/gone")]
        command = [sys.executable, str(EXAMPLES / f"{name}.py"), *urls]
        began = time.monotonic()
        result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        took = time.monotonic() - began
    lines = result.stdout.splitlines()

    assert (0, "") == (result.returncode, result.stderr)
    first, *pages = [request.path for request in stage.requests]
    assert ("/robots.txt", ["/a", "/b", "/gone"]) == (first, sorted(pages))
    assert {"ExampleBot/1.0 (+https://example.com/bot)"} == {
        request.headers["User-Agent"] for request in stage.requests
    }
    assert f"fetched {site}/a: 200, 6 bytes" in lines
    assert f"left alone {site}/private/c: MOST_SPECIFIC_RULE (RFC 9309 section 2.2.2)" in lines
    assert ["200", "302", "404", "MOS"] == sorted(line.partition(": ")[2][:3] for line in lines)
    assert took > 1.0  # two delays between three pages
