"""Which crawler a `User-Agent` header names."""

import pytest
from hypothesis import given, strategies as st

from steps import steps_of
from verger.crawlers import CRAWLERS, find, of_user_agent

WEBKIT = "AppleWebKit/537.36 (KHTML, like Gecko)"
CHROME = f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/131.0.0.0 Safari/537.36"

CRAWLING = {
    "GPTBot/1.2": "GPTBot",
    "curl/8.5.0": "curl",
    "Scrapy/2.11 (+https://scrapy.org)": "Scrapy",
    "Googlebot-Image/1.0": "Googlebot-Image",
    "Mediapartners-Google": "Mediapartners-Google",
    "\ufeffGPTBot/1.0": "GPTBot",
    "\ufeffMozilla/5.0\xa0(compatible;\xa0GPTBot/1.0)": "GPTBot",
    "GPTBot_1.0": "GPTBot",
    "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)": "Pingdom",
    "DuckDuckBot-Https/1.1; (+https://duckduckgo.com/duckduckbot)": "DuckDuckBot",
    "Mozilla/5.0 (compatible; DuckDuckBot-Https/1.1; https://duckduckgo.com/duckduckbot)": (
        "DuckDuckBot"
    ),
    "Baiduspider+(+http://www.baidu.com/search/spider.htm)": "Baiduspider",
    f"{CHROME}/GPTBot/1.0": "GPTBot",
    f"{CHROME} XWEB/1160065 NetType/WIFI GPTBot/1.0": "GPTBot",
    "FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)": "FeedFetcher-Google",
    "Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)": "Sogou",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)": (
        "LinkedInBot"
    ),
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "Googlebot",
    "mozilla/5.0 (compatible; googlebot/2.1; +http://www.google.com/bot.html)": "Googlebot",
    "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)": "MJ12bot",
    "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)": (
        "archive.org_bot"
    ),
    "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)": "Slurp",
    "Mozilla/5.0 (compatible; Linux x86_64; Mail.RU_Bot/2.0; +http://go.mail.ru/help/robots)": (
        "Mail.RU_Bot"
    ),
    f"Mozilla/5.0 {WEBKIT[:-1]}; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)": "ClaudeBot",
    f"{CHROME}; compatible; OAI-SearchBot/1.3; +https://openai.com/searchbot": "OAI-SearchBot",
    f"{CHROME} (compatible; Bytespider; spider-feedback@bytedance.com)": "Bytespider",
    f"{CHROME} (Applebot/0.1; +http://www.apple.com/go/applebot)": "Applebot",
    f"{CHROME} facebookexternalhit/1.1 Facebot Twitterbot/1.0": "facebookexternalhit",
    f"Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) {WEBKIT}": "Storebot-Google",
    "Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) Mobile Safari/537.36 "
    "(compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)": (
        "AdsBot-Google-Mobile"
    ),
    "Python/3.11 aiohttp/3.9.1": "aiohttp",
    f"{CHROME}; Bytespider": "Bytespider",
    f"{CHROME} factset_spyderbot": "Factset_spyderbot",
    f"{CHROME}; 360Spider(compatible; HaosouSpider; http://www.haosou.com/help/)": "360Spider",
    "Mozilla/5.0 (Windows NT 6.1; rv:38.0) Gecko Firefox/38.0 (IndeedBot 1.1)": "IndeedBot",
    "Mozilla/5.0 (X11; U; Linux; rv:1.7.12; ips-agent) Gecko Firefox/1.0": "ips-agent",
    "DoCoMo/2.0 N905i(c100;TB;W24H16) (compatible; Googlebot-Mobile/2.1; +http://google.com)": (
        "Googlebot-Mobile"
    ),
    "Gwene/1.0 (The gwene.org rss-to-news gateway) Googlebot": "Googlebot",
    "Mozilla/5.0 (compatible; MSIE or Firefox) Daumoa/4.0 (Following Mediapartners-Google)": (
        "daumoa"
    ),
    "Hatena::Fetcher/0.01 (master) Furl/3.13": "Hatena",
}

