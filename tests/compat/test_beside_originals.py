"""The drop-ins beside their originals: on any input they raise nothing that those do not.

With `LIBRARY` the drop-in for the standard library gives its very answers. Originals that are not
installed are skipped: `make test-dropins` has all of them.
"""

import codecs
import inspect
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from property_settings import examples

ROOT = Path(__file__).parents[2]
sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]

from benchmarks import inputs, originals  # noqa: E402 (the path comes first)
from verger.compat import protego, reppy, robotparser, robotspy  # noqa: E402

SITES = ROOT / ".cache" / "protego-0.7.0" / "tests" / "test_data"

Ask = Callable[[str, str, str], object]

# Pieces that meet: names with versions, whole identification strings, patterns of all kinds.
NAMES = ("*", "a", "ab", "FooBot", "foobot-news", "FooBot/2.1", "Foo Bot", "", "ünï", "Mozilla/5.0")
AGENTS = (*NAMES, "Mozilla/5.0 (compatible; FooBot/1.0; +https://a.example)", " a ", "x" * 300)
PATTERNS = (
    *("", "/", "/a", "/a/", "/a*", "*b", "/*b$", "/a$b", "/a$$", "/a%2fb", "/a%zz", "/%", "/ä"),
    *("/a?b=c", "/a?", "/a%3Fb", "a", "http://e.example/a", "/a//b", "//a", "/a b", "/a%41"),
)
PATHS = (
    *("", "/", "/a", "/a/b", "/ab", "/xb", "/a$b", "/a$", "/a%2Fb", "/a%zz", "/%", "/ä", "/%C3%A4"),
    *("/a?b=c", "/a?", "/a#b", "a", "?b", "#b", "/a//b", "//a", "/a%20b", "/aA", "/robots.txt"),
)
KEYS = ("User-agent", "Disallow", "Allow", "Crawl-delay", "Request-rate", "Sitemap", "Host", "Foo")
VALUES = (*PATTERNS, *NAMES, "1", "2.5", "1/5", "9/banana", "²", "0400-0845", "# c")

any_text = st.text(max_size=12)
lines = st.builds(
    "{}{}{}{}".format,
    st.sampled_from((*KEYS, "disallow ", " allow", "", "\ufeffUser-agent")) | any_text,
    st.sampled_from((":", ": ", " : ", "", " ", "::")),
    st.sampled_from(VALUES) | any_text,
    st.sampled_from(("", " # c", "\t", "\r", "\0", "\x0b", "\u2028", "\udcf0", "\ud800")),
)
files = st.lists(lines, max_size=12).map("\n".join)
agents = st.sampled_from(AGENTS) | any_text
urls = st.builds(
    "{}{}".format,
    st.sampled_from(("", "", "http://e.example", "https://u@E.example:80", "//e.example", "x:")),
    st.sampled_from(PATHS) | any_text,
)


def robotparser_of(module: Any) -> Ask:
    def ask(text: str, url: str, agent: str) -> object:
        parser = module.RobotFileParser()
        parser.parse(text.splitlines())
        said = [parser.can_fetch(agent, url), parser.site_maps(), str(parser)]
        return said[0], parser.crawl_delay(agent), parser.request_rate(agent), said[1:]

    return ask


def protego_of(module: Any) -> Ask:
    def ask(text: str, url: str, agent: str) -> object:
        rules = module.Protego.parse(text)
        said = [rules.crawl_delay(agent), rules.request_rate(agent), rules.visit_time(agent)]
        return rules.can_fetch(url, agent), said, list(rules.sitemaps), rules.preferred_host

    return ask


def robotspy_of(module: Any) -> Ask:
    def ask(text: str, url: str, agent: str) -> object:
        rules = module.RobotsParser.from_string(text)
        said = [rules.sitemaps, rules.errors, rules.warnings, str(rules), rules.find_rules(agent)]
        return rules.can_fetch(agent, url), said

    return ask


def reppy_of(module: Any) -> Ask:
    def ask(text: str, url: str, agent: str) -> object:
        robots = module.Robots.parse("http://e.example/robots.txt", text)
        one = robots.agent(agent)
        return robots.allowed(url, agent), robots.sitemaps, one.delay, one.allowed(url)

    return ask


PAIRS: dict[str, Callable[[], tuple[Ask, Ask]]] = {
    "robotparser": lambda: (
        robotparser_of(robotparser),
        robotparser_of(import_module("urllib.robotparser")),
    ),
    "robotparser of 3.15": lambda: (
        robotparser_of(robotparser),
        robotparser_of(originals.robotparser()),
    ),
    "protego": lambda: (protego_of(protego), protego_of(import_module("protego"))),
    "robotspy": lambda: (robotspy_of(robotspy), robotspy_of(import_module("robots"))),
    "reppy": lambda: (reppy_of(reppy), reppy_of(originals.reppy())),
}


def pair(name: str) -> tuple[Ask, Ask]:
    try:
        return PAIRS[name]()
    except ImportError as error:
        pytest.skip(f"{error}")


def outcome(ask: Ask, *question: str) -> type[BaseException] | None:
    try:
        ask(*question)
    except Exception as error:
        return type(error)
    return None


