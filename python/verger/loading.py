"""One file from a path or a site.

In: a path or a URL. Out: a `RobotsTxt`, as `verger.parse` returns it.
"""

import os
import stat
from pathlib import Path

from verger._core import Origin, RobotsTxt, parse
from verger.errors import UnreachableFile
from verger.files.robots_file import MOST_TYPED, expect_end
from verger.options import AnyDialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from verger.fetching.transport import Transport
del TYPE_CHECKING

__all__ = ["fetch", "load"]


def load(
    path: str | os.PathLike[str], *, dialect: AnyDialect = "rfc9309", url: str | None = None
) -> RobotsTxt:
    """Read and parse a robots.txt file.

    path:     the path of the file.
    dialect:  how to read it, a name from `verger.DIALECTS` or a `Dialect` of your own.
    url:      where it came from; if given, a question about another origin raises `OutOfScope`.
    Raises:   OSError if the file cannot be read, UnusableInput for a device without an end, and
              what `verger.parse` raises.

    >>> robots = verger.load("robots.txt")
    >>> robots.allowed("/private", "ExampleBot")
    False
    """
    with Path(path).open("rb") as file:
        is_device = stat.S_ISCHR(os.fstat(file.fileno()).st_mode)
        body = file.read(MOST_TYPED + 1 if is_device else -1)
        expect_end(path, file.fileno(), body)
    return parse(body, dialect=dialect, url=url)


def fetch(
    url: str,
    *,
    user_agent: str | None = None,
    dialect: AnyDialect = "rfc9309",
    transport: "Transport | None" = None,
    timeout: float | None = None,
) -> RobotsTxt:
    """Fetch and parse the robots.txt file of a site.

    Fetches one file once and keeps nothing. To ask about many URLs, or to keep files between runs,
    use `verger.Client`.

    url:         any URL of the site.
    user_agent:  the identification string of the request, with a way to contact you:
                 `ExampleBot/1.0 (+https://example.com/bot)`.
    dialect:     how to interpret the file and failures.
    transport:   sends the request; None for aiohttp, and FTP from the standard library.
    timeout:     seconds for the fetch with all its redirects; by default 30, and 10 without a byte.
    Returns:     the file; an empty one if the site has none (RFC 9309 section 2.3.1.3).
    Raises:      UnreachableFile if the file is unreachable, so that nothing may be fetched
                 (RFC 9309 section 2.3.1.4), MissingUserAgent, InvalidTarget, UnknownName,
                 MissingExtra.

    >>> robots = verger.fetch("https://example.com/", user_agent="ExampleBot/1.0 (+https://…)")
    >>> robots.allowed("https://example.com/private", "ExampleBot")
    False
    """
    from verger.client import Client

    with Client(user_agent, dialect=dialect, transport=transport, timeout=timeout) as client:
        site = client.site(url)
    if site.robots is not None:
        return site.robots
    if (body := site.binding_body) is not None:
        return parse(body, dialect=dialect, url=f"{Origin(url)}/robots.txt")
    why = f"{site.access.reason} ({site.access.section})"
    raise UnreachableFile(
        f"`{site.origin}/robots.txt` cannot be fetched: {why}",
        "nothing there may be fetched now; `verger.Client` says when to try again",
    )
