"""`Robots` and `Agent`: a file, and the rules of one crawler in it.

In: text or bytes, or a URL. Out: the answers of `verger.Agent`, with reppy's names and types.
"""

import re
import time
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, ClassVar, Self
from urllib.parse import urlsplit

from verger._core import Agent as Rules, Rule, origin, parse
from verger.compat.asking import ANY_TEXT, DropIn, encoded, fetch_site, named_by, rooted
from verger.compat.reppy import exceptions
from verger.compat.reppy.ttl import HeaderWithDefaultPolicy, TTLPolicyBase
from verger.errors import InvalidTarget
from verger.fetching.limits import LEAST_BODY, FetchLimits, idle_limits
from verger.options import AnyDialect

__all__ = ["LIBRARY", "RFC9309", "Agent", "AllowAll", "AllowNone", "Robots"]

RFC9309 = ANY_TEXT.replace(name="rfc9309-reppy", parse_limit=None, forbidden="disallow")
"""RFC 9309, except that 401 and 403 disallow everything, as in reppy, and that the only limit of a
file is `max_size`."""

LIBRARY = RFC9309.replace(
    name="reppy-0.4.14",
    lenient_keys=False,
    record_ends_starts=True,
    trailing_star_counts=False,
)
"""How reppy 0.4.14 reads files, as far as verger's knobs can express it. With it, rules before the
first group apply to all crawlers, and user agents are compared unchanged."""

_BOM = b"\xef\xbb\xbf"
_EVERYBODY = b"User-agent: *\nAllow:\n"
_FAILURES = {
    "tls": exceptions.SSLException,
    "timeout": exceptions.ReadTimeout,
    "too-many-redirects": exceptions.ExcessiveRedirects,
    "redirect-invalid": exceptions.MalformedUrl,
}

_IS_HOST = re.compile(r"[A-Za-z0-9.-]+").fullmatch

Hook = Callable[[Any], object]


class Agent:
    """The rules of one crawler; `Robots.agent` returns one, and rules can be added.

    >>> from verger.compat.reppy.robots import Agent
    >>> agent = Agent().disallow("/path").allow("/path/")
    >>> agent.allowed("/path/"), agent.allowed("/path"), len(agent)
    (True, False, 2)
    """

    def __init__(self) -> None:
        self._rules: Rules = _NO_RULES
        self._host = ""
        self._own = _beginnings("")
        self._delay: float | None = None

    @classmethod
    def from_robots(cls, robots: "Robots", name: str | bytes) -> Self:
        """Return the rules of a crawler in a file."""
        agent = cls()
        token = _text(name)
        found = robots.robots.agent(token if robots.dialect is LIBRARY else named_by(token))
        agent._rules, agent._host, agent._own = found, robots._host, _beginnings(robots._host)
        agent._delay = found.crawl_delay or None
        return agent

    @property
    def delay(self) -> float | None:
        """The seconds between two requests; None if the file sets none."""
        return self._delay

    def allow(self, path: str | bytes) -> Self:
        """Add a rule that allows, and return the agent itself."""
        return self._add("Allow", _text(path))

    def disallow(self, path: str | bytes) -> Self:
        """Add a rule that disallows, and return the agent itself."""
        return self._add("Disallow", _text(path))

    def allowed(self, path: str | bytes) -> bool:
        """Return whether the crawler may fetch a path, or a URL of the file's host."""
        if isinstance(path, str) and path.startswith(self._own):
            return self._rules.allowed(path)
        url = _text(path)
        return not _is_external(url, self._host) and self._rules.allowed(rooted(url))

    def _add(self, word: str, path: str) -> Self:
        if not _is_external(path, self._host):
            before = "".join(f"{_word(rule)}: {rule.pattern}\n" for rule in self._rules.rules)
            text = encoded(f"User-agent: *\n{before}{word}: {path}\n")
            self._rules = parse(text, dialect=self._rules.robots.dialect).agent("*")
        return self

    def __len__(self) -> int:
        return len(self._rules.rules)

    def __str__(self) -> str:
        delay = f"Crawl-Delay: {self._delay:.3g} " if self._delay else ""
        rules = sorted(self._rules.rules, key=lambda rule: -len(rule.pattern_bytes))
        shown = (f"Directive({_word(rule)}: {rule.pattern})" for rule in rules)
        return f"{delay}[{', '.join(shown)}]"


