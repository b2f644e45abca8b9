"""Access results: the outcome of one attempt to fetch a robots.txt file.

A result holds only facts: they are the same for every dialect, and can be stored and judged later.
Times are seconds since the epoch, UTC. RFC 9309 sections 2.3.1.1 to 2.3.1.4 name the three kinds.
"""

from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

Access: TypeAlias = Literal["successful", "unavailable", "unreachable"]

Failure: TypeAlias = Literal[
    "dns",  # the name has no address, or its servers do not answer
    "refused",  # no connection: refused, no route, no permitted address
    "tls",  # an untrusted certificate, or a failed handshake
    "reset",  # the connection ended before the response did
    "timeout",  # silent for too long, or too slow in total
    "invalid-response",  # not HTTP, endless headers, an invalid status
    "broken-body",  # shorter than announced, broken chunks, broken or unrequested coding, a bomb
    "too-many-redirects",  # one more than the dialect follows, or a loop
    "redirect-disallowed",  # the chain leads through a disallowed URL
    "redirect-refused",  # to an address that only the caller may name
    "redirect-invalid",  # to an invalid URL, or one that is neither http nor https
    "ftp",  # the FTP server refused in a way that does not say "no such file"
]
"""Why a fetch got no response that can be judged by its status."""

FAILURES: tuple[Failure, ...] = get_args(Failure)

STATUSES = range(100, 1_000)
"""The statuses that HTTP can carry (RFC 9110 section 15)."""

PROXY_WANTS_LOGIN = 407
"""The status that says nothing about a site: a proxy made it (RFC 9110 section 15.5.8)."""

BODILESS = (204, 304)
"""Statuses whose responses end with their head, whatever that says (RFC 9112 section 6.3)."""


@dataclass(frozen=True, slots=True)
class AccessResult:
    """The outcome of one fetch of one robots.txt file.

    url:         the URL that was requested first: the origin with `/robots.txt`.
    fetched_at:  when the last response was complete, or the attempt failed, in seconds since the
                 epoch.
    status:      the final status; None if no response was read. FTP replies count as 200 and 404.
    failure:     why no response can be judged by its status; None if one can.
    detail:      the failure, or other useful information, in words: `connection refused`.
    redirects:   the URLs that redirects led to, in order; the last is where the response came from.
    body:        the bytes of the file, decoded; empty unless the status is 2xx.
    truncated:   whether the file continues after `body`, because a limit was reached.
    wire_bytes:  bytes of the final response's body as received, before decoding.
    elapsed:     seconds from the first request to the end of the fetch.
    headers:     the header fields of the final response that `KEPT_HEADERS` names, in lower case.
    notes:       what was tolerated: an undeclared gzip, a media type other than text/plain.
    renewed:     whether the server confirmed the kept copy (304), so that the file is that of an
                 earlier fetch.
    public:      whether all addresses that answered are known to be public, that of each redirect
                 included; false for what a proxy fetched, and for what was not fetched by verger.
    unasked:     whether no request was sent, because this client may not ask that address: it says
                 nothing about the site, and no store keeps it.
    """

    url: str
    fetched_at: float
    status: int | None = None
    failure: Failure | None = None
    detail: str = ""
    redirects: tuple[str, ...] = ()
    body: bytes = field(default=b"", repr=False)
    truncated: bool = False
    wire_bytes: int = 0
    elapsed: float = 0.0
    headers: dict[str, str] = field(default_factory=dict, hash=False)
    notes: tuple[str, ...] = ()
    renewed: bool = False
    public: bool = False
    unasked: bool = False

    @property
    def access(self) -> Access:
        """The kind of this result, in the terms of RFC 9309 section 2.3.1."""
        if self.failure in ("too-many-redirects", "redirect-disallowed"):
            return "unavailable"
        if self.failure is not None or self.status is None:
            return "unreachable"
        if 200 <= self.status < 300 and self.status != 206:
            return "successful"
        return "unavailable" if 400 <= self.status < 500 else "unreachable"

    def for_others(self, most_redirects: int, most_bytes: int) -> "AccessResult":
        """Return this result for whoever did not make the request: a redirect that one crawler may
        not follow, or no more of them, leads others on, who do not know where to; and of a file
        that was kept in part they may read more.

        most_redirects:  how many they would follow.
        most_bytes:      how much of a file they would read.
        """
        visited = (self.url, *self.redirects)
        is_loop = len(set(visited)) < len(visited)
        gave_up = self.failure == "too-many-redirects" and not is_loop
        gave_up = gave_up and 0 < len(self.redirects) < most_redirects
        if gave_up or self.failure == "redirect-disallowed":
            return replace(self, failure="redirect-refused")
        if self.truncated and self.failure is None and len(self.body) < most_bytes:
            return replace(self, failure="broken-body")
        return self

    @property
    def size(self) -> int:
        """Bytes of the body and of all texts, which the server controls."""
        texts = (self.url, self.detail, *self.redirects, *self.notes, *self.headers.values())
        return len(self.body) + sum(map(len, texts))

    @property
    def final_url(self) -> str:
        """The URL that the response came from."""
        return self.redirects[-1] if self.redirects else self.url

    @property
    def media_type(self) -> str:
        """The media type of the response in lower case, without parameters; may be empty."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def carries_file(status: int | None) -> bool:
    """Whether a response of this status has a file, even an empty one, as its body."""
    return status is not None and 200 <= status < 300 and status not in BODILESS


def is_redirect(status: int | None) -> bool:
    """Whether a status redirects to another URL; 304 does not."""
    return status is not None and 300 <= status < 400 and status != 304


KEPT_HEADERS = (
    "age",
    "cache-control",
    "content-type",
    "date",
    "etag",
    "expires",
    "last-modified",
    "retry-after",
    "server",
    "via",
)
