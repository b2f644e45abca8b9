"""Scrapy with verger's middleware: real crawls of a site on loopback.

The crawls here need no reactor, so that many fit into one process; those of the fault table and of
Scrapy's own tests use the asyncio reactor.
"""

import asyncio
import contextlib
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import verger
from faults.stage import Peer, Stage, head, redirect, response
from patience import LONG
from support import CHECKOUT

scrapy = pytest.importorskip("scrapy", reason="`make test-integrations` brings Scrapy")

from scrapy import signals  # noqa: E402
from scrapy.crawler import AsyncCrawlerRunner  # noqa: E402
from scrapy.settings import Settings  # noqa: E402
from scrapy.utils.misc import load_object  # noqa: E402

from verger.integrations.scrapy import (  # noqa: E402
    Disallowed,
    VergerRobotParser,
    VergerRobotsTxtMiddleware,
    robots_answered,
)
from verger.integrations.scrapy.middleware import origin_of  # noqa: E402

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
ADDON = "verger.integrations.scrapy.VergerAddon"
RULES = b"User-agent: *\nDisallow: /closed\n\nUser-agent: OtherBot\nDisallow: /open\n"


@dataclass
class Site:
    """A server whose robots.txt a test says, and which counts."""

    robots: bytes | Callable[[Peer], Awaitable[None]]
    origin: str = ""
    paths: list[str] = field(default_factory=list)
    heads: list[bytes] = field(default_factory=list)

    async def __call__(self, peer: Peer) -> None:
        request = await peer.reader.readuntil(b"\r\n\r\n")
        path = request.split(b" ", 2)[1].decode()
        self.paths.append(path)
        self.heads.append(request)
        if path.endswith("/robots.txt"):
            if callable(self.robots):
                await self.robots(peer)
            else:
                await peer.send(self.robots)
        elif path == "/to-closed":
            await peer.send(redirect("/closed"))
        else:
            await peer.send(response(b"a page\n"))


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Servers for one test."""
    made = Stage()
    yield made
    made.close()


def served(stage: Stage, robots: bytes | Callable[[Peer], Awaitable[None]] = RULES) -> Site:
    """Start a site; bytes that are not a response are its file."""
    is_file = isinstance(robots, bytes) and not robots.startswith(b"HTTP/")
    site = Site(response(robots) if is_file else robots)
    site.origin = stage.run(stage.listen(site))
    return site


@dataclass
class Crawled:
    """What came of a crawl."""

    stats: dict[str, Any]
    pages: list[str]
    """Paths of pages that arrived, in no order."""
    errors: list[BaseException]
    answers: list[verger.Answer]
    parsers: list[Any]
    delays: list[tuple[float, float]]
    """How long the slot of each page waits between two requests, and its jitter."""

    def counted(self, prefix: str) -> dict[str, int]:
        """Return the counts below `robotstxt/`, by the rest of their names."""
        whole = f"robotstxt/{prefix}"
        return {name[len(whole) :]: n for name, n in self.stats.items() if name.startswith(whole)}


def crawl(urls: Sequence[Any], **settings: Any) -> Crawled:
    """Crawl URLs or requests, as a project with the add-on does."""
    return asyncio.run(crawled(urls, settings))


async def crawled(urls: Sequence[Any], settings: dict[str, Any]) -> Crawled:
    pages: list[str] = []
    errors: list[BaseException] = []
    delays: list[tuple[float, float]] = []

    class Pages(scrapy.Spider):
        name = "pages"

        async def start(self):
            for url in urls:
                request = url if isinstance(url, scrapy.Request) else scrapy.Request(url)
                yield request.replace(errback=self.failed, dont_filter=True)

        def parse(self, response):
            slots = self.crawler.engine.downloader.slots
            slot = slots[response.meta["download_slot"]]
            delays.append((slot.delay, slot.jitter))
            pages.append("/" + response.url.split("/", 3)[3])

        def failed(self, failure):
            errors.append(failure.value)

    common = {
        "TWISTED_REACTOR_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": BOT,
        "ADDONS": {ADDON: 100},
    }
    crawler = AsyncCrawlerRunner(common | settings).create_crawler(Pages)
    answers: list[verger.Answer] = []
    parsers: list[Any] = []

    def on_answer(answer):
        answers.append(answer)

    def on_parsed(robotparser):
        parsers.append(robotparser)

    crawler.signals.connect(on_answer, robots_answered)
    crawler.signals.connect(on_parsed, signals.robots_parsed)
    await crawler.crawl_async()
    return Crawled(crawler.stats.get_stats(), sorted(pages), errors, answers, parsers, delays)


# What a request gets


def test_rules_are_obeyed(stage: Stage) -> None:
    """A closed page is not asked for; its errback gets the line that says so."""
    site = served(stage)

    found = crawl([f"{site.origin}/open", f"{site.origin}/closed"])

    (error,) = found.errors
    assert ["/open"] == found.pages
    assert ["/robots.txt", "/open"] == site.paths
    assert isinstance(error, Disallowed)
    assert error.answer is not None
    assert (2, "MOST_SPECIFIC_RULE") == (error.answer.line, error.answer.reason)
    assert str(error).startswith("Forbidden by robots.txt: line 2 `Disallow: /closed`, ")


def test_reasons_are_counted(stage: Stage) -> None:
    """Scrapy's counters stay, and each reason has one."""
    site = served(stage)

    found = crawl([f"{site.origin}/open", f"{site.origin}/closed", f"{site.origin}/closed?2"])

    assert {"MOST_SPECIFIC_RULE": 2, "NO_MATCHING_RULE": 1} == found.counted("reason/")
    assert {"200": 1} == found.counted("response_status_count/")
    assert {"request_count": 1, "response_count": 1} == {
        name: found.stats[f"robotstxt/{name}"] for name in ("request_count", "response_count")
    }
    assert 2 == found.stats["robotstxt/forbidden"]


