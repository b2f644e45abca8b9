"""RT502: a site whose home page is disallowed for a large search engine."""

from collections.abc import Iterator

from verger.crawlers.binding import agent_of
from verger.lint.check import check
from verger.lint.checks.merged_by_record import pulled_in
from verger.lint.diagnostic import Found
from verger.lint.file import File
from verger.plain import listed

ENGINES = {"Googlebot": "Google", "bingbot": "Bing"}


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
    closed = list(filter(file.is_closed, ENGINES))
    if len(closed) == len(ENGINES) and file.is_closed("*"):
        return  # RT501
    found: dict[tuple[int, str], list[str]] = {}
    for token in ENGINES:
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
        who = (
            f"{tokens[0]}, {ENGINES[tokens[0]]}'s crawler," if len(tokens) == 1 else listed(tokens)
        )
        related = tuple(pulled_in(file, agent))
        span = rule.span if rule else None
        yield Found(line, f"{who} may fetch {extent}", span, witness="/", related=related)
