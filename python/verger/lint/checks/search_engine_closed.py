"""RT502: a site that is disallowed for one large search engine."""

from collections.abc import Iterator

from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import File

ENGINES = {"Googlebot": "Google", "bingbot": "Bing"}


@check("RT502", "warning")
def search_engine_closed(file: File) -> Iterator[Found]:
    """A file that disallows everything for Googlebot or bingbot, but not for every crawler.

    Why: the site disappears from that search engine.

    Use instead: a group for the crawler that allows what it may fetch.
    """
    closed = list(filter(file.is_closed, ENGINES))
    if len(closed) == len(ENGINES) and file.is_closed("*"):
        return  # RT501
    for token in closed:
        if not _is_allowed_by_old_name(file, token):
            decision = file.robots.agent(token).decide("/")
            rule = decision.rule
            what = f"{token}, {ENGINES[token]}'s crawler, may fetch nothing"
            yield Found(rule.line if rule else 1, what, rule.span if rule else None, witness="/")


def _is_allowed_by_old_name(file: File, token: str) -> bool:
    """Whether a group allows bingbot under its old name, which it still follows.

    Bing Webmaster Blog, "Bing crawler: bingbot on the horizon" (28 June 2010).
    """
    is_named = token.lower() in file.named
    return token == "bingbot" and not is_named and file.robots.agent("msnbot").posture != "none"
