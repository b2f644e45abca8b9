"""RT402: a sitemap on another host."""

from collections.abc import Iterator

from verger._core import origin
from verger.errors import InvalidTarget
from verger.lint.check import check
from verger.lint.checks.unreachable_sitemap import host_of, is_reachable
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT402", "note")
def foreign_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` on a different host than the file, if the URL of the file is known.

    A site may let another host publish its sitemaps in this way (sitemaps.org, "Sitemaps & Cross
    Submits"). In a file that was copied from a test host, it is a mistake.

    Why: the line allows another host to list the URLs of this one.

    Use instead: the sitemap of this host, unless the other host is intended.
    """
    if file.url is None:
        return
    own = origin(file.url)
    for record in file.records:
        if record.field != "sitemap":
            continue
        try:
            other = origin(record.raw)
        except InvalidTarget:
            continue
        if _host(other) != _host(own) and is_reachable(host_of(record.raw) or ""):
            what = f"{quoted(record.raw)} is not on {quoted(own)}"
            yield Found(record.line, what, file.line(record.line).value_span)


def _host(origin: str) -> str:
    """Return the host of an origin: `http` and `https`, with and without `www.`, are one site."""
    return origin.partition("://")[2].removeprefix("www.")
