"""Crawlee with verger: its robots.txt files, and real crawls of a site on loopback."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import verger
from faults.stage import Peer, Stage, head, response
from patience import LONG, PATIENT
from support import CHECKOUT

pytest.importorskip("crawlee", reason="`make test-integrations` brings Crawlee")

from crawlee import service_locator
from crawlee.crawlers import BasicCrawler, BeautifulSoupCrawler, BeautifulSoupCrawlingContext
from crawlee.http_clients import HttpxHttpClient
from crawlee.request_loaders import ThrottlingRequestManager
from crawlee.storage_clients import MemoryStorageClient
from crawlee.storages import RequestQueue

from verger.integrations.crawlee import VergerRobotsTxtFile, obey
from verger.testing import MemoryTransport

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
SITE = "https://example.com"
RULES = b"User-agent: *\nDisallow: /closed\n\nUser-agent: ExampleBot\nDisallow: /mine\n"
CRAWLEES_TESTS = "tests/unit/_utils/test_robots.py"

service_locator.set_storage_client(MemoryStorageClient())


# The class alone


def file_of(text: str, url: str = f"{SITE}/robots.txt") -> VergerRobotsTxtFile:
    return asyncio.run(VergerRobotsTxtFile.from_content(url, text))


def test_obey_takes_crawlers_of_every_kind_of_context() -> None:
    """`BasicCrawler` alone stands for one kind, and type checkers refuse all others."""
    assert BasicCrawler[Any, Any] == get_type_hints(obey)["crawler"]


def test_file_of_a_text() -> None:
    """Without a name the wildcard group is asked, with a name its own."""
    robots = file_of(
        "User-agent: *\nDisallow: *all/\n\nUser-agent: Googlebot\nDisallow: *google/\n"
    )

    assert not robots.is_allowed(f"{SITE}/all/a")
    assert robots.is_allowed(f"{SITE}/google/a")
    assert not robots.is_allowed(
        f"{SITE}/google/a", "Googlebot/2.1 (+http://www.google.com/bot.html)"
    )


def test_byte_order_mark_decoded_as_latin_1_is_no_part_of_the_file() -> None:
    """As in the drop-ins."""
    assert not file_of("\xef\xbb\xbfUser-agent: *\nDisallow: /\n").is_allowed(f"{SITE}/a")


def test_file_speaks_for_its_origin() -> None:
    """Of another origin it says nothing; what is not a URL is not allowed."""
    robots = file_of("User-agent: *\nDisallow: /\n")

    assert not robots.is_allowed(f"{SITE}/a")
    assert robots.is_allowed("https://other.example/a")
    assert robots.is_allowed("http://example.com/a")
    assert not robots.is_allowed("https://")


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("same-hostname", ["https://example.com/a.xml"]),
        ("all", ["https://example.com/a.xml", "http://other.example/b.xml"]),
    ],
)
def test_sitemaps_are_filtered_as_crawlee_does(strategy: Any, expected: list[str]) -> None:
    """By host where the strategy says so, and by scheme."""
    names = ("https://example.com/a.xml", "http://other.example/b.xml", "ftp://example.com/c.xml")
    robots = file_of("".join(f"Sitemap: {name}\n" for name in names))

    assert expected == robots.get_sitemaps(enqueue_strategy=strategy)


@pytest.mark.parametrize(("written", "expected"), [("10", 10), ("2.5", 3), ("0.5", 1)])
def test_crawl_delay_is_whole_seconds(written: str, expected: int) -> None:
    """Crawlee counts in whole seconds: fractions become the next one, and never none."""
    assert expected == file_of(f"User-agent: *\nCrawl-delay: {written}\n").get_crawl_delay()
    assert file_of("User-agent: *\nDisallow:\n").get_crawl_delay() is None


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        (response(RULES), True),
        (response(b"", status="404 Not Found"), True),
        (response(b"", status="429 Slow Down"), False),
        (response(b"", status="500 Broken"), False),
        (b"", False),
    ],
    ids=["200", "404", "429", "500", "closed"],
)
def test_file_that_crawlees_client_fetches(answer: bytes, allowed: bool) -> None:
    """The access policy judges what came, whichever client asked; no exception is permission."""
    stage = Stage()

    async def server(peer: Peer) -> None:
        await peer.request()
        await peer.send(answer)

    async def find(origin: str) -> VergerRobotsTxtFile:
        async with HttpxHttpClient() as client:
            return await VergerRobotsTxtFile.find(f"{origin}/page", client)

    try:
        origin = stage.run(stage.listen(server))
        robots = asyncio.run(find(origin))
    finally:
        stage.close()

    assert allowed == robots.is_allowed(f"{origin}/open")


@pytest.mark.parametrize(
    ("method", "given", "expected"),
    [("load", "/files/robots.txt", "/files/robots.txt"), ("find", "/page", "/robots.txt")],
)
def test_crawlees_client_fetches_the_file_that_it_is_asked_for(
    method: str, given: str, expected: str
) -> None:
    """`load` takes the URL of a file, `find` any URL of the site."""
    stage = Stage()
    asked: list[str] = []

    async def server(peer: Peer) -> None:
        asked.append(await peer.request())
        await peer.send(response(RULES))

    async def load(origin: str) -> VergerRobotsTxtFile:
        async with HttpxHttpClient() as client:
            found = getattr(VergerRobotsTxtFile, method)
            file: VergerRobotsTxtFile = await found(f"{origin}{given}", client)
            return file

    try:
        robots = asyncio.run(load(stage.run(stage.listen(server))))
    finally:
        stage.close()

    assert [expected] == asked
    assert robots.is_allowed(f"{robots.site.origin}/open")
    assert not robots.is_allowed(f"{robots.site.origin}/closed")


def test_crawlees_own_tests_pass(tmp_path: Path) -> None:
    """All of them. Crawlee's source distribution has none: a checkout of Crawlee is needed."""
    checkout = os.environ.get("CRAWLEE_CHECKOUT")
    if not checkout:
        pytest.skip("CRAWLEE_CHECKOUT names no checkout of Crawlee, which alone has its tests")
    suite = tmp_path / "test_robots.py"
    suite.write_bytes((Path(checkout) / CRAWLEES_TESTS).read_bytes())
    options = ["-q", "-p", "no:twisted", "-p", "no:cacheprovider", "--noconftest"]
    options += ["-p", "integrations.crawlee_suite", "-o", "asyncio_mode=auto", "-c", os.devnull]
    paths = (str(CHECKOUT / "python"), str(CHECKOUT / "tests"))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(suite)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    assert " failed" not in done.stdout


