"""The guard: no request leaves that robots.txt or the access policy forbids.

In: the URL that an HTTP client is about to request, judged by a `Client` or `AsyncClient`. Out:
nothing where the request may be sent, in its turn; else `Disallowed`, before a connection is
opened. It knows no HTTP client: the modules beside it bring URLs and pass exceptions on. The rules,
what failures mean and the store are those of the client; nothing is decided here.
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

from verger._core import requested_url
from verger.client import Answer, AsyncClient, Client, Pacer, Site
from verger.errors import InvalidOption, InvalidTarget, RobotsError
from verger.plain import printable

__all__ = ["AsyncGuard", "Disallowed", "Guard", "unguarded"]

WITH_ROBOTS = {"http": "http", "https": "https", "ftp": "ftp", "ws": "http", "wss": "https"}
"""The schemes whose sites have robots.txt, and the scheme of that; WebSockets begin with a GET."""

_UNGUARDED: ContextVar[bool] = ContextVar("verger.unguarded", default=False)


class Disallowed(RobotsError):
    """A request was not sent: robots.txt forbids it, or the access policy does.

    The modules of the clients raise subclasses that are also of the client's own exception family,
    so that whoever catches one catches a disallowed URL, too.
    """

    answer: Answer
    """Why: `answer.decision` is that of the rules, `answer.access` the access policy."""
    ask_again_at: float | None
    """When robots.txt will be asked for again, and the answer may become another, in seconds since
    the epoch; None where the operator's word stands."""

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
    """Send what is requested within, whatever robots.txt says; in this thread or task alone.

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
    """The exceptions that a client's users expect."""

    disallowed: type[Disallowed]
    invalid: type[InvalidTarget]


class Guard:
    """The guard of synchronous clients; safe to share between threads, and after a fork."""

    def __init__(self, robots: Client, pacer: Pacer | None, family: Family) -> None:
        _expect_client(robots, Client)
        self._robots = robots
        self._family = family
        self._turns = Turns(pacer)

    def admit(self, url: str) -> None:
        """Return when a URL may be requested. Raises what `family` names: Disallowed, and
        InvalidTarget for what cannot be judged."""
        if is_exempt(url):
            return
        site = self._judge(url)
        if wait := self._turns.take(site, url):
            time.sleep(wait)
            self._judge(url)  # the file may be another by now

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
        """Return when a URL may be requested. Raises what `family` names: Disallowed, and
        InvalidTarget for what cannot be judged."""
        if is_exempt(url):
            return
        site = await self._judge(url)
        if wait := self._turns.take(site, url):
            await asyncio.sleep(wait)
            await self._judge(url)  # the file may be another by now

    async def _judge(self, url: str) -> Site:
        try:
            site = await self._robots.site(url)
            expect_allowed(site, url, self._family.disallowed)
        except InvalidTarget as error:
            raise self._family.invalid(error.message, error.hint) from None
        return site


def requested(scheme: str, host: str, port: int | None, target: str) -> str:
    """Return the URL of a request, from where it connects and what it asks for there.

    These are what is sent, however the URL was written that the user named. A host with an escape
    is another than without it, for whoever connects.

    host:    as it is connected to; IPv6 addresses with or without brackets.
    port:    None where it is the scheme's own, or stands behind the host.
    target:  path and query, as in the request line.
    """
    host = host.replace("%", "%25")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    authority = host if port is None else f"{host}:{port}"
    return f"{WITH_ROBOTS.get(scheme, scheme)}://{authority}{target}"


def is_exempt(url: str) -> bool:
    """Whether a request needs no permission: it is `unguarded`, or its scheme has no robots.txt."""
    return _UNGUARDED.get() or url.partition("://")[0] not in WITH_ROBOTS


def expect_allowed(site: Site, url: str, error: type[Disallowed]) -> None:
    """Raise `error` where the crawler may not request a URL of the site.

    A URL whose dot segments the client sends is compared with them and without them: some servers
    remove them before they look for the page, and the rules may close either.
    """
    if site.allowed(url) and (site.agent is None or site.agent.allowed(url)):
        return
    if site.agent is None and requested_url(url) == f"{site.origin}/robots.txt":
        return  # what is unreachable has to be asked for (RFC 9309 section 2.2.2)
    answer = site.decide(url, now=time.time())
    if answer.allowed and site.agent is not None:
        decision = site.agent.decide(url)
        answer = replace(
            answer,
            allowed=False,
            reason=decision.reason,
            section=decision.section,
            decision=decision,
        )
    raise error(answer, site.fresh_until if isfinite(site.fresh_until) else None)


class Turns:
    """The timetable of a pacer, for threads that take their turns at the same time."""

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
        """Return the lock; in a forked process a new one, for a thread of its parent may hold it
        for ever."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock


def _expect_client(robots: object, wanted: type[Client] | type[AsyncClient]) -> None:
    if not isinstance(robots, wanted):
        raise InvalidOption(f"`robots` is `{robots!r:.60}`", f"pass a `verger.{wanted.__name__}`")


def _message(answer: Answer) -> str:
    url = printable(answer.url)
    if answer.rule is not None:
        return f"`{url}` is disallowed by line {answer.line}, `{answer.rule}` ({answer.section})"
    return f"`{url}` is disallowed: {answer.reason} ({answer.section})"


def _hint(answer: Answer, ask_again_at: float | None) -> str | None:
    if answer.access.effect == "rules" or ask_again_at is None:
        return None
    time_of = f"{datetime.fromtimestamp(ask_again_at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    return f"`{answer.origin}/robots.txt` is asked for again after {time_of}"
