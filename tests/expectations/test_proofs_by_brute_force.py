"""Proofs of expectations, held against brute force over every short URL."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random

from verger import DIALECTS, RobotsTxt, parse
from verger._core import Agent, _kept, _places
from verger.analysis.proof import crawlers_of
from verger.analysis.rules import STEPS, has_wildcards
from verger.crawlers import agent_of
from verger.crawlers.registry import by_purpose
from verger.crawlers.uses import policy_tokens
from verger.expectations import EVERYONE, Expectation, Judgement, Subject, judge_one

FILES = int(os.environ.get("VERGER_PROVED_FILES", "48"))
FIRST = int(os.environ.get("VERGER_PROVED_FROM", "0"))

CRAWLERS = ("*", "GPTBot", "CCBot", "Googlebot", "Google-Extended", "Applebot-Extended", "Fig")
PURPOSES = ("training", "search", "ai-search")
USES = ("ai-train", "search", "ai-input")


HOST = "http://example.com"
"""What is before a path that some dialects would take for a host."""


@dataclass(frozen=True)
class Alphabet:
    """What patterns and URLs are made of, and how many pieces a URL has."""

    patterns: str
    urls: tuple[str, ...]
    pieces: int


@cache
def urls_of(alphabet: Alphabet, pieces: int) -> list[str]:
    """Return every URL, shorter ones first."""
    found = (product(alphabet.urls, repeat=count) for count in range(pieces + 1))
    paths = {"/" + "".join(each): None for some in found for each in some}
    return [f"{HOST if path[:2] == '//' else ''}{path}" for path in sorted(paths, key=len)]


PLAIN = Alphabet("/ab*$.", ("/", "a", "b", "*", "$", ".", "x"), 5)
FOLDED = Alphabet("/a:?*$", ("/", "a", ":", "%3A", "?", "*", "$", "x"), 4)


class Case:
    """A random file with an expectation about it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.alphabet = self.random.choice([PLAIN, PLAIN, FOLDED])
        self.dialect = self.random.choice([*DIALECTS])
        self.body = "\n".join(self._file()).encode()
        self.use = self.random.choice([None, *USES])
        pieces = self.alphabet.pieces - (self.use is not None)
        self.urls = urls_of(self.alphabet, pieces)

    def pattern(self) -> str:
        """Return a pattern that the dialect can express."""
        size = self.random.randrange(4)
        text = "".join(self.random.choice(self.alphabet.patterns) for _ in range(size))
        text = self.random.choice(["/", "/", "/", "*"]) + text
        plain = text.replace("*", "").replace("$", "") or "/"
        return text if has_wildcards(DIALECTS[self.dialect]) else plain

    def _file(self) -> Iterator[str]:
        if self.random.random() < 0.2:
            yield self._signal()
        for _ in range(self.random.randrange(4)):
            for name in self.random.sample(CRAWLERS, self.random.choice([1, 1, 2])):
                yield f"User-agent: {name}"
            for _ in range(self.random.randrange(5)):
                yield self._line()

    def _line(self) -> str:
        if self.random.random() < 0.15:
            return self._signal()
        if self.random.random() < 0.15:
            label = self.random.choice(["train-ai", "ai-use", "search"])
            path = self.random.choice(["", f"{self.pattern()} "])
            return f"Content-Usage: {path}{label}={self.random.choice('yn')}"
        field = self.random.choice(["Allow", "Disallow", "Disallow"])
        return f"{field}: {self.random.choice(['', '/', self.pattern(), self.pattern()])}"

    def _signal(self) -> str:
        return f"Content-Signal: {self.random.choice(USES)}={self.random.choice(['yes', 'no'])}"

    def expectation(self) -> Expectation:
        """Return an expectation about all URLs of a pattern."""
        purposes = self.random.choice([(), (), *((each,) for each in PURPOSES), (EVERYONE,)])
        return Expectation(
            () if purposes else (self.random.choice(CRAWLERS),),
            None,
            self.answer(),
            purposes=purposes,
            except_=("CCBot",) if purposes and self.random.random() < 0.2 else (),
            pattern=self.pattern(),
            except_paths=self.except_paths(),
            use=self.use,  # type: ignore[arg-type]
        )

    def except_paths(self) -> tuple[str, ...]:
        return (self.pattern(),) if self.random.random() < 0.2 else ()

    def answer(self) -> bool | None:
        return self.random.choice([True, False] if self.use is None else [True, False, None])


