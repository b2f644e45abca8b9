"""`RobotFileParser`: the drop-in for `urllib.robotparser` of the standard library.

    from verger.compat.robotparser import RobotFileParser  # was: from urllib.robotparser import …

In: lines or a URL. Out: the answers of `verger.Agent`, with the names and types of Python 3.15.
The file is read by RFC 9309 unless `dialect` says otherwise: with `LIBRARY`, the answers are those
of the standard library. Differences are listed in `docs/compat/robotparser.md`.
"""

import re
import time
from collections.abc import Iterable, Iterator
from urllib.error import URLError
from urllib.parse import quote, unquote, urlsplit
from urllib.robotparser import RequestRate, RobotFileParser as StandardParser

import verger
from verger._core import Agent, Group, RequestRate as Rate, RobotsTxt, Rule, parse
from verger.compat.asking import (
    ANY_TEXT,
    NO_FILE,
    DropIn,
    encoded,
    expect_url,
    is_exempt,
    named_by,
    rooted,
)
from verger.options import AnyDialect

__all__ = ["LIBRARY", "RFC9309", "Entry", "RequestRate", "RobotFileParser", "RuleLine"]

RFC9309 = ANY_TEXT.replace(
    name="rfc9309-robotparser", forbidden="disallow", too_many_redirects="disallow"
)
"""RFC 9309, except that 401, 403 and too many redirects disallow everything, as in the standard
library."""

LIBRARY = RFC9309.replace(
    name="urllib.robotparser-3.15",
    parse_limit=None,
    lenient_keys=False,
    record_ends_starts=True,
    normalisation="raw",
    equate_reserved_escapes=False,
    require_slash=False,
)
"""How `urllib.robotparser` of Python 3.15 reads files, as far as verger's knobs can express it.
With it, `RobotFileParser` also normalises patterns and URLs, finds groups and ranks rules like the
standard library."""

# Rules at the start of a later `parse` must not join a group of an earlier one.
_NOBODY = b"\nUser-agent:\nDisallow:\n"


