"""RT501: a site that is disallowed for every crawler."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.merged_by_record import pulled_in
from verger.lint.diagnostic import Found
from verger.lint.file import File

ENGINES = ("Googlebot", "bingbot")


@check("RT501", "warning")
def site_closed(file: File) -> Iterator[Found]:
    """A file that disallows everything for all crawlers, including search engines.

    That is right for a test system. In production, it is often a file copied from one.
    `verger lint --guard` makes it an error. If search engines may fetch something, but not the home
    page, that is RT502.

    Why: a site that search engines may not fetch disappears from search.

    Use instead: an empty `Disallow:`, or the paths that are meant to be disallowed.
    """
    if not all(map(file.is_closed, ("*", *ENGINES))):
        return
    star = file.robots.agent("*")
    rule = star.decide("/").rule
    line = rule.line if rule else 1
    span = rule.span if rule else None
    is_for_all = file.is_whole and all(agent.posture == "none" for agent in file.agents)
    what = (
        "no crawler may fetch anything, search engines included"
        if is_for_all
        else "Google, Bing and all other crawlers that no group allows may fetch nothing"
    )
    yield Found(line, what, span, witness="/", related=tuple(pulled_in(file, star)))
