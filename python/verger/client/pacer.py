"""The pacer: when the next request to an origin may go out. It tells, and never sleeps.

In: URLs, the rules of the crawler there, the time. Out: times. `Crawl-delay` and `Request-rate`
set the distance between two requests, `Visit-time` the hours (Conner, An Extended Standard for
Robot Exclusion, 1996), each as far as the dialect reads it and within bounds of the crawler's own.
"""

from collections import OrderedDict
from math import isfinite

from verger._core import Agent, VisitTime, origin
from verger.errors import RobotsError
from verger.options import expect_seconds, expect_whole

DAY_MINUTES = 1_440


class Pacer:
    """A timetable of requests by origin.

    default_delay:  seconds between two requests where the site asks for nothing.
    most_delay:     seconds beyond which no site can ask for more.
    most_origins:   how many origins are remembered; those reserved longest ago leave first.
    """

    def __init__(
        self, *, default_delay: float = 1.0, most_delay: float = 300.0, most_origins: int = 100_000
    ) -> None:
        for name, value in (("default_delay", default_delay), ("most_delay", most_delay)):
            expect_seconds(name, value, above_zero=False)
        expect_whole("most_origins", most_origins)
        self._default_delay = default_delay
        self._most_delay = most_delay
        self._most_origins = most_origins
        self._last: OrderedDict[str, float] = OrderedDict()

    def next_at(self, url: str, agent: Agent | None, *, now: float) -> float:
        """Return the time, at least `now`, when a request to the URL's origin may go out.

        agent:  the crawler's rules there, `site.agent`; None where no rules bind.
        now:    seconds since the epoch.
        Raises: InvalidTarget; RobotsError for a time that is none.
        """
        return self._next(origin(url), agent, now)

    def reserve(self, url: str, agent: Agent | None, *, now: float) -> float:
        """Return the time as `next_at`, and count a request as going out then."""
        name = origin(url)
        at = self._next(name, agent, now)
        self._last[name] = at
        self._last.move_to_end(name)
        while len(self._last) > self._most_origins:
            self._last.popitem(last=False)
        return at

    def delay(self, agent: Agent | None, *, now: float) -> float:
        """Return the seconds between two requests that hold at a time."""
        asked = _asked_delay(agent, now) if agent else None
        return self._default_delay if asked is None else min(asked, self._most_delay)

    def _next(self, name: str, agent: Agent | None, now: float) -> float:
        if not isfinite(now):
            raise RobotsError(f"`now` is `{now!r}`", "pass seconds since the epoch: `time.time()`")
        last = self._last.get(name)
        at = now if last is None else max(now, last + self.delay(agent, now=now))
        return _within(agent.visit_time, at) if agent and agent.visit_time else at


def _asked_delay(agent: Agent, now: float) -> float | None:
    """Return the larger of what `Crawl-delay` and the `Request-rate` of this minute ask for."""
    rate = agent.request_rate_at(_minute(now))
    asked = [] if agent.crawl_delay is None else [float(agent.crawl_delay)]
    if rate is not None:
        asked.append(rate.seconds / rate.documents)
    return max(asked, default=None)


def _within(hours: VisitTime, at: float) -> float:
    """Return the first time from `at` on that lies in the hours of visit; at most a day later."""
    minute = _minute(at)
    if hours.holds(minute):
        return at
    wait = (hours.start - minute) % DAY_MINUTES
    return at - at % 60 + wait * 60


def _minute(at: float) -> int:
    """Return the minute of the day, UTC."""
    return int(at // 60) % DAY_MINUTES
