"""`RobotsParser` and `RobotFileParser`: the drop-in for robotspy 0.13, imported as `robots`.

    from verger.compat import robotspy as robots   # was: import robots

In: text, a path or a URI. Out: the answers of `verger.Agent`, with robotspy's names and types.
Differences are listed in `docs/compat/robotspy.md`.
"""

import enum
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from verger._core import Agent, RobotsTxt, parse
from verger.compat.asking import (
    ANY_TEXT,
    NO_FILE,
    DropIn,
    RequestRate,
    encoded,
    expect_url,
    is_exempt,
    named_by,
    rooted,
)
from verger.fetching.limits import idle_limits
from verger.options import AnyDialect

__all__ = ["LIBRARY", "Errors", "RequestRate", "RobotFileParser", "RobotsParser", "Rule"]

RFC9309 = ANY_TEXT.replace(name="rfc9309-robotspy", user_agent_match="prefix", forbidden="disallow")
"""RFC 9309, except that 401 and 403 disallow everything, as in robotspy."""

LIBRARY = RFC9309.replace(
    name="robotspy-0.13",
    parse_limit=None,
    lenient_keys=False,
    require_slash=False,
    robots_txt_allowed=False,
)
"""How robotspy 0.13 reads files, as far as verger's knobs can express it. With it, user agents are
compared unchanged, so an identification string names no crawler."""

WORDS = {True: "Allow", False: "Disallow"}

_TOKEN = re.compile(r"[a-zA-Z_-]+").fullmatch


class Rule(NamedTuple):
    """A path pattern, decoded, and whether it allows."""

    path: str
    allowed: bool


class Errors(enum.Enum):
    """robotspy's messages about a file."""

    WARNING_EMPTY_ALLOW_RULE = "Warning: An empty allow rule has no effect and is confusing"
    WARNING_RULE_WITHOUT_AGENT = "Warning: Rule without an agent is ignored"
    WARNING_NOTFOUND = "Warning: No remote robots.txt file found"
    WARNING_CRAWL_DELAY_IGNORED = "Warning: Directive 'crawl-delay' ignored"
    WARNING_REQUEST_RATE_IGNORED = "Warning: Directive 'request-rate' ignored"
    WARNING_UNEXPECTED_OR_IGNORED = "Warning: Unexpected or ignored token"
    ERRORNO_FILE_FOUND = "Error: No file found"


