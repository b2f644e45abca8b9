"""Sites that search engines may not fetch.

RT501 and RT502.
"""

from collections.abc import Iterator

from verger.crawlers.binding import agent_of
from verger.lint.check import check
from verger.lint.checks.merged_by_record import pulled_in
from verger.lint.diagnostic import Found, quoted
from verger.lint.file import File
from verger.untrusted_text import listed

OPERATORS = {"Googlebot": "Google", "bingbot": "Bing"}


@check("RT501", "warning")
def site_closed(file: File) -> Iterator[Found]:
    """A file that disallows everything for all crawlers, including search engines.

    That is right for a test system. In production, it is often a file copied from one.
    `verger lint --guard` makes it an error. If search engines may fetch something, but not the home
    page, that is RT502.

    Why: a site that search engines may not fetch disappears from search.

    Use instead: an empty `Disallow:`, or the paths that are meant to be disallowed.
    """
    if not all(map(file.is_closed, ("*", *OPERATORS))):
        return
    star = file.robots.agent("*")
    rule = star.decide("/").rule
    line, span = (rule.line, rule.span) if rule else (1, None)
    open_in = [
        name
        for name, reading in zip(file.targets, (file, *file.others), strict=True)
        if any(agent.posture != "none" for agent in reading.agents)
    ]
    if not file.is_whole or file.targets[0] in open_in:
        what = "Google, Bing and all other crawlers that no group allows may fetch nothing"
    elif open_in:
        what = (
            "no crawler may fetch anything, except those that read the file as "
            f"{listed(open_in, quoted)}"
        )
    else:
        what = "no crawler may fetch anything, search engines included"
    yield Found(line, what, span, witness="/", related=tuple(pulled_in(file, star)))


@check("RT502", "warning")
def search_engine_closed(file: File) -> Iterator[Found]:
    """A file that disallows everything, or the home page, for Googlebot or bingbot.

    A file that disallows everything for every crawler is RT501. `verger lint --guard` makes it an
    error, whatever else the file allows.

    bingbot also follows a group for msnbot, its old name, if none names bingbot (Bing Webmaster
    Blog, "Bing crawler: bingbot on the horizon", 28 June 2010).

    Why: the site, or at least its home page, disappears from that search engine.

    Use instead: a group for the crawler that allows what it may fetch.
    """
    closed = list(filter(file.is_closed, OPERATORS))
    if len(closed) == len(OPERATORS) and file.is_closed("*"):
        return  # RT501
    found: dict[tuple[int, str], list[str]] = {}
    for token in OPERATORS:
        agent = agent_of(file.robots, token)
        decision = agent.decide("/")
        extent = "nothing" if token in closed else "only what rules allow, and not the home page"
        if agent.tokens[0] != token:
            extent += f": it follows the group for {agent.tokens[0]}"
        if not decision.allowed:
            found.setdefault((decision.line or 1, extent), []).append(token)
    for (line, extent), tokens in found.items():
        agent = agent_of(file.robots, tokens[0])
        rule = agent.decide("/").rule
        is_one = len(tokens) == 1
        who = f"{tokens[0]}, {OPERATORS[tokens[0]]}'s crawler," if is_one else listed(tokens)
        span = rule.span if rule else None
        yield Found(
            line,
            f"{who} may fetch {extent}",
            span,
            witness="/",
            related=tuple(pulled_in(file, agent)),
        )
