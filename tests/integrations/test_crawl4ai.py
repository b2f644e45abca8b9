"""Crawl4AI with verger: what its seams are given, and real crawls without a browser."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import verger
from integrations.conftest import TICK
from patience import LONG
from verger.testing import MemoryTransport

pytest.importorskip("crawl4ai", reason="`make test-integrations` brings Crawl4AI")

from crawl4ai.utils import RobotsParser

from verger.integrations.crawl4ai import VergerRateLimiter, VergerRobotsParser

BOT = "ExampleBot/1.0 (+https://example.com/bot)"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"
SITE = "https://example.com"
RULES = b"User-agent: ExampleBot\nDisallow: /mine\n\nUser-agent: OtherBot\nDisallow: /other\n"


def asked(*questions: tuple[str, str], **options: Any) -> list[bool]:
    """Return the answers of a parser to URLs and user agents."""

    async def ask() -> list[bool]:
        async with verger.AsyncClient(BOT, **options) as client:
            parser = VergerRobotsParser(client)
            return [await parser.can_fetch(*question) for question in questions]

    return asyncio.run(ask())


def web(served: Any = RULES) -> MemoryTransport:
    return MemoryTransport({SITE: served})


def test_user_agents_select_the_group() -> None:
    """A browser's stands for the crawler that the client is; one that names a product for that."""
    other = "Mozilla/5.0 (compatible; OtherBot/1.0; +https://other.example/bot)"

    answers = asked(
        (f"{SITE}/mine", BROWSER),
        (f"{SITE}/mine", "*"),
        (f"{SITE}/mine", other),
        (f"{SITE}/other", other),
        transport=web(),
    )

    assert [False, False, True, False] == answers


@pytest.mark.parametrize("served", [503, 429, "dns", "timeout", "redirect-refused"])
def test_failures_are_not_permission(served: Any) -> None:
    """Where Crawl4AI's own parser allows, the access policy does not."""
    assert [False] == asked((f"{SITE}/a", BROWSER), transport=web(served))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("raw:<p>text</p>", True),
        ("file:///a.html", True),
        ("https://", False),
        ("HTTP://a..b", False),
    ],
)
def test_other_urls(url: str, expected: bool) -> None:
    """What is not fetched from a site needs no permission; what has no site gets none."""
    assert [expected] == asked((url, BROWSER), transport=web())


def test_parser_makes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a `RobotsParser`, without the database of the original."""
    monkeypatch.setenv("CRAWL4_AI_BASE_DIRECTORY", str(tmp_path))

    asked((f"{SITE}/a", BROWSER), transport=web())

    assert issubclass(VergerRobotsParser, RobotsParser)
    assert [] == list(tmp_path.iterdir())


def test_cleared_files_are_fetched_again() -> None:
    """Once each, as after `clear_cache` of the original; what has expired is never used."""
    sites = web()

    async def ask() -> None:
        async with verger.AsyncClient(BOT, transport=sites) as client:
            parser = VergerRobotsParser(client)
            await parser.can_fetch(f"{SITE}/a")
            parser.clear_expired()
            await parser.can_fetch(f"{SITE}/a")
            parser.clear_cache()
            await parser.can_fetch(f"{SITE}/a")
            await parser.can_fetch(f"{SITE}/b")

    asyncio.run(ask())

    assert 2 == len(sites.requests)


def test_answers_are_told() -> None:
    """Each with its reason."""
    answers: list[verger.Answer] = []

    async def ask() -> None:
        async with verger.AsyncClient(BOT, transport=web()) as client:
            await VergerRobotsParser(client, on_answer=answers.append).can_fetch(f"{SITE}/mine")

    asyncio.run(ask())

    assert [("MOST_SPECIFIC_RULE", 2)] == [(each.reason, each.line) for each in answers]


def test_rate_limiter_waits_as_the_site_asks(reserved: list[float]) -> None:
    """Many at once get a turn each; nobody waits for a page that will not be fetched."""

    async def crawl(path: str, delay: float) -> float:
        rules = f"User-agent: *\nCrawl-delay: {delay}\nDisallow: /closed\n"
        async with verger.AsyncClient(BOT, transport=web(rules.encode())) as client:
            limiter = VergerRateLimiter(client, base_delay=(0.0, 0.0))
            await asyncio.gather(*(limiter.wait_if_needed(SITE + path) for _ in range(4)))
        return time.time()

    ended = asyncio.run(crawl("/open", 0.2))
    assert [True] * 3 == [later - sooner > 0.19 for sooner, later in pairwise(reserved)]
    assert reserved[-1] <= ended + TICK

    reserved.clear()
    asyncio.run(crawl("/closed", LONG))
    assert [] == reserved


def test_rate_limiter_is_crawl4ais() -> None:
    """Options and answers to statuses are those of the original."""

    async def back_off() -> float:
        async with verger.AsyncClient(BOT, transport=web(404)) as client:
            limiter = VergerRateLimiter(client, base_delay=(0.1, 0.1), max_retries=1)
            await limiter.wait_if_needed(f"{SITE}/a")
            assert limiter.update_delay(f"{SITE}/a", 429)
            assert not limiter.update_delay(f"{SITE}/a", 429)
            return float(limiter.domains["example.com"].current_delay)

    assert asyncio.run(back_off()) > 0.1
