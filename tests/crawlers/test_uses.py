"""Use: which product tokens stand for it, what their operators honour, and whose rules count."""

import pickle
from datetime import date
from typing import Any

import pytest

import verger
from verger import crawlers, parse
from verger.crawlers import USES, may_use, policy_tokens
from verger.showing.uses import explained

SHOWN_LINES = 10
MECHANISMS = ("crawl-rules", "policy-token", "content-signal", "content-usage", "license")
SITE = b"""\
User-agent: *
Disallow: /private

User-agent: Google-Extended
Disallow: /

User-agent: __usage_ai-training
Allow: /
Disallow: /none
"""


@pytest.mark.parametrize(
    ("token", "purpose", "names"),
    [
        ("Googlebot", "ai-train", ["__usage_ai-training", "Google-Extended"]),
        ("Googlebot", "ai-input", ["Google-Extended"]),
        ("Googlebot", "search", []),
        ("Google-Extended", "ai-train", ["__usage_ai-training", "Google-Extended"]),
        ("Applebot", "ai-train", ["__usage_ai-training", "Applebot-Extended"]),
        ("GPTBot", "ai-train", ["__usage_ai-training"]),
        ("NobodyKnowsThisBot", "ai-train", ["__usage_ai-training"]),
    ],
)
def test_tokens_of_a_use(token: str, purpose: str, names: list[str]) -> None:
    """They are of the crawler's operator, or of everyone, and each has its page."""
    found = policy_tokens((token,), purpose)  # type: ignore[arg-type]

    assert names == [name for name, _ in found]
    assert all(title for _, title in found)


@pytest.mark.parametrize(
    ("token", "allowed", "reason", "line"),
    [
        ("Googlebot", False, "POLICY_TOKEN", 5),
        ("GPTBot", True, "POLICY_TOKEN", 8),
        # the rules of `*` do not speak for a policy token
        ("Applebot-Extended", True, "POLICY_TOKEN", 8),
    ],
)
def test_registry_is_asked(token: str, allowed: bool, reason: str, line: int) -> None:
    """The operator of a crawler decides which tokens speak."""
    url = "/private" if token == "Applebot-Extended" else "/"
    decision = may_use(parse(SITE), url, token, "ai-train")

    assert (allowed, reason, line) == (decision.allowed, decision.reason, decision.line)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("token", ["Googlebot", "GPTBot", "Applebot", "Applebot-Extended"])
def test_an_agent_hears_the_registry(token: str, use: Any) -> None:
    """The agent of a file answers as `check --use` does, unless it is told who speaks."""
    robots = parse(SITE)

    assert robots.agent(token).may_use("/", use) == may_use(robots, "/", token, use)
    told = robots.agent(token).may_use("/", use, policy_tokens=policy_tokens((token,), use))
    assert told == may_use(robots, "/", token, use)
    assert robots.agent("Googlebot").may_use("/", use, policy_tokens=()).allowed is None


def test_followers_hear_their_own_operator() -> None:
    """Applebot follows the groups of Googlebot, and not what stands for the use by Google."""
    both = parse(SITE + b"\nUser-agent: Googlebot\nAllow: /\n")
    [many], one = crawlers.agents_of(both, ["Applebot"]), crawlers.agent_of(both, "Applebot")

    assert one.tokens == many.tokens == ("Googlebot",)
    for agent in (one, many, pickle.loads(pickle.dumps(one))):
        assert (True, 8) == (
            agent.may_use("/", "ai-train").allowed,
            agent.may_use("/", "ai-train").line,
        )
        assert agent != both.agent("Googlebot")
    assert both.agent("Googlebot").may_use("/", "ai-train").line == 5


def test_known_policy_tokens_are_tokens_everywhere() -> None:
    """They are asked about unchecked: each can be one in every dialect."""
    for crawler in crawlers.CRAWLERS:
        if crawler.kind == "policy-token":
            for dialect in verger.DIALECTS:
                verger.check_product_token(crawler.token, dialect=dialect)


def test_several_tokens() -> None:
    """A crawler with several tokens hears those of all its operators."""
    decision = may_use(parse(SITE), "/", ["NobodyKnowsThisBot", "Googlebot"], "ai-train")

    assert (False, 5) == (decision.allowed, decision.line)


def test_operators_rules_count() -> None:
    """Applebot follows the groups of Googlebot; by the file alone it does not."""
    robots = parse(b"User-agent: Googlebot\nDisallow: /\n")

    assert may_use(robots, "/", "Applebot", "search").line == 2
    assert may_use(robots, "/", "Applebot", "search", "file").allowed is None


