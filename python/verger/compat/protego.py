"""`Protego`: the drop-in for Protego 0.7.

    from verger.compat.protego import Protego    # was: from protego import Protego

In: the text of a file. Out: the answers of `verger.Agent`, with Protego's names and types.
Differences are listed in `docs/compat/protego.md`.
"""

from collections.abc import Iterator
from datetime import time
from functools import cached_property
from typing import NamedTuple, Self

from verger._core import Agent, RobotsTxt, VisitTime as Window, parse
from verger.compat.asking import ANY_TEXT, NO_FILE, DropIn, encoded, named_by, names_in, rooted
from verger.options import AnyDialect

__all__ = ["LIBRARY", "Protego", "RequestRate", "VisitTime"]

LIBRARY = ANY_TEXT.replace(
    name="protego-0.7",
    parse_limit=None,
    record_ends_starts=True,
    user_agent_match="family-prefix",
    named_groups="best-merge",
    index_is_directory=True,
    require_slash=False,
)
"""How Protego 0.7 reads files, as far as verger's knobs can express it."""


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds, optionally between two times of the day."""

    requests: int
    seconds: int
    start_time: time | None
    end_time: time | None


class VisitTime(NamedTuple):
    """The times of the day, UTC, between which a site wants to be visited."""

    start_time: time
    end_time: time


class Protego(DropIn[Agent]):
    """One robots.txt file; created by `parse`.

    dialect:  how files are read; set it in a subclass.

    >>> from verger.compat.protego import Protego
    >>> rules = Protego.parse("User-agent: *\\nDisallow: /private\\nCrawl-delay: 2.5\\n")
    >>> rules.can_fetch("https://example.com/private/a", "ExampleBot/1.0")
    False
    >>> rules.crawl_delay("ExampleBot")
    2.5
    """

    dialect: AnyDialect = LIBRARY

    def __init__(self) -> None:
        self._take(NO_FILE)

    @classmethod
    def parse(cls, content: str) -> Self:
        """Read the text of a file. Raises TypeError for anything but text."""
        if not isinstance(content, str):
            raise TypeError(f"Protego.parse expects str, got {type(content).__name__}")
        parsed = cls()
        parsed._take(parse(encoded(content), dialect=cls.dialect))
        return parsed

    def can_fetch(self, url: str, user_agent: str) -> bool:
        """Return whether a crawler may fetch a URL."""
        agent = self._agents.get(user_agent) or self._agent(user_agent)
        return agent.allowed(url if "://" in url else rooted(url))

    def crawl_delay(self, user_agent: str) -> float | None:
        """Return the seconds between two requests; None if the file sets none."""
        return self._agent(user_agent).crawl_delay

    def request_rate(self, user_agent: str) -> RequestRate | None:
        """Return how many requests may be made in how many seconds."""
        rates = self._agent(user_agent).request_rates
        if not rates:
            return None
        rate = rates[-1]
        start, end = _times(rate.window) if rate.window else (None, None)
        return RequestRate(rate.documents, rate.seconds, start, end)

    def visit_time(self, user_agent: str) -> VisitTime | None:
        """Return the times of the day between which the site wants to be visited."""
        window = self._agent(user_agent).visit_time
        return VisitTime(*_times(window)) if window else None

    @property
    def sitemaps(self) -> Iterator[str]:
        """The sitemaps listed in the file."""
        return iter(self.robots.sitemaps)

    @property
    def preferred_host(self) -> str | None:
        """The host that the file prefers, as written."""
        hosts = [record.raw for record in self.robots.records if record.field == "host"]
        return hosts[-1] if hosts else None

    def _rules(self, user_agent: str) -> Agent:
        if user_agent.isascii():
            return self.robots.agent(names_in(user_agent))
        return self._outside_ascii.agent(named_by(user_agent))

    @cached_property
    def _outside_ascii(self) -> RobotsTxt:
        """The file read with whole names compared, since name families are ASCII only."""
        dialect = self.robots.dialect.replace(user_agent_match="rfc", named_groups="merge")
        return parse(self.robots.body, dialect=dialect)


def _times(window: Window) -> tuple[time, time]:
    return time(*divmod(window.start, 60)), time(*divmod(window.end % 1440, 60))
