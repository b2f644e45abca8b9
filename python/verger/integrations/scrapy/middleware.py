"""The middleware, its add-on, and parsers: each request is judged before it is downloaded.

In: requests. Out: nothing, or `Disallowed`. `verger.AsyncClient` provides the access policy, the
store, freshness and a single fetch for each origin at a time; this module connects it to settings,
user agents, stats and signals, and decides nothing. Scrapy's parser interface is here twice: for
the bytes of one file, which does not know how the file was fetched, and for a whole `Site`.

Settings, in addition to Scrapy's `ROBOTSTXT_OBEY`, `ROBOTSTXT_USER_AGENT` and `USER_AGENT`:

VERGER_DIALECT          how files and failures are read: a name or a `Dialect` (`rfc9309`).
VERGER_STORE            where files outlive the crawl: a path, the URL of a Redis server, a `Store`.
VERGER_OVERRIDES        your own decisions, by origin (see `AsyncClient`).
VERGER_LEAST_FRESH      the minimum freshness of a file in seconds, whatever its server says (60).
VERGER_PRIVATE          networks and hosts that redirects may lead to although not public.
VERGER_CRAWL_DELAY      whether slots wait as `Crawl-delay` and `Request-rate` ask (False).
VERGER_MOST_CRAWL_DELAY the longest delay in seconds that a site can set (300).
VERGER_TRANSPORT        what fetches robots.txt: `scrapy`, its downloader, or `verger`, which
                        checks each address when it connects, and needs the extra `http`.
"""

import logging
import time
import warnings
from typing import Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.robotstxt import RobotParser
from scrapy.settings import BaseSettings
from scrapy.utils.asyncio import is_asyncio_reactor_installed
from scrapy.utils.misc import load_object
from scrapy.utils.reactor import is_reactor_installed

from verger._core import Agent, origin, parse
from verger.access.entry import is_failure
from verger.access.words import EFFECTS, because
from verger.client import Answer, AsyncClient, Event, Pacer, Site
from verger.client.identity import TokenNotSent
from verger.client.site import LEAST_FRESH
from verger.errors import InvalidOption, InvalidTarget
from verger.fetching.limits import FetchLimits
from verger.fetching.transport import Transport
from verger.integrations.guard import delay_of, governed_url, tokens_of
from verger.integrations.scrapy.downloader import DownloaderTransport
from verger.options import AnyDialect
from verger.untrusted_text import quoted

LOG = logging.getLogger(__name__)

robots_answered = object()
"""The signal for each request that was judged: `request`, `answer` (a `verger.Answer`), `spider`.
Not sent for requests with `dont_obey_robotstxt`."""


class Disallowed(IgnoreRequest):  # type: ignore[misc] # Scrapy is not there for mypy
    """A request was dropped. `answer` gives the reason; None for an invalid URL."""

    def __init__(self, message: str, answer: Answer | None = None) -> None:
        super().__init__(message)
        self.answer = answer


class VergerRobotParser(RobotParser):  # type: ignore[misc] # Scrapy is not there for mypy
    """A parser for `ROBOTSTXT_PARSER`: reads a file as `VERGER_DIALECT` says."""

    def __init__(self, body: bytes, dialect: AnyDialect = "rfc9309") -> None:
        self.robots = parse(body, dialect=dialect)

    @classmethod
    def from_crawler(cls, crawler: Crawler | None, robotstxt_body: bytes) -> Self:
        """Return the parser of a file; at its start, Scrapy creates one for an empty file."""
        settings = crawler.settings if crawler else {}
        return cls(robotstxt_body, settings.get("VERGER_DIALECT", "rfc9309"))

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether the user agent may fetch a URL; False for an invalid URL."""
        try:
            return self._agent(user_agent).allowed(text_of(url))
        except InvalidTarget:
            return False

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds between two requests that the file asks for."""
        return delay_of(self._agent(user_agent))

    def _agent(self, user_agent: str | bytes) -> Agent:
        return self.robots.agent(tokens_of(user_agent))


