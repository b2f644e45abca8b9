"""RT403: a sitemap that the file disallows."""

from collections.abc import Iterator

from verger._core import origin
from verger.errors import InvalidTarget
from verger.lint.check import check
from verger.lint.diagnostic import Found, Related
from verger.lint.file import File

ENGINE = "Googlebot"


@check("RT403", "warning")
def closed_sitemap(file: File) -> Iterator[Found]:
    """A `Sitemap` that a rule of the same file disallows for Googlebot.

    If the URL of the file is unknown, its sitemaps count as its own when they are all on one host.
    A site that is disallowed as a whole is RT501.

    Why: search engines do not fetch a disallowed sitemap.

    Use instead: an `Allow` for the sitemap.
    """
    sitemaps = [
        (record, _origin(record.raw)) for record in file.records if record.field == "sitemap"
    ]
    own = origin(file.url) if file.url else None
    if own is None and len({place for _, place in sitemaps}) > 1:
        return
    agent = file.robots.agent(ENGINE)
    if agent.posture == "none":
        return
    for record, place in sitemaps:
        if place is None or (own is not None and place != own):
            continue
        decision = agent.decide(record.raw)
        if not decision.allowed and decision.rule is not None:
            related = (Related(decision.rule.line, "this rule disallows it"),)
            what = f"line {decision.rule.line} disallows the sitemap for {ENGINE}"
            span = file.line(record.line).value_span
            yield Found(record.line, what, span, witness=record.raw, related=related)


def _origin(url: str) -> str | None:
    try:
        return origin(url)
    except InvalidTarget:
        return None
