"""RT408: a field that no crawler reads any more."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted

RETIRED = {
    "noindex": "Google has not read it since 1 September 2019",
    "nofollow": "Google has not read it since 1 September 2019",
    "host": "Yandex has not read it since March 2018",
}
"""Fields and who retired them. Google Search Central Blog, "A note on unsupported rules in
robots.txt" (2 July 2019); Yandex Webmaster, "Host" (retired in March 2018)."""

INSTEAD = {
    "noindex": "a `robots` meta tag or the header `X-Robots-Tag: noindex`",
    "nofollow": "a `robots` meta tag or the header `X-Robots-Tag: nofollow`",
    "host": "a redirect to the main host",
}


@check("RT408", "warning")
def retired_field(file: File) -> Iterator[Found]:
    """A `Noindex`, `Nofollow` or `Host` line.

    Why: crawlers ignore the line, so it has no effect.

    Use instead: for `Noindex`, a `robots` meta tag or the header `X-Robots-Tag`, on pages that
    crawlers may fetch; for `Host`, a redirect to the main host.
    """
    for line in file.lines:
        field = line.field if line.kind in ("record", "unknown") else None
        if field in RETIRED:
            what = f"{quoted(line.key or '')} has no effect: {RETIRED[field]}; use {INSTEAD[field]}"
            yield Found(line.number, what)
