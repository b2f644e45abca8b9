"""Recording: expectations that hold today, so that a test fails when an answer changes.

In: a `Subject`, crawlers and URLs. Out: TOML. Without given URLs, one is chosen for each rule that
decides any (`verger.analysis.effects`), and one that no rule matches: without it, the tests would
not notice a new `Disallow: /`.
"""

# A name is a path as it was given; `pathlib` would change it.
# ruff: noqa: PTH100, PTH117
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from verger._core import Agent, Decision, RobotsTxt, Rule, _places
from verger.access.answer import Answer
from verger.access.policy import AccessPolicy
from verger.analysis import effects
from verger.crawlers import agent_of, agents_of
from verger.crawlers.survey import spellings
from verger.errors import InvalidOption, UnusableInput
from verger.expectations.reading import rule_in
from verger.expectations.subject import DEFAULT_DIALECT, Subject
from verger.files.paths import STANDARD, is_url
from verger.grouping import by_key
from verger.options import DialectName, expect_several, expect_tokens, is_token
from verger.untrusted_text import is_unicode, printable, quoted

MOST_RECORDED = 100_000
"""The most expectations of one recording: crawlers times URLs."""

UNMATCHED = ("/", "/z", "/other", "/other/page.html", "/zzz/0")
"""Paths that may match no rule; the root is always recorded."""

WIDTH = 80
"""The most characters of an array on one line."""


Decide = Callable[[str], Answer | Decision]


@dataclass(frozen=True, slots=True)
class Recorded:
    """The current answer to several crawlers about some URLs.

    agents:   the crawlers, each as its product tokens, separated by commas.
    urls:     the URLs or paths.
    allowed:  whether these crawlers may fetch them.
    rule:     the rule that decides; None if none does, or TOML cannot express it.
    """

    agents: tuple[str, ...]
    urls: tuple[str, ...]
    allowed: bool
    rule: str | None


def record(
    subject: Subject,
    *,
    crawlers: Sequence[tuple[str, ...]] = (),
    urls: Sequence[str] = (),
    dialect: DialectName = DEFAULT_DIALECT,
) -> list[Recorded]:
    """Return the current answers to crawlers about URLs.

    crawlers:  the product tokens of each; by default each one that the file names, and `*`.
    urls:      absolute URLs or paths; by default one for each rule that decides any.
    Raises:    InvalidTarget, OutOfScope, InvalidProductToken; InvalidOption for too many;
               UnusableInput for a site that cannot be reached now.
    """
    expect_several("urls", urls, "URLs")
    expect_several("crawlers", crawlers, "crawlers")
    asked = [*crawlers]
    for each in asked:
        expect_tokens("crawlers", each)
    file = subject.read(dialect)
    _expect_an_answer(subject, file)
    asked = asked or _named_in(file, dialect)
    found: list[Recorded] = []
    count = 0
    for tokens, chosen, decide in _questions(subject, file, asked, urls, dialect):
        count += len(tokens) * len(chosen)
        if count > MOST_RECORDED:
            raise InvalidOption(
                f"this would record more than {MOST_RECORDED:,} expectations",
                "pass fewer crawlers or URLs",
            )
        found += _answers(tokens, chosen, decide)
    return found


def toml_of(found: Iterable[Recorded], *, robots: str | None, dialect: DialectName | None) -> str:
    """Return expectations as TOML, with `robots` and `dialect` at the top."""
    tables = [_fields(robots=robots, dialect=dialect)]
    for each in found:
        fields = _fields(agent=each.agents, url=each.urls, allowed=each.allowed, rule=each.rule)
        tables.append(f"[[expect]]\n{fields}")
    return "\n".join(filter(None, tables))


def _fields(**values: str | bool | Sequence[str] | None) -> str:
    lines = (f"{key} = {_toml(value)}\n" for key, value in values.items() if value is not None)
    return "".join(lines)