class Robots(DropIn[Agent]):
    """One robots.txt file.

    url:      the URL of the file; URLs on other hosts are not allowed.
    content:  its bytes.
    expires:  the time until which it is fresh, in seconds since the epoch.

    >>> from verger.compat.reppy.robots import Robots
    >>> robots = Robots.parse("https://example.com/robots.txt", "User-agent: *\\nDisallow: /a\\n")
    >>> robots.allowed("https://example.com/a/b", "ExampleBot")
    False
    """

    DEFAULT_TTL_POLICY: ClassVar[TTLPolicyBase] = HeaderWithDefaultPolicy(default=3600, minimum=600)
    dialect: AnyDialect = RFC9309

    def __init__(self, url: str | bytes, content: bytes, expires: float | None = None) -> None:
        if not isinstance(content, bytes):
            raise TypeError(f"expected bytes, {type(content).__name__} found")
        self._host = _host_of(_text(url))
        self._expires = expires
        if self.dialect is LIBRARY:
            content = _EVERYBODY + content.removeprefix(_BOM)
        self._take(parse(content, dialect=self.dialect))

    @classmethod
    def parse(cls, url: str | bytes, content: str | bytes, expires: float | None = None) -> Self:
        """Read the text or the bytes of a file."""
        return cls(url, content if isinstance(content, bytes) else encoded(content), expires)

    @classmethod
    def fetch(
        cls,
        url: str,
        ttl_policy: TTLPolicyBase | None = None,
        max_size: int = 1_048_576,
        *,
        headers: Mapping[str, str] | None = None,
        timeout: float | tuple[float, float] | None = None,
        after_response_hook: Hook | None = None,
        after_parse_hook: Hook | None = None,
    ) -> "Robots":
        """Fetch the file of a URL's site.

        ttl_policy:           how long it is fresh.
        max_size:             bytes above which ContentTooLong is raised.
        headers, timeout:     as in `requests`.
        after_response_hook:  called with the response, or with the exception that is raised.
        after_parse_hook:     called with the file.
        Raises: a subclass of ReppyException for the kind of failure.
        """
        try:
            response = _response(cls, url, max_size, headers or {}, timeout)
        except exceptions.ReppyException as error:
            error.url = url
            if after_response_hook is not None and not isinstance(
                error, (exceptions.ContentTooLong, exceptions.BadStatusCode)
            ):
                after_response_hook(error)
            raise
        if after_response_hook is not None:
            after_response_hook(response)
        expires = (ttl_policy or cls.DEFAULT_TTL_POLICY).expires(response)
        if response.effect == "rules":
            robots = cls.parse(url, response.content, expires)
            if after_parse_hook is not None:
                after_parse_hook(robots)
            return robots
        if response.effect == "allow_all":
            return AllowAll(url, expires)
        if response.status_code < 500:
            return AllowNone(url, expires)
        status = response.status_code
        raise exceptions.BadStatusCode(f"Got {status} for {url}", status)

    @classmethod
    def robots_url(cls, url: str | bytes) -> str:
        """Return the URL of a site's file, from any URL of the site. Raises ValueError."""
        return f"{origin(_text(url))}/robots.txt"

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps listed in the file."""
        return list(self.robots.sitemaps)

    def allowed(self, path: str | bytes, name: str | bytes) -> bool:
        """Return whether a crawler may fetch a path, or a URL of the file's host."""
        return self._agent(name).allowed(path)

    def agent(self, name: str | bytes) -> Agent:
        """Return the rules of a crawler. Adding rules to it does not change the file."""
        return Agent.from_robots(self, name)

    @property
    def expires(self) -> Any:
        """The time until which the file is fresh, in seconds since the epoch."""
        return self._expires

    @property
    def expired(self) -> bool:
        """Whether the file is no longer fresh."""
        return bool(time.time() > self.expires)

    @property
    def ttl(self) -> float:
        """How many seconds the file is still fresh."""
        return float(max(self.expires - time.time(), 0))

    def __str__(self) -> str:
        names = [name.lower() for group in self.robots.groups for name in group.product_tokens]
        shown = (f'"{name}": {self.agent(name)}' for name in dict.fromkeys(["*", *names]))
        return f"{{{', '.join(shown)}}}"

    def _rules(self, user_agent: str | bytes) -> Agent:
        return self.agent(user_agent)


class AllowNone(Robots):
    """A file that disallows everything."""

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        super().__init__(url, b"User-agent: *\nDisallow: /", expires)


class AllowAll(Robots):
    """A file that allows everything."""

    def __init__(self, url: str | bytes, expires: float | None = None) -> None:
        super().__init__(url, b"", expires)


_NO_RULES = parse(b"User-agent: *\n", dialect=RFC9309).agent("*")


def _response(
    cls: type[Robots],
    url: str,
    max_size: int,
    headers: Mapping[str, str],
    timeout: float | tuple[float, float] | None,
) -> SimpleNamespace:
    """Return the part of a fetch that policies and hooks see, and what it means for the site."""
    idle = max(timeout) if isinstance(timeout, tuple) else timeout
    kept = max(max_size, LEAST_BODY)
    limits = FetchLimits(body_bytes=kept) if idle is None else idle_limits(idle, body_bytes=kept)
    named = next((value for key, value in headers.items() if key.lower() == "user-agent"), None)
    try:
        site = fetch_site(
            cls,
            url,
            user_agent=named,
            limits=limits,
            headers={key: value for key, value in headers.items() if key.lower() != "user-agent"},
        )
    except InvalidTarget as error:
        raise exceptions.MalformedUrl(error) from error
    if (result := site.result) is None:
        raise exceptions.ConnectionException(site.access.reason)
    if result.failure is not None:
        raise _FAILURES.get(result.failure, exceptions.ConnectionException)(result.detail)
    if len(result.body) > max_size or result.truncated:
        raise exceptions.ContentTooLong(f"Content larger than {max_size} bytes")
    return SimpleNamespace(
        url=result.final_url,
        status_code=result.status or 0,
        headers=result.headers,
        content=result.body,
        effect=site.access.effect,
    )


def _beginnings(host: str) -> tuple[str, ...]:
    """Return prefixes of URLs that certainly belong to a host."""
    return (f"https://{host}/", f"http://{host}/") if host else ()


def _is_external(url: str, host: str) -> bool:
    """Return whether a URL names a host other than the file's."""
    if not host or (url[:1] == "/" and url[:2] != "//") or "//" not in url:
        return False
    return _host_of(url) not in ("", host)


def _host_of(url: str) -> str:
    """Return the host of a URL in lower case, without its port; empty if it names none."""
    head = url.split("/", 3)
    if len(head) > 2 and head[0] in ("http:", "https:") and _IS_HOST(head[2]):
        return head[2].lower()
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def _word(rule: Rule) -> str:
    """Return the field of a rule; a rule without a pattern allows everything."""
    return "Allow" if rule.allow or not rule.pattern else "Disallow"


def _text(value: str | bytes) -> str:
    """Return text or bytes as text. Raises AttributeError for anything else."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    value.encode  # noqa: B018 (raises AttributeError for other types, as reppy does)
    return value
