"""Sitemaps.

RT401 to RT404, RT413 and RT418.
"""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from verger._core import origin
from verger.errors import InvalidTarget
from verger.lint.check import check
from verger.lint.checks.lines import has_field
from verger.lint.diagnostic import Found, Related, Span, quoted
from verger.lint.file import File

ROW = re.compile(r"[ \t]|[,;]/")
"""What a value with several paths has."""


@check("RT401", "warning", fix="unsafe")
def relative_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` with a path or a host in place of a whole URL (sitemaps.org protocol).

    Why: search engines ignore a sitemap without an absolute URL.

    Use instead: `https://example.com/sitemap.xml`.

    Fix: if the URL of the file is known, a path becomes a whole URL. That changes the record, so
    the fix is unsafe.
    """
    for line in map(file.line, file.numbers_of("relative-sitemap")):
        value, fix = line.value or "", None
        # after two slashes comes a host, not a path
        is_path = value.startswith("/") and value[1:2] != "/" and not ROW.search(value)
        if file.url and line.value_span and is_path:
            new = (origin(file.url) + value).encode("utf-8", "surrogateescape")
            fix = file.write(line.value_span, new)
        what = f"{quoted(value)} is not an absolute URL"
        yield Found(line.number, what, line.value_span, fix=fix)


@check("RT402", "note")
def foreign_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` on a different host than the file, if the URL of the file is known.

    A site may let another host publish its sitemaps in this way (sitemaps.org, "Sitemaps & Cross
    Submits"). In a file that was copied from a test host, it is a mistake.

    Why: the line allows another host to list the URLs of this one.

    Use instead: the sitemap of this host, unless the other host is intended.
    """
    own = origin(file.url) if file.url else ""
    for line, url, span in _sitemaps(file) if own else ():
        other = _origin(url)
        if other and _host(other) != _host(own) and _is_reachable(_host_of(url) or ""):
            yield Found(line, f"{quoted(url)} is not on {quoted(own)}", span)


def _sitemaps(file: File) -> Iterator[tuple[int, str, Span | None]]:
    """Yield the line of each sitemap, its URL, and the span of that."""
    for record in file.robots.records:
        if record.field == "sitemap":
            yield record.line, record.raw, file.line(record.line).value_span


def _host(origin: str) -> str:
    """Return the host of an origin: `http` and `https`, with and without `www.`, are one site."""
    return origin.partition("://")[2].removeprefix("www.")


ENGINE = "Googlebot"


@check("RT403", "warning")
def closed_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` that a rule of the same file disallows for Googlebot.

    If the URL of the file is unknown, its sitemaps count as its own when they are all on one host.
    A site that is disallowed as a whole is RT501.

    Why: search engines do not fetch a disallowed sitemap.

    Use instead: an `Allow` for the sitemap.
    """
    sitemaps = [(_origin(each[1]), each) for each in _sitemaps(file)]
    own = origin(file.url) if file.url else None
    agent = file.robots.agent(ENGINE)
    is_one = own is not None or len({place for place, _ in sitemaps}) < 2
    for place, (line, url, span) in sitemaps if is_one and agent.posture != "none" else ():
        if place is None or (own is not None and place != own):
            continue
        decision = agent.decide(url)
        if not decision.allowed and decision.rule is not None:
            what = f"line {decision.rule.line} disallows the sitemap for {ENGINE}"
            yield Found(
                line,
                what,
                span,
                witness=url,
                related=(Related(decision.rule.line, "this rule disallows it"),),
            )


def _origin(url: str) -> str | None:
    try:
        return origin(url)
    except InvalidTarget:
        return None


@check("RT404", "note", fix="unsafe")
def repeated_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` that the file names twice. It applies to the whole file, wherever it is.

    Why: the line is redundant.

    Use instead: one line.

    Fix: the second line is removed. A program that lists the sitemaps of the file finds one fewer,
    so the fix is unsafe.
    """
    first: dict[str, int] = {}
    for line, url, _ in _sitemaps(file):
        above = first.setdefault(url, line)
        if above != line and not file.is_cut:
            yield Found(
                line,
                f"{quoted(url)} is already named in line {above}",
                fix=file.without_line(line, "Remove the line", "unsafe"),
                related=(Related(above, "named here"),),
            )


SEPARATOR = re.compile(
    rb"(?:(?<![ \t,;|])[ \t,;|]++(?:(?:and|&)[ \t]++)?|(?<=\.xml)|(?<=\.gz))(?=https?://)",
    re.IGNORECASE,
)
"""What stands between two URLs, or nothing behind the ending of a sitemap: a lost line end."""


@check("RT418", "error", fix="unsafe")
def several_sitemaps_on_a_line(file: File) -> Iterator[Found]:
    """A `Sitemap` with several URLs, such as two with a comma or a blank between them.

    Why: search engines read one URL that contains the blanks and the other URLs.

    Use instead: a line for each sitemap.

    Fix: the line is split. That changes the records, so the fix is unsafe.
    """
    for line in file.lines:
        if line.field == "sitemap" and line.value_span:
            urls = SEPARATOR.split(file.text(line.value_span).rstrip(b",;"))
            if len(urls) > 1 and not has_field(file.text(line.value_span)):
                what = f"{quoted(line.value or '')} is read as one URL, not as {len(urls)}"
                fix = file.split_value(line.number, line.value_span, urls)
                yield Found(line.number, what, line.value_span, fix=fix)


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
    own = _host_of(file.url or "")
    for line, url, span in _sitemaps(file):
        twice, host = TWO_SCHEMES.match(url), _host_of(url)
        if twice and span:
            fix = file.rewrite((span[0], span[0] + twice.end()), b"", "Keep one scheme", "unsafe")
            yield Found(line, f"{quoted(url)} has two schemes", span, fix=fix)
        elif host is not None and host != own and not _is_reachable(host):
            yield Found(line, f"{quoted(url)}: {quoted(host)} is not on the internet", span)


def _host_of(url: str) -> str | None:
    """Return the host of an absolute URL, in lower case; None without one."""
    if (match := URL.match(url)) is None:
        return None
    host = match["authority"].rpartition("@")[2]
    end = host.find("]") + 1 or host.find(":")
    return (host if end < 1 else host[:end]).strip("[]").rstrip(".").lower()


def _is_reachable(host: str) -> bool:
    """Whether a host can be on the internet."""
    if ADDRESS.fullmatch(host):
        try:
            return ip_address(host).is_global
        except ValueError:
            return False
    is_local = "." not in host or host.endswith(tuple(f".{name}" for name in LOCAL))
    return not is_local and NO_NAME.isdisjoint(host)
