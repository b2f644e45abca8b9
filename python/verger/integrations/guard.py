"""The guard: sends no request that robots.txt or the access policy disallows.

In: the URL that an HTTP client is about to request, judged by a `Client` or `AsyncClient`. Out:
nothing if the request may be sent, after its delay; otherwise `Disallowed`, before a connection is
opened. It knows no HTTP client: the other modules here supply URLs and pass on exceptions. Rules,
the meaning of failures and the store come from the client; nothing is decided here.
"""

import asyncio
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from math import inf, isfinite
from typing import Generic, Literal, TypeAlias, TypeVar

from verger._core import Agent, product_token
from verger.access.words import because
from verger.client import Answer, AsyncClient, Client, Pacer, Site
from verger.client.identity import tell_if_unnamed
from verger.errors import InvalidOption, InvalidTarget, RobotsError
from verger.untrusted_text import quoted

__all__ = ["AsyncGuard", "Disallowed", "Guard", "unguarded"]

C = TypeVar("C", Client, AsyncClient)

_UNGUARDED: ContextVar[bool] = ContextVar("verger.unguarded", default=False)


class Disallowed(RobotsError):
    """A request was not sent because robots.txt or the access policy disallows it.

    The modules for HTTP clients raise subclasses that also inherit from the client's own
    exceptions, so that code which catches those also handles disallowed URLs.
    """

    answer: Answer
    """The reason: `answer.decision` for the rules, `answer.access` for the access policy."""
    ask_again_at: float | None
    """When robots.txt will be requested again and the answer may change, in seconds since the
    epoch; None for an override."""

    def __init__(self, answer: Answer, ask_again_at: float | None) -> None:
        super().__init__(_message(answer), _hint(answer, ask_again_at))
        self.answer = answer
        self.ask_again_at = ask_again_at

    def __reduce__(self) -> tuple[type["Disallowed"], tuple[Answer, float | None]]:
        return type(self), (self.answer, self.ask_again_at)

    @property
    def url(self) -> str:
        """The URL that was not requested."""
        return self.answer.url


class TooSoon(RobotsError):
    """A request was not sent, because its delay is longer than the guard's `longest_wait`."""

    def __init__(self, url: str, at: float, wait: float) -> None:
        """Take the URL, the time of its request since the epoch, and the seconds until then."""
        super().__init__(
            f"the page may be requested in {wait:.0f} seconds, as the site asks",
            "ask again then, not before",
        )
        self.url = url
        self.at = at


@contextmanager
def unguarded() -> Iterator[None]:
    """Send all requests in this block, whatever robots.txt says; only in this thread or task.

    Tasks that are started in the block are unguarded for as long as they run.

    >>> with unguarded():
    ...     session.get("https://example.com/private")
    """
    token = _UNGUARDED.set(True)
    try:
        yield
    finally:
        _UNGUARDED.reset(token)


Refusal: TypeAlias = Literal["raise", "answer"] | type[Disallowed]
"""What becomes of a request that is disallowed."""

Whose: TypeAlias = Literal["client", "request"]
"""Whose name selects the rules."""

Family: TypeAlias = tuple[type[Disallowed], type[InvalidTarget], Callable[[str], Exception]]
"""What guards raise for the users of an HTTP client: for disallowed and invalid URLs, and for a
robots.txt that does not come within the time-out of a request."""


