"""The pacer: when the next request may go out, by tables and by properties.

In: rules of a file, times by hand. Out: times; nothing here waits.
"""

import time

import pytest
from hypothesis import given, strategies as st

import verger
from client.stage import DAY, HOUR, MINUTE, PAGE, SITE
from verger.client import Pacer
from verger.errors import InvalidTarget

MIDNIGHT = 1_772_323_200.0
"""Sunday, 1 March 2026, 00:00 UTC."""


def agent(*lines: str, dialect: str = "rfc9309") -> verger.Agent:
    file = "\n".join(["User-agent: *", "Disallow: /private", *lines])
    return verger.parse(file, dialect=dialect).agent("ExampleBot")


def clock(text: str) -> float:
    """Return a time on the first day: `13:05` or `13:05:30`."""
    hours, minutes, seconds = (int(part) for part in f"{text}:00".split(":")[:3])
    return MIDNIGHT + hours * HOUR + minutes * MINUTE + seconds


# A clock that is set


def test_a_clock_that_was_set_back() -> None:
    """What was reserved while it ran ahead by years holds up no request for years."""
    pacer = Pacer()
    for _ in range(3):
        pacer.reserve(PAGE, None, now=2.5e9)

    assert MIDNIGHT == pacer.next_at(PAGE, None, now=MIDNIGHT)
    assert [MIDNIGHT, MIDNIGHT + 1] == [pacer.reserve(PAGE, None, now=MIDNIGHT) for _ in range(2)]


def test_clocks_that_are_a_little_apart() -> None:
    """A reservation by another clock counts, as does one that lies far ahead of its own time."""
    pacer = Pacer()
    for _ in range(1_000):
        pacer.reserve(PAGE, None, now=MIDNIGHT + 300)

    assert MIDNIGHT + 1_300 == pacer.next_at(PAGE, None, now=MIDNIGHT)


# Distances


DELAYS = {
    0.0: ["Crawl-delay: 0"],
    1.0: ["", "Crawl-delay: -1", "Crawl-delay: soon", "Request-rate: 0/5", "Request-rate: 1/0"],
    2.5: ["Crawl-delay: 2.5", "Request-rate: 4/10"],
    5.0: ["Crawl-delay: 5"],
    10.0: ["Request-rate: 1/10", "Crawl-delay: 5\nRequest-rate: 1/10"],
    20.0: ["Crawl-delay: 20\nRequest-rate: 1/10"],
    300.0: ["Crawl-delay: 100000", "Request-rate: 1/5m", "Request-rate: 1/9h"],
}
"""Seconds between two requests, and the records that ask for them."""


@pytest.mark.parametrize(
    ("records", "delay"), [(records, delay) for delay, all_ in DELAYS.items() for records in all_]
)
def test_delay(records: str, delay: float) -> None:
    """The larger of what the file asks for, within the bound, else the crawler's own."""
    asked, now = agent(*records.splitlines()), clock("12:00")
    pacer = Pacer()

    assert pacer.delay(asked, now=now) == delay
    assert pacer.reserve(PAGE, asked, now=now) == now
    assert pacer.reserve(PAGE, asked, now=now) == now + delay
    assert pacer.next_at(PAGE, asked, now=now) == now + 2 * delay
    assert pacer.next_at(PAGE, asked, now=now + 2 * DAY) == now + 2 * DAY


@pytest.mark.parametrize(
    ("at", "delay"),
    [("00:15", 60), ("06:00", 30), ("09:00", 5), ("17:30", 5), ("18:30", 30), ("23:00", 60)],
)
def test_rate_by_the_hour(at: str, delay: int) -> None:
    """A rate with a window holds in it, also over midnight; else the one without."""
    asked = agent(
        "Request-rate: 1/5 0800-1800", "Request-rate: 1/60 2200-0030", "Request-rate: 1/30"
    )

    assert Pacer().delay(asked, now=clock(at)) == delay


@pytest.mark.parametrize("dialect", ["google", "yandex", "original-1994", "koster-1996"])
def test_dialects_that_read_no_delay(dialect: str) -> None:
    """What the dialect does not read asks for nothing."""
    asked = agent("Crawl-delay: 60", "Request-rate: 1/60", "Visit-time: 0100-0200", dialect=dialect)

    assert Pacer().delay(asked, now=clock("12:00")) == 1.0
    assert Pacer().next_at(PAGE, asked, now=clock("12:00")) == clock("12:00")


def test_without_rules() -> None:
    """Where no rules bind, the crawler keeps its own distance."""
    pacer = Pacer(default_delay=2.5)

    assert [0.0, 2.5, 5.0] == [pacer.reserve(PAGE, None, now=0.0) for _ in range(3)]


def test_bounds_of_the_crawlers_own() -> None:
    """`default_delay` and `most_delay` are the crawler's to choose."""
    pacer = Pacer(default_delay=0.25, most_delay=10)

    assert pacer.delay(agent(), now=0) == 0.25
    assert pacer.delay(agent("Crawl-delay: 60"), now=0) == 10