class RobotsParser(DropIn[Agent]):
    """One robots.txt file, and answers about it.

    url:  the URL of the file; URLs on other hosts are then not allowed.

    >>> from verger.compat import robotspy as robots
    >>> parser = robots.RobotsParser.from_string("User-agent: *\\nDisallow: /private\\n")
    >>> parser.can_fetch("ExampleBot", "/private/a")
    False
    """

    dialect: AnyDialect = RFC9309
    url: str = ""
    """The URL of the file."""
    timestamp: float = 0.0
    """When the file was fetched, in seconds since the epoch."""

    def __init__(self, url: str = "") -> None:
        self._errors: list[tuple[object, object]] = []
        self._fetch_warnings: list[tuple[object, object]] = []
        self._warnings: list[tuple[object, object]] | None = None
        self.url = url
        urlsplit(url)  # raises ValueError now, not when a URL is asked about
        self.timeout: float = 5
        self._is_library = self.dialect == LIBRARY
        self._take(NO_FILE)

    @classmethod
    def from_string(cls, robotstxt: str) -> Self:
        """Read the text of a file."""
        parser = cls()
        parser._take(parse(encoded(robotstxt), dialect=cls.dialect))
        return parser

    @classmethod
    def from_uri(cls, uri: str, timeout: float = 5) -> Self:
        """Fetch the file of a URI's site, or read the file of a `file:` URI.

        Failures are in `errors` and `warnings`, and the access policy applies.
        """
        parser = cls()
        parser.timeout = timeout
        parser._fetch(uri)
        return parser

    @classmethod
    def from_file(cls, filename: str) -> Self:
        """Read a file; if it is missing, `errors` has an entry."""
        parser = cls()
        parser._load(filename)
        return parser

    @property
    def host(self) -> str:
        """The host, with its port, of `url`."""
        return urlsplit(self.url).netloc

    @property
    def path(self) -> str:
        """The path of `url`."""
        return urlsplit(self.url).path

    @property
    def errors(self) -> list[tuple[object, object]]:
        """The failures, as pairs of place and message."""
        return self._errors

    @property
    def warnings(self) -> list[tuple[object, object]]:
        """What was tolerated, as pairs of line and message."""
        if self._warnings is None:
            found = ((f"line {each.line}", each.message) for each in self.robots.findings)
            self._warnings = [*self._fetch_warnings, *found]
        return self._warnings

    @property
    def sitemaps(self) -> list[str] | None:
        """The sitemaps listed in the file; None if it lists none."""
        return list(self.robots.sitemaps) or None

    @property
    def agents_rules(self) -> dict[str, list[Rule]]:
        """The rules of each crawler named in the file, longest first."""
        names = [name for group in self.robots.groups for name in group.product_tokens]
        return {name: self.find_rules(name) for name in dict.fromkeys(map(_leading, names)) if name}

    @staticmethod
    def is_agent_valid(useragent: str) -> bool:
        """Return whether a text contains only letters, `-` and `_`."""
        return bool(_TOKEN(useragent))

    def find_rules(self, agent: str) -> list[Rule]:
        """Return the rules that apply to a crawler, longest first."""
        rules = [
            Rule(unquote(rule.pattern), rule.allow)
            for rule in self._agent(agent).rules
            if rule.pattern
        ]
        return sorted(rules, key=lambda rule: (len(rule.path), rule.allowed), reverse=True)

    @staticmethod
    def dedup_slash(path: str) -> str:
        """Return a path with each run of `/` as one, except after `http:` and `https:`."""
        return re.sub(r"(https?:)?/{2,}", lambda found: f"{found[1]}//" if found[1] else "/", path)

    @staticmethod
    def normalize_url(url: str) -> tuple[str, str]:
        """Return the authority of a URL, and the rest, decoded and with each run of `/` as one.

        Answers do not depend on it.
        """
        decoded = unquote(url)
        parts = urlsplit(decoded)
        head = len(parts.scheme) + 3 + len(parts.netloc) if parts.netloc else 0
        return parts.netloc, RobotsParser.dedup_slash(decoded[head:] or "/")

    @staticmethod
    def startswith_pattern(path: str, pattern: str) -> bool:
        """Return whether a pattern matches a path."""
        text = encoded(f"User-agent: *\nDisallow: {pattern}\n")
        return not parse(text, dialect=LIBRARY).allowed(rooted(path), "*")

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Return whether a crawler may fetch a URL, or a path of the site."""
        if self.allow_all:
            return True
        if self.disallow_all:
            return not self._is_library and is_exempt(str(url))
        agent = self._agents.get(useragent) or self._agent(useragent)
        if not isinstance(url, str):
            url = unquote(url)  # which also takes bytes
        if not url.isascii() or "[" in url:
            expect_url(url)
        if self.url and self.host and urlsplit(url).netloc not in ("", self.host):
            return False
        return agent.allowed(rooted(url))

    def __str__(self) -> str:
        blocks = [
            [f"User-agent: {name}", *(f"{WORDS[rule.allowed]}: {rule.path}" for rule in rules)]
            for name, rules in self.agents_rules.items()
        ]
        if self.sitemaps:
            blocks.append([f"Sitemap: {url}" for url in self.sitemaps])
        return "\n".join(line for block in blocks for line in (*block, ""))

    def _take(self, robots: RobotsTxt) -> None:
        super()._take(robots)
        self._warnings = None

    def _rules(self, user_agent: str) -> Agent:
        lowered = user_agent.lower()  # raises AttributeError for other types
        name = lowered if isinstance(lowered, str) else "*"  # bytes name no group
        return self.robots.agent(name if self._is_library else named_by(name))

    def _load(self, filename: str) -> None:
        try:
            self._take(parse(Path(filename).read_bytes(), dialect=self.dialect))
        except FileNotFoundError:
            self._errors.append((filename, Errors.ERRORNO_FILE_FOUND.value))

    def _fetch(self, uri: str) -> None:
        parts = urlsplit(uri)
        if parts.scheme == "file":
            return self._load(url2pathname(parts.path))
        site = self._fetch_site(uri, limits=idle_limits(max(self.timeout, 0.001)))
        if site.robots is not None:
            self.timestamp = time.time()
            return self._take(parse(site.robots.body, dialect=self.dialect))
        status = str(site.result.status or "") if site.result else ""
        said = f"{site.access.reason} ({site.access.section}) for {uri}"
        failed = self._errors if status in ("", "401", "403") else self._fetch_warnings
        failed.append((status, said))
        self._warnings = None
        return None


class RobotFileParser(RobotsParser):
    """`RobotsParser` with the method names of `urllib.robotparser`; it reads no `Crawl-delay`."""

    def set_url(self, url: str) -> None:
        """Set the URL of the file."""
        self.url = url

    def read(self) -> None:
        """Fetch the file of the URL's site."""
        if self.url:
            self._fetch(self.url)
        else:
            self._errors.append(
                (self.url, "RobotFileParser.read requires RobotFileParser.url to be set")
            )

    def parse(self, lines: Iterable[str]) -> None:
        """Read lines."""
        self._take(parse(encoded("\n".join(lines)), dialect=self.dialect))

    def mtime(self) -> float:
        """Return when the file was fetched, in seconds since the epoch."""
        return self.timestamp

    def modified(self) -> None:
        """Record that the file was fetched now."""
        self.timestamp = time.time()

    def crawl_delay(self, _: str) -> None:
        """Return None, and warn that robotspy reads no such record."""
        self.warnings.append(("crawl-delay", Errors.WARNING_CRAWL_DELAY_IGNORED))

    def request_rate(self, _: str) -> None:
        """Return None, and warn that robotspy reads no such record."""
        self.warnings.append(("request-rate", Errors.WARNING_REQUEST_RATE_IGNORED))

    def site_maps(self) -> list[str] | None:
        """Return the sitemaps listed in the file; None if it lists none."""
        return self.sitemaps


def _leading(name: str) -> str:
    found = re.match(r"\*|[a-zA-Z_-]*", name)
    return found[0].lower() if found else ""
