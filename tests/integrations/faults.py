"""Sites whose robots.txt fails, and a count of the requests that it forbids all the same.

In: the name of a fault. Out: a `Site` on loopback, pages to ask it for, and the requests that
reached it although its robots.txt, or the access policy of RFC 9309, forbids them. What that
is, is typed here from RFC 9309 sections 2.3.1.1 to 2.3.1.4, and not taken from verger.

Knows no framework and nothing of verger, so that each client is judged by the same table:

    with played("503") as site:
        crawl(site.pages)
        assert not site.forbidden
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from faults.stage import Peer, Stage, redirect, response

ROBOTS = "/robots.txt"
OPEN, CLOSED = "/open", "/closed"
PAGES = (OPEN, CLOSED)
RULES = b"User-agent: *\nDisallow: /closed\n"
MARKED = b"\xef\xbb\xbf" + RULES
LATIN_1 = b"# caf\xe9\n" + RULES + b"Disallow: /caf\xe9\n"
HTML = b"<!doctype html>\n<title>robots</title>\n<pre>\n" + RULES + b"</pre>\n"
# RFC 6761 section 6.4: no name below it ever has an address.
NOWHERE = "http://nowhere.invalid/robots.txt"
PRIVATE = "127.0.0.2"

Robots: TypeAlias = Callable[[Peer, Stage], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """One way in which a robots.txt file fails, and what it forbids."""

    name: str
    why: str
    """What forbids the pages below, in words for a table."""
    forbidden: tuple[str, ...]
    """The pages that nobody may ask for."""
    robots: Robots
    """Answers a request for the file."""


@dataclass
class Site:
    """A site on loopback while it is played."""

    fault: Fault
    origin: str
    stage: Stage
    requests: list[str] = field(default_factory=list)
    """The path of every request that has come, in order, retries included."""

    @property
    def pages(self) -> list[str]:
        """The URLs to ask for: one that rules leave open, and one that they close."""
        return [self.origin + page for page in PAGES]

    @property
    def forbidden(self) -> list[str]:
        """What was asked for and may not be: pages, and whatever lies in a private network."""
        pages = [path for path in self.requests if path in self.fault.forbidden]
        return pages + [f"//{address}" for address in self.stage.trap.visitors]

    @property
    def fetched(self) -> list[str]:
        """The pages that were asked for."""
        return [path for path in self.requests if path in PAGES]

    @property
    def asked_for_robots(self) -> int:
        """How many requests came for the file, retries and redirects within the site included."""
        return sum(path.partition("?")[0] == ROBOTS for path in self.requests)


@contextmanager
def played(name: str) -> Iterator[Site]:
    """Play a site with a fault, by name, until the context is left."""
    stage = Stage()
    site = Site(FAULTS[name], "", stage)

    async def handler(peer: Peer) -> None:
        path = await peer.request()
        site.requests.append(path)
        if path.partition("?")[0] == ROBOTS:
            await site.fault.robots(peer, stage)
        else:
            await peer.send(response(b"a page\n"))

    try:
        site.origin = stage.run(stage.listen(handler))
        yield site
    finally:
        stage.close()


def saying(*answer: bytes) -> Robots:
    """Return a file that is always the same answer."""

    async def robots(peer: Peer, _: Stage) -> None:
        await peer.send(*answer)

    return robots


async def silent(peer: Peer, _: Stage) -> None:
    """Take the request and say nothing until the client gives up."""
    await peer.linger()


async def circling(peer: Peer, _: Stage) -> None:
    """Lead back to where the request came from."""
    await peer.send(redirect(f"{peer.origin}{ROBOTS}"))


async def trapping(peer: Peer, stage: Stage) -> None:
    """Lead to an address of the machine that the caller did not name."""
    await peer.send(redirect(f"http://{PRIVATE}:{stage.trap.port(PRIVATE)}{ROBOTS}"))


def refusing(status: str) -> Robots:
    """Return a server that has only a status for the file, with rules that do not count."""
    return saying(response(b"User-agent: *\nAllow: /\n", status=status))


UNREACHABLE = "RFC 9309 section 2.3.1.4: unreachable, all pages"

FAULTS = {
    fault.name: fault
    for fault in (
        Fault("none", "its rules: one page", (CLOSED,), saying(response(RULES))),
        Fault("byte order mark", "its rules: one page", (CLOSED,), saying(response(MARKED))),
        Fault("Latin-1", "its rules: one page", (CLOSED,), saying(response(LATIN_1))),
        Fault("404", "RFC 9309 section 2.3.1.3: unavailable, no page", (), refusing("404 Away")),
        Fault("403", "RFC 9309 section 2.3.1.3: unavailable, no page", (), refusing("403 No")),
        Fault("500", UNREACHABLE, PAGES, refusing("500 Broken")),
        Fault("503", UNREACHABLE, PAGES, refusing("503 Service Unavailable")),
        Fault("429", "the server asks for silence: all pages", PAGES, refusing("429 Slow Down")),
        Fault("time-out", UNREACHABLE, PAGES, silent),
        Fault("DNS failure", UNREACHABLE, PAGES, saying(redirect(NOWHERE))),
        Fault("redirect loop", "RFC 9309 section 2.3.1.2: unavailable, no page", (), circling),
        Fault("redirect to a private network", UNREACHABLE + " and that address", PAGES, trapping),
        Fault(
            "200 with HTML",
            "its rules, which RFC 9309 section 2.3.1.5 finds: one page",
            (CLOSED,),
            saying(response(HTML, kind="text/html")),
        ),
    )
}
"""By name. `none` is the site without a fault. The name that cannot be resolved is where the file
redirects to: a site whose own name cannot be resolved has no server that could count."""