def test_the_bound_says_when_it_acts(caplog: pytest.LogCaptureFixture) -> None:
    """A site that asks for more than the crawler grants is named once, with both numbers."""
    files = [
        verger.parse(f"User-agent: *\nCrawl-delay: {delay}\n", url=f"{site}/robots.txt")
        for site, delay in (("https://a.example", 3600), ("https://b.example", 7200))
    ]
    pacer = Pacer(most_delay=3600)

    delays = [pacer.delay(file.agent("a"), now=0) for file in files * 2]

    assert [3600, 3600] * 2 == delays
    words = (
        "https://b.example/robots.txt asks for a delay of 7200 s; `most_delay` limits it to 3600 s"
    )
    assert [words] == caplog.messages


# Hours of visit


VISITS = {
    "0200-0400": [
        "01:00 02:00",
        "02:00 02:00",
        "03:59:30 03:59:30",
        "01:59:59 02:00",
        "05:00 26:00",
    ],
    "2300-0100": ["23:30 23:30", "00:30 00:30", "02:00 23:00", "22:59:59 23:00"],
    "0000-2400": ["12:34:56 12:34:56"],
    "0500-0500": ["05:00:30 05:00:30", "05:01 29:00"],
    "nonsense": ["12:00 12:00"],
}
"""By the hours that a site names: when it is now, and when its turn is."""


@pytest.mark.parametrize(
    ("hours", "now", "at"),
    [(hours, *times.split()) for hours, visits in VISITS.items() for times in visits],
)
def test_visit_time(hours: str, now: str, at: str) -> None:
    """The first minute of the hours that the site wants visits in, over midnight too."""
    asked = agent(f"Visit-time: {hours}")

    assert Pacer().next_at(PAGE, asked, now=clock(now)) == clock(at)


def test_hours_run_out() -> None:
    """A request that the delay pushes behind the hours waits for those of the next day."""
    asked = agent("Visit-time: 0200-0400", "Crawl-delay: 200")
    pacer = Pacer()
    times = [pacer.reserve(PAGE, asked, now=clock("03:58")) for _ in range(3)]

    assert times == [clock("03:58"), clock("26:00"), clock("26:03:20")]


# Origins


def test_each_origin_has_its_own_time() -> None:
    """One site's delay holds up no other; paths and spellings of one site are one."""
    pacer = Pacer()
    urls = [PAGE, f"{SITE}:443/other", "http://example.com/", f"{SITE}:8443/", SITE.upper()]

    assert [0.0, 1.0, 0.0, 0.0, 2.0] == [pacer.reserve(url, None, now=0.0) for url in urls]


def test_next_at_reserves_nothing() -> None:
    """Looking does not change anything."""
    pacer = Pacer()
    pacer.reserve(PAGE, None, now=0.0)

    assert [1.0] * 3 == [pacer.next_at(PAGE, None, now=0.0) for _ in range(3)]


def test_most_origins() -> None:
    """The longest unreserved is forgotten; a million origins take no more room than the bound."""
    pacer = Pacer(most_origins=2)
    for name in ("a", "b", "a", "c"):
        pacer.reserve(f"https://{name}.example/", None, now=0.0)

    assert pacer.next_at("https://a.example/", None, now=0.0) == 2.0
    assert pacer.next_at("https://b.example/", None, now=0.0) == 0.0
    assert pacer.next_at("https://c.example/", None, now=0.0) == 1.0


@pytest.mark.parametrize("url", ["", "/page", "mailto:a@b"])
def test_no_url(url: str) -> None:
    """What has no origin has no time."""
    with pytest.raises(InvalidTarget):
        Pacer().next_at(url, None, now=0.0)
    with pytest.raises(InvalidTarget):
        Pacer().reserve(url, None, now=0.0)


def test_never_sleeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """However far away the time is, it is told at once."""
    monkeypatch.setattr(time, "sleep", None)
    pacer = Pacer()
    asked = agent("Crawl-delay: 300", "Visit-time: 0200-0201")
    times = [pacer.reserve(PAGE, asked, now=0.0) for _ in range(100)]

    assert times[-1] > 90 * DAY


# Properties

RULES = st.lists(
    st.sampled_from(
        [
            "Crawl-delay: 3",
            "Crawl-delay: 0.1",
            "Request-rate: 2/5",
            "Request-rate: 1/30 2200-0600",
            "Visit-time: 0200-0400",
            "Visit-time: 2300-0100",
            "Visit-time: 0500-0500",
        ]
    ),
    max_size=3,
    unique=True,
)
STEPS = st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 5_000)), min_size=1, max_size=30)


