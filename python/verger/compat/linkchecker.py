"""`RobotFileParser` as LinkChecker makes it: with a session of requests, a login and a time-out.

    from verger.compat import linkchecker as robotparser2  # was: from .. import robotparser2

In: the arguments of LinkChecker 10. Out: the answers of the drop-in for `urllib.robotparser`. The
file is fetched with the session, and failures mean what the access policy says: they close a site
and raise nothing, so that a link there is skipped, and not reported as broken.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

from verger._core import Sitemap
from verger.compat import robotparser
from verger.compat.asking import ANY_TEXT
from verger.options import AnyDialect

if TYPE_CHECKING:
    import requests

    import verger

__all__ = ["RobotFileParser"]

LINKCHECKER = ANY_TEXT.replace(name="rfc9309-linkchecker", forbidden="disallow")
"""RFC 9309, except that 401 and 403 disallow everything, as in LinkChecker."""


class RobotFileParser(robotparser.RobotFileParser):
    """One robots.txt file, fetched with a session, and answers about it.

    session:  the `requests.Session` that `read` uses; None for verger's own transport. Its
              `User-Agent` is sent; the product tokens are those that `can_fetch` is asked for.
    url:      the URL of the file.
    auth:     a login as requests takes it; it is sent to the file's own origin only.
    timeout:  seconds without a connection or data, as requests takes them: a number, or two.
    dialect:  how files and failures are read; None for that of the class.
    """

    dialect: AnyDialect = LINKCHECKER

    def __init__(
        self,
        session: "requests.Session | None" = None,
        url: str = "",
        auth: Any = None,
        timeout: float | Sequence[float | None] | None = None,
        *,
        dialect: AnyDialect | None = None,
    ) -> None:
        super().__init__(url, dialect=dialect)
        self.session = session
        self.auth = auth
        self.timeout = timeout

    def read(self) -> None:
        """Fetch the file and parse it; without a file, the access policy applies.

        Raises: InvalidTarget, InvalidOption for an impossible time-out, MissingExtra; nothing for
        a server that does not answer.
        """
        with suppress(URLError):
            super().read()

    def get_crawldelay(self, useragent: str) -> int | float:
        """Return the seconds between two requests; 0 if the file sets none."""
        return self.crawl_delay(useragent) or 0

    @property
    def sitemap_urls(self) -> list[tuple[str, int]]:
        """The sitemaps of the file, with the numbers of their lines."""
        return [
            (record.raw, record.line)
            for record in self.robots.records
            if isinstance(record.value, Sitemap)
        ]

    def _fetch_site(self, url: str, **options: Any) -> "verger.Site":
        if self.session is None:
            return super()._fetch_site(url, **options)
        from verger.fetching.requests_session import (
            SessionTransport,  # a file that is given needs none
        )

        transport = SessionTransport(self.session, auth=self.auth, limits=_limits(self.timeout))
        sent = str(self.session.headers.get("User-Agent") or self.user_agent)
        more = {"token": "*", "transport": transport}
        return super()._fetch_site(url, user_agent=sent, **(options | more))


def _limits(timeout: float | Sequence[float | None] | None) -> "verger.FetchLimits | None":
    """Return the limits of a fetch that a time-out of requests means; None for the default.

    Raises InvalidOption.
    """
    from verger.fetching.limits import idle_limits

    steps: Any = timeout if isinstance(timeout, tuple | list) else (timeout,)
    found = [idle_limits(step) for step in steps if step]
    return max(found, key=lambda limits: limits.idle, default=None)