class RobotFileParser(DropIn["Agent | _Ranked"], StandardParser):
    """One robots.txt file, and answers about it; a subclass of the standard library's, for
    `isinstance`, of which no answer comes.

    url:      the URL of the file, for `read`.
    dialect:  how files are read: a name or a `Dialect`; None for that of the class.
    client:   the client that `read` uses; None for a temporary one with the `user_agent` of the
              class. Its dialect determines what a failure means.

    >>> from verger.compat.robotparser import RobotFileParser
    >>> parser = RobotFileParser()
    >>> parser.parse(["User-agent: *", "Disallow: /*.gif$", "Crawl-delay: 3"])
    >>> parser.can_fetch("ExampleBot/1.0", "https://example.com/a.gif")
    False
    >>> parser.crawl_delay("ExampleBot/1.0")
    3
    """

    dialect: AnyDialect = RFC9309

    def __init__(
        self,
        url: str = "",
        *,
        dialect: AnyDialect | None = None,
        client: "verger.Client | None" = None,
    ) -> None:
        if dialect is not None:
            self.dialect = dialect
        self._is_library = self.dialect == LIBRARY
        self.client = client
        self.default_entry: Entry | None = None
        self.set_url(url)
        self.last_checked: float = 0
        self._take(NO_FILE)

    @property
    def entries(self) -> list["Entry"]:
        """The groups of the file."""
        return _entries(self.robots)

    @property
    def groups(self) -> dict[str, "Entry"]:
        """The groups of the file by name in lower case; the first group of each name."""
        return {
            name.lower(): entry for entry in reversed(self.entries) for name in entry.useragents
        }

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps listed in the file."""
        return list(self.robots.sitemaps)

    def mtime(self) -> float:  # type: ignore[override] # typeshed has int, Python float
        """Return when the file was parsed, in seconds since the epoch; 0 for never."""
        return self.last_checked

    def modified(self) -> None:
        """Record that the file was parsed now."""
        self.last_checked = time.time()

    def set_url(self, url: str) -> None:
        """Set the URL of the file."""
        self.url = url
        self.host, self.path = urlsplit(url)[1:3] if url else ("", "")

    def read(self) -> None:
        """Fetch the file of the URL's site and parse it; without a file, the access policy applies.

        The result of an earlier call is discarded.
        Raises: URLError if no server answered; nothing may be fetched then. InvalidTarget, a
        ValueError, for a URL without robots.txt; MissingExtra.
        """
        site = self._fetch_site(self.url)
        if site.robots is not None:
            text = site.robots.body.decode("utf-8", "surrogateescape")
            self.parse(text.splitlines() if self._is_library else [text])
        result = site.result
        if self.disallow_all and result is not None and result.status is None:
            raise URLError(result.detail or site.access.reason)

    def parse(self, lines: Iterable[str]) -> None:
        """Parse lines. A second call adds groups to those of the first."""
        self.modified()
        self._add("\n".join(_as_library(lines)) if self._is_library else _joined(lines))

    def can_fetch(self, useragent: str, url: str) -> bool:
        """Return whether a crawler may fetch a URL; always False before a file is parsed."""
        if self.disallow_all:
            return not self._is_library and is_exempt(url)
        if self.allow_all:
            return True
        if not self.last_checked:
            return False
        agent = self._agents.get(useragent) or self._agent(useragent)
        if not url.isascii() or "[" in url:
            expect_url(url)
        return agent.allowed(rooted(url))

    def crawl_delay(  # type: ignore[override] # typeshed has str, Python a number
        self, useragent: str
    ) -> int | float | None:
        """Return the seconds between two requests; None if the file sets none."""
        delay = self._agent(useragent).crawl_delay
        if delay is None:
            return None
        return int(delay) if delay == int(delay) else delay

    def request_rate(self, useragent: str) -> RequestRate | None:
        """Return how many requests may be made in how many seconds."""
        rates = self._agent(useragent).request_rates
        return RequestRate(rates[-1].documents, rates[-1].seconds) if rates else None

    def site_maps(self) -> list[str] | None:
        """Return the sitemaps listed in the file; None if it lists none."""
        return self.sitemaps or None

    def __str__(self) -> str:
        return "\n\n".join(filter(None, map(str, self.entries)))

    def _add_entry(self, entry: "Entry") -> None:
        self._add(str(entry))

    def _add(self, text: str) -> None:
        body = encoded(text)
        if self.robots is not NO_FILE:
            body = self.robots.body + _NOBODY + body
        self._take(parse(body, dialect=self.dialect))

    def _rules(self, user_agent: str) -> "Agent | _Ranked":
        name = user_agent.lower()  # raises AttributeError for other types
        if self._is_library:
            return _Ranked(self.robots.agent(_name_in(self.robots, name)))
        return self.robots.agent(named_by(user_agent))


class Entry:
    """A group of the file: user agents, and the rules for them."""

    def __init__(self) -> None:
        self.useragents: list[str] = []
        self.rulelines: list[RuleLine] = []
        self.delay: int | None = None
        self.req_rate: RequestRate | None = None

    def __str__(self) -> str:
        if not self.useragents:
            return ""
        lines = [f"User-agent: {name}" for name in self.useragents]
        if self.delay is not None:
            lines.append(f"Crawl-delay: {self.delay}")
        if self.req_rate is not None:
            lines.append(f"Request-rate: {self.req_rate.requests}/{self.req_rate.seconds}")
        lines += map(str, self.rulelines) if self.rulelines else ["Allow:"]
        return "\n".join(lines)

    def applies_to(self, useragent: str) -> bool:
        """Return whether the group names a crawler."""
        return self._alone().agent(named_by(useragent)).named or "*" in self.useragents

    def allowance(self, filename: str) -> bool:
        """Return whether the rules of this group allow a path."""
        return self._alone().allowed(rooted(filename), self.useragents[:1] or "*")

    def _alone(self) -> RobotsTxt:
        return parse(encoded(str(self)), dialect=RFC9309)


class RuleLine:
    """A rule; a rule without a path allows everything."""

    def __init__(self, path: str, allowance: bool) -> None:
        self.path = path
        self.allowance = allowance or path == ""

    def applies_to(self, filename: str) -> bool:
        """Return whether the rule matches a path."""
        text = encoded(f"User-agent: *\n{self}\n")
        return parse(text, dialect=LIBRARY).decide(rooted(filename), "*").rule is not None

    def __str__(self) -> str:
        return f"{'Allow' if self.allowance else 'Disallow'}: {self.path}".rstrip()


def _joined(lines: Iterable[str]) -> str:
    """Return lines, with line ends or without them, as one text."""
    listed = lines if isinstance(lines, list) else list(lines)
    text = "\n".join(listed)
    return text.replace("\n\n", "\n") if listed and listed[0].endswith("\n") else text


def _entries(robots: RobotsTxt) -> list[Entry]:
    entries = {group.start_lines[:1]: _entry(group) for group in robots.groups}
    for record in robots.records:
        entry = entries.get(record.group.start_lines[:1]) if record.group else None
        if entry is None:
            continue
        if record.field == "crawl-delay" and record.raw.isdecimal():
            entry.delay = int(record.raw)
        if isinstance(record.value, Rate):
            entry.req_rate = RequestRate(record.value.documents, record.value.seconds)
    return [entry for entry in entries.values() if any(entry.useragents)]


def _entry(group: Group) -> Entry:
    entry = Entry()
    entry.useragents = list(group.product_tokens)
    entry.rulelines = [RuleLine(rule.pattern, rule.allow) for rule in group.rules]
    return entry


# Answers like the standard library's

# Patterns and URLs that are in normal form already, which most are.
_IS_NORMAL = re.compile(r"[A-Za-z0-9_.~/*-]*\$?").fullmatch
_NORMAL_URL = re.compile(
    r"https?://[A-Za-z0-9.-]+(/[A-Za-z0-9_.~/-]*(?:\?[A-Za-z0-9_.~/=&-]*)?)"
).fullmatch


def _as_library(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with patterns in the form that the standard library compares."""
    for line in lines:
        key, colon, value = line.partition("#")[0].strip().partition(":")
        if not colon or key.strip().lower() not in ("allow", "disallow"):
            yield line
            continue
        value = value.strip()
        if _IS_NORMAL(value) and "**" not in value:
            yield line
            continue
        pattern = re.sub(r"[$][$*]+", "$", re.sub(r"[*]{2,}", "*", value))
        # A pattern with an inner `$` is not a rule, but still ends the user agents above it.
        is_rule = "$" not in pattern.rstrip("$")
        yield f"{key}: {_normal(pattern, '*$')}" if is_rule else "Crawl-delay:"