@pytest.mark.parametrize("purpose", ["training", "", "AI-TRAIN", "a" * 200, "`\x1b"])
def test_unknown_use(purpose: str) -> None:
    """The error names the uses that are known, and quotes the text safely."""
    with pytest.raises(verger.UnknownName, match="unknown use") as caught:
        may_use(parse(SITE), "/", "GPTBot", purpose)  # type: ignore[arg-type]

    assert caught.value.hint == "choose from `search`, `ai-input`, `ai-train`"
    assert "\x1b" not in str(caught.value)


def test_wrong_types_are_refused() -> None:
    """A purpose is text, and policy tokens are pairs of product tokens and pages."""
    agent = parse(SITE).agent("GPTBot")

    with pytest.raises(TypeError, match="`purpose` must be str, not int"):
        agent.may_use("/", 1)  # type: ignore[arg-type]
    with pytest.raises(verger.InvalidProductToken):
        agent.may_use("/", "search", policy_tokens=[("a b", "a page")])
    with pytest.raises(TypeError):
        agent.may_use("/", "search", policy_tokens=["GPTBot"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="neither true nor false"):
        bool(agent.may_use("/", "search"))


def test_kept_rules_are_of_the_question() -> None:
    """One file answers for many crawlers and uses in turn, never with the rules of another."""
    robots = parse(SITE)
    asked = [(f"Bot-{'abcdefghijklmnopqrstuvwxyz'[n]}", use) for n in range(26) for use in USES]
    for token, use in [*asked, *asked]:
        policy = [("Google-Extended", "a page")] if token < "Bot-m" else []
        decision = robots.agent(token).may_use("/", use, policy_tokens=policy)  # type: ignore[arg-type]

        assert (decision.tokens, decision.purpose) == ((token,), use)
        assert decision.allowed is (False if policy else None)


@pytest.mark.parametrize(
    "field", ["Content-Signal: ", "Content-Usage: ", "License: https://e.com/"]
)
def test_long_lines_are_bounded(field: str) -> None:
    """A line of 100 KB is read whole, and shown in part."""
    members = ", ".join(f"x{n}=y" for n in range(12_000))
    dialect = verger.RFC9309.replace(extensions=(*verger.RFC9309.extensions, "content-usage"))
    robots = parse(f"User-agent: *\n{field}{members}, ai-train=no, train-ai=n\n", dialect=dialect)
    decision = robots.agent("a").may_use("/", "ai-train")

    assert decision.allowed is (None if "License" in field else False)
    assert max(map(len, decision.explain(verbose=True).splitlines())) < 300


def test_many_lines_are_bounded() -> None:
    """A file with thousands of licences and unread lines shows the first of them."""
    robots = parse(b"License: https://e.com/a\nContent-Usage: train-ai=n\n" * 5_000)
    shown = robots.agent("a").may_use("/", "ai-train").explain().splitlines()

    assert len(shown) < 5 * SHOWN_LINES
    assert "  = and 4,990 more lines" in [
        line[line.index("=") - 2 :] for line in shown if "more" in line
    ]


def test_hostile_text_is_printable() -> None:
    """What a file holds cannot move the cursor of a terminal."""
    robots = parse("User-agent: *\nContent-Signal: ai-train=no, \x1b[2J\u202e\nDisallow: /\x1b\n")
    decision = robots.agent("a").may_use("/\x1b", "ai-train")

    assert "\x1b" not in decision.explain(verbose=True)
    assert "\u202e" not in explained(decision)


def test_what_operators_honour() -> None:
    """Each mechanism has the page of an operator, with its date."""
    google, cloudflare = (
        crawlers.find("Googlebot"),
        crawlers.find("CloudflareBrowserRenderingCrawler"),
    )
    assert google
    assert cloudflare

    assert ["crawl-rules", "policy-token"] == [each.mechanism for each in google.honours]
    assert ["crawl-rules", "content-signal"] == [each.mechanism for each in cloudflare.honours]
    for crawler in crawlers.CRAWLERS:
        for each in crawler.honours:
            assert each.mechanism in MECHANISMS
            assert each.title
            assert date.fromisoformat(each.date)


def test_lists_do_not_say_what_operators_honour() -> None:
    """Only operators' pages say that a crawler obeys rules."""
    heard = [
        each
        for each in crawlers.CRAWLERS
        if "crawl-rules" in [one.mechanism for one in each.honours]
    ]

    assert len(heard) > 100
    assert all(each.sources[0] not in ("ai.robots.txt", "crawler-user-agents") for each in heard)
