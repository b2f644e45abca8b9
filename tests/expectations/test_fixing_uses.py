"""Fixing what may be used: afterwards the expectation holds, and nothing else has changed.

`VERGER_FIXED_FILES` says how many random files are tried, from `VERGER_FIXED_FROM`. The oracle asks
about URLs in every dialect that crawlers of today read, and about every other use.
"""

import os
from itertools import product
from random import Random

import pytest

import verger
from verger.analysis import Refused
from verger.crawlers import USES, agent_of, find, may_use
from verger.expectations import Subject, expectations_in, fix, judge
from verger.expectations.fixing import READERS

FILES = int(os.environ.get("VERGER_FIXED_FILES", "60"))
FIRST = int(os.environ.get("VERGER_FIXED_FROM", "0"))

NAMES = (
    *("*", "*", "Googlebot", "GPTBot", "CCBot", "ClaudeBot", "Applebot", "bingbot", "zqzq"),
    *("Google-Extended", "AdsBot-Google", "YandexDirect", "AI2Bot"),
)
ASKING = (
    *(
        "zqzq",
        "Googlebot",
        "Googlebot-Image",
        "GPTBot",
        "CCBot",
        "ClaudeBot",
        "Applebot",
        "bingbot",
    ),
    *("AdsBot-Google", "AdsBot-Google-Mobile-Apps", "Yandex", "YandexDirect", "AI2Bot"),
    *("Ai2Bot-Dolma", "AI2Bot-DeepResearchEval", "Bytespider", "PerplexityBot"),
)
WHO = (
    *('purpose = "training"', 'purpose = "ai-search"', 'agent = "GPTBot"', 'agent = "*"'),
    *('purpose = "*"\nexcept = "__usage_ai-training"', 'agent = ["GPTBot", "Googlebot"]'),
    *('agent = "Google-Extended"', 'agent = ["zqzq", "AI2Bot"]'),
)
URLS = ("/", "/a", "/b", "/a/x", "/c.x")


def random_file(random: Random) -> str:
    blocks = [_signal(random)] if random.random() < 0.15 else []
    for _ in range(random.randrange(4)):
        lines = [
            f"User-agent: {name}" for name in random.sample(NAMES, random.choice([1, 1, 2, 3]))
        ]
        lines += [_line(random) for _ in range(random.randrange(4))]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def _line(random: Random) -> str:
    pattern = random.choice(["/", "/a", "/b", "", "/a/*", "/*.x$"])
    rule = f"{random.choice(['Allow', 'Disallow', 'Disallow'])}: {pattern}"
    return random.choice([_signal(random), "Crawl-delay: 3", *[rule] * 6])


def _signal(random: Random) -> str:
    return f"Content-Signal: {random.choice([*USES])}={random.choice(['yes', 'no'])}"


def expect_fixed(body: str, who: str, use: str, allowed: str) -> bool:
    """Fix a file, and return whether that edited it. What is wrong is an AssertionError."""
    wanted = expectations_in(
        f'[[expect]]\n{who}\nuse = "{use}"\npaths = "/"\nallowed = {allowed}\n'
    )
    outcome = fix(wanted, body)
    meant = {
        token
        for each in judge(wanted, Subject.of_bytes(body.encode()))
        for token in (each.evidence.crawlers if each.evidence else each.expectation.tokens)
    }

    assert all(each.holds for each in judge(wanted, Subject.of_bytes(outcome.body)))
    for dialect, token, url in product(READERS, (*ASKING, "*"), URLS):
        before, after = (verger.parse(each, dialect=dialect) for each in (body, outcome.body))
        same = agent_of(before, token).allowed(url) is agent_of(after, token).allowed(url)
        assert same, (dialect, token, url)
    led = {known.operator for token in meant if (known := find(token)) and is_policy(token)}
    for token, other in product(ASKING, USES):
        known = find(token)
        is_led = known is not None and known.operator in led
        if other != use or not (token in meant or is_led or "*" in meant):
            before, after = verger.parse(body), outcome.robots
            for url in URLS:
                answers = [may_use(file, url, token, other).allowed for file in (before, after)]
                assert answers[0] is answers[1], (token, other, url)
    return bool(outcome.edits)


def is_policy(token: str) -> bool:
    known = find(token)
    return known is not None and known.kind == "policy-token"


def test_nothing_else_changes() -> None:
    edited = 0
    for seed in range(FIRST, FIRST + FILES):
        random = Random(seed)
        body, who, use = random_file(random), random.choice(WHO), random.choice([*USES])
        try:
            edited += expect_fixed(body, who, use, random.choice(["false", "false", "true"]))
        except Refused:
            continue
        except Exception as error:
            error.add_note(f"seed {seed}: {who}, {use}\n{body}")
            raise
    assert edited > FILES // 3


@pytest.mark.parametrize(
    ("who", "body"),
    [
        # One group for all of them: to split it would lose what it says about another use.
        (
            WHO[1],
            "User-agent: Google-Extended\nContent-Signal: search=yes\n\nUser-agent: bingbot\n\n"
            "User-agent: *\nUser-agent: ClaudeBot\n",
        ),
    ],
)
def test_what_would_change_more_is_refused(who: str, body: str) -> None:
    with pytest.raises(Refused, match="would"):
        expect_fixed(body, who, "ai-train", "false")


def test_a_group_without_rules() -> None:
    """A group behind it would give it an empty rule, which Yandex hears; it goes before it."""
    body = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: GPTBot\nUser-agent: bingbot\n"

    assert expect_fixed(body, WHO[4], "ai-train", "false")
