"""Sites on loopback that say what a test tells them, and keep what they were asked.

In: answers by path. Out: a running site, and the head of each request that came.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from faults.stage import Peer, Stage, response

CLOSED = b"User-agent: *\nDisallow: /closed\n"


@dataclass
class Site:
    """One origin; `pages` may change while it is asked."""

    origin: str
    pages: Mapping[str, bytes]
    heads: list[bytes] = field(default_factory=list)
    """Each request up to its body, in order."""

    @property
    def paths(self) -> list[str]:
        """What was asked for, without robots.txt."""
        return [path for path in map(target, self.heads) if path != "/robots.txt"]

    @property
    def asked_for_robots(self) -> int:
        """How many requests came for robots.txt."""
        return sum(target(head) == "/robots.txt" for head in self.heads)

    @property
    def port(self) -> int:
        """The port that it listens at."""
        return int(self.origin.rpartition(":")[2])


class Web:
    """The sites of one test."""

    def __init__(self) -> None:
        self._stage = Stage()

    def site(self, pages: Mapping[str, bytes] | None = None, *, robots: bytes = CLOSED) -> Site:
        """Start a site; each page that nobody names is `a page`."""
        site = Site("", {"/robots.txt": response(robots), **(pages or {})})

        async def serve(peer: Peer) -> None:
            head = await peer.reader.readuntil(b"\r\n\r\n")
            site.heads.append(head)
            answer = site.pages.get(target(head), response(b"a page\n"))
            await peer.send(without_body(answer) if head.startswith(b"HEAD ") else answer)

        site.origin = self._stage.run(self._stage.listen(serve))
        return site

    def close(self) -> None:
        """Stop all sites."""
        self._stage.close()


@contextmanager
def web_of_sites() -> Iterator[Web]:
    """Yield a web without a site, and stop its sites in the end."""
    web = Web()
    try:
        yield web
    finally:
        web.close()


def without_body(answer: bytes) -> bytes:
    """Return the head of an answer."""
    return answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"


def target(head: bytes) -> str:
    """Return what a request asks for, as in its first line."""
    return head.split(b" ", 2)[1].decode("latin-1")
