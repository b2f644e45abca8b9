"""What the drop-ins share: one file, asked with the arguments of other parsers, or fetched.

In: text, user agents and URLs of any form. Out: bytes, product tokens, and URLs in which the core
finds the target; for a URL to fetch, a `Site` of verger's client, whose access policy applies.
Nothing is decided here.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

import verger
from verger._core import RobotsTxt, __version__, parse, product_token
from verger.dialects import RFC9309
from verger.options import AnyDialect
from verger.untrusted_text import octets_of

RulesType = TypeVar("RulesType")

ANY_TEXT = RFC9309.replace(
    name="rfc9309-of-any-text",
    token_check="any",
    url_split="google",
)
"""RFC 9309 for callers that may pass any text as user agent or URL."""

# A name, and the start of one inside an identification string.
_IS_NAME = re.compile(r"[\w.-]+|\*").fullmatch
_STARTS = re.compile(r"(?<![\w-])[\w.-]")
_FAMILY = "mozilla"


NO_FILE = parse(b"")


class RequestRate(NamedTuple):
    """A number of requests in a number of seconds."""

    requests: int
    seconds: int


class DropIn(ABC, Generic[RulesType]):
    """One file, and its rules by the user agents that were asked for.

    Class attributes: `dialect` is how files are read; `user_agent` and `client` fetch them (None:
    a temporary client).
    """

    dialect: AnyDialect = ANY_TEXT
    user_agent: str = f"verger/{__version__}"
    client: "verger.Client | None" = None
    robots: RobotsTxt
    """The file as verger reads it, which also gives the reasons for answers."""

    disallow_all = False
    """Whether nothing may be fetched, as the access policy says."""
    allow_all = False
    """Whether everything may be fetched, as the access policy says."""

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the client of this parser, which belongs to this process."""
        return {name: value for name, value in self.__dict__.items() if name != "client"}

    def _take(self, robots: RobotsTxt) -> None:
        self.robots = robots
        self._agents: dict[Any, RulesType] = {}

    def _agent(self, user_agent: Any) -> RulesType:
        agent = self._agents.get(user_agent)
        if agent is None:
            agent = self._agents[user_agent] = self._rules(user_agent)
        return agent

    def _fetch_site(self, url: str, **options: Any) -> "verger.Site":
        """Fetch a file and return its site, whose policy applies from now on; without, all is
        closed.
        """
        self.disallow_all, self.allow_all = True, False
        self._take(NO_FILE)
        site = fetch_site(self, url, **options)
        self.disallow_all = site.access.effect not in ("rules", "allow_all")
        self.allow_all = site.access.effect == "allow_all"
        return site

    @abstractmethod
    def _rules(self, user_agent: Any) -> RulesType:
        """Return the rules for a user agent, which are then kept."""


def client_or_own(
    client: "verger.Client | None", user_agent: str, **options: Any
) -> "AbstractContextManager[verger.Client]":
    """Return a client for a block, or a temporary one with these options if it is None."""
    return verger.Client(user_agent, **options) if client is None else nullcontext(client)


def fetch_site(
    asked: "DropIn[Any] | type[DropIn[Any]]",
    url: str,
    *,
    user_agent: str | None = None,
    **options: Any,
) -> "verger.Site":
    """Fetch a file now, as a drop-in says, and return the site of its URL.

    Raises: InvalidTarget, MissingExtra.
    """
    name = user_agent or asked.user_agent
    with client_or_own(asked.client, name, dialect=asked.dialect, **options) as client:
        return client.refresh(url) if client is asked.client else client.site(url)


LATIN_1_MARK = "\xef\xbb\xbf"
"""A byte order mark that was decoded as Latin-1, as by `requests` for a text without charset."""


def encoded(text: str) -> bytes:
    """Return a text as the bytes of a file; text decoded with `surrogateescape` is restored.

    A byte order mark that was decoded as Latin-1 is left out: the core skips only a real one.
    """
    return octets_of(text.removeprefix(LATIN_1_MARK))


def rooted(url: str) -> str:
    """Return a URL in which the core finds a target; text without a scheme is a path."""
    return url if url[:1] == "/" or "://" in url else f"/{url}"


def is_exempt(url: str) -> bool:
    """Return whether a URL may be fetched from a site that is closed: `/robots.txt` itself."""
    from verger.access.entry import EXEMPT, no_rules  # would double the time of an import

    return no_rules(ANY_TEXT).decide(rooted(url)).reason == EXEMPT


def expect_url(url: str) -> None:
    """Raise ValueError for a URL whose authority the standard library refuses to split."""
    if "[" in url or "]" in url or not url.isascii():
        urlsplit(url)


@lru_cache(maxsize=1_024)
def named_by(user_agent: str) -> str:
    """Return the product token of an identification string; `*` if it names no crawler."""
    return user_agent if _IS_NAME(user_agent) else product_token(user_agent) or "*"


MOST_READ = 8_192
"""The number of characters of an identification string that are searched for names."""

LONGEST_NAME = 256
"""The number of characters of each part that are compared with names."""


@lru_cache(maxsize=64)
def names_in(user_agent: str) -> str | Sequence[str]:
    """Return every part of an identification string that may begin with the name of a group.

    `Mozilla` begins the identification strings of nearly all browsers and many crawlers, so it
    names no crawler.
    """
    user_agent = user_agent.strip()[:MOST_READ]
    if _IS_NAME(user_agent):
        return user_agent
    starts = [found.start() for found in _STARTS.finditer(user_agent)]
    parts = [user_agent[start : start + LONGEST_NAME] for start in starts]
    return [part for part in parts if not part.lower().startswith(_FAMILY)] or "*"
