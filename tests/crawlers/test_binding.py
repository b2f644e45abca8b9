"""By which groups of a file a crawler goes, and whether they bind it."""

import pytest

import verger
from verger import crawlers

GROUPS = """\
User-agent: Googlebot
Disallow: /googlebot

User-agent: Googlebot-News
Disallow: /news

User-agent: Mediapartners-Google
Disallow: /ads

User-agent: *
Disallow: /star
"""

WHOLE = ("koster-rep-00", "rfc9309", "google", "yandex", "bing")
"""The dialects in which a name in a file is the whole name of a crawler."""


@pytest.mark.parametrize(
    ("token", "patterns", "named"),
    [
        ("Googlebot", ["/googlebot"], True),
        ("Googlebot-Image", ["/googlebot"], True),
        ("googlebot-image", ["/googlebot"], True),
        ("Googlebot-News", ["/news"], True),
        ("Applebot", ["/googlebot"], True),
        ("GPTBot", ["/star"], False),
        ("Unheard-Of", ["/star"], False),
        ("AdsBot-Google", [], False),
        ("Mediapartners-Google", ["/ads"], True),
        ("Google-Agent", ["/star"], False),
        ("Google-Extended", ["/star"], False),
        ("*", ["/star"], False),
    ],
)
@pytest.mark.parametrize("dialect", WHOLE)
def test_groups_of_a_crawler(token: str, patterns: list[str], named: bool, dialect: str) -> None:
    """Its own, else those of whom it follows, else those of `*`, unless it says otherwise."""
    agent = crawlers.agent_of(verger.parse(GROUPS, dialect=dialect), token)

    assert ([rule.pattern for rule in agent.rules], agent.named) == (patterns, named)


def test_a_token_that_is_none_is_refused() -> None:
    """As by the file itself."""
    with pytest.raises(verger.InvalidProductToken):
        crawlers.agent_of(verger.parse(GROUPS), "Google bot")


@pytest.mark.parametrize(
    ("token", "named", "bound"),
    [
        ("GPTBot", False, True),
        ("Unheard-Of", False, True),
        ("Bytespider", True, True),
        ("AdsBot-Google", False, False),
        ("AdsBot-Google", True, True),
        ("Google-Agent", False, False),
        ("Google-Agent", True, False),
        ("ChatGPT-User", True, False),
        ("Amzn-User", True, False),
        ("YandexDirect", False, False),
        ("YandexDirect", True, True),
    ],
)
def test_who_is_bound(token: str, named: bool, bound: bool) -> None:
    """By every group, by those that name it alone, or by none."""
    assert bound == crawlers.is_bound(crawlers.find(token), named=named)


@pytest.mark.parametrize(
    ("token", "remark"),
    [
        ("Google-Agent", "robots.txt does not bind `Google-Agent`, as its operator says ("),
        ("ChatGPT-User", "robots.txt may not bind `ChatGPT-User`, as its operator says ("),
        ("Amzn-User", "robots.txt may not bind `Amzn-User`, as its operator says (Amazon, "),
        ("AdsBot-Google", "only groups that name it bind `AdsBot-Google`, not `*` (Google, "),
        ("YandexDirect", "only groups that name it or `Yandex` bind `YandexDirect`, not `*` ("),
        ("Google-Extended", "`Google-Extended` is a policy token: no crawler sends it (Google, "),
    ],
)
def test_remark(token: str, remark: str) -> None:
    """Why the rules of a file are not the whole answer; no stronger than what the operator says."""
    assert (crawlers.remark_on(token) or "").startswith(remark)


@pytest.mark.parametrize("token", ["GPTBot", "Googlebot-Image", "Unheard-Of"])
def test_no_remark(token: str) -> None:
    """Rules bind most crawlers, those of another crawler's group too."""
    assert crawlers.remark_on(token) is None


@pytest.mark.parametrize(
    ("token", "followed", "other"),
    [
        ("bingbot", "msnbot", "adidxbot"),
        ("Screaming", "Googlebot", "Scrapy"),
        ("botify", "Googlebot", "OnCrawl"),
        ("coccocbot-web", "coccocbot", "coccoc"),
        ("SiteimproveBot-Crawler", "SiteimproveBot", "SiteAuditBot"),
    ],
)
def test_a_former_or_more_common_name_is_followed(token: str, followed: str, other: str) -> None:
    """Where no group names the crawler itself."""
    robots = verger.parse(f"User-agent: {followed}\nDisallow: /\n")
    own = verger.parse(f"User-agent: {followed}\nDisallow: /\n\nUser-agent: {token}\nAllow: /\n")

    assert not crawlers.agent_of(robots, token).allowed("/a")
    assert crawlers.agent_of(own, token).allowed("/a")
    assert crawlers.agent_of(robots, other).allowed("/a")