BROWSING = [
    "",
    "-",
    CHROME,
    f"Mozilla/5.0 (Linux; Android 7.0; CUBOT NOTE Plus Build/NRD90M) {WEBKIT} Mobile Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 9; RED Build/X) {WEBKIT} Mobile Safari/537.36",
    f"Mozilla/5.0 (Linux; Android 5.1.1; KFAUWI) {WEBKIT} Silk/81.2.16 like Chrome/81.0",
    f"{CHROME} Code/1.80.0 Electron/22.3.14",
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)",
    "Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.com/Googlebot/)",
    "Mozilla/5.0 (compatible; NotGooglebot/2.1; +https://example.com/bot)",
    "Mozilla/5.0 (compatible; Googlebots/2.1; +https://example.com/bot)",
    "ExampleBot/1.0 (not Googlebot, and no GPTBot)",
    "ExampleBot/1.0 (compatible; Nutch/1.19)",
    "ExampleBot/1.0 (Linux) like Googlebot",
    "FigTree/0.1 libwww-perl/5.04",
    "\u212arawler/1.0 (compatible; Googlebot/2.1)",
]


@pytest.mark.parametrize(("header", "token"), CRAWLING.items())
def test_header_names_a_crawler(header: str, token: str) -> None:
    """As its first product, in a comment, or behind what a browser sends."""
    assert find(token) is of_user_agent(header)


@pytest.mark.parametrize("header", BROWSING)
def test_header_names_none(header: str) -> None:
    """Browsers, telephones whose names end like a bot's, and crawlers that nobody listed."""
    assert of_user_agent(header) is None


@pytest.mark.parametrize(
    "form", ["{}/1.0", "{}", "Mozilla/5.0 (compatible; {}/1.0; +https://example.com/bot)"]
)
def test_every_crawler_is_found_by_its_own_name(form: str) -> None:
    """In the forms in which most crawlers name themselves."""
    found = {crawler.token: of_user_agent(form.format(crawler.token)) for crawler in CRAWLERS}

    assert {crawler.token: crawler for crawler in CRAWLERS} == found


READ_WITH = (
    *("Blackboard", "Code", "Cursor", "Daum", "Feedly", "Fluid", "Genieo", "Grammarly"),
    *("Instapaper", "opencode", "Silk", "Trae", "Tumblr", "upday", "Viber", "WhatsApp"),
)
"""Names of crawlers that are also those of programs in which people read pages."""


@pytest.mark.parametrize("form", ["{} {}/1.0", "{} {}", "{}; {}", "{} ({})", "{} ({} 1.0)"])
def test_programs_in_which_people_read_are_no_crawlers(form: str) -> None:
    """Behind what a browser sends; every other crawler is found there by its name."""
    missed = [
        crawler.token
        for crawler in CRAWLERS
        if of_user_agent(form.format(CHROME, crawler.token)) is not crawler
    ]

    assert [*READ_WITH] == missed


@given(st.text(alphabet="aA/;( )compatible.Mozilla-Googlebot:+@é\udcff", max_size=60))
def test_any_header_has_an_answer(header: str) -> None:
    """Whatever a client sends; a crawler that is found is named in it."""
    found = of_user_agent(header)

    assert found is None or found.token.lower() in header.lower()


@pytest.mark.parametrize("hostile", ["(compatible; ", "a/ ", "a", ";(", "compatible;  "])
def test_long_headers_take_steps_in_proportion(hostile: str) -> None:
    """Nobody makes a log expensive to read: ten times the header is at most ten times the work."""
    short, long = (hostile * (size // len(hostile)) for size in (50_000, 500_000))

    assert steps_of(lambda: of_user_agent(long)) < 12 * steps_of(lambda: of_user_agent(short))
