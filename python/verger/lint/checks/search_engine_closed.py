"""RT502: a site that is disallowed for one large search engine."""

from collections.abc import Iterator

from verger.crawlers.binding import agent_of
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

ENGINES = {"Googlebot": "Google", "bingbot": "Bing"}


@check("RT502", "warning")
def search_engine_closed(file: File) -> Iterator[Found]:
    """A file that disallows everything for Googlebot or bingbot, but not for every crawler.

    bingbot also follows a group for msnbot, its old name, if none names bingbot (Bing Webmaster
    Blog, "Bing crawler: bingbot on the horizon", 28 June 2010).

    Why: the site disappears from that search engine.

    Use instead: a group for the crawler that allows what it may fetch.
    """
    closed = list(filter(file.is_closed, ENGINES))
    if len(closed) == len(ENGINES) and file.is_closed("*"):
        return  # RT501
    for token in closed:
        agent = agent_of(file.robots, token)
        rule = agent.decide("/").rule
        what = f"{token}, {ENGINES[token]}'s crawler, may fetch nothing"
        if agent.tokens[0] != token:
            what += f": it follows the group for {agent.tokens[0]}"
        yield Found(rule.line if rule else 1, what, rule.span if rule else None, witness="/")
