"""States: only entering and leaving one is news, and a change that some crawler feels."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any

import pytest

from patience import LONG
from verger import RFC9309
from verger.client import AsyncClient
from verger.expectations.reading import load
from verger.fetching.transport import Reply, Request
from verger.testing import MemoryTransport
from verger.watch import archive as archive_module, news
from verger.watch.archive import Archive, Vantage
from verger.watch.news import Interest
from verger.watch.states import CHECKS, State, state_after
from verger.watch.watcher import Targets, Watcher

from . import watching
from .player import Played, Player, playing
from .rounds import AGENT, play
from .watching import FILE, OTHER, PAGE, moves, news_of

EVERY = 21_600.0

SITE = "http://a.example"

SITES = 40
"""Of each kind: a site fails, alternates, is replaced, goes, and one stays as it is."""


def test_200_sites_enter_and_leave_each_state_once(tmp_path: Path) -> None:
    """Sites that fail, alternate, are replaced or go are told of twice: at first and at last."""
    kinds: dict[str, list[Played]] = {
        "fails": [FILE, FILE, *[503] * 5, 500, FILE, FILE],
        "turns": [FILE, *[OTHER, FILE] * 6, *[FILE] * CHECKS],
        "page": [FILE, *[PAGE] * 3, FILE],
        "gone": [FILE, 404, 404, 410, FILE],
        "good": [FILE, FILE, b"# the same\n" + FILE, FILE],
    }
    hosts = {f"{kind}{at}.example": of for kind, of in kinds.items() for at in range(SITES)}

    news = news_of(hosts, tmp_path / "a.db")

    expected = {
        "fails": [("good", "failing"), ("failing", "good")],
        # the first two switches are changes, as anybody's
        "turns": [
            ("good", "good"),
            ("good", "good"),
            ("good", "alternating"),
            ("alternating", "good"),
        ],
        "page": [("good", "replaced"), ("replaced", "good")],
        "gone": [("good", "gone"), ("gone", "good")],
        "good": [],
    }
    for host in hosts:
        own = [each for each in news if each["origin"] == f"http://{host}"]
        assert expected[host[:4] if host[:4] in expected else host[:5]] == moves(own)


def test_what_alternates_is_told_with_the_fields_that_differ(tmp_path: Path) -> None:
    """Two versions behind a balancer are told once, with what tells the machines apart."""
    one = (200, FILE, {"Server": "nginx", "ETag": '"a"', "Via": "1.1 left"})
    other = (200, OTHER, {"Server": "nginx", "ETag": '"b"', "Via": "1.1 right"})

    news = news_of({"a.example": [one, other] * 6}, tmp_path / "a.db")

    [entered] = [each for each in news if each["state"]["new"] == "alternating"]
    assert {"etag": ['"a"', '"b"'], "via": ["1.1 left", "1.1 right"]} == entered["headers"]
    assert "via: 1.1 left in one, 1.1 right in the other" in entered["text"]
    assert len(news) == 3


def test_a_version_that_comes_back_is_news_again(tmp_path: Path) -> None:
    """A, B, A are two changes, each with an identifier of its own."""
    stay = 4
    news = news_of(
        {"a.example": [*[FILE] * stay, *[OTHER] * stay, *[FILE] * stay]}, tmp_path / "a.db"
    )

    assert [("good", "good")] * 2 == moves(news)
    assert len({each["id"] for each in news}) == 2
    assert news[0]["text"] == [
        "GPTBot (training) may fetch more in some places and less in others, for example /blog"
    ]


def test_what_no_crawler_feels_is_in_the_history_alone(tmp_path: Path) -> None:
    """A comment, a sitemap and a rule without effect are no news."""
    path = tmp_path / "a.db"
    more = [
        FILE,
        FILE + b"# b\n",
        FILE + b"Disallow: /private/b\n",
        FILE + b"Sitemap: http://a.example/s\n",
    ]

    assert [] == news_of({"a.example": more}, path)
    assert len(Archive(str(path), read_only=True).observations("http://a.example")) == len(more)


def test_a_crawl_delay_is_felt(tmp_path: Path) -> None:
    """Records for crawlers are news."""
    [told] = news_of({"a.example": [FILE, FILE + b"Crawl-delay: 10\n"]}, tmp_path / "a.db")

    assert told["severity"] == "other-records"


def test_a_use_is_felt(tmp_path: Path) -> None:
    """What may be done with pages is news for those who ask about it."""
    signals = b"Content-Signal: ai-train=no\n" + FILE
    versions = {"a.example": [FILE, signals]}

    [told] = news_of(versions, tmp_path / "a.db", Interest(use="ai-train"))
    other = news_of(versions, tmp_path / "b.db", Interest(crawlers=("Googlebot",), use="search"))

    assert [["ai-train"]] == [each["uses"] for each in told["uses"]]
    assert other == []


def test_only_crawlers_of_interest_make_news(tmp_path: Path) -> None:
    """What changes for others alone is in the history."""
    interest = Interest(RFC9309, ("Googlebot",))

    assert [] == news_of({"a.example": [FILE, OTHER]}, tmp_path / "a.db", interest)


def test_a_version_that_changed_behind_failures_is_told_with_the_recovery(tmp_path: Path) -> None:
    """The change is told once: when the site can be fetched again."""
    entered, left = news_of({"a.example": [FILE, *[503] * 3, OTHER, OTHER]}, tmp_path / "a.db")

    assert entered["difference"] is None
    assert left["difference"]["changed"][0]["crawlers"] == ["GPTBot"]


def test_a_wrong_clock_puts_no_check_off_for_years(tmp_path: Path) -> None:
    """A site that is due in the far future is checked now: nobody asked for that much patience."""
    archive = Archive(str(tmp_path / "a.db"))
    asked: list[str] = []

    def reply(request: Request) -> Reply:
        asked.append(request.url)
        return Reply(200, [], FILE)

    async def watch() -> None:
        async with AsyncClient(AGENT, transport=MemoryTransport({SITE: reply})) as client:
            watcher = Watcher(archive, client, Vantage(AGENT), Interest(), Targets())
            with archive.transaction():
                archive.put_state(SITE, 1, {}, time() + 1e9)
            with suppress(TimeoutError):
                await asyncio.wait_for(watcher.watch([SITE], every=EVERY), 1)

    asyncio.run(watch())

    assert [f"{SITE}/robots.txt"] == asked
    assert archive.due(SITE, 1) < time() + 2 * EVERY


@pytest.mark.parametrize("errors_after", [1, 3, 5])
def test_patience(errors_after: int) -> None:
    """A site fails after as many failures as were asked for, and not before."""
    state = state_after(State(), "good", "a", 0.0)
    for at in range(1, errors_after + 1):
        assert state.name == "good"
        state = state_after(state, "failing", "", float(at), errors_after=errors_after)

    assert ("failing", float(errors_after)) == (state.name, state.since)


@pytest.mark.parametrize(
    ("reply", "least", "most"),
    [
        (Reply(200, [("Cache-Control", "max-age=864000")], FILE), 0.9 * EVERY, 1.1 * EVERY),
        (Reply(503, [("Retry-After", "50000")]), 50_000.0, 51_000.0),
    ],
)
def test_a_site_is_due_after_its_interval(
    tmp_path: Path, reply: Reply, least: float, most: float
) -> None:
    """However long its file may be kept; but one that asks for patience gets it."""
    archive = Archive(str(tmp_path / "a.db"))
    web = MemoryTransport({"http://a.example": reply})

    async def watch() -> float:
        async with AsyncClient(AGENT, transport=web) as client:
            watcher = Watcher(archive, client, Vantage(AGENT), Interest(), Targets())
            task = asyncio.create_task(watcher.watch(["http://a.example"], every=EVERY))
            while not archive.due("http://a.example", 1):
                await asyncio.sleep(0.01)
            task.cancel()
            return archive.due("http://a.example", 1) - time()

    assert least - 100 < asyncio.run(watch()) <= most


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ("ABAB", "   a"),  # two machines
        ("ABCABCABC", "    aaaaa"),  # three
        ("ABABABCACACA", "   aaa aaaaa"),  # two, and one of them gets a new version
        ("ABCBCBC", "    aaa"),  # two behind a version that is gone
        ("AAAABAAAA", "         "),  # once
        ("ABCDEFGHI", "         "),  # never the same
        ("ABABAAAAAAAA", "   aaaaaaaa "),  # one comes to stay: all eight checks
        ("AABBAABBAABB", "      aaaaaa"),
    ],
)
def test_what_alternates(checks: str, expected: str) -> None:
    """Versions that come back, however many; neither a new one, nor one that comes to stay."""
    state, told = State(), ""
    for at, key in enumerate(checks):
        state = state_after(state, "good", key, float(at))
        told += "a" if state.name == "alternating" else " "

    assert expected == told


SITEMAPS = [FILE + f"Sitemap: http://a.example/{at}\n".encode() for at in range(2)]
DELAYS = [FILE + f"Crawl-delay: {at}\n".encode() for at in (5, 10)]


@pytest.mark.parametrize(
    ("versions", "interest", "expected"),
    [
        (SITEMAPS, Interest(), []),
        ([FILE, OTHER], Interest(crawlers=("Googlebot",)), []),
        ([FILE, b"Content-Signal: ai-train=no\n" + FILE], Interest(use="search"), []),
        (DELAYS, Interest(), [("good", "good")] * 2 + [("good", "alternating")]),
        ([*SITEMAPS, OTHER], Interest(), [("good", "good")] * 2 + [("good", "alternating")]),
    ],
)
def test_what_no_crawler_of_interest_feels_does_not_alternate(
    tmp_path: Path, versions: list[Played], interest: Interest, expected: list[tuple[str, str]]
) -> None:
    """Versions in turn that differ only for others, or in a sitemap."""
    assert expected == moves(news_of({"a.example": versions * 5}, tmp_path / "a.db", interest))


def test_a_new_version_ends_an_alternation_and_is_told(tmp_path: Path) -> None:
    """Nobody says that it has come to stay; what comes back behind it is an alternation again."""
    third = b"User-agent: *\nDisallow: /third\n"
    news = news_of({"a.example": [*[FILE, OTHER] * 3, *[FILE, third] * 3]}, tmp_path / "a.db")

    assert [("good", "alternating"), ("alternating", "good"), ("good", "alternating")] == moves(
        news
    )[2:]
    assert "has a new version of its robots.txt after" in news[3]["summary"]


def test_a_page_without_a_type_is_told_without_one(tmp_path: Path) -> None:
    """A server need not say what it serves."""
    [told] = news_of({"a.example": [FILE, (200, PAGE[1], {})]}, tmp_path / "a.db")

    assert told["summary"].endswith("answered 200")


def test_an_observation_that_cannot_be_read_stops_no_watch(tmp_path: Path) -> None:
    """What comes behind it is told as against nothing."""
    path = tmp_path / "a.db"
    news_of({"a.example": [FILE]}, path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE observation SET record = x'00'")

    assert [] == news_of({"a.example": [OTHER, OTHER]}, path)
    assert [("good", "good")] == moves(news_of({"a.example": [FILE]}, path))


def test_two_runs_that_overlap_tell_each_piece_of_news_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of cron may overlap: neither fails, nor tells what the other has told."""
    monkeypatch.setattr(archive_module, "PATIENCE", LONG)  # this machine may be busy
    hosts = {f"{at}.example": [FILE] for at in range(8)}
    targets = Targets(str(tmp_path / "news.jsonl"), str(tmp_path / "feeds"))
    news_of(hosts, tmp_path / "a.db", targets=targets)
    errors = list[BaseException]()

    def run() -> None:
        try:
            archive = Archive(str(tmp_path / "a.db"))
            asyncio.run(play(stage.port, archive, targets, Interest()))
            archive.close()
        except BaseException as error:
            errors.append(error)

    with playing(Player({host: [OTHER, FILE] for host in hosts})) as stage:
        runs = [threading.Thread(target=run) for _ in range(3)]
        for each in runs:
            each.start()
        for each in runs:
            each.join()

    lines = (tmp_path / "news.jsonl").read_text().splitlines()
    told = [record for *_, record in Archive(str(tmp_path / "a.db")).news()]
    assert (errors, lines) == ([], told)
    assert len(told) >= len(hosts)


