"""The rows of the pages' tables of answers that differ: what the original says, and the drop-in.

Every row that names an answer is asked here, of both; originals that are not installed are left
out (`make test-dropins` has all of them).
"""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from benchmarks import originals  # noqa: E402 (the path comes first)
from verger.compat import protego, reppy, robotparser, robotspy  # noqa: E402

BOT = "ExampleBot/1.0 (+https://example.com/bot)"


class Difference(NamedTuple):
    """A row of a page, by a piece of its first cell, and what may be fetched."""

    page: str
    row: str
    lines: tuple[str, ...]
    url: str
    agent: str
    theirs: bool
    ours: bool


def star(*rules: str) -> tuple[str, ...]:
    return ("User-agent: *", *rules)


def closed_to(agent: str) -> tuple[str, ...]:
    return (f"User-agent: {agent}", "Disallow: /")


SPLIT = ("User-agent: a", "Crawl-delay: 1", "User-agent: b", "Disallow: /")
MARKED = "\xef\xbb\xbfUser-agent: *"
STD, PRO, SPY, REP = "robotparser", "protego", "robotspy", "reppy"
GIF = star("Disallow: *.gif", "Allow: /page/")

DIFFERENCES = (
    Difference(STD, "`Disallow: *.gif` against", GIF, "/page/a.gif", "x", False, True),
    Difference(STD, "`Disallow: /a$b`", star("Disallow: /a$b"), "/a$b", "x", True, False),
    Difference(STD, "`Disallow: /a%2Fb`", star("Disallow: /a%2Fb"), "/a/b", "x", False, True),
    Difference(STD, "`Disallow: /a%zz`", star("Disallow: /a%zz"), "/a%25zz", "x", False, True),
    Difference(STD, "`/a#b`", star("Disallow: /a$"), "/a#b", "x", True, False),
    Difference(STD, "`page.html`", star("Disallow: /"), "page.html", "x", True, False),
    Difference(
        *(STD, "`Mozilla/5.0 (compatible; ExampleBot", closed_to("ExampleBot")),
        *("/", "Mozilla/5.0 (compatible; ExampleBot/1.0)", True, False),
    ),
    Difference(STD, "`Googlebot-News`", closed_to("Googlebot"), "/", "Googlebot-News", False, True),
    Difference(STD, "`Crawl-delay` between", SPLIT, "/", "a", True, False),
    Difference(STD, "`Dissallow`", star("Dissallow: /a"), "/a", "x", True, False),
    Difference(
        STD, "byte order mark", ("\ufeffUser-agent: *", "Disallow: /"), "/", "x", True, False
    ),
    Difference(
        *(STD, "byte order mark", (MARKED, "Disallow: /"), "/", "x", True, False),
    ),
    Difference(
        *(STD, "512,000", star("#" * 512_000, "Disallow: /"), "/", "x", False, True),
    ),
    Difference(PRO, "`Disallow: /a$`", star("Disallow: /a$"), "/a$", "x", False, True),
    Difference(
        *(PRO, "`Disallow: https://example.com/`", star("Disallow: https://example.com/")),
        *("/https://example.com/", "x", False, True),
    ),
    Difference(PRO, "`/page%3D5`", star("Disallow: /page=5"), "/page%3D5", "x", False, True),
    Difference(
        *(PRO, "an unknown key", ("User-agent: a", "Foo: b", "User-agent: b", "Disallow: /")),
        *("/", "a", True, False),
    ),
    Difference(
        *(PRO, "`User-agent:` without a name", ("User-agent:", "User-agent: a", "Disallow: /")),
        *("/", "a", False, False),
    ),
    Difference(
        *(PRO, "`Mozilla/4.0", closed_to("Mozilla/4.0 (compatible; Foo)")),
        *("/", "Mozilla/4.0 (compatible; Foo)", False, True),
    ),
    Difference(PRO, "`Foo/2.0`", closed_to("Foo/2.0"), "/", "Foo/2.1", True, False),
    Difference(PRO, "U+00EF U+00BB U+00BF", (MARKED, "Disallow: /"), "/", "x", True, False),
    Difference(PRO, "U+2028", ("User-agent: *\u2028Disallow: /",), "/", "x", False, True),
    Difference(SPY, "`FooBot/1.0", closed_to("FooBot"), "/", "FooBot/1.0", True, False),
    Difference(SPY, "`/robots.txt` itself", star("Disallow: /"), "/robots.txt", "x", False, True),
    Difference(SPY, "`/a//b`", star("Disallow: /a/b"), "/a//b", "x", False, True),
    Difference(SPY, "`%2F`", star("Disallow: /a/b"), "/a%2Fb", "x", False, True),
    Difference(SPY, "`[` and `]`", star("Disallow: /[ab]*c"), "/ac", "x", False, True),
    Difference(SPY, "`?` in a pattern", star("Disallow: /*?b$"), "/axb", "x", False, True),
    Difference(SPY, "`Dissallow`", star("Dissallow: /a"), "/a", "x", True, False),
    Difference(
        SPY, "byte order mark", ("\ufeffUser-agent: *", "Disallow: /"), "/", "x", True, False
    ),
    Difference(SPY, "byte order mark", (MARKED, "Disallow: /"), "/", "x", True, False),
    Difference(
        *(REP, "U+00EF U+00BB U+00BF", ("\xef\xbb\xbfUser-agent: a", "Disallow: /"), "/", "x"),
        *(False, True),
    ),
    Difference(REP, "`Disallow: //`", star("Disallow: //"), "/a", "x", False, True),
    Difference(
        REP, "`Disallow: //a`", star("Disallow: //a"), "https://example.com//a", "x", True, False
    ),
    Difference(REP, "`ExampleBot/1.0", closed_to("ExampleBot"), "/", BOT, True, False),
    Difference(REP, "rules before the first", ("Disallow: /a",), "/a", "x", False, True),
    Difference(REP, "`Crawl-delay` or `Sitemap`", SPLIT, "/", "a", True, False),
    Difference(REP, "`Dissallow`", star("Disallow /a"), "/a", "x", True, False),
    Difference(REP, "another host", star(), "https://other.example/", "x", False, False),
)