@pytest.mark.dropins
@pytest.mark.parametrize("name", PAIRS)
def test_raises_only_where_the_original_does(name: str) -> None:
    """Whatever the original accepts is accepted."""
    ours, theirs = pair(name)

    @examples(200)
    @given(files, urls, agents)
    def check(text: str, url: str, agent: str) -> None:
        raised = outcome(ours, text, url, agent)

        assert raised is None or outcome(theirs, text, url, agent) is not None

    check()


ODD = ("http://[", "http://[::1", "https://\u2100.example/", None, b"/a", 3)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_raises_what_the_original_raises(name: str, odd: Any) -> None:
    """A URL or a user agent that the original refuses raises an exception of its type, or the
    drop-in takes it."""
    if name == "reppy":  # which itself ends the interpreter on a URL that it cannot split
        pytest.skip("the page says that names and URLs are text; what is none is a TypeError")
    if name == "robotparser":
        pytest.skip("the types are those of Python 3.15")
    ours, theirs = pair(name)
    text = "User-agent: a\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    for question in [(text, odd, "a"), (text, "/a", odd)]:
        expected, raised = outcome(theirs, *question), outcome(ours, *question)

        assert raised is None or (expected is not None and issubclass(raised, expected))


# What makes tokens; the core reads files.
TOKENS = {
    "gen_file",
    "gen_uri",
    "parse_tokens",
    "update_rules",
    "AGENT_NOT_VALID",
    "UNEXPECTED_LINE",
}
KINDS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "RobotFileParser of 3.15": (
        robotparser.RobotFileParser,
        lambda: originals.robotparser().RobotFileParser,
    ),
    "Entry": (robotparser.Entry, lambda: originals.robotparser().Entry),
    "Protego": (protego.Protego, lambda: import_module("protego").Protego),
    "RobotsParser": (robotspy.RobotsParser, lambda: import_module("robots").RobotsParser),
    "RobotFileParser": (robotspy.RobotFileParser, lambda: import_module("robots").RobotFileParser),
}


def public(kind: Any) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")} | {"__init__", "__str__"}


def parameters(kind: Any, name: str) -> list[str] | None:
    """The names of the positional parameters; None for what tells none."""
    try:
        found = inspect.signature(getattr(kind, name)).parameters.values()
    except (TypeError, ValueError):
        return None
    return [each.name for each in found if each.kind is each.POSITIONAL_OR_KEYWORD]


@pytest.mark.parametrize("name", KINDS)
def test_names_and_parameters_are_those_of_the_original(name: str) -> None:
    """Every public name is there, and takes the same parameters in the same order."""
    ours, find = KINDS[name]
    try:
        theirs = find()
    except ImportError as error:
        pytest.skip(f"{error}")
    names = public(theirs) - TOKENS
    # the drop-in of `fetch` says what requests took unsaid
    shared = [each for each in sorted(names) if hasattr(ours, each) and parameters(theirs, each)]
    other = {
        each: (parameters(theirs, each), parameters(ours, each))
        for each in shared
        if each != "fetch" and parameters(theirs, each) != parameters(ours, each)
    }

    assert set() == names - public(ours)
    assert {} == other


def as_library() -> Ask:
    class Parser(robotparser.RobotFileParser):
        dialect = robotparser.LIBRARY

    def ask(text: str, url: str, agent: str) -> object:
        parser = Parser()
        parser.parse(text.splitlines())
        return parser.can_fetch(agent, url)

    return ask


def the_library() -> Ask:
    try:
        module = originals.robotparser()
    except ImportError as error:
        pytest.skip(f"{error}")

    def ask(text: str, url: str, agent: str) -> object:
        parser = module.RobotFileParser()
        parser.parse(text.splitlines())
        return parser.can_fetch(agent, url)

    return ask


plain_files = st.lists(
    st.builds(
        "{}: {}".format,
        st.sampled_from(("User-agent", "User-agent", "Disallow", "Allow", "Crawl-delay", "Foo")),
        st.sampled_from([value for value in PATTERNS if value] + [name for name in NAMES if name]),
    ),
    max_size=12,
).map("\n".join)


@pytest.mark.dropins
@examples(500)
@given(plain_files, st.sampled_from([path for path in PATHS if path[:1] == "/"]), agents)
def test_library_dialect_answers_as_the_standard_library(text: str, path: str, agent: str) -> None:
    """With `LIBRARY` the answer is that of Python 3.15."""
    ours, theirs = as_library(), the_library()
    url = f"http://e.example{path}"

    assert theirs(text, url, agent) == ours(text, url, agent)


def questions() -> Iterator[inputs.Question]:
    if not SITES.is_dir():
        pytest.skip("the real files are not there: `make corpus`")
    for path in sorted(SITES.iterdir())[::3]:
        body = path.read_bytes()
        if not body.startswith(codecs.BOM_UTF8):  # behind which the library misses the first line
            yield inputs.question(path.name, body)


@pytest.mark.dropins
def test_library_dialect_answers_as_the_standard_library_on_real_files() -> None:
    """So it is on a third of the 4,231 real files, with one question each."""
    ours, theirs = as_library(), the_library()
    asked = [(q.body.decode("utf-8", "replace"), q.url, q.token) for q in questions()]

    assert [] == [each for each in asked if ours(*each) != theirs(*each)]