class _Guard(Generic[C]):
    """What both guards have: the exceptions of an HTTP client's users, and turns at sites."""

    kind: type[C]

    def __init__(
        self,
        robots: C,
        pacer: Pacer | None = None,
        *,
        disallowed: Refusal = "raise",
        token: Whose = "client",
        longest_wait: float = inf,
        family: Family = (Disallowed, InvalidTarget, TimeoutError),
    ) -> None:
        """Take the options of the class; `family` has the exceptions of an HTTP client."""
        expect_client(robots, self.kind)
        own, self._invalid, self._late = family
        self._disallowed = own if isinstance(disallowed, str) else disallowed
        self._answers = disallowed == "answer"
        is_class = isinstance(disallowed, type) and issubclass(disallowed, Disallowed)
        is_refusal = is_class or disallowed in ("raise", "answer")
        refusals = "`raise`, `answer` or a subclass of `Disallowed`"
        is_pacer = pacer is None or isinstance(pacer, Pacer)
        _expect_option("disallowed", disallowed, is_refusal, refusals)
        _expect_option("token", token, token in ("client", "request"), "`client` or `request`")
        _expect_option("pacer", pacer, is_pacer, "a `verger.Pacer`, or None")
        self._robots: C = robots
        self._token = token
        self._pacer = pacer
        self.longest_wait = longest_wait
        self._other_names: set[tuple[str, ...]] = set()
        self._lock = threading.Lock()
        self._process = os.getpid()

    @contextmanager
    def _outcome(self, url: str, timeout: float | None) -> Iterator[list[Disallowed]]:
        """Yield a list, for a refusal that is an answer; raise what the client's users expect."""
        refused: list[Disallowed] = []
        try:
            yield refused
        except Disallowed as refusal:
            if not self._answers:
                raise
            refused.append(refusal)
        except InvalidTarget as error:
            raise self._invalid(error.message, error.hint) from None
        except TimeoutError:
            within = f"within {timeout:g} s, the time-out of the request"
            raise self._late(f"the robots.txt of {quoted(url)} did not come {within}") from None

    def _take_turn(self, site: Site, url: str, user_agent: str | bytes | None) -> float:
        """Take the next turn at a site; return the seconds until then.

        Raises: Disallowed, TooSoon.
        """
        site = self._allowing(site, url, user_agent)
        if self._pacer is None:
            return 0.0
        now = time.time()
        with self._lock_of_this_process():
            at = self._pacer.next_at(url, site.my_rules, now=now)
            if at - now > self.longest_wait:
                raise TooSoon(url, at, at - now)
            return self._pacer.reserve(url, site.my_rules, now=now) - now

    def _allowing(self, site: Site, url: str, user_agent: str | bytes | None) -> Site:
        """Return the site, as the crawler sees it whose rules count. Raises: Disallowed."""
        sent = tokens_of(user_agent or "")
        if self._token == "request":
            site = site.asked_by(sent, site.question.bindings)
        elif user_agent and sent not in self._other_names:
            self._other_names.add(sent)
            tell_if_unnamed(
                _text(user_agent),
                site.question.tokens,
                '; send the same name, or pass `token="request"` to the guard',
            )
        expect_allowed(site, url, self._disallowed)
        return site

    def _lock_of_this_process(self) -> threading.Lock:
        """Return the lock; after a fork a new one, since a thread of the parent may hold it."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock


class Guard(_Guard[Client]):
    """Asks before each request, whatever sends it; safe to share between threads and after a fork.

    robots:        the client that fetches robots.txt and answers; its creator closes it.
    pacer:         delays requests as sites ask; None sends them at once.
    disallowed:    "raise" an exception, "answer" with it, or a subclass of `Disallowed` to raise.
    token:         whose name selects the rules: that of the "client", or of each "request". A
                   request under another name than the client's causes a warning, once for each.
    longest_wait:  the maximum delay of a request in seconds; a longer one raises `TooSoon`.

    >>> guard = Guard(robots, pacer)
    >>> guard.admit("https://example.com/a")
    >>> page = session.get("https://example.com/a")
    """

    kind = Client

    def admit(
        self, url: str, *, user_agent: str | bytes | None = None, timeout: float | None = None
    ) -> Disallowed | None:
        """Wait until a URL may be requested; ask again for each redirect.

        user_agent:  the `User-Agent` of the request.
        timeout:     seconds to wait for robots.txt, but not for a turn; None for as long as the
                     client's limits allow.
        Returns:     None if the request may be sent; with "answer" the reason if it may not.
        Raises:      Disallowed; InvalidTarget for an invalid URL; TooSoon; TimeoutError.
        """
        if (judged := url_to_judge(url)) is None:
            return None
        with self._outcome(url, timeout) as refused:
            site = self._robots.site(judged, timeout=timeout)
            if wait := self._take_turn(site, judged, user_agent):
                time.sleep(wait)  # the file may have changed then
                site = self._robots.site(judged, timeout=timeout)
                self._allowing(site, judged, user_agent)
        return next(iter(refused), None)


class AsyncGuard(_Guard[AsyncClient]):
    """A `Guard` for asyncio, with the same options, in one event loop at a time."""

    kind = AsyncClient

    async def admit(
        self, url: str, *, user_agent: str | bytes | None = None, timeout: float | None = None
    ) -> Disallowed | None:
        """Wait until a URL may be requested, as `Guard.admit` does."""
        if (judged := url_to_judge(url)) is None:
            return None
        with self._outcome(url, timeout) as refused:
            site = await self._robots.site(judged, timeout=timeout)
            if wait := self._take_turn(site, judged, user_agent):
                await asyncio.sleep(wait)  # the file may have changed then
                site = await self._robots.site(judged, timeout=timeout)
                self._allowing(site, judged, user_agent)
        return next(iter(refused), None)


def answer_of(refused: Disallowed) -> tuple[str, dict[str, str]]:
    """Return the reason phrase and the header fields of the 403 that answers such a request."""
    return refused.message.encode("ascii", "backslashreplace").decode("ascii"), {
        "Cache-Control": "no-store",
        "Content-Length": "0",
        "X-Verger-Disallowed": str(refused.answer.reason),
    }


def longest(*times: object) -> float | None:
    """Return the longest of the times of a request, in seconds; None if one has no limit."""
    numbers = [seconds for seconds in times if isinstance(seconds, int | float)]
    return max(numbers, default=None) if len(numbers) == len(times) else None


def requested(scheme: str, host: str, port: int | None, target: str) -> str:
    """Return the URL of a request, from the server it connects to and its request target.

    This is what is sent, however the user wrote the URL. Connections treat an escaped host and the
    unescaped one as different.

    host:    as used to connect; IPv6 addresses with or without brackets.
    port:    None if it is the scheme's default, or part of `host`.
    target:  path and query, as in the request line; for a proxy, the whole URL.
    """
    if governed_url(target):
        return target
    host = host.replace("%", "%25")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    authority = host if port is None else f"{host}:{port}"
    return f"{scheme}://{authority}{target}"


WITH_ROBOTS = {"http": "http", "https": "https", "ftp": "ftp", "ws": "http", "wss": "https"}
"""The schemes that a robots.txt governs (RFC 9309 section 2.3, and FTP as for Google), with the
scheme of the file; WebSockets begin with a GET."""


def governed_url(url: str) -> str | None:
    """Return the URL to judge, that of a WebSocket as HTTP; None if no robots.txt governs it.

    It never governs `data:`, `file:` and others.
    """
    scheme, colon, rest = url.partition(":")
    of_file = WITH_ROBOTS.get(scheme.lower())
    if not colon or of_file is None:
        return None
    return url if of_file == scheme.lower() else f"{of_file}:{rest}"


EVERYBODY = ("*",)
"""The tokens of a crawler without a name: it follows the wildcard group."""


@lru_cache(maxsize=1_024)
def tokens_of(user_agent: str | bytes) -> tuple[str, ...]:
    """Return the product tokens of a user agent, for frameworks that pass the whole string.

    A crawler finds its group by its product token (RFC 9309 section 2.2.1). A browser's user agent,
    and one without a product name, give `*`, the wildcard group. Raises nothing.
    """
    token = product_token(_text(user_agent))
    return EVERYBODY if token is None else (token,)


def _text(user_agent: str | bytes) -> str:
    return user_agent.decode("utf-8", "replace") if isinstance(user_agent, bytes) else user_agent


def delay_of(agent: Agent | None) -> float | None:
    """Return the seconds between two requests that a file asks a crawler for."""
    return agent.crawl_delay if agent else None


def rate_of(agent: Agent | None) -> tuple[int, int] | None:
    """Return how many documents a crawler may fetch now, and in how many seconds, by a file."""
    rate = agent.request_rate_at(int(time.time() // 60) % 1_440) if agent else None
    return (rate.documents, rate.seconds) if rate else None


_WITH_SCHEME = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*+)?:(?!\d+(?:[/?#]|$))")
"""The beginning of a URL (RFC 3986 section 3.1); `localhost:8000/a` is a host and its port. Clients
refuse a request with an empty scheme in their own words."""


def url_to_judge(url: str) -> str | None:
    """Return the URL by which a request is judged; None if it needs no check.

    That is a request which is `unguarded`, or has a scheme without robots.txt. What has no scheme,
    as a `Location` may be, is returned as it is: the client says that it is no URL.
    """
    if _UNGUARDED.get():
        return None
    return governed_url(url) or (None if _WITH_SCHEME.match(url) else url)


def expect_allowed(site: Site, url: str, error: type[Disallowed]) -> None:
    """Raise `error` if the crawler may not request a URL of the site.

    A URL that servers read in several ways must be allowed by the rules in each (`_readings`).
    """
    readings = [url] if site.my_rules is None else _readings(url)
    refused = next((read for read in readings if not site.allowed(read)), None)
    if refused is not None:
        answer = site.decide(refused)
        answer.url = url
        raise error(answer, site.fresh_until if isfinite(site.fresh_until) else None)


def _readings(url: str) -> Iterator[str]:
    """Yield what a server may make of a URL: some clients send its fragment, and servers remove it
    before they find the page, or take it for a part of the path.
    """
    yield url
    if "#" in url:
        yield url.replace("#", "%23")


def _expect_option(name: str, value: object, is_right: bool, wanted: str) -> None:
    """Raise InvalidOption for a value that an option does not take."""
    if not is_right:
        raise InvalidOption(f"`{name}` is `{value!r:.60}`", f"pass {wanted}")


def expect_client(robots: object, wanted: type[Client] | type[AsyncClient]) -> None:
    """Raise InvalidOption for anything but a client of the wanted type."""
    if not isinstance(robots, wanted):
        raise InvalidOption(f"`robots` is `{robots!r:.60}`", f"pass a `verger.{wanted.__name__}`")


def _message(answer: Answer) -> str:
    url = quoted(answer.url)
    if answer.rule is not None:
        rule = quoted(str(answer.rule))
        return f"{url} is disallowed by line {answer.line}, {rule} ({answer.section})"
    if answer.agent is None and answer.site is not None:
        return f"{url} is disallowed: {because(answer.site)}"
    return f"{url} is disallowed: {answer.reason} ({answer.section})"


def _hint(answer: Answer, ask_again_at: float | None) -> str | None:
    if answer.agent is not None or ask_again_at is None:
        return None
    time_of = f"{datetime.fromtimestamp(ask_again_at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"`{answer.origin}/robots.txt` is requested again after {time_of}"
