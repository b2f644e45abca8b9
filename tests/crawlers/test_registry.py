"""The registry of crawlers: what is in it, how it is found, and where it comes from."""

import json
import subprocess
import sys
from typing import get_args

import pytest

import verger
from programs import printed
from support import CHECKOUT, shared
from verger import crawlers
from verger.crawlers import CRAWLERS, LISTED, PURPOSES, SOURCES, BoundBy, Kind, Respects
from verger.crawlers.registry import LISTS, UNVERIFIED
from verger.lint.checks.named_groups import TRAINING

TOKENS = [crawler.token for crawler in CRAWLERS]


KNOWN: dict[str, dict[str, str | None]] = {
    "ai-data": {"FirecrawlAgent": "Firecrawl"},
    "search": {
        "Googlebot": "Google",
        "Kagibot": "Kagi",
        "QwantBot-news": "Qwant",
        "Diffbot": "Diffbot",
    },
    "unknown": {"Reflectionbot": "Reflection", "iAskBot": None, "Charlotte": None},
    "search ai-search": {"Bravebot": "Brave"},
    "archive training": {"CCBot": "Common Crawl"},
    "training ai-search": {"CloudflareBrowserRenderingCrawler": "Cloudflare"},
    "ai-data training": dict.fromkeys(("omgili", "omgilibot", "webzio"), "Webz.io"),
    "preview": {"Twitterbot": "X (Twitter)"},
    "advertising": {"OAI-AdsBot": "OpenAI"},
    "monitoring": {"YandexMetrika": "Yandex"},
    "library": {"larbin": None},
    "seo": {
        "AhrefsBot": "Ahrefs",
        "Barkrowler": "Babbar",
        "DeepCrawl": "Lumar",
        "OnCrawl": "Oncrawl",
        "SISTRIX": "SISTRIX",
        "SiteCheckerBotCrawler": "Sitechecker",
        "botify": "Botify",
        "sitebulb": "Sitebulb",
    },
    "ai-search": {
        "ExaBot": "Exa",
        "Kimi-SearchBot": "Moonshot AI",
        "OAI-SearchBot": "OpenAI",
        "Amzn-SearchBot": "Amazon",
        "meta-webindexer": "Meta",
    },
    "user-triggered": {
        "ChatGPT-User": "OpenAI",
        "Google-GeminiNotebook": "Google",
        "Google-CWS": "Google",
    },
    "training": {
        "GPTBot": "OpenAI",
        "KimiBot": "Moonshot AI",
        "LAIONDownloader": "LAION",
        "SBIntuitionsBot": "SB Intuitions",
        "PanguBot": "Huawei",
        "Amazonbot": "Amazon",
        "MistralAI-Training": "Mistral AI",
    },
}
"""By purposes: crawlers and their operators."""


@pytest.mark.parametrize(
    ("token", "operator", "purposes"),
    [(*crawler, purposes) for purposes, known in KNOWN.items() for crawler in known.items()],
)
def test_crawler_is_known(token: str, operator: str | None, purposes: str) -> None:
    """Whose it is, as a name and no sentence, and all that it is for."""
    found = crawlers.find(token)

    assert found is not None
    assert (token.lower(), operator, purposes.split()) == (
        found.token.lower(),
        found.operator,
        list(found.purposes),
    )


def test_there_are_hundreds() -> None:
    """Those that operators publish, and about seven hundred of lists that can be asked about."""
    assert 750 < len(CRAWLERS) < 800


def test_crawlers_are_sorted_and_distinct() -> None:
    """By token, without case; no two differ in case alone."""
    folded = [token.lower() for token in TOKENS]

    assert sorted(set(folded)) == folded


@pytest.mark.parametrize("dialect", verger.DIALECTS)
def test_every_token_can_be_asked_about(dialect: str) -> None:
    """A name that is not a product token, such as one with a space, is left out."""
    for token in TOKENS:
        verger.check_product_token(token, dialect=dialect)