# Crawls

PAGES = {
    "/": b'<a href="/open">a</a><a href="/closed">b</a><a href="/mine">c</a>',
    "/open": b"<p>a page</p>",
    "/strange": b'<a href="http://a..example/">a</a><a href="/open">b</a>',
}


class Site:
    """A server with links, whose robots.txt a test says."""

    def __init__(self, robots: bytes | Callable[[Peer, int], Awaitable[None]]) -> None:
        self.robots = robots
        self.paths: list[str] = []
        self.times: list[float] = []

    async def __call__(self, peer: Peer) -> None:
        path = await peer.request()
        self.paths.append(path)
        self.times.append(time.monotonic())
        if path != "/robots.txt":
            await peer.send(response(PAGES.get(path, b"<p>a page</p>"), kind="text/html"))
        elif callable(self.robots):
            await self.robots(peer, self.paths.count(path))
        else:
            await peer.send(response(self.robots))


class Crawled:
    """What came of a crawl."""

    def __init__(self) -> None:
        self.skipped: list[str] = []
        self.answers: list[verger.Answer] = []
        self.failed: list[str] = []


def crawl(
    robots: bytes | Callable[[Peer, int], Awaitable[None]],
    paths: Sequence[str] = ("/",),
    *,
    throttled: bool = False,
    **options: Any,
) -> tuple[Site, Crawled]:
    """Crawl a site from some of its pages, links included; `options` are `AsyncClient`'s."""
    stage = Stage()
    site = Site(robots)
    try:
        origin = stage.run(stage.listen(site))
        urls = [path if ":" in path else origin + path for path in paths]
        return site, asyncio.run(crawled(origin, urls, throttled, options))
    finally:
        stage.close()