class SiteParser(RobotParser):  # type: ignore[misc]
    """One site as a parser: for the signal `robots_parsed`, and for answers."""

    def __init__(self, site: Site, tokens: tuple[str, ...]) -> None:
        self.site = site
        self._tokens = tokens

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler | None,  # noqa: ARG003 (Scrapy's name)
        robotstxt_body: bytes,  # noqa: ARG003
    ) -> Self:
        """Raise TypeError: bytes are only a file, not a site."""
        raise TypeError("pass `VergerRobotParser` as ROBOTSTXT_PARSER")

    def allowed(self, url: str | bytes, user_agent: str | bytes) -> bool:
        """Whether rules and access policy let the user agent fetch a URL of this origin."""
        return self._site_for(user_agent).allowed(text_of(url))

    def decide(self, url: str | bytes, user_agent: str | bytes) -> Answer:
        """Decide one URL of this origin, with the reason."""
        return self._site_for(user_agent).decide(text_of(url), now=time.time())

    def crawl_delay(self, user_agent: str | bytes) -> float | None:
        """Return the seconds between two requests that the site asks for."""
        return delay_of(self._site_for(user_agent).my_rules)

    def _site_for(self, user_agent: str | bytes) -> Site:
        tokens = tokens_of(user_agent)
        return self.site if tokens == self._tokens else self.site.asked_by(tokens)


def text_of(text: str | bytes) -> str:
    """Return a URL as text, whatever its bytes."""
    return text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text