def test_every_group_of_a_token_is_found() -> None:
    """What the registry calls a crawler is what a group names it by (RFC 9309 section 2.2.1)."""
    files = {token: verger.parse(f"User-agent: {token}\nDisallow: /\n") for token in TOKENS}

    assert [] == [token for token in TOKENS if files[token].allowed("/a", token)]


def test_facts_are_of_their_kinds() -> None:
    """Every value is one that the documentation lists, and says who says so."""
    for crawler in CRAWLERS:
        assert crawler.purposes, crawler
        assert set(crawler.purposes) <= set(PURPOSES), crawler
        assert len(set(crawler.purposes)) == len(crawler.purposes), crawler
        assert crawler.respects in get_args(Respects), crawler
        assert crawler.kind in get_args(Kind), crawler
        assert crawler.bound_by in get_args(BoundBy), crawler
        assert crawler.sources, crawler
        assert set(crawler.sources) <= set(SOURCES), crawler
        assert crawler.operator != "", crawler
        assert crawler.url is None or crawler.url.startswith(("http://", "https://")), crawler


def test_whom_a_crawler_follows_is_known() -> None:
    """By the token that files name, and nobody follows one who follows another."""
    known = {crawler.token: crawler for crawler in CRAWLERS}
    followed = {name for crawler in CRAWLERS for name in crawler.follows}

    assert {
        "Googlebot",
        "GoogleOther",
        "Qwantbot",
        "SiteimproveBot",
        "Yandex",
        "coccocbot",
        "msnbot",
    } == followed
    assert [] == [name for name in followed if known[name].follows]


def test_only_its_operator_unbinds_a_crawler() -> None:
    """No list does: who is reported to ignore the file is bound by it all the same."""
    unbound = [crawler for crawler in CRAWLERS if crawler.bound_by != "groups"]

    assert {"no", "partial"} == {crawler.respects for crawler in unbound}
    assert [] == [crawler for crawler in unbound if crawler.sources[0] in LISTS]


def test_policy_tokens_are_a_kind_of_their_own() -> None:
    """Files name them, and no crawler sends them."""
    policy = [crawler.token for crawler in CRAWLERS if crawler.kind == "policy-token"]

    assert ["__usage_ai-training", "Applebot-Extended", "Google-Extended"] == policy
    assert ["__usage_ai-training"] == [each.token for each in CRAWLERS if each.is_hearsay]


def test_unknown_is_a_purpose_alone() -> None:
    """Who has a purpose has no unknown one beside it."""
    assert [] == [each for each in CRAWLERS if "unknown" in each.purposes and each.purposes[1:]]


def test_what_training_crawlers_are_warned_of_is_closed_by_their_purpose() -> None:
    """What RT503 asks for is what `block --purpose training` closes the site to."""
    known = {crawler.token for crawler in CRAWLERS if "training" in crawler.purposes}

    assert set(TRAINING) <= known


def test_what_lists_get_wrong_is_amended() -> None:
    """The lists stay the sources; a crawler that none of them has is unverified."""
    claude, render, bytespider = map(
        crawlers.find, ("Claude-Code", "Baiduspider-render", "Bytespider")
    )

    assert claude is not None
    assert ("Anthropic", ("ai.robots.txt",)) == (claude.operator, claude.sources)
    assert render is not None
    assert ("Baidu", (UNVERIFIED,)) == (render.operator, render.sources)
    assert bytespider is not None
    assert "unknown" == bytespider.respects


def test_other_pages_are_named() -> None:
    """A fact may come from a page of its own."""
    assert crawlers.find("bingbot").sources[:2] == ("bing-crawlers", "bing-bingbot")  # type: ignore[union-attr]


def test_what_was_looked_up_is_not_unverified() -> None:
    """A page that was read takes the place of what was written down from memory."""
    assert crawlers.find("Googlebot").sources == ("google-common-crawlers", "crawler-user-agents")  # type: ignore[union-attr]
    assert crawlers.find("anthropic-ai").sources[0] == UNVERIFIED  # type: ignore[union-attr]
    assert crawlers.find("anthropic-ai").is_unverified  # type: ignore[union-attr]
    assert not crawlers.find("Googlebot").is_unverified  # type: ignore[union-attr]
    assert [] == [crawler for crawler in CRAWLERS if UNVERIFIED in crawler.sources[1:]]