def ask_lines(module: Any) -> Callable[[Difference], bool]:
    def ask(it: Difference) -> bool:
        parser = module.RobotFileParser()
        parser.parse(it.lines)
        return bool(parser.can_fetch(it.agent, it.url))

    return ask


def ask_protego(module: Any) -> Callable[[Difference], bool]:
    return lambda it: module.Protego.parse("\n".join(it.lines)).can_fetch(it.url, it.agent)


def ask_robotspy(module: Any) -> Callable[[Difference], bool]:
    parse = module.RobotsParser.from_string
    return lambda it: parse("\n".join(it.lines)).can_fetch(it.agent, it.url)


def ask_reppy(module: Any) -> Callable[[Difference], bool]:
    url = "https://example.com/robots.txt"
    return lambda it: module.Robots.parse(url, "\n".join(it.lines)).allowed(it.url, it.agent)


ASKED: dict[str, tuple[Callable[[Any], Callable[[Difference], bool]], Any, Callable[[], Any]]] = {
    STD: (ask_lines, robotparser, originals.robotparser),
    PRO: (ask_protego, protego, lambda: import_module("protego")),
    SPY: (ask_robotspy, robotspy, lambda: import_module("robots")),
    REP: (ask_reppy, reppy, originals.reppy),
}


@pytest.mark.parametrize("it", DIFFERENCES, ids=lambda it: f"{it.page}: {it.row}")
def test_drop_in_answers_as_its_page_says(it: Difference) -> None:
    """The row is in the page, and the drop-in answers so."""
    how, ours, _ = ASKED[it.page]
    page = (ROOT / "docs" / "compat" / f"{it.page}.md").read_text("utf-8")
    cells = [line.split(" | ")[0] for line in page.splitlines() if line.startswith("|")]

    assert any(it.row in cell for cell in cells)
    assert it.ours == how(ours)(it)


@pytest.mark.parametrize("it", DIFFERENCES, ids=lambda it: f"{it.page}: {it.row}")
def test_original_answers_as_the_page_says(it: Difference) -> None:
    """The original answers otherwise, or the same where the row says so."""
    how, _, find = ASKED[it.page]
    try:
        module = find()
    except ImportError as error:
        pytest.skip(f"{error}")

    assert it.theirs == how(module)(it)


DELAYS = (
    "User-agent: a\nCrawl-delay: 10\nUser-agent: b\nCrawl-delay: 5\nUser-agent: *\nCrawl-delay: 1\n"
)


def delays_of_lines(parser: Any) -> list[float]:
    parser.parse(DELAYS.splitlines())
    return [parser.crawl_delay(name) for name in ("a", "b", "c")]


def delays_of_reppy(robots: Any) -> list[float]:
    file = robots.parse("https://example.com/robots.txt", DELAYS)
    return [file.agent(name).delay for name in ("a", "b", "c")]


def test_crawl_delays_of_groups_without_rules() -> None:
    """They are one group by RFC 9309, and one each with the dialects of the libraries."""
    assert [10, 10, 10] == delays_of_lines(robotparser.RobotFileParser())
    assert [10, 10, 10] == delays_of_reppy(reppy.Robots)
    assert [10, 5, 1] == delays_of_lines(robotparser.RobotFileParser(dialect=robotparser.LIBRARY))
    by_protego = protego.Protego.parse(DELAYS)
    assert [10, 5, 1] == [by_protego.crawl_delay(name) for name in ("a", "b", "c")]


@pytest.mark.parametrize(
    ("asked", "find"), [(delays_of_lines, STD), (delays_of_reppy, REP)], ids=[STD, REP]
)
def test_crawl_delays_of_the_original(asked: Callable[[Any], list[float]], find: str) -> None:
    """The originals have one group each, as the pages say."""
    try:
        module = ASKED[find][2]()
    except ImportError as error:
        pytest.skip(f"{error}")
    it = module.RobotFileParser() if find == STD else module.Robots

    assert [10, 5, 1] == asked(it)
