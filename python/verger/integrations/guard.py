"""The guard: sends no request that robots.txt or the access policy disallows.

In: the URL that an HTTP client is about to request, judged by a `Client` or `AsyncClient`. Out:
nothing if the request may be sent, after its delay; otherwise `Disallowed`, before a connection is
opened. It knows no HTTP client: the other modules here supply URLs and pass on exceptions. Rules,
the meaning of failures and the store come from the client; nothing is decided here.
"""

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite

from verger.client import Answer, AsyncClient, Client, Pacer, Site
from verger.errors import InvalidOption, InvalidTarget, RobotsError
from verger.integrations.schemes import governed_url
from verger.plain import quoted

__all__ = ["AsyncGuard", "Disallowed", "Guard", "unguarded"]

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


@contextmanager
def unguarded() -> Iterator[None]:
    """Send all requests in this block, whatever robots.txt says; only in this thread or task.

    >>> with unguarded():
    ...     session.get("https://example.com/private")
    """
    token = _UNGUARDED.set(True)
    try:
        yield
    finally:
        _UNGUARDED.reset(token)


@dataclass(frozen=True, slots=True)
class Family:
    """The exceptions that users of an HTTP client expect."""

    disallowed: type[Disallowed]
    invalid: type[InvalidTarget]


class Guard:
    """The guard of synchronous clients; safe to share between threads, and to use after a fork."""

    def __init__(self, robots: Client, pacer: Pacer | None, family: Family) -> None:
        _expect_client(robots, Client)
        self._robots = robots
        self._family = family
        self._turns = Turns(pacer)

    def admit(self, url: str) -> None:
        """Wait until a URL may be requested.

        Raises: the exceptions of `family`: Disallowed, and InvalidTarget for an invalid URL.
        """
        judged = url_to_judge(url)
        if judged is None:
            return
        site = self._judge(judged)
        if wait := self._turns.take(site, judged):
            time.sleep(wait)
            self._judge(judged)  # the file may have changed

    def _judge(self, url: str) -> Site:
        try:
            site = self._robots.site(url)
            expect_allowed(site, url, self._family.disallowed)
        except InvalidTarget as error:
            raise self._family.invalid(error.message, error.hint) from None
        return site


class AsyncGuard:
    """The guard of asynchronous clients; in one event loop at a time."""

    def __init__(self, robots: AsyncClient, pacer: Pacer | None, family: Family) -> None:
        _expect_client(robots, AsyncClient)
        self._robots = robots
        self._family = family
        self._turns = Turns(pacer)

    async def admit(self, url: str) -> None:
        """Wait until a URL may be requested.

        Raises: the exceptions of `family`: Disallowed, and InvalidTarget for an invalid URL.
        """
        judged = url_to_judge(url)
        if judged is None:
            return
        site = await self._judge(judged)
        if wait := self._turns.take(site, judged):
            await asyncio.sleep(wait)
            await self._judge(judged)  # the file may have changed

    async def _judge(self, url: str) -> Site:
        try:
            site = await self._robots.site(url)
            expect_allowed(site, url, self._family.disallowed)
        except InvalidTarget as error:
            raise self._family.invalid(error.message, error.hint) from None
        return site


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


def url_to_judge(url: str) -> str | None:
    """Return the URL by which a request is judged; None if it needs no check.

    That is a request which is `unguarded`, or has a scheme without robots.txt.
    """
    return None if _UNGUARDED.get() else governed_url(url)


def expect_allowed(site: Site, url: str, error: type[Disallowed]) -> None:
    """Raise `error` if the crawler may not request a URL of the site.

    A URL that servers read in several ways must be allowed in each (`_readings`).
    """
    agent = site.agent
    if agent is None:
        if site.allowed(url):
            return
        answer = site.decide(url, now=time.time())
    else:
        refused = next((read for read in _readings(url) if not agent.allowed(read)), None)
        if refused is None:
            return
        decision = agent.decide(refused)
        answer = replace(
            site.decide(url, now=time.time()),
            allowed=False,
            reason=decision.reason,
            section=decision.section,
            decision=decision,
        )
    raise error(answer, site.fresh_until if isfinite(site.fresh_until) else None)


def _readings(url: str) -> Iterator[str]:
    """Yield what a server may make of a URL: some clients send its fragment, and servers remove it
    before they find the page, or take it for a part of the path.
    """
    yield url
    if "#" in url:
        yield url.replace("#", "%23")


class Turns:
    """The schedule of a pacer, shared by threads."""

    def __init__(self, pacer: Pacer | None) -> None:
        self._pacer = pacer
        self._lock = threading.Lock()
        self._process = os.getpid()

    def take(self, site: Site, url: str) -> float:
        """Take the next turn at a site; return the seconds until then."""
        if self._pacer is None:
            return 0.0
        now = time.time()
        with self._of_this_process():
            return self._pacer.reserve(url, site.agent, now=now) - now

    def _of_this_process(self) -> threading.Lock:
        """Return the lock; after a fork a new one, since a thread of the parent may hold it."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock


def _expect_client(robots: object, wanted: type[Client] | type[AsyncClient]) -> None:
    if not isinstance(robots, wanted):
        raise InvalidOption(f"`robots` is `{robots!r:.60}`", f"pass a `verger.{wanted.__name__}`")


def _message(answer: Answer) -> str:
    url = quoted(answer.url)
    if answer.rule is not None:
        rule = quoted(str(answer.rule))
        return f"{url} is disallowed by line {answer.line}, {rule} ({answer.section})"
    return f"{url} is disallowed: {answer.reason} ({answer.section})"


def _hint(answer: Answer, ask_again_at: float | None) -> str | None:
    if answer.access.effect == "rules" or ask_again_at is None:
        return None
    time_of = f"{datetime.fromtimestamp(ask_again_at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"`{answer.origin}/robots.txt` is requested again after {time_of}"