def test_every_purpose_and_source_is_used() -> None:
    """Nothing is explained that does not occur."""
    assert set(PURPOSES) == {name for crawler in CRAWLERS for name in crawler.purposes}
    assert set(SOURCES) == {source for crawler in CRAWLERS for source in crawler.sources}


def test_sources_name_date_and_licence() -> None:
    """Who takes the data further sees on what terms."""
    assert {"CC0", "MIT"} == {source.licence for source in SOURCES.values()}
    assert all(source.title and len(source.date) == 10 for source in SOURCES.values())


def test_listed_tokens_are_known_and_distinct() -> None:
    """As the registry writes them, so that columns named after them are found again."""
    assert len(set(LISTED)) == len(LISTED)
    assert [] == [token for token in LISTED if token not in TOKENS]


@pytest.mark.parametrize("token", ["gptbot", "GPTBOT", "GPTBot"])
def test_case_does_not_matter(token: str) -> None:
    """ASCII letters are compared without case (RFC 9309 section 2.2.1)."""
    assert crawlers.find("GPTBot") is crawlers.find(token)


@pytest.mark.parametrize(
    "token", ["", "*", "GPTBot/1.0", "GPT", "Googlebot-Unheard-Of", "\u212aagi-fetcher", " GPTBot"]
)
def test_other_names_are_not_known(token: str) -> None:
    """Neither parts of tokens, nor what other scripts fold to."""
    assert crawlers.find(token) is None


def test_registry_is_what_the_lists_give() -> None:
    """The packaged file is what tools/crawlers.py writes."""
    tool, archive = CHECKOUT / "tools" / "crawlers.py", shared("corpus/crawlers.json")
    done = subprocess.run([sys.executable, tool, "--check", archive], check=False)

    assert done.returncode == 0


def test_registry_has_what_operators_publish() -> None:
    """tools/crawlers.toml is laid over what is packaged, and changes nothing."""
    tool = CHECKOUT / "tools" / "crawlers.py"
    done = subprocess.run([sys.executable, tool, "--check"], check=False)

    assert done.returncode == 0


def test_data_is_read_when_first_asked_for() -> None:
    """Whoever imports verger, or the names of purposes, does not read 700 crawlers."""
    script = (
        "import verger.crawlers as c; from verger.crawlers.registry import all_crawlers as a;"
        "before = a.cache_info().currsize; c.PURPOSES, c.LISTED, c.CRAWLERS;"
        "print(before, a.cache_info().currsize, 'CRAWLERS' in dir(c))"
    )

    assert printed(script) == "0 1 True\n"


def test_unknown_attribute() -> None:
    """What is not there says so."""
    with pytest.raises(AttributeError, match="has no attribute 'CRAWLER'"):
        getattr(crawlers, "CRAWLER")  # noqa: B009 -- mypy knows that it is not there


def test_all_is_what_is_there() -> None:
    """`__all__` is sorted, and every public name is in it."""
    modules = {"binding", "bindings", "user_agents", "purposes", "registry", "survey"}
    # pytest rewrites the modules of its plugins, and adds names that begin with `@`
    public = {name for name in dir(crawlers) if name[0] not in "_@"} - modules

    assert sorted(crawlers.__all__, key=lambda name: (not name.isupper(), name)) == [
        *sorted(name for name in public if name.isupper()),
        *sorted(name for name in public if not name.isupper()),
    ]


def test_other_languages_get_what_the_core_says() -> None:
    """The registry as JSON is written before anything is compiled, from the core's own source."""
    tool = str(CHECKOUT / "tools" / "crawlers_json.py")
    program = (
        "import json, runpy; from verger.crawlers import CRAWLERS;"
        f"facts = runpy.run_path({tool!r})['facts_of'];"
        "print(json.dumps([facts(crawler) for crawler in CRAWLERS]))"
    )
    written = subprocess.run([sys.executable, tool], capture_output=True, check=True)

    assert json.loads(printed(program)) == json.loads(written.stdout)["crawlers"]