@given(RULES, STEPS, st.floats(0, 2 * DAY))
def test_times_of_an_origin_go_up(
    lines: list[str], steps: list[tuple[str, float]], start: float
) -> None:
    """Never before now, never before the last one and its delay, always in the hours of visit,
    and never further away than the delay and a day."""
    asked, pacer = agent(*lines), Pacer()
    last: dict[str, float] = {}
    now = MIDNIGHT + start
    for name, passed in steps:
        now += passed
        earliest = now
        if name in last:
            earliest = max(now, last[name] + pacer.delay(asked, now=now))
        at = pacer.reserve(f"https://{name}.example/", asked, now=now)
        hours = asked.visit_time

        assert at >= earliest
        assert at == earliest or hours is not None
        assert at <= earliest + DAY
        assert hours is None or hours.holds(int(at // 60) % 1_440)
        last[name] = at


def test_now_is_the_default() -> None:
    """Who asks about now need not say so."""
    pacer = Pacer(default_delay=60)
    before = time.time()
    first, second = pacer.reserve(PAGE, None), pacer.reserve(PAGE, None)

    assert before <= first <= time.time()
    assert second == pytest.approx(first + 60)
    assert pacer.next_at(PAGE, None) == pytest.approx(first + 120)
    assert pacer.delay(None) == 60


# Queues


def names(urls: list[str]) -> str:
    return " ".join(url.removeprefix("https://").replace(".example/", "") for url in urls)


def queued(pacer: Pacer, urls: str, asked: verger.Agent | None = None, now: float = 0.0) -> None:
    for url in urls.split():
        pacer.put(f"https://{url[0]}.example/{url[1:]}", asked, now=now)


def test_due_takes_one_of_each_origin() -> None:
    """What waits behind it is due after the delay; origins hold up no other."""
    pacer = Pacer()
    queued(pacer, "a1 a2 b1 a3 c1")

    assert "a1 b1 c1" == names(pacer.due(now=0.0))
    assert ("", 0.5) == (names(pacer.due(now=0.5)), pacer.wait(now=0.5))
    assert "a2" == names(pacer.due(now=1.0))
    assert "a3" == names(pacer.due(now=9.0))
    assert pacer.wait(now=9.0) is None


def test_a_queue_keeps_its_order_and_everybody_gets_a_turn() -> None:
    """Without a delay all are due, and origins alternate."""
    pacer = Pacer(default_delay=0)
    queued(pacer, "a1 a2 a3 b1 b2 c1")

    assert "a1 b1" == names(pacer.due(most=2, now=0.0))
    assert "" == names(pacer.due(most=0, now=0.0))
    assert "c1 a2 b2 a3" == names(pacer.due(now=0.0))


def test_due_by_the_rules_of_each_origin() -> None:
    """Crawl-delay and hours as for `reserve`; the rules put last count."""
    pacer = Pacer()
    queued(pacer, "a1 a2 a3", agent("Crawl-delay: 5"))
    queued(pacer, "b1", agent("Visit-time: 0100-0200"))

    assert "a1" == names(pacer.due(now=0.0))
    assert pacer.wait(now=0.0) == 5.0
    queued(pacer, "a4", agent("Crawl-delay: 7"))
    assert "a2" == names(pacer.due(now=7.0))
    assert ("a3", "a4") == (names(pacer.due(now=14.0)), names(pacer.due(now=21.0)))
    assert (3_579.0, "b1") == (pacer.wait(now=21.0), names(pacer.due(now=3_600.0)))


def test_due_and_reserve_share_a_schedule() -> None:
    """A request that was reserved meanwhile comes first, and nothing is lost."""
    pacer = Pacer()
    queued(pacer, "a1")
    assert pacer.reserve("https://a.example/", None, now=0.0) == 0.0

    assert ("", 1.0) == (names(pacer.due(now=0.0)), pacer.wait(now=0.0))
    assert "a1" == names(pacer.due(now=1.0))
    assert pacer.next_at("https://a.example/", None, now=1.0) == 2.0


def test_misuse_of_queues() -> None:
    """What is no URL, no number and no time is refused, and changes nothing."""
    pacer = Pacer()
    with pytest.raises(InvalidTarget):
        pacer.put("/page", None)
    with pytest.raises(verger.InvalidOption):
        pacer.due(most=-1)
    with pytest.raises(verger.RobotsError):
        pacer.put("https://a.example/", None, now=float("nan"))

    assert (pacer.due(), pacer.wait()) == ([], None)
    queued(pacer, "a1")
    assert "a1" == names(pacer.due(now=0.0))


@given(RULES, st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=30))
def test_due_is_what_reserve_would_say(lines: list[str], asked_for: list[str]) -> None:
    """Each URL comes once, in the order of its origin, at the time that `reserve` gives it."""
    asked, pacer, alone = agent(*lines), Pacer(), Pacer()
    urls = [f"https://{name}.example/{at}" for at, name in enumerate(asked_for)]
    for url in urls:
        pacer.put(url, asked, now=MIDNIGHT)
    now, found = MIDNIGHT, dict[str, float]()
    while (seconds := pacer.wait(now=now)) is not None:
        now += seconds
        found |= dict.fromkeys(pacer.due(now=now), now)

    expected = {url: alone.reserve(url, asked, now=MIDNIGHT) for url in urls}
    assert expected == pytest.approx(found)