def _toml(value: str | bool | Sequence[str]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    texts = [text_of(each) for each in ([value] if isinstance(value, str) else value)]
    if len(texts) == 1:
        return texts[0]
    line = f"[{', '.join(texts)}]"
    return (
        line if len(line) <= WIDTH else "\n".join(["[", *(f"    {each}," for each in texts), "]"])
    )


def name_below(folder: str, robots: str) -> str | None:
    """Return how a file with expectations in a folder names a robots.txt file; None for stdin.

    robots:  its path from the current folder, or its URL.
    Raises UnusableInput for a path that TOML cannot express.
    """
    if robots == STANDARD:
        return None
    if not is_unicode(robots):
        raise UnusableInput(
            f"the path {quoted(robots)} is not UTF-8, and TOML is",
            "pass the content of the file instead of its path",
        )
    if is_url(robots) or os.path.isabs(robots):
        return robots
    try:
        return os.path.relpath(robots, folder or os.curdir)
    except ValueError:  # another drive, on Windows
        return os.path.abspath(robots)


def text_of(text: str) -> str:
    r"""Return a TOML string, with escapes for invisible characters (TOML 1.0.0, String).

    >>> print(text_of('/a"\x7f\u202e'))
    "/a\"\u007f\u202e"
    """
    quoted = json.dumps(text, ensure_ascii=False)[1:-1]
    return f'"{"".join(map(_escaped, quoted))}"'


def _escaped(character: str) -> str:
    if printable(character) == character:
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


# questions


def _expect_an_answer(subject: Subject, file: RobotsTxt | AccessPolicy) -> None:
    """Refuse a site that cannot be reached now, whose rules are unknown."""
    if isinstance(file, RobotsTxt) or file.effect == "allow_all" or subject.entry is None:
        return
    raise UnusableInput(
        f"there is no robots.txt file to record: {subject.describe_fetch()}",
        "try again later, or pass a saved file",
    )


def _named_in(file: RobotsTxt | AccessPolicy, dialect: DialectName) -> list[tuple[str, ...]]:
    """Return the crawlers that a file names, and `*` for all others."""
    groups = file.groups if isinstance(file, RobotsTxt) else ()
    names = spellings(value for group in groups for value in group.product_tokens).values()
    return [*((name,) for name in names if _is_expressible(name, dialect)), ("*",)]


def _is_expressible(name: str, dialect: DialectName) -> bool:
    """Whether a crawler can have this name, and an expectation file can express it."""
    return is_token(name, [dialect]) and is_unicode(name) and "," not in name


def _questions(
    subject: Subject,
    file: RobotsTxt | AccessPolicy,
    crawlers: Sequence[tuple[str, ...]],
    urls: Sequence[str],
    dialect: DialectName,
) -> Iterator[tuple[list[tuple[str, ...]], Sequence[str], Decide]]:
    """Yield crawlers that follow the same rules, the URLs to ask about, and what answers."""
    if not isinstance(file, RobotsTxt):
        yield list(crawlers), urls or ("/",), lambda url: subject.verdict((), url, dialect)
        return
    alike: dict[object, tuple[Agent, list[tuple[str, ...]]]] = {}
    asked = list(dict.fromkeys(crawlers))
    for tokens, agent in zip(asked, _agents_of(file, asked), strict=True):
        key = agent.robots.dialect, tuple(_places(agent))
        alike.setdefault(key, (agent, []))[1].append(tokens)
    for agent, same in alike.values():
        yield same, urls or _witnesses(agent), agent.decide


def _agents_of(file: RobotsTxt, crawlers: Sequence[tuple[str, ...]]) -> Iterator[Agent]:
    """Yield the rules of each crawler, after one walk for all that have one token."""
    tokens = [each[0] for each in crawlers if len(each) == 1]
    found = dict(zip(tokens, agents_of(file, tokens), strict=True))
    for each in crawlers:
        yield found[each[0]] if len(each) == 1 else agent_of(file, each)


def _witnesses(agent: Agent) -> list[str]:
    """Return a URL for each rule that decides any, the root, and one that no rule matches."""
    found = [
        url
        for effect in effects(agent)
        if effect.witness is not None
        and agent.robots.governs(effect.witness)
        and (url := _expressible(agent, effect.witness))
    ]
    unmatched = (path for path in UNMATCHED if agent.decide(path).rule is None)
    return list(dict.fromkeys([*found, "/", *filter(None, [next(unmatched, None)])]))


def _expressible(agent: Agent, url: str) -> str | None:
    """Return a URL that TOML can express and that gets the same answer, if there is one."""
    if is_unicode(url):
        return url
    data = url.encode("utf-8", "surrogateescape")
    escaped = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in data)
    return escaped if agent.decide(escaped).line == agent.decide(url).line else None


# answers


def _answers(
    crawlers: Sequence[tuple[str, ...]], urls: Sequence[str], decide: Decide
) -> Iterator[Recorded]:
    """Yield the answers to crawlers that follow the same rules, one for each rule."""
    agents = tuple(",".join(tokens) for tokens in crawlers)
    answers = ((decide(url), url) for url in urls)
    by_answer = by_key(
        ((answer.allowed is True, _expressible_rule(answer.rule)), url) for answer, url in answers
    )
    for (allowed, rule), same in by_answer.items():
        yield Recorded(agents, tuple(same), allowed, rule)


def _expressible_rule(rule: Rule | None) -> str | None:
    """Return a rule as text; None if expectations cannot express it."""
    text = str(rule)
    return text if is_unicode(text) and str(rule_in(text)) == text and rule is not None else None