class BruteForce:
    """The answers about every short URL of a pattern."""

    def __init__(self, case: Case, expectation: Expectation, robots: RobotsTxt) -> None:
        is_left_out = [
            self._matcher(pattern, robots) for pattern in expectation.except_paths if pattern
        ]
        is_meant = self._matcher(expectation.pattern or "", robots)
        self.urls = [
            url for url in case.urls if is_meant(url) and not any(each(url) for each in is_left_out)
        ]
        self._expectation = expectation
        self._known: dict[object, str | None] = {}

    def _matcher(self, pattern: str, robots: RobotsTxt):  # type: ignore[no-untyped-def]
        """Return what tells whether a pattern matches a URL; `/robots.txt` is never among them."""
        agent = parse(f"User-agent: *\nDisallow: {pattern}\n", dialect=robots.dialect).agent("*")
        return lambda url: not agent.allowed(url)

    def shortest(self, agent: Agent, asked: tuple[str, list[str]] | None) -> str | None:
        """Return the shortest URL that gets another answer than expected."""
        key = (*_places(agent), agent.named, asked and (asked[0], tuple(asked[1])), agent.robots)
        if key not in self._known:
            self._known[key] = next(
                (url for url in self.urls if self.ask(agent, asked, url) is not self.wanted), None
            )
        return self._known[key]

    @property
    def wanted(self) -> bool | None:
        return self._expectation.allowed

    def ask(self, agent: Agent, asked: tuple[str, list[str]] | None, url: str) -> bool | None:
        if asked is None:
            return agent.allowed(url)
        stand_for = [(token, "") for token in asked[1]]
        return agent.may_use(url, asked[0], policy_tokens=stand_for).allowed  # type: ignore[arg-type]


def meant(expectation: Expectation, robots: RobotsTxt) -> list[str]:
    """Return the crawlers that are meant, one by one."""
    if expectation.tokens:
        return [*expectation.tokens]
    everyone = EVERYONE in expectation.purposes
    known = [each.token for each in by_purpose(expectation.purposes)]
    tokens = crawlers_of([robots]) if everyone else known
    return [token for token in tokens if token not in expectation.except_]


def check(case: Case, expectation: Expectation) -> Judgement:
    """Hold a judgement against brute force."""
    subject = Subject.of_bytes(case.body)
    found = judge_one(expectation, subject, dialect=case.dialect)  # type: ignore[arg-type]
    robots = parse(case.body, dialect=case.dialect)
    brute = BruteForce(case, expectation, robots)
    if found.evidence is None:
        assert str(found.error).startswith("no URL is meant")
        assert not brute.urls
        return found
    crawlers = meant(expectation, robots)
    assert {each.lower() for each in crawlers} == {x.lower() for x in found.evidence.crawlers}
    told = {name.lower(): each for each in found.evidence.counterexamples for name in each.crawlers}
    for token in crawlers:
        agent, asked = agent_of(robots, token), None
        if expectation.use is not None:
            agent = agent._speaking_of_use()
            stand_for = [name for name, _ in policy_tokens((token,), expectation.use)]
            asked = (expectation.use, stand_for)
        shortest, example = brute.shortest(agent, asked), told.get(token.lower())
        if example is None:
            assert shortest is None or token in found.evidence.unproved
            continue
        assert brute.ask(agent, asked, example.url) is not expectation.allowed
        assert shortest is not None or example.url.replace("z", "x") not in case.urls
        assert shortest is None or len(example.url) <= len(shortest), (shortest, example.url)
    return found


def test_every_mechanism_is_heard() -> None:
    """Where `Content-Usage` is on, too, which no dialect with a name reads."""
    for seed in range(FIRST, FIRST + FILES):
        case = Case(seed)
        extensions = (*DIALECTS["rfc9309"].extensions, "content-usage")
        dialect = DIALECTS[case.dialect].replace(extensions=extensions)
        robots = parse(case.body, dialect=dialect)
        use = case.use or "ai-train"
        for token in CRAWLERS:
            expectation = replace(case.expectation(), use=use)  # type: ignore[arg-type]
            stand_for = [name for name, _ in policy_tokens((token,), use)]  # type: ignore[arg-type]
            agent = agent_of(robots, token)._speaking_of_use()
            pattern, left_out = expectation.pattern or "", [*expectation.except_paths]
            asked = (use, stand_for)
            url, is_exact, has_urls, _ = _kept(
                agent,
                pattern,
                left_out,
                expectation.allowed,
                STEPS,
                asked,  # type: ignore[arg-type]
            )
            brute = BruteForce(case, expectation, robots)
            shortest = brute.shortest(agent, asked)
            about = f"seed {seed}, {dialect}, {token}\n{case.body.decode()}\n{expectation}: {url}"
            assert is_exact, about
            assert has_urls or not brute.urls, about
            if url is None:
                assert shortest is None, about
                continue
            assert brute.ask(agent, asked, url) is not expectation.allowed, about
            assert shortest is not None or url.replace("z", "x") not in case.urls, about
            assert shortest is None or len(url) <= len(shortest), about


def test_proofs_agree_with_brute_force() -> None:
    """A crawler is told, with a shortest URL, if and only if a short URL speaks against it."""
    held = unproved = 0
    for seed in range(FIRST, FIRST + FILES):
        case = Case(seed)
        expectation = case.expectation()
        try:
            found = check(case, expectation)
        except Exception as error:
            error.add_note(f"seed {seed}, {case.dialect}\n{case.body.decode()}\n{expectation}")
            raise
        held += found.holds
        unproved += found.evidence is not None and bool(found.evidence.unproved)
    print(f"{FILES} files: {held} hold, {unproved} not proved")
    assert 0 < held < FILES
    assert unproved <= FILES // 100