@pytest.mark.parametrize(
    ("robots", "happened"),
    [
        (response(status="503 Gone Fishing"), "answered 503 (RFC 9309 section 2.3.1.4)"),
        (response(status="429 Too Many Requests"), "answered 429 (RFC 6585 section 4)"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "with a broken body"),
    ],
    ids=["503", "429", "broken"],
)
def test_an_origin_that_is_closed_is_said_once(
    stage: Stage, caplog: pytest.LogCaptureFixture, robots: bytes, happened: str
) -> None:
    """One WARNING for each origin that a failure closes, however many requests it drops."""
    sites = [served(stage, robots), served(stage, robots), served(stage)]

    found = crawl([f"{site.origin}/{page}" for site in sites for page in ("a", "b", "c")])

    ours = (each for each in caplog.records if each.name.startswith("verger"))
    said = [each.getMessage() for each in ours if each.levelname == "WARNING"]
    assert 6 == len(found.errors)
    assert sorted(f"{site.origin}/robots.txt" for site in sites[:2]) == sorted(
        text.split(" ", 1)[0] for text in said
    )
    assert all(happened in text and "nothing may be fetched" in text for text in said)


def test_signals_are_sent(stage: Stage) -> None:
    """One `robots_parsed` for a file, whose parser knows the delay; an answer for each request."""
    site = served(stage, b"User-agent: *\nCrawl-delay: 7\nDisallow: /closed\n")

    found = crawl([f"{site.origin}/open", f"{site.origin}/closed"])

    (parser,) = found.parsers
    assert 7.0 == parser.crawl_delay(BOT)
    assert not parser.allowed(f"{site.origin}/closed".encode(), BOT.encode())
    assert [True, False] == sorted((answer.allowed for answer in found.answers), reverse=True)


