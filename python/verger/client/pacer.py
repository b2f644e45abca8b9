"""The pacer: when the next request to an origin may be sent. It computes times and never sleeps.

In: URLs, the crawler's rules for them, the time; perhaps a store, in which many processes keep one
schedule. Out: times. `Crawl-delay` and `Request-rate`
set the interval between two requests, `Visit-time` the hours (Conner, An Extended Standard for
Robot Exclusion, 1996), each if the dialect reads it and within the crawler's own limits.
"""

import logging
import os
from collections import OrderedDict, deque
from heapq import heappop, heappush
from itertools import count
from math import inf, isfinite
from time import time

from verger._core import _CLOCKS_APART, Agent, VisitTime, origin
from verger.cache.opening import store_at
from verger.cache.store import Store
from verger.errors import InvalidOption, RobotsError
from verger.loop_thread import INHERITED, LoopThread
from verger.options import expect_seconds, expect_whole
from verger.untrusted_text import counted, printable

LOG = logging.getLogger("verger.client")
DAY_MINUTES = 1_440
# No clock that was set says less; who passes it asks for the schedule.
YEAR_2000 = 946_684_800.0


class Pacer:
    """A schedule of requests by origin, and a queue of URLs for each.

    `reserve` gives one request its time. A crawl of many sites puts its URLs into the queues, and
    fetches what is `due`: then no worker waits for one site while another is free.

    default_delay:  seconds between two requests if the site sets no delay.
    most_delay:     the longest delay in seconds that a site can set. When a site asks for more,
                    the logger `verger.client` says so, once for each file.
    least_delay:    the shortest delay, whatever a site says.
    most_origins:   how many origins are remembered; the least recently reserved are removed first.
    store:          keeps the schedule for all processes that use it, and for many machines if it is
                    a Redis server: a `Store`, the path of an SQLite file, or a URL. Turns are by
                    its clock. None keeps it in this process. Methods then raise CacheError if the
                    store fails: nobody knows when the others ask. In an event loop use `lease`,
                    since the others wait for the store.
    crawler:        whose schedule in the store it is; crawlers with one name share one.

    >>> import verger
    >>> robots = verger.parse("User-agent: *\\nCrawl-delay: 5\\n", dialect="bing")
    >>> rules = robots.agent("ExampleBot")
    >>> pacer = Pacer()
    >>> [pacer.reserve("https://example.com/a", rules, now=100.0) for _ in range(3)]
    [100.0, 105.0, 110.0]
    >>> for url in ("https://example.com/b", "https://other.example/", "https://other.example/a"):
    ...     pacer.put(url, None, now=110.0)
    >>> pacer.due(now=110.0), pacer.wait(now=110.0)
    (['https://other.example/'], 1.0)
    """

    def __init__(
        self,
        *,
        default_delay: float = 1.0,
        most_delay: float = 300.0,
        least_delay: float = 0.0,
        most_origins: int = 100_000,
        store: Store | str | os.PathLike[str] | None = None,
        crawler: str = "",
    ) -> None:
        delays = {"default": default_delay, "most": most_delay, "least": least_delay}
        for name, value in delays.items():
            expect_seconds(f"{name}_delay", value, above_zero=False)
        expect_whole("most_origins", most_origins)
        self._default_delay = default_delay
        self._most_delay = most_delay
        self._least_delay = least_delay
        self._most_origins = most_origins
        self._store = store_at(store) if isinstance(store, str | os.PathLike) else store
        if store is not None and not callable(getattr(self._store, "lease", None)):
            raise InvalidOption(f"`store` is `{store!r:.60}`", "pass a path, a URL or a `Store`")
        self._crawler = crawler.lower()
        self._thread: LoopThread | None = None  # a pacer without a store can be pickled
        self._process = 0
        self._last: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """When the last request to an origin may be sent, and when that was reserved."""
        self._told: set[str | None] = set()
        self._queues: dict[str, deque[str]] = {}
        self._rules: dict[str, Agent | None] = {}
        self._turns: list[tuple[float, int, str]] = []
        """When the first URL of each queue is due; of those at one time, who waits longest."""
        self._serial = count()

    def __repr__(self) -> str:
        delays = f"default_delay={self._default_delay:g}, most_delay={self._most_delay:g}"
        return f"Pacer({counted(len(self._last), 'origin')}, {delays})"

    def next_at(self, url: str, agent: Agent | None, *, now: float | None = None) -> float:
        """Return the time, at least `now`, when a request to the URL's origin may be sent.

        agent:  the crawler's rules there, `site.my_rules`; None if no rules apply.
        now:    seconds since the epoch; by default the current time.
        Raises: InvalidTarget; RobotsError if `now` is not finite.
        """
        return self._next(origin(url), agent, _time(now))

    def reserve(self, url: str, agent: Agent | None, *, now: float | None = None) -> float:
        """Return when to request a URL, as `next_at` does, and record a request at that time."""
        name, asked_at = origin(url), _time(now)
        at = self._take(name, agent, asked_at, inf)
        # by the clock that the caller reads now: the store may have taken its time
        return at if now is not None or self._store is None else at - asked_at + time()

    async def lease(
        self,
        url: str,
        agent: Agent | None,
        *,
        wait: float = 0.0,
        longest: float = inf,
        now: float | None = None,
    ) -> float:
        """Take the next turn at the URL's origin from the store; return the seconds until then.

        wait:     the least seconds until then, such as those of `Retry-After`; later turns of
                  others come after it.
        longest:  the most seconds; if there are more, they are returned, and no turn is taken.
        now:      the time in seconds since the epoch, for the hours of visits and rates.
        Raises:   CacheError, InvalidTarget; RobotsError without a store.
        """
        if self._store is None:
            raise RobotsError("this pacer has no store", "pass `store=...`, or use `reserve`")
        name, now = f"{self._crawler} {origin(url)}", _time(now)
        hours = agent.visit_time if agent else None
        if wait > (apart := self.delay(agent, now=now + wait)):
            # the host has asked for it, whether or not this turn is taken
            await self._store.lease(name, delay=0.0, wait=wait - apart)
        while True:
            first = _in_visit_hours(hours, now + wait) - now if hours else wait
            delay = self.delay(agent, now=now + first)
            seconds = await self._store.lease(name, delay=delay, wait=first, longest=longest)
            wait = _in_visit_hours(hours, now + seconds) - now if hours else seconds
            if wait <= seconds or seconds > longest:
                return seconds

    def close(self) -> None:
        """Close the store, if there is one."""
        if self._store is not None:
            self._thread_of_this_process().run_last(self._store.close())

    def put(self, url: str, agent: Agent | None, *, now: float | None = None) -> None:
        """Put a URL into the queue of its origin, with the crawler's rules there.

        Raises: InvalidTarget; RobotsError if `now` is not finite.
        """
        name, now = origin(url), _time(now)
        self._rules[name] = agent
        self._queues.setdefault(name, deque()).append(url)
        if len(self._queues[name]) == 1:
            self._take_turn(name, now)

    def due(self, *, most: int | None = None, now: float | None = None) -> list[str]:
        """Take the URLs from the queues whose turn it is, and record a request to each.

        most:  how many at most; None for all.
        now:   seconds since the epoch; by default the current time.
        """
        expect_whole("most", most, least=0, optional=True)
        now, found = _time(now), list[str]()
        while self._turns and self._turns[0][0] <= now and len(found) != most:
            _, _, name = heappop(self._turns)
            if self._take(name, self._rules[name], now, 0.0) <= now:  # nobody did in between
                found.append(self._queues[name].popleft())
            if self._queues[name]:
                self._take_turn(name, now)
            else:
                del self._queues[name], self._rules[name]
        return found

    def wait(self, *, now: float | None = None) -> float | None:
        """Return the seconds until a URL is due; None if all queues are empty."""
        return max(0.0, self._turns[0][0] - _time(now)) if self._turns else None

    def delay(self, agent: Agent | None, *, now: float | None = None) -> float:
        """Return the seconds between two requests at time `now`, by default the current."""
        asked = _asked_delay(agent, _time(now)) if agent else None
        if asked is None:
            return max(self._default_delay, self._least_delay)
        if agent and asked > self._most_delay:
            self._tell(agent.robots.url, asked)
        return max(min(asked, self._most_delay), self._least_delay)

    def _tell(self, file: str | None, asked: float) -> None:
        """Say that a file asks for a longer delay than is kept, once for each file."""
        if file in self._told:
            return
        if len(self._told) >= self._most_origins:
            self._told.clear()
        self._told.add(file)
        words = "%s asks for a delay of %g s; `most_delay` limits it to %g s"
        LOG.warning(words, printable(file or "a file"), asked, self._most_delay)

    def _take_turn(self, name: str, now: float) -> None:
        heappush(self._turns, (self._next(name, self._rules[name], now), next(self._serial), name))

    def _take(self, name: str, agent: Agent | None, now: float, longest: float) -> float:
        """Return when a request may be sent, and record one then unless that is too far away."""
        if self._store is not None:
            taking = self.lease(name, agent, longest=longest, now=now)
            return now + self._thread_of_this_process().run(taking)
        at = self._next(name, agent, now)
        if at - now <= longest:
            self._last[name] = at, now
            self._last.move_to_end(name)
        while len(self._last) > self._most_origins:
            self._last.popitem(last=False)
        return at

    def _thread_of_this_process(self) -> LoopThread:
        """Return the thread that waits for the store; after a fork a new one."""
        if self._thread is None or self._process != os.getpid():
            INHERITED.append(self._thread)
            self._thread, self._process = LoopThread("verger-pacer"), os.getpid()
        return self._thread

    def _next(self, name: str, agent: Agent | None, now: float) -> float:
        if self._store is not None:
            return self._take(name, agent, now, -1.0)
        last = self._last.get(name)
        is_set_back = last is not None and YEAR_2000 <= now < last[1] - _CLOCKS_APART
        at = now
        if last is not None and not is_set_back:
            at = max(now, last[0] + self.delay(agent, now=now))
        return _in_visit_hours(agent.visit_time, at) if agent and agent.visit_time else at


def _time(now: float | None) -> float:
    """Return a time, by default the current one. Raises RobotsError if it is not finite."""
    if now is None:
        return time()
    if not isfinite(now):
        raise RobotsError(f"`now` is `{now!r}`", "pass seconds since the epoch: `time.time()`")
    return now


def _asked_delay(agent: Agent, now: float) -> float | None:
    """Return the longer delay of `Crawl-delay` and the `Request-rate` of this minute."""
    rate = agent.request_rate_at(_minute(now))
    asked = [] if agent.crawl_delay is None else [agent.crawl_delay]
    if rate is not None:
        asked.append(rate.seconds / rate.documents)
    return max(asked, default=None)


def _in_visit_hours(hours: VisitTime, at: float) -> float:
    """Return the first time from `at` on that is in the visit hours; at most a day later."""
    minute = _minute(at)
    if hours.holds(minute):
        return at
    wait = (hours.start - minute) % DAY_MINUTES
    return at - at % 60 + wait * 60


def _minute(at: float) -> int:
    """Return the minute of the day, UTC."""
    return int(at // 60) % DAY_MINUTES
