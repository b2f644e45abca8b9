"""RT501: a site that is closed to everyone."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

ENGINES = ("Googlebot", "bingbot")


@check("RT501", "warning")
def site_closed(file: File) -> Iterator[Found]:
    """A file that closes everything to all crawlers, search engines among them.

    That is right for a test system. In production, it is often a file copied from one.
    `verger lint --guard` fails where it is. A file that opens anything to them, be it one page, is
    left alone: only its owner knows whether that is enough.

    Why: a site that is closed to search engines disappears from search.

    Use instead: an empty `Disallow:`, or the paths that are to be closed.
    """
    if not all(map(file.is_closed, ("*", *ENGINES))):
        return
    rule = file.robots.agent("*").decide("/").rule
    line = rule.line if rule else 1
    span = rule.span if rule else None
    is_for_all = all(agent.posture == "none" for agent in file.agents)
    who = (
        "every crawler, search engines among them"
        if is_for_all
        else "Google, Bing and all others that no group lets in"
    )
    what = f"everything is closed to {who}"
    yield Found(line, what, span, witness="/")
