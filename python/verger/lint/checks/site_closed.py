"""RT501: a site that is disallowed for every crawler."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.checks.merged_by_record import pulled_in
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.lint.words import quoted
from verger.plain import listed

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
    open_in = [name for name in file.readings if not _is_closed_to_all(file, name)]
    if not file.is_whole or file.targets[0] in open_in:
        what = "Google, Bing and all other crawlers that no group allows may fetch nothing"
    elif open_in:
        readers = listed(open_in, quoted)
        what = f"no crawler may fetch anything, except those that read the file as {readers}"
    else:
        what = "no crawler may fetch anything, search engines included"
    yield Found(line, what, span, witness="/", related=tuple(pulled_in(file, star)))


def _is_closed_to_all(file: File, name: str) -> bool:
    """Whether no crawler that reads the file in a dialect may fetch anything."""
    return all(agent.posture == "none" for agent in file.agents_in(file.readings[name]))