def _normal(text: str, special: str = "") -> str:
    """Return a path and query with all escapes decoded, and escaped again where necessary.

    The characters between its parts are not escaped.
    """
    path, mark, query = text.partition("?")
    return _escaped(path, f"/{special}") + mark + _escaped(query, f"/=&{special}")


def _escaped(text: str, kept: str) -> str:
    return re.sub(f"[^{re.escape(kept)}]+", lambda part: _quoted(part[0]), text)


def _quoted(text: str) -> str:
    return quote(unquote(text, errors="surrogateescape"), errors="surrogateescape")


def _target(url: str) -> str:
    """Return a URL whose target is what the standard library compares with patterns.

    That is the URL without its authority, and with the fragment as a part of the path.
    """
    if normal := _NORMAL_URL(url):
        return f"http://any{normal[1]}"
    scheme, authority = urlsplit(url)[:2]
    head = len(scheme) + 1 if scheme else 0
    if url[head : head + 2] == "//":
        head += 2 + len(authority)
    path = _normal(url[head:])
    return f"http://any{path}" if path[:1] == "/" else f"http://any/{path}"


def _name_in(robots: RobotsTxt, useragent: str) -> str:
    """Return the name by which the standard library finds a crawler's group.

    That is the user agent itself, or the first name in the file that occurs before its first `/`.
    """
    names = [name.lower() for group in robots.groups for name in group.product_tokens]
    if useragent in names:
        return useragent
    product = useragent.partition("/")[0]
    return next((name for name in names if name and name in product), "*")


class _Ranked:
    """The rules of one crawler; the rule that matches most of the URL decides.

    The core finds the rules that match.
    """

    def __init__(self, agent: Agent) -> None:
        self.crawl_delay = agent.crawl_delay
        self.request_rates = agent.request_rates
        self._agent = agent
        self._is_ranked = any("*" in rule.pattern or "$" in rule.pattern for rule in agent.rules)

    def allowed(self, url: str) -> bool:
        url = _target(url)
        if not self._is_ranked:
            return self._agent.allowed(url)
        decision = self._agent.decide(url)
        if decision.rule is None or not decision.beaten:
            return decision.allowed
        matching = (decision.rule, *decision.beaten)
        return max((_matched(rule, decision.target), rule.allow) for rule in matching)[1]


def _matched(rule: Rule, target: str) -> int:
    """Return how many characters of a target a matching rule matches: the longest possible match.

    Both are in normal form, in which a pattern without `*` is as long as its match.
    """
    if rule.pattern.endswith("$"):
        return len(target)
    _, star, last = rule.pattern.rpartition("*")
    return target.rindex(last) + len(last) if star else len(rule.pattern)
