"""RT401: a sitemap without an absolute URL."""

from collections.abc import Iterator

from verger._core import origin
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted


@check("RT401", "warning", fix="unsafe")
def relative_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` with a path or a host in place of a whole URL (sitemaps.org protocol).

    Why: search engines ignore a sitemap without an absolute URL.

    Use instead: `https://example.com/sitemap.xml`.

    Fix: if the URL of the file is known, a path becomes a whole URL. That changes the record, so
    the fix is unsafe.
    """
    for finding in file.by_code.get("relative-sitemap", []):
        line = file.line(finding.line)
        if line.value is None or line.value_span is None:
            continue
        fix = None
        # after two slashes comes a host, not a path
        if file.url is not None and line.value.startswith("/") and line.value[1:2] != "/":
            new = (origin(file.url) + line.value).encode("utf-8", "surrogateescape")
            fix = file.rewrite(line.value_span, new, f"Write {quoted(new)}", "unsafe")
        what = f"{quoted(line.value)} is not an absolute URL"
        yield Found(line.number, what, line.value_span, fix=fix)
