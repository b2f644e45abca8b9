"""RT413: a sitemap that search engines cannot reach."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

URL = re.compile(r"(?i)(?P<scheme>(?:https?|ftp)://)(?P<authority>[^/?#]+)")

TWO_SCHEMES = re.compile(r"(?i)(?:https?|ftp)://(?=https?://)")

ADDRESS = re.compile(r"[0-9.]+|.*:.*")

NO_NAME = frozenset("*<>{}|\\^` \t")
"""Characters that no host has."""

LOCAL = ("localhost", "local", "internal", "test", "invalid", "onion", "home.arpa")
"""Domains that the public DNS does not have (IANA, Special-Use Domain Names)."""


@check("RT413", "error", fix="unsafe")
def unreachable_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` on a host that is not on the internet, such as `localhost`, or with two schemes.

    A name without a dot, a private address and a domain such as `.local` are not on the internet.
    If the file itself is on that host, the sitemap is not reported.

    Why: search engines cannot fetch the sitemap.

    Use instead: the URL under which everyone can fetch it.

    Fix: of two schemes, the second is kept. That changes the record, so the fix is unsafe.
    """
    own = host_of(file.url or "")
    for record in file.records:
        if record.field != "sitemap":
            continue
        span = file.line(record.line).value_span
        twice = TWO_SCHEMES.match(record.raw)
        if twice and span:
            fix = file.rewrite((span[0], span[0] + twice.end()), b"", "Keep one scheme", "unsafe")
            yield Found(record.line, f"{quoted(record.raw)} has two schemes", span, fix=fix)
            continue
        host = host_of(record.raw)
        if host is not None and host != own and not is_reachable(host):
            what = f"{quoted(record.raw)}: {quoted(host)} is not on the internet"
            yield Found(record.line, what, span)


def host_of(url: str) -> str | None:
    """Return the host of an absolute URL, in lower case; None without one."""
    match = URL.match(url)
    if match is None:
        return None
    host = match["authority"].rpartition("@")[2]
    end = host.find("]") + 1 or host.find(":")
    return (host if end < 1 else host[:end]).strip("[]").rstrip(".").lower()


def is_reachable(host: str) -> bool:
    """Whether a host can be on the internet."""
    if ADDRESS.fullmatch(host):
        try:
            return ip_address(host).is_global
        except ValueError:
            return False
    is_local = "." not in host or host.endswith(tuple(f".{name}" for name in LOCAL))
    return not is_local and NO_NAME.isdisjoint(host)
