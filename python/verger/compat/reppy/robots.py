"""`Robots` and `Agent`: a file, and the rules of one crawler in it.

In: text or bytes, or a URL. Out: the answers of `verger.Agent`, with reppy's names and types.
"""

import time
from typing import Any, Self
from urllib.parse import urlsplit

import verger
from verger.compat.asking import ANY_TEXT, DropIn, encoded, fetch_site, named_by, rooted
from verger.compat.reppy import exceptions
from verger.compat.reppy.gone import refuse as __getattr__  # noqa: F401 (PEP 562)
from verger.fetching.limits import LEAST_BODY, FetchLimits

RFC9309 = ANY_TEXT.replace(name="rfc9309-reppy", parse_limit=None, forbidden="disallow")
"""RFC 9309, except that 401 and 403 disallow everything, as in reppy, and that the only limit of a
file is `max_size`."""

_FAILURES = {
    "tls": exceptions.SSLException,
    "timeout": exceptions.ReadTimeout,
    "too-many-redirects": exceptions.ExcessiveRedirects,
    "redirect-invalid": exceptions.MalformedUrl,
}


class Agent:
    """The rules of one crawler in a file, as `Robots.agent` returns them."""

    def __init__(self, robots: "Robots", name: str) -> None:
        self._rules = robots.robots.agent(named_by(name))
        self._host = robots.host
        self._own = (f"https://{robots.host}/", f"http://{robots.host}/")

    @property
    def delay(self) -> float | None:
        """The seconds between two requests; None if the file sets none."""
        return self._rules.crawl_delay or None

    def allowed(self, path: str) -> bool:
        """Return whether the crawler may fetch a path, or a URL of the file's host."""
        if path.startswith(self._own):
            return self._rules.allowed(path)
        return (
            not self._host or path[:1] == "/" != path[1:2] or _host_of(path) in ("", self._host)
        ) and self._rules.allowed(rooted(path))


class Robots(DropIn[Agent]):
    """One robots.txt file.

    url:      the URL of the file; URLs on other hosts are not allowed.
    content:  its text or bytes.
    expires:  the time until which it is fresh, in seconds since the epoch.

    >>> from verger.compat.reppy.robots import Robots
    >>> robots = Robots.parse("https://example.com/robots.txt", "User-agent: *\\nDisallow: /a\\n")
    >>> robots.allowed("https://example.com/a/b", "ExampleBot")
    False
    """

    dialect = RFC9309

    def __init__(self, url: str, content: str | bytes, expires: float | None = None) -> None:
        self.host = _host_of(url)
        self.expires: Any = expires
        text = encoded(content) if isinstance(content, str) else content
        self._take(verger.parse(text, dialect=self.dialect))

    @classmethod
    def parse(cls, url: str, content: str | bytes, expires: float | None = None) -> Self:
        """Read the text or the bytes of a file."""
        return cls(url, content, expires)

    @classmethod
    def fetch(cls, url: str, *, max_size: int = 1_048_576, **options: Any) -> Self:
        """Fetch the file of a URL's site.

        max_size:  bytes above which ContentTooLong is raised.
        options:   those of `verger.Client`, such as `user_agent`, `headers` and `timeout`.
        Raises: a subclass of ReppyException for the kind of failure.
        """
        try:
            site = fetch_site(
                cls, url, limits=FetchLimits(body_bytes=max(max_size, LEAST_BODY)), **options
            )
        except verger.InvalidTarget as error:
            raise exceptions.MalformedUrl(error) from error
        _expect_answer(site, max_size)
        return cls.parse(*file_of(site))

    @classmethod
    def robots_url(cls, url: str) -> str:
        """Return the URL of a site's file, from any URL of the site. Raises ValueError."""
        return f"{verger.origin(url)}/robots.txt"

    @property
    def sitemaps(self) -> list[str]:
        """The sitemaps listed in the file."""
        return list(self.robots.sitemaps)

    def allowed(self, path: str, name: str) -> bool:
        """Return whether a crawler may fetch a path, or a URL of the file's host."""
        return self._agent(name).allowed(path)

    def agent(self, name: str) -> Agent:
        """Return the rules of a crawler."""
        return self._agent(name)

    @property
    def expired(self) -> bool:
        """Whether the file is no longer fresh."""
        return bool(time.time() > self.expires)

    @property
    def ttl(self) -> float:
        """How many seconds the file is still fresh."""
        return float(max(self.expires - time.time(), 0))

    def _rules(self, user_agent: str) -> Agent:
        return Agent(self, user_agent)


def file_of(site: "verger.Site") -> tuple[str, bytes, float]:
    """Return what `Robots.parse` takes for a site; if no file applies, one that says the same."""
    body = b"User-agent: *\nDisallow: /" if (said := site.binding_body) is None else said
    return f"{site.origin}/robots.txt", body, site.fresh_until


def _expect_answer(site: "verger.Site", most: int) -> None:
    """Raise a subclass of ReppyException for a site whose server has not answered."""
    match site.result:
        case verger.AccessResult(failure=str(failure), detail=detail):
            raise _FAILURES.get(failure, exceptions.ConnectionException)(detail)
        case verger.AccessResult(body=body, truncated=cut) if cut or len(body) > most:
            raise exceptions.ContentTooLong(f"Content larger than {most} bytes")
        case verger.AccessResult(status=int(status), url=url) if (
            status >= 500 and site.access.effect != "allow_all"
        ):
            raise exceptions.BadStatusCode(f"Got {status} for {url}", status)


def _host_of(url: str) -> str:
    """Return the host of a URL in lower case, without its port; empty if it names none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