def test_what_takes_long_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are compared in a thread, and while nothing is being written: others may go on."""
    compared: list[tuple[bool, bool]] = []
    archives: list[Archive] = []
    felt_between, unmet = news._felt_between, news._unmet

    def noted(call: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*given: Any, **named: Any) -> Any:
            in_loop = threading.current_thread() is threading.main_thread()
            compared.append((in_loop, archives[-1]._db.in_transaction))
            return call(*given, **named)

        return noting

    def opened(path: str) -> Archive:
        archives.append(Archive(path))
        return archives[-1]

    monkeypatch.setattr(watching, "Archive", opened)
    monkeypatch.setattr(news, "_felt_between", noted(felt_between))
    monkeypatch.setattr(news, "_unmet", noted(unmet))
    expected = tmp_path / "expected.toml"
    expected.write_text('[[expect]]\nagent = "GPTBot"\npaths = "/x"\nallowed = true\n')
    interest = Interest(expected={"": [load(str(expected))]})
    hosts = {"a.example": [FILE, FILE, OTHER, FILE, 404, OTHER, SITEMAPS[0], SITEMAPS[1], FILE]}

    assert len(news_of(hosts, tmp_path / "a.db", interest)) > 3
    assert len(compared) > 10
    assert {(False, False)} == set(compared)