def test_answers_of_the_signal_tell_of_use(stage: Stage) -> None:
    """Whether a page may be used, and which line says so; silence is None."""
    site = served(stage, b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /closed\n")

    (answer,) = crawl([f"{site.origin}/open"]).answers
    trained, searched = answer.may_use("ai-train"), answer.may_use("search")

    assert (trained.allowed, trained.reason, trained.line) == (False, "CONTENT_SIGNAL", 2)
    assert (searched.allowed, searched.line) == (None, None)


def test_redirects_of_pages_are_judged(stage: Stage) -> None:
    """A page that redirects to a closed one leads nowhere."""
    site = served(stage)

    found = crawl([f"{site.origin}/to-closed"])

    assert [] == found.pages
    assert "/closed" not in site.paths
    assert isinstance(found.errors[0], Disallowed)


def test_meta_key_is_obeyed(stage: Stage) -> None:
    """A request that need not obey goes out unasked."""
    site = served(stage)

    request = scrapy.Request(f"{site.origin}/closed", meta={"dont_obey_robotstxt": True})

    assert ["/closed"] == crawl([request]).pages
    assert ["/closed"] == site.paths


@pytest.mark.parametrize(
    ("options", "headers", "pages"),
    [
        ({}, {}, ["/open"]),
        ({}, {"User-Agent": "OtherBot/2.0 (+https://other.example/)"}, ["/closed"]),
        ({"ROBOTSTXT_USER_AGENT": "OtherBot"}, {}, ["/closed"]),
        (
            {"USER_AGENT": "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0 Safari/537.36"},
            {},
            ["/open"],
        ),
    ],
    ids=["of the project", "of the request", "of the setting", "of a browser"],
)
def test_user_agents_select_the_group(
    stage: Stage, options: dict[str, str], headers: dict[str, str], pages: list[str]
) -> None:
    """The setting speaks first, then the request, then the project; a browser's is everybody's."""
    site = served(stage)

    urls = [f"{site.origin}/open", f"{site.origin}/closed"]

    assert pages == crawl([scrapy.Request(url, headers=headers) for url in urls], **options).pages


def test_who_asks_is_the_project(stage: Stage) -> None:
    """The request for the file carries what the project's middlewares put into every request."""
    site = served(stage)

    crawl([f"{site.origin}/open"], DEFAULT_REQUEST_HEADERS={"X-Project": "a"})

    assert all(f"User-Agent: {BOT}".encode() in each for each in site.heads)
    assert all(b"X-Project: a" in each for each in site.heads)


def test_operator_decides(stage: Stage) -> None:
    """An override stands, and no file is asked for."""
    site = served(stage)

    found = crawl([f"{site.origin}/closed"], VERGER_OVERRIDES={site.origin: "allow"})

    assert ["/closed"] == found.pages == site.paths
    assert {"OPERATOR_OVERRIDE": 1} == found.counted("reason/")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://Example.com:443/a", "https://example.com"),
        ("http://example.com/a", "http://example.com"),
        ("http://example.com:8080/a", "http://example.com:8080"),
        ("s3://bucket/key", None),
        ("data:,a", None),
    ],
)
def test_origins(url: str, expected: str | None) -> None:
    """Schemes and ports are apart, spellings are not; other schemes have no file."""
    assert expected == origin_of(scrapy.Request(url))


def test_urls_without_host_are_dropped() -> None:
    """No file speaks for them, and nothing says that they are open."""
    with pytest.raises(Disallowed):
        origin_of(scrapy.Request("http:///a"))


# How files are fetched


def test_failures_are_retried_as_pages_are(stage: Stage) -> None:
    """Scrapy's retries apply, and the last response counts."""
    site = served(stage, response(status="503 Gone Fishing"))

    found = crawl([f"{site.origin}/open"], RETRY_TIMES=2)

    assert ["/robots.txt"] * 3 == site.paths
    assert {"SERVER_ERROR": 1} == found.counted("reason/")