async def crawled(
    origin: str, urls: Sequence[str], throttled: bool, options: dict[str, Any]
) -> Crawled:
    manager: Any = await RequestQueue.open(alias=origin.rpartition(":")[2])
    if throttled:
        manager = ThrottlingRequestManager(
            inner=manager, domains=["127.0.0.1"], request_manager_opener=RequestQueue.open
        )
    crawler = BeautifulSoupCrawler(
        request_manager=manager,
        http_client=HttpxHttpClient(timeout=LONG),
        max_request_retries=0,
        navigation_timeout=timedelta(seconds=LONG),
        configure_logging=False,
    )
    found = Crawled()

    @crawler.router.default_handler
    async def handle(context: BeautifulSoupCrawlingContext) -> None:
        await context.enqueue_links()

    @crawler.on_skipped_request
    async def skipped(url: str, reason: str) -> None:
        found.skipped.append(url.removeprefix(origin))
        assert "robots_txt" == reason

    @crawler.failed_request_handler
    async def failed(context: Any, _: Exception) -> None:
        found.failed.append(context.request.url)

    async with verger.AsyncClient(BOT, **{"limits": PATIENT, **options}) as client:
        obey(crawler, client, on_answer=found.answers.append)
        await crawler.run(urls)
    return found


def test_links_are_judged_for_the_crawler_itself() -> None:
    """The crawler's own group binds it: not everybody's, which Crawlee asks about."""
    site, found = crawl(RULES)

    assert ["/", "/closed", "/open", "/robots.txt"] == sorted(site.paths)
    assert ["/mine"] == found.skipped
    assert "MOST_SPECIFIC_RULE" in {answer.reason for answer in found.answers}


def test_first_urls_are_judged() -> None:
    """What a crawl begins with is skipped, too."""
    site, found = crawl(RULES, ["/mine", "/open"])

    assert ["/mine"] == found.skipped
    assert ["/robots.txt", "/open"] == site.paths


@pytest.mark.parametrize("url", ["http://a..example/", "http://example.com:99999/", "http://-/%00"])
def test_invalid_urls_are_skipped(url: str) -> None:
    """One URL with an invalid host does not end the crawl of all others."""
    site, found = crawl(RULES, [url, "/open"])

    assert ["/robots.txt", "/open"] == site.paths
    assert [url] == found.skipped


def test_links_to_invalid_urls() -> None:
    """Pages have such links, too."""
    site, found = crawl(RULES, ["/strange"])

    assert ["/open", "/robots.txt", "/strange"] == sorted(site.paths)
    assert [] == found.failed


def test_store_is_shared(tmp_path: Path) -> None:
    """What a crawl fetched is there for whoever uses the same store, when the site is gone."""
    store = tmp_path / "robots.sqlite3"
    site, found = crawl(RULES, ["/open"], store=store)
    (answer,) = {answer.origin for answer in found.answers}
    with verger.Client(BOT, store=store, transport=MemoryTransport({})) as client:
        assert not client.allowed(f"{answer}/mine")

    assert 1 == site.paths.count("/robots.txt")


def test_files_expire() -> None:
    """A file is renewed while the crawl goes on; Crawlee would use the first for ever."""

    async def robots(peer: Peer, number: int) -> None:
        rules = RULES if number == 1 else b"User-agent: *\nDisallow: /open\n"
        await peer.send(head("Connection: close", "Cache-Control: max-age=0") + rules)

    site, found = crawl(robots, least_fresh=0)

    assert site.paths.count("/robots.txt") > 1
    assert "/open" in found.skipped


def test_crawl_delay_reaches_the_throttle() -> None:
    """With Crawlee's throttling manager the site's delay is kept."""
    site, found = crawl(
        b"User-agent: *\nCrawl-delay: 1\n", ["/open", "/open?2", "/open?3"], throttled=True
    )

    assert [] == found.failed
    assert 3 == len([path for path in site.paths if "open" in path])
    # From robots.txt on: a page that arrives late is the sooner before the next.
    assert site.times[-1] - site.times[0] > 1.8