class VergerRobotsTxtMiddleware(RobotsTxtMiddleware):  # type: ignore[misc]
    """Scrapy's middleware, with verger's answers."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        _expect_asyncio()
        settings = crawler.settings
        self._news: set[str] = set()
        self._failing: set[str] = set()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", TokenNotSent)
            self._client = AsyncClient(
                self._default_useragent or "Scrapy",
                token=tokens_of(self._robotstxt_useragent or self._default_useragent or "*"),
                dialect=settings.get("VERGER_DIALECT") or "rfc9309",
                store=settings.get("VERGER_STORE") or None,
                overrides=settings.getdict("VERGER_OVERRIDES"),
                transport=_transport_for(crawler),
                private=settings.getlist("VERGER_PRIVATE"),
                limits=limits_of(settings),
                least_fresh=settings.getfloat("VERGER_LEAST_FRESH", LEAST_FRESH),
                on_event=self._note,
            )
        for each in caught:  # as a crawl reports everything else
            LOG.warning("%s", each.message)
        self._pacer: Pacer | None = None
        if settings.getbool("VERGER_CRAWL_DELAY"):
            most = settings.getfloat("VERGER_MOST_CRAWL_DELAY", 300.0)
            self._pacer = Pacer(default_delay=0.0, most_delay=most)
        crawler.signals.connect(self._close, signal=signals.spider_closed)

    async def robot_parser(self, request: Request) -> RobotParser | None:
        """Return the parser for a request's origin; None if no robots.txt governs the request."""
        name = origin_of(request)
        if name is None:
            return None
        site = self._client.known(name) or await self._client.site(name)
        self._warn(site)
        parser = SiteParser(site, self._client.identity.tokens)
        if name in self._news:
            self._news.discard(name)
            await self.crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=parser, request=request
            )
        return parser

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Accept a request, or raise `Disallowed`."""
        if not isinstance(rp, SiteParser):
            super().process_request_2(rp, request)
            return
        user_agent = self._robotstxt_useragent or request.headers.get(
            b"User-Agent", self._default_useragent
        )
        answer = rp.decide(governed_url(request.url) or request.url, user_agent or "*")
        self._report(request, answer)
        if not answer.allowed:
            self._stats.inc_value("robotstxt/forbidden")
            raise Disallowed(f"Forbidden by robots.txt: {in_words(answer)}", answer)
        agent = rp.site.my_rules
        if self._pacer and agent and (delay := self._pacer.delay(agent, now=time.time())):
            self._slow_down(request, delay)

    def _slow_down(self, request: Request, delay: float) -> None:
        """Make the slot of a request wait between two requests as long as the site asks for.

        A site can make the project's own delay longer, never shorter. Scrapy drops idle slots and
        creates new ones, and AutoThrottle lowers delays: so the delay is set for each request, and
        AutoThrottle may not change it.
        """
        downloader = self.crawler.engine.downloader
        key = downloader.get_slot_key(request)
        settings = downloader.per_slot_settings.setdefault(key, {})
        settings["delay"] = max(delay, settings.get("delay", 0.0))
        settings["jitter"] = 0.0  # half the delay would be less than the site asks for
        request.meta["autothrottle_dont_adjust_delay"] = True
        if slot := downloader.slots.get(key):
            slot.delay = max(delay, slot.delay)
            slot.jitter = 0.0

    # reporting

    def _report(self, request: Request, answer: Answer) -> None:
        self._stats.inc_value(f"robotstxt/reason/{answer.reason}")
        if not answer.allowed:
            LOG.debug(
                "Forbidden by robots.txt: %(request)s (%(why)s)",
                {"request": request, "why": in_words(answer)},
                extra={"spider": self.crawler.spider},
            )
        self.crawler.signals.send_catch_log(
            signal=robots_answered, request=request, answer=answer, spider=self.crawler.spider
        )

    def _note(self, event: Event) -> None:
        """Count what happened to a file; its next reader sends `robots_parsed`."""
        self._stats.inc_value(f"robotstxt/{event.kind}")
        result = event.result
        if event.kind == "store-problem":
            LOG.warning("verger's store: %s", event.detail)
        elif result is not None and result.failure is None:
            self._news.add(event.origin)

    def _warn(self, site: Site) -> None:
        """Say what a failed fetch means: once for each origin, until a fetch succeeds."""
        if site.entry is None or not is_failure(site.entry.last):
            self._failing.discard(site.origin)
        elif site.origin not in self._failing:
            self._failing.add(site.origin)
            LOG.warning("%s: %s", because(site), EFFECTS[site.access.effect])

    async def _close(self) -> None:
        await self._client.close()


def origin_of(request: Request) -> str | None:
    """Return the origin whose file governs a request; None if there is none.

    Raises: Disallowed for an invalid URL of HTTP or FTP.
    """
    if (judged := governed_url(request.url)) is None:
        return None
    try:
        return origin(judged)
    except InvalidTarget as error:
        raise Disallowed(f"Forbidden: {error.message}") from error


def in_words(answer: Answer) -> str:
    """Return the reason of an answer on one line."""
    if answer.agent is None and answer.site is not None:
        return because(answer.site)
    rule = f"line {answer.line} {quoted(str(answer.rule))}, " if answer.rule is not None else ""
    return f"{rule}{answer.reason}, {answer.section}"


def limits_of(settings: BaseSettings) -> FetchLimits:
    """Return the limits of one fetch: the timeout of one page, plus the delays of its slot."""
    seconds = settings.getfloat("DOWNLOAD_TIMEOUT") or FetchLimits().total
    waits = 10 * settings.getfloat("DOWNLOAD_DELAY")
    return FetchLimits(total=seconds + waits)


def _transport_for(crawler: Crawler) -> Transport | None:
    name = crawler.settings.get("VERGER_TRANSPORT") or "scrapy"
    if name == "scrapy":
        return DownloaderTransport(crawler, private=crawler.settings.getlist("VERGER_PRIVATE"))
    if name == "verger":
        return None
    raise InvalidOption(f"VERGER_TRANSPORT is `{name}`", "set it to `scrapy` or `verger`")


def _expect_asyncio() -> None:
    """Refuse any other reactor at the start, not at each request."""
    if is_reactor_installed() and not is_asyncio_reactor_installed():
        raise InvalidOption(
            "verger's middleware needs the asyncio reactor",
            "leave TWISTED_REACTOR at its default",
        )


# the add-on

MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
USUAL_PLACE = 100


class VergerAddon:
    """Replaces the middleware in its place, and the parser; does not set `ROBOTSTXT_OBEY`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Change the settings of a crawler before it is created."""
        place = order_of(RobotsTxtMiddleware, settings)
        settings.set_in_component_priority_dict(MIDDLEWARES, RobotsTxtMiddleware, None)
        settings.setdefault_in_component_priority_dict(
            MIDDLEWARES, VergerRobotsTxtMiddleware, place
        )
        settings.set("ROBOTSTXT_PARSER", VergerRobotParser, "addon")


def order_of(middleware: type, settings: BaseSettings) -> int:
    """Return the order of a middleware in the project's settings, or else in Scrapy's."""
    placed = settings.get_component_priority_dict_with_base(MIDDLEWARES)
    places = [place for each, place in placed.items() if load_object(each) is middleware]
    return next((place for place in places if place is not None), USUAL_PLACE)
