"""Many threads may share a file and an agent, and get the answers that one thread gets.

An agent compiles its rules when it has been asked some times, and keeps them; every thread starts
at a barrier, so that they fall over the first questions together.
"""

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import verger
from programs import printed
from support import NAMES

THREADS = 16
ROUNDS = 30
TOKENS = [f"bot-{letter}" for letter in "abcdefghijkl"] + ["nobody", "*"]
URLS = [f"/{first}/{second}" for first in "abcdef" for second in ("x", "yy", "z.gif", "q?r=1")]
FILE = (
    "".join(
        f"User-agent: {token}\nDisallow: /{path}\nAllow: /{path}/*y\nDisallow: /*.gif$\n\n"
        for token, path in zip(TOKENS, "abcdefabcdef", strict=False)
    )
    + "User-agent: *\nDisallow: /c\nSitemap: /s.xml\nCrawl-delay: 2\n"
)

Told = tuple[bool, int | None, tuple[int, ...]]


@pytest.fixture(autouse=True)
def _switching_often() -> Iterator[None]:
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def told(decision: verger.Decision) -> Told:
    return decision.allowed, decision.line, tuple(rule.line for rule in decision.beaten)


def answers_of(robots: verger.RobotsTxt) -> dict[str, list[Told]]:
    """Ask a file everything about everybody, once by the agent and once directly."""
    found = {}
    for token in TOKENS:
        agent = robots.agent(token)
        found[token] = [told(agent.decide(url)) for url in URLS]
        assert [allowed for allowed, _, _ in found[token]] == robots.allowed_many(URLS, token)
        assert [robots.allowed(url, token) for url in URLS] == agent.allowed_many(URLS)
    return found


@pytest.mark.parametrize("dialect", NAMES)
def test_shared_file(dialect: str) -> None:
    """One file, many threads, many tokens: all answers are those of a single thread."""
    expected = answers_of(verger.parse(FILE, dialect=dialect))
    robots = verger.parse(FILE, dialect=dialect)
    start = threading.Barrier(THREADS)

    def ask(_: int) -> dict[str, list[Told]]:
        start.wait()
        return answers_of(robots)

    with ThreadPoolExecutor(THREADS) as pool:
        assert [expected] * THREADS == list(pool.map(ask, range(THREADS)))


def test_shared_agent() -> None:
    """A fresh agent meets all threads at once, again and again."""
    expected = [told(verger.parse(FILE).agent("bot-a").decide(url)) for url in URLS]
    start = threading.Barrier(THREADS)

    def ask(agents: list[verger.Agent]) -> list[list[Told]]:
        found = []
        for agent in agents:
            start.wait()
            found.append([told(agent.decide(url)) for url in URLS])
        return found

    agents = [verger.parse(FILE).agent("bot-a") for _ in range(ROUNDS)]
    with ThreadPoolExecutor(THREADS) as pool:
        assert [[expected] * ROUNDS] * THREADS == list(pool.map(ask, [agents] * THREADS))


def test_shared_views() -> None:
    """Lines, records, findings and groups are made while others ask."""
    robots = verger.parse(FILE, url="https://example.com/robots.txt")
    expected = views(verger.parse(FILE, url="https://example.com/robots.txt"))
    start = threading.Barrier(THREADS)

    def look(number: int) -> bool:
        start.wait()
        answers = answers_of(robots) if number % 2 else {}
        return views(robots) == expected and (not answers or len(answers) == len(TOKENS))

    with ThreadPoolExecutor(THREADS) as pool:
        assert [True] * THREADS == list(pool.map(look, range(THREADS)))


def views(robots: verger.RobotsTxt) -> tuple[object, ...]:
    agents = [robots.agent(token) for token in TOKENS]
    advice = [(agent.crawl_delay, agent.content_signals, agent.rules) for agent in agents]
    return (
        *(robots.lines, robots.records, robots.findings, robots.groups, robots.sitemaps),
        *(hash(robots), repr(robots), advice),
    )


def test_question_within_a_question() -> None:
    """URLs may come from a generator that asks the same file about another crawler.

    In a process of its own: a lock that is held meanwhile would stop the whole interpreter.
    """
    program = """if True:
        import verger
        robots = verger.parse(b"User-agent: a\\nDisallow: /a\\nUser-agent: b\\nDisallow: /b\\n")
        robots.allowed("/", "a")
        urls = (url for url in ["/a", "/b"] if robots.allowed("/c", "b" + url[1:]))
        print(robots.allowed_many(urls, "a"))
    """

    assert printed(program) == "[False, True]\n"
