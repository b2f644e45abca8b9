"""RT318: style sheets and scripts that search engines may not fetch."""

import re
from collections.abc import Iterator

from verger.analysis import effects
from verger.lint.check import check
from verger.lint.diagnostic import Found
from verger.lint.file import STEPS, File
from verger.lint.words import quoted

RESOURCE = re.compile(r"\.(?:css|js|mjs)(?:[$*?]|\Z)", re.IGNORECASE)
ENGINES = ("Googlebot", "bingbot")


@check(
    "RT318",
    "blocked-resources",
    "warning",
    why="search engines render pages, and judge them without what they may not fetch",
)
def blocked_resources(file: File) -> Iterator[Found]:
    """A rule that closes style sheets or scripts to Googlebot or bingbot, such as `/*.js$`.

    Google Search Central, "Fix Search-related JavaScript problems": pages are rendered with what
    Googlebot may fetch.

    Use instead: an `Allow` for what pages need.
    """
    rules = {rule.line for rule in file.rules if not rule.allow and RESOURCE.search(rule.pattern)}
    told: set[int] = set()
    for token in ENGINES if rules else ():
        agent = file.robots.agent(token)
        if not rules & {rule.line for rule in agent.rules} or agent.posture == "none":
            continue
        for effect in effects(agent, steps=STEPS):
            rule = effect.rule
            if rule.line in rules - told and effect.does == "decides":
                told.add(rule.line)
                what = f"{quoted(rule.pattern)} closes what pages need to {token}"
                yield Found(rule.line, what, rule.span, witness=effect.witness)