def test_redirect_of_the_file_is_followed(stage: Stage) -> None:
    """It may lead to another port of the address that answered."""
    other = served(stage, RULES)
    site = served(stage, redirect(f"{other.origin}/robots.txt"))

    found = crawl([f"{site.origin}/closed"])

    assert ["/robots.txt"] == site.paths == other.paths
    assert 2 == found.stats["robotstxt/request_count"]
    assert {"MOST_SPECIFIC_RULE": 1} == found.counted("reason/")


def test_private_networks_may_be_named(stage: Stage) -> None:
    """A redirect may lead where the operator says."""
    trap = f"http://127.0.0.2:{stage.trap.port('127.0.0.2')}/robots.txt"
    site = served(stage, redirect(trap))

    found = crawl([f"{site.origin}/open"], VERGER_PRIVATE=["127.0.0.2"])

    assert ["127.0.0.2"] == stage.trap.visitors
    assert ["/open"] == found.pages


def test_name_that_changes_its_address_gets_nothing(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that was public when it was judged, and is private when it answers, says nothing."""
    port = stage.trap.port("127.0.0.2")
    site = served(stage, redirect(f"http://rebound.test:{port}/robots.txt"))
    addresses = iter(["93.184.216.34"])
    look_up = socket.getaddrinfo

    def rebound(host: Any, *rest: Any, **options: Any) -> Any:
        known = next(addresses, "127.0.0.2") if host == "rebound.test" else host
        return look_up(known, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebound)

    found = crawl([f"{site.origin}/open"])

    assert ["127.0.0.2"] == stage.trap.visitors
    assert {"REDIRECT_REFUSED": 1} == found.counted("reason/")
    assert [] == found.pages


def test_proxies_are_used(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pages go through a proxy, so does the file; names need no address here."""
    proxy = served(stage)
    monkeypatch.setenv("http_proxy", proxy.origin)

    found = crawl(["http://site.invalid/open", "http://site.invalid/closed"])

    assert ["http://site.invalid/robots.txt", "http://site.invalid/open"] == proxy.paths
    assert ["/open"] == found.pages


@pytest.mark.parametrize(
    "page",
    [
        response(b"", "X-Squid-Error: ERR_ACCESS_DENIED 0", status="403 Forbidden"),
        response(b"", "Proxy-Status: proxy.example; error=dns_error", status="404 Not Found"),
        response(b"", "Proxy-Authenticate: Basic", status="407 Proxy Authentication Required"),
    ],
)
def test_a_page_of_a_proxy_opens_nothing(
    page: bytes, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the proxy answers itself, the site was not asked."""
    monkeypatch.setenv("http_proxy", served(stage, page).origin)

    found = crawl(["http://site.invalid/open"])

    assert {"NETWORK_ERROR": 1} == found.counted("reason/")
    assert [] == found.pages


def test_redirect_behind_a_proxy_to_a_private_address_is_refused(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the name says is judged, in any spelling, since the address is not seen."""
    proxy = served(stage, redirect("http://2130706433/robots.txt"))
    monkeypatch.setenv("http_proxy", proxy.origin)

    found = crawl(["http://site.invalid/open"])

    assert ["http://site.invalid/robots.txt"] == proxy.paths
    assert {"REDIRECT_REFUSED": 1} == found.counted("reason/")


def test_own_transport_can_fetch(stage: Stage) -> None:
    """On request, verger's own transport asks, and Scrapy's stats know nothing of it."""
    site = served(stage)

    found = crawl([f"{site.origin}/open"], VERGER_TRANSPORT="verger")

    assert ["/robots.txt", "/open"] == site.paths
    assert "robotstxt/request_count" not in found.stats
    assert 1 == found.stats["robotstxt/fetched"]


@pytest.mark.parametrize("size", [600_000, 17 << 20])
def test_large_files(stage: Stage, size: int) -> None:
    """Beyond the parsing limit a file is cut; where Scrapy gives up, it is broken, and closes."""
    line = b"# a comment that is sixty-four bytes long with its line end ...\n"
    site = served(stage, RULES + line * (size // len(line)))

    found = crawl([f"{site.origin}/open"], RETRY_ENABLED=False)

    assert (["/open"] if size < 1 << 20 else []) == found.pages


def test_body_that_breaks_off(stage: Stage) -> None:
    """A file that ends before its announced end says nothing."""
    site = served(stage, head("Content-Length: 1000", "Connection: close") + RULES)

    found = crawl([f"{site.origin}/open"], RETRY_ENABLED=False)

    assert [] == found.pages
    assert {"BROKEN_BODY": 1} == found.counted("reason/")


# How long files are kept


def test_store_is_shared(stage: Stage, tmp_path: Path) -> None:
    """A second crawl takes the file from the store, and so does whoever else uses it."""
    site = served(stage)
    store = tmp_path / "robots.sqlite3"

    crawl([f"{site.origin}/open"], VERGER_STORE=store)
    found = crawl([f"{site.origin}/open", f"{site.origin}/closed"], VERGER_STORE=str(store))
    with verger.Client(BOT, store=store) as client:
        assert not client.allowed(f"{site.origin}/closed")

    assert 1 == site.paths.count("/robots.txt")
    assert 1 == found.stats["robotstxt/loaded"]
    assert 1 == len(found.parsers)


def test_files_expire(stage: Stage) -> None:
    """A file is asked for again when it is no longer fresh, on condition that it has changed."""

    async def robots(peer: Peer) -> None:
        if b"If-None-Match" in site.heads[-1]:
            await peer.send(head("Connection: close", status="304 Not Modified"))
        else:
            await peer.send(response(RULES, 'ETag: "1"', "Cache-Control: max-age=0"))

    site = served(stage, robots)

    found = crawl(
        [f"{site.origin}/open?{number}" for number in range(3)],
        VERGER_LEAST_FRESH=0,
        CONCURRENT_REQUESTS=1,
    )

    assert 3 == site.paths.count("/robots.txt")
    assert (1, 2) == (found.stats["robotstxt/fetched"], found.stats["robotstxt/renewed"])
    assert 3 == len(found.pages)


# Delays


@pytest.mark.parametrize("autothrottle", [False, True])
def test_crawl_delay_is_honoured(stage: Stage, autothrottle: bool) -> None:
    """Slots wait as long as the site asks, whatever AutoThrottle thinks."""
    site = served(stage, b"User-agent: *\nCrawl-delay: 0.4\n")
    options = {"AUTOTHROTTLE_ENABLED": autothrottle, "AUTOTHROTTLE_START_DELAY": 0}

    found = crawl(
        [f"{site.origin}/{number}" for number in range(4)], VERGER_CRAWL_DELAY=True, **options
    )

    assert 4 == len(found.pages)
    assert [(0.4, 0.0)] * 4 == found.delays


def test_crawl_delay_has_a_bound(stage: Stage) -> None:
    """No site can ask for more than the operator grants; nobody waits who did not ask to."""
    site = served(stage, b"User-agent: *\nCrawl-delay: 3600\n")
    urls = [f"{site.origin}/{number}" for number in range(3)]

    bounded = crawl(urls, VERGER_CRAWL_DELAY=True, VERGER_MOST_CRAWL_DELAY=0.1)
    unasked = crawl(urls)

    assert 3 == len(bounded.pages) == len(unasked.pages)
    assert bounded.stats["elapsed_time_seconds"] < 3_600


# Settings


@pytest.mark.parametrize(
    "middlewares",
    [
        {},
        {"scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": 150},
        {"scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None},
    ],
)
def test_add_on_replaces_the_middleware(middlewares: dict[str, int | None]) -> None:
    """Wherever the project has put Scrapy's own, verger's stands there, once."""
    settings = Settings({"DOWNLOADER_MIDDLEWARES": middlewares})

    load_object(ADDON)().update_settings(settings)

    placed = settings.get_component_priority_dict_with_base("DOWNLOADER_MIDDLEWARES").items()
    places = {load_object(each).__name__: place for each, place in placed if place is not None}
    assert (next(iter(middlewares.values()), None) or 100) == places["VergerRobotsTxtMiddleware"]
    assert "RobotsTxtMiddleware" not in places
    assert VergerRobotParser is load_object(settings["ROBOTSTXT_PARSER"])


def test_obedience_is_the_projects_choice(stage: Stage) -> None:
    """Without ROBOTSTXT_OBEY nothing is asked."""
    site = served(stage)

    assert ["/closed"] == crawl([f"{site.origin}/closed"], ROBOTSTXT_OBEY=False).pages
    assert ["/closed"] == site.paths


def test_unknown_settings_are_refused() -> None:
    """A crawl with a setting that cannot be meant does not begin."""
    with pytest.raises(verger.RobotsError):
        crawl(["http://127.0.0.1:9/"], VERGER_DIALECT="rfc9308")
    with pytest.raises(verger.RobotsError):
        crawl(["http://127.0.0.1:9/"], VERGER_TRANSPORT="curl")


def test_another_reactor_is_refused() -> None:
    """At the start, with a sentence, and not with each request."""
    program = (
        "from scrapy import Spider\n"
        "from scrapy.crawler import CrawlerProcess\n"
        "process = CrawlerProcess({\n"
        "    'TWISTED_REACTOR': 'twisted.internet.selectreactor.SelectReactor',\n"
        f"    'ROBOTSTXT_OBEY': True, 'ADDONS': {{'{ADDON}': 100}}}})\n"
        "process.crawl(Spider, name='none')\n"
        "process.start()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=CHECKOUT / "python",
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )

    assert "verger's middleware needs the asyncio reactor" in done.stderr


# The parser alone


def test_parser_of_nothing() -> None:
    """Scrapy makes a parser of no bytes when it starts, without a crawler in its tests."""
    parser = VergerRobotParser.from_crawler(None, b"")

    assert parser.allowed("https://example.com/", "*")
    assert parser.crawl_delay(BOT) is None


def test_parser_takes_text_and_bytes() -> None:
    """URLs and user agents come as either, user agents as whole texts or as tokens."""
    parser = VergerRobotParser(RULES)

    for agent in (
        "OtherBot",
        b"OtherBot/1.0",
        "Mozilla/5.0 (compatible; OtherBot/1.0; +https://a.b)",
    ):
        assert not parser.allowed(b"https://example.com/open", agent)
        assert parser.allowed("https://example.com/closed", agent)


def test_parser_refuses_what_is_not_a_url() -> None:
    """What cannot be asked about is not allowed."""
    assert not VergerRobotParser(b"").allowed("example.com/a", BOT)


def test_parser_reads_a_dialect(stage: Stage) -> None:
    """With Scrapy's own middleware the parser reads files as the setting says."""
    site = served(stage, b"User-agent: *\nAllow: /\nDisallow: /open\n")
    options = {
        "ADDONS": {},
        "ROBOTSTXT_PARSER": "verger.integrations.scrapy.VergerRobotParser",
    }

    assert [] == crawl([f"{site.origin}/open"], **options).pages
    assert ["/open"] == crawl(
        [f"{site.origin}/open"], VERGER_DIALECT="koster-1996", **options
    ).pages


def test_middleware_can_be_named() -> None:
    """The middleware is a subclass of Scrapy's, so that other parts find it."""
    from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware

    assert issubclass(VergerRobotsTxtMiddleware, RobotsTxtMiddleware)
    with contextlib.suppress(ImportError):
        assert load_object("verger.integrations.scrapy.VergerRobotsTxtMiddleware")
